// The loop over rounds: how it ends, and what is kept when.
import { expect, test } from "vitest";
import { makeComparisonSamples } from "../../test/support/comparison.ts";
import type { ComparisonSamples } from "../model/comparison.ts";
import { runRounds } from "./compare-measure.ts";

const made = makeComparisonSamples({ rounds: 8 });
const crashing = makeComparisonSamples({ rounds: 8, crashInRound: 1 });

test.each([
  { about: "all rounds", from: made, abortAfter: 99, roundMs: 1, state: "complete", measured: 4 },
  { about: "a signal", from: made, abortAfter: 2, roundMs: 1, state: "interrupted", measured: 1 },
  { about: "a crash", from: crashing, abortAfter: 99, roundMs: 1, state: "failed", measured: 2 },
  { about: "no time", from: made, abortAfter: 99, roundMs: 5e5, state: "complete", measured: 2 },
])("$about: $state after $measured rounds", async (example) => {
  const abort = new AbortController();
  const kept: ComparisonSamples[] = [];
  let run = 0;
  const samples = await runRounds(
    { ...example.from, rounds: [] },
    {
      rounds: 4,
      abort: abort.signal,
      elapsedMs: () => run * example.roundMs,
      runOne: async (plan) => {
        expect(plan.service).toBe("rusty vs gopher");
        expect(plan.index).toBe(run);
        const round = example.from.rounds[run];
        if (round === undefined) throw new Error("one round too many");
        run++;
        if (run === example.abortAfter) abort.abort();
        return round;
      },
      keep: (current) => kept.push(current),
      onRound: () => {},
    },
  );
  expect(samples.run.state).toBe(example.state);
  expect(samples.rounds).toHaveLength(example.measured);
  // After every round, and once more at the end.
  expect(kept.map(({ rounds }) => rounds.length)).toEqual([
    ...Array.from({ length: example.measured }, (_, index) => index + 1),
    example.measured,
  ]);
  expect(kept.at(-1)).toEqual(samples);
});
