// A comparison in the gate's rotation: how it ends, and what is kept when.
import { expect, test } from "vitest";
import { makeComparisonSamples } from "../../../test/support/comparison.ts";
import type { Samples } from "../../core/model/samples.ts";
import { rotate } from "../gate/rotation.ts";

const made = makeComparisonSamples({ rounds: 8 });
const crashing = makeComparisonSamples({ rounds: 8, crashInRound: 1 });

test.each([
  { about: "all rounds", from: made, abortAfter: 99, roundMs: 1, state: "complete", measured: 4 },
  { about: "a signal", from: made, abortAfter: 2, roundMs: 1, state: "interrupted", measured: 1 },
  { about: "a crash", from: crashing, abortAfter: 99, roundMs: 1, state: "failed", measured: 2 },
  { about: "no time", from: made, abortAfter: 99, roundMs: 5e5, state: "complete", measured: 2 },
])("$about: $state after $measured rounds", async (example) => {
  const abort = new AbortController();
  const kept: Samples[] = [];
  let run = 0;
  const begun: Samples = { ...example.from, rounds: [] };
  const samples = await rotate({
    samples: begun,
    baselines: [],
    goal: { kind: "rounds", rounds: 4 },
    abort: abort.signal,
    elapsedMs: () => run * example.roundMs,
    runOne: async (plan, scenarios) => {
      expect(plan).toMatchObject({ service: "rusty vs gopher", index: run });
      expect(scenarios.map(({ id }) => id)).toEqual(begun.config.scenarios.map(({ id }) => id));
      const round = example.from.rounds[run];
      if (round === undefined) throw new Error("one round too many");
      run++;
      if (run === example.abortAfter) abort.abort();
      return round;
    },
    keep: (samples) => kept.push(samples),
    onTurn: () => {},
  });
  expect(samples.run).toMatchObject({ state: example.state });
  expect(samples).toMatchObject({ config: begun.config });
  expect(samples.rounds).toHaveLength(example.measured);
  // After every round, and once more at the end.
  expect(kept.map(({ rounds }) => rounds.length)).toEqual([
    ...Array.from({ length: example.measured }, (_, index) => index + 1),
    example.measured,
  ]);
  expect(kept.at(-1)).toEqual(samples);
});
