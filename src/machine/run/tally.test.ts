// Which arm could not keep its rate in a round, from what its slices show.
import { expect, test } from "vitest";
import { makeConfig, makeSamples } from "../../../test/support/samples.ts";
import type { Arm, Slice } from "../../core/model/samples.ts";
import { accept, newTally, scenarioRound } from "./tally.ts";

const [SCENARIO] = makeConfig().scenarios;
const [PUNCTUAL] = makeSamples({ rounds: 1, noise: 0 }).rounds[0]?.scenarios[0]?.slices ?? [];

const SEEN: Readonly<Record<string, Partial<Slice["host"]> & { queues: boolean }>> = {
  calm: { queues: false, needed: 0.6 },
  full: { queues: true, needed: 1.1 },
  robbed: { queues: true, foreign: 0.5, needed: 0.8 },
  // Near its capacity, and dearer beside others than alone.
  close: { queues: true, foreign: 0.5, needed: 1.15 },
  beyond: { queues: true, foreign: 0.5, needed: 1.4 },
  // It spins while it waits for work.
  spinning: { queues: false, foreign: 0.5, needed: 1.4 },
  old: { queues: true, foreign: 0.5 },
};

function slice(name: string): Slice {
  const seen = SEEN[name];
  if (seen === undefined || !PUNCTUAL?.latency) throw new Error(`no slice ${name}`);
  const { queues, ...host } = seen;
  const latency = { ...PUNCTUAL.latency, p99: 50_000 };
  return {
    ...PUNCTUAL,
    host: { ...PUNCTUAL.host, ...host },
    ...(queues ? { latency, queueWaitP99Us: 45_000 } : {}),
  };
}

/** Pairs of slices, `candidate/reference`. */
function check(pairs: string, expected: readonly Arm[]): void {
  if (SCENARIO === undefined) throw new Error("no scenario");
  const tally = newTally({ ...SCENARIO, slice: { durationMs: 500, pairs: 2 } });
  for (const pair of pairs.split(" ")) {
    const [candidate = "", reference = ""] = pair.split("/");
    const measured = (name: string) => ({
      slice: slice(name),
      latencies: Float64Array.of(300),
      parts: [],
    });
    accept(tally, { candidate: measured(candidate), reference: measured(reference) });
  }
  const { arms } = scenarioRound(tally, ["candidate", "reference"], {});
  expect(
    (["candidate", "reference"] as const).filter((arm) => arms[arm]?.saturated),
    pairs,
  ).toEqual(expected);
}

test("an arm that queues in calm slices is saturated", () => {
  check("calm/calm calm/calm", []);
  check("full/calm full/calm", ["candidate"]);
  check("full/full full/full", ["candidate", "reference"]);
});

test("beside other programs it must also need more CPU time than it has", () => {
  check("robbed/robbed robbed/robbed", []);
  check("close/close close/close", []);
  check("beyond/beyond beyond/beyond", ["candidate", "reference"]);
  check("beyond/robbed beyond/robbed", ["candidate"]);
  check("spinning/spinning spinning/spinning", []);
  check("old/old old/old", []);
});

test("one slice of two is not a majority", () => {
  check("beyond/beyond calm/calm", []);
  check("beyond/full robbed/calm", []);
  check("full/full robbed/close", []);
  check("full/full beyond/beyond", ["candidate", "reference"]);
});
