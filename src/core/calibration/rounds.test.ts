// Rounds that are measured for their own sake: as many as wanted, whatever they show.
import { describe, expect, test } from "vitest";
import { makeSamples } from "../../../test/support/samples.ts";
import { rotate, type TurnState } from "../../app/gate/rotation.ts";
import { describeTurn } from "../../app/gate/turn.ts";
import type { Round, Samples } from "../model/samples.ts";

const whole = makeSamples({ rounds: 1, noise: 0 }).rounds[0] as Round;

const TEN = { kind: "rounds", rounds: 10 } as const;

/** Answers every round with a whole one, but for those named. */
async function rotated(
  wantedRounds: number,
  broken: readonly number[] = [],
  counted?: (samples: Samples) => number,
): Promise<{ samples: Samples; turns: TurnState[] }> {
  const samples = { ...makeSamples({ rounds: 0, noise: 0, state: "running" }), rounds: [] };
  const turns: TurnState[] = [];
  const done = await rotate({
    samples,
    baselines: [],
    elapsedMs: () => 0,
    abort: new AbortController().signal,
    keep: () => {},
    onTurn: (state) => turns.push(state),
    goal: { kind: "rounds", rounds: wantedRounds, counted },
    runOne: async ({ index }, scenarios) => {
      expect(scenarios).toHaveLength(2);
      return broken.includes(index) ? voided(index) : { ...whole, index };
    },
  });
  return { samples: done, turns };
}

/** A round whose slices stayed void in one scenario. */
function voided(index: number): Round {
  const [first, ...rest] = whole.scenarios;
  if (first === undefined) throw new Error("the round has scenarios");
  const arm = { pooled: null, curve: [], saturated: false };
  return {
    ...whole,
    index,
    scenarios: [{ ...first, arms: { candidate: arm, reference: arm } }, ...rest],
  };
}

describe("wanted rounds", () => {
  test("are measured to the last, though everything is decided long before", async () => {
    const { samples } = await rotated(30);
    expect(samples.rounds).toHaveLength(30);
    expect(samples.run).toMatchObject({
      state: "complete",
      ended: "rounds",
    });
  });

  test("that stayed void are made up for, up to twice as many more", async () => {
    expect((await rotated(12, [1, 4])).samples.rounds).toHaveLength(14);
    const all = Array.from({ length: 99 }, (_, i) => i);
    expect((await rotated(12, all)).samples.rounds.length).toBeLessThanOrEqual(36);
  });

  test("may be others than those of the whole load", async () => {
    const { samples } = await rotated(8, [], ({ rounds }) => Math.floor(rounds.length / 2));
    expect(samples.rounds).toHaveLength(16);
  });

  test("are what the progress counts", async () => {
    const { turns } = await rotated(10);
    const last = turns.at(-1);
    const middle = turns.find(({ rounds }) => rounds === 4);
    if (last === undefined || middle === undefined) throw new Error("no turn was told");
    expect(describeTurn(middle, 40_000, TEN)).toBe("round 4 of 10: 40 s measured, about 60 s left");
    expect(describeTurn(last, 100_000, TEN)).toContain("round 10 of 10");
    const { turns: disturbed } = await rotated(10, [1, 4]);
    expect(describeTurn(disturbed.at(-1) as never, 120_000, TEN)).toBe(
      "round 12, 10 of 10 count: 2.0 min measured, about 0 s left",
    );
  });
});
