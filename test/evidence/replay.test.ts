// The quick replay against the real rotation and the real verdict on the same rounds.
import { describe, expect, test } from "vitest";
import { termsOf, turnsOf } from "../../scripts/evidence/pool.ts";
import { answersOf, replay } from "../../scripts/evidence/replay.ts";
import { rotate } from "../../src/app/rotation.ts";
import type { Round, Samples } from "../../src/model/samples.ts";
import { judge } from "../../src/verdict/judge.ts";
import { type TwinRecipe, twinSamples } from "./fixture.ts";

const MS = 9000;

/** Rounds come from the recording, with the scenarios that are still asked for. */
async function rotated(recorded: Samples): Promise<Samples> {
  let elapsedMs = 0;
  return await rotate({
    samples: { ...recorded, rounds: [], run: { ...recorded.run, state: "running" } },
    baselines: [],
    elapsedMs: () => elapsedMs,
    abort: new AbortController().signal,
    keep: () => {},
    onTurn: () => {},
    runOne: async ({ service, index }, scenarios) => {
      elapsedMs += MS;
      const round = recorded.rounds.find((r) => r.service === service && r.index === index);
      if (round === undefined) throw new Error(`no round ${index} of ${service} was recorded`);
      const asked = new Set(scenarios.map(({ id }) => id));
      return { ...round, scenarios: round.scenarios.filter((s) => asked.has(s.scenario)) } as Round;
    },
  });
}

const plain = (samples: Samples): Samples => ({
  ...samples,
  // Whole rounds, nothing between them.
  run: { ...samples.run, measuredMs: samples.rounds.length * MS },
});

interface Checked {
  state: string;
  /** Wall time of all rounds that were measured. */
  ms: number;
}

async function check(recipe: Partial<TwinRecipe>, timeBudgetMs: number): Promise<Checked> {
  const made = plain(twinSamples({ rounds: 75, noise: 0.05, ...recipe }));
  const recorded: Samples = {
    ...made,
    config: { ...made.config, policy: { ...made.config.policy, timeBudgetMs } },
  };
  const real = await rotated(recorded);
  const verdict = judge({ samples: real, baselines: [] });
  const terms = termsOf(recorded);
  const trial = { turns: turnsOf(recorded, 75), swapped: false, seed: recorded.run.seed };
  const fast = replay(trial, answersOf(trial, {}, terms), terms);
  const rounds = Math.max(
    ...["api", "twin"].map((name) => real.rounds.filter((r) => r.service === name).length),
  );
  expect(fast.state).toBe(verdict.state === "improved" ? "pass" : verdict.state);
  expect(fast.turns).toBe(rounds);
  expect(fast.minutes).toBeCloseTo((real.rounds.length * MS) / 60_000, 9);
  for (const { id, level, state, rounds: own } of verdict.comparisons) {
    if (level !== "gate" || state === "inconclusive") continue;
    expect(fast.answers.get(id)?.turns, id).toBe(own);
  }
  return { state: fast.state, ms: real.rounds.length * MS };
}

describe("a replay is what the rotation does", () => {
  test("to the end, whatever happens", async () => {
    const day = 24 * 3600_000;
    const seen = new Set<string>();
    for (const seed of [1, 2, 3]) {
      for (const recipe of [{}, { p99Ratio: 1.12 }, { noise: 0.35 }]) {
        seen.add((await check({ seed, ...recipe }, day)).state);
      }
    }
    expect([...seen].sort()).toEqual(["inconclusive", "pass", "regressed"]);
  });

  test("up to the end of the time budget", async () => {
    // Room for ten turns of two services, and not for the look after twelve.
    expect((await check({ noise: 0.3, seed: 4 }, 20 * MS)).state).toBe("inconclusive");
    for (const seed of [1, 2, 3]) {
      const { ms, state } = await check({ seed }, 24 * 3600_000);
      expect(state).toBe("pass");
      // Exactly enough, and a round too few for the last answer.
      expect(await check({ seed }, ms)).toEqual({ state: "pass", ms });
      expect(await check({ seed }, ms - MS)).toEqual({ state: "inconclusive", ms: ms - MS });
    }
  });
});

test("a plant is the candidate's values multiplied, and arms change places when asked", () => {
  const samples = plain(twinSamples({ rounds: 40, noise: 0.03 }));
  const terms = termsOf(samples);
  const turns = turnsOf(samples, 40);
  const id = "twin/echo p99 typical";
  const planted = answersOf({ turns, swapped: false, seed: 1 }, { [id]: 0.2 }, terms);
  expect([...planted].filter(([, { state }]) => state === "regressed").map(([key]) => key)).toEqual(
    [id],
  );
  const worse = plain(twinSamples({ rounds: 40, noise: 0.03, p99Ratio: 1.2 }));
  const swapped = answersOf({ turns: turnsOf(worse, 40), swapped: true, seed: 1 }, {}, terms);
  expect(swapped.get(id)?.state).toBe("pass");
});
