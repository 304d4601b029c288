// The loop without processes: rounds come from made-up samples, time from the test.
import { expect, test } from "vitest";
import { recorded } from "../../../test/support/baseline-update-cases.ts";
import { makeSamples, type SamplesRecipe } from "../../../test/support/samples.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import type { Samples } from "../../core/model/samples.ts";
import { type Rotation, rotate } from "./rotation.ts";

interface Wishes {
  recipe?: Partial<SamplesRecipe>;
  baselines?: readonly Baseline[];
  screen?: Rotation["screen"];
  /** Of one round. */
  roundMs?: number;
  change?(samples: Samples): void;
  /** Aborted while this round is measured. */
  stopInRound?: number;
}

interface Rotated {
  samples: Samples;
  kept: number;
  /** Of each round, whether memory was to be read. */
  memoryRead: boolean[];
}

async function rotated(wishes: Wishes): Promise<Rotated> {
  const { roundMs = 1000, screen } = wishes;
  const recipe = { rounds: 80, noise: 0.03, state: "running", ...wishes.recipe } as const;
  const source = makeSamples(recipe);
  wishes.change?.(source);
  const abort = new AbortController();
  let measured = 0;
  let kept = 0;
  const memoryRead: boolean[] = [];
  const samples = await rotate({
    samples: { ...source, rounds: [], run: { ...source.run, ended: "running" } },
    baselines: wishes.baselines ?? [],
    elapsedMs: () => measured * roundMs,
    abort: abort.signal,
    keep: () => kept++,
    onTurn: () => {},
    ...(screen === undefined ? {} : { screen }),
    runOne: async ({ index, readsMemory }) => {
      memoryRead.push(readsMemory);
      const round = source.rounds[index];
      if (round === undefined) throw new Error(`round ${index} was not made up`);
      measured++;
      if (wishes.stopInRound === index) abort.abort();
      return round;
    },
  });
  return { samples, kept, memoryRead };
}

test("a run goes on until every question is answered, and keeps every round", async () => {
  const { samples, kept } = await rotated({});
  expect(samples.run).toMatchObject({ state: "complete", ended: "answered" });
  expect(samples.rounds.length).toBeGreaterThanOrEqual(5);
  expect(samples.rounds.length).toBeLessThan(20);
  expect(kept).toBe(samples.rounds.length + 1);
});

test("a proven regression ends a run, unless all is to be answered", async () => {
  const recipe = { p99Ratio: { "api/echo": 2 }, noise: 0.15, rounds: 160 };
  const first = await rotated({ recipe });
  expect(first.samples.run).toMatchObject({ state: "complete", ended: "regressed" });
  const all = await rotated({
    recipe,
    change: ({ config }) => {
      config.policy.answerAll = true;
    },
  });
  expect(all.samples.run.ended).toBe("answered");
  expect(all.samples.rounds.length).toBeGreaterThan(first.samples.rounds.length);
});

test("what no number of rounds would tell is given up", async () => {
  const change = ({ config }: Samples): void => {
    for (const metric of config.policy.metrics) metric.floor = 0.25;
  };
  const recipe = { rounds: 160, noise: 3 };
  const { samples } = await rotated({ recipe, change });
  expect(samples.run).toMatchObject({ state: "complete", ended: "answered" });
  expect(samples.rounds).toHaveLength(150);
});

test("the time budget ends a run that could go on", async () => {
  const change = ({ config }: Samples): void => {
    config.policy.timeBudgetMs = 5000;
  };
  const { samples } = await rotated({ change });
  expect(samples.run).toMatchObject({ state: "complete", ended: "out-of-time", measuredMs: 5000 });
  expect(samples.rounds).toHaveLength(5);
});

test("a crash ends the run at once, with its round", async () => {
  const { samples } = await rotated({ recipe: { crashInRound: 2 } });
  expect(samples.run.state).toBe("failed");
  expect(samples.run.ended).toBe("failed");
  expect(samples.rounds).toHaveLength(3);
});

test("a round that a signal cut short is not kept", async () => {
  const { samples } = await rotated({ stopInRound: 2 });
  expect(samples.run.state).toBe("interrupted");
  expect(samples.rounds).toHaveLength(2);
});

test("a scenario that is answered wrongly every time ends the run after four rounds", async () => {
  const change = ({ rounds }: Samples): void => {
    for (const { scenarios } of rounds) {
      for (const slice of scenarios[0]?.slices ?? []) {
        if (slice.arm === "candidate") slice.void = { rule: "status", detail: "" };
      }
    }
  };
  const { samples } = await rotated({ change });
  expect(samples.run.state).toBe("failed");
  expect(samples.run.ended).toBe("failed");
  expect(samples.rounds).toHaveLength(4);
});

test("a screen ends with its rounds, with its time, or as soon as it cannot pass", async () => {
  const check = async (wishes: Wishes, rounds: number): Promise<void> => {
    const { samples } = await rotated({
      screen: { rounds: 12, timeMs: 60_000 },
      baselines: [recorded(8)],
      ...wishes,
      recipe: { compare: "stored", ...wishes.recipe },
    });
    expect(samples.run).toMatchObject({ state: "complete", ended: "screened" });
    expect(samples.rounds).toHaveLength(rounds);
  };
  await check({ recipe: { p99Us: 420 } }, 12);
  await check({ recipe: { p99Us: 420 }, screen: { rounds: 8, timeMs: 60_000 } }, 8);
  await check({ screen: { rounds: 12, timeMs: 3000 } }, 3);
  await check({ baselines: [recorded(3)] }, 0);
  // All but one could be told.
  const { rss: _, ...metrics } = recorded(8).metrics;
  await check({ baselines: [{ ...recorded(8), metrics }] }, 0);
  await check({ baselines: [] }, 0);
});

test("against young stored values nothing is measured: no round could tell", async () => {
  const { samples } = await rotated({
    recipe: { compare: "stored" },
    baselines: [recorded(3)],
  });
  expect(samples.rounds).toHaveLength(0);
});

test("memory is read until it is decided, and always where nobody judges it", async () => {
  // What the noise leaves open in latency, memory, an eighth as noisy, has told by the fifth round.
  const { memoryRead } = await rotated({ recipe: { noise: 0.08, rounds: 150 } });
  expect(memoryRead.slice(0, 5)).toEqual([true, true, true, true, true]);
  expect(memoryRead.at(-1)).toBe(false);
  const change = ({ config }: Samples): void => {
    for (const policy of config.policy.metrics) {
      if (policy.metric === "rss") policy.level = "info";
    }
  };
  const shown = await rotated({ change, recipe: { noise: 0.08, rounds: 150 } });
  expect(new Set(shown.memoryRead)).toEqual(new Set([true]));
});
