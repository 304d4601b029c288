// The loop without processes: rounds come from made-up samples, time from the test.
import { expect, test } from "vitest";
import { recorded } from "../../test/support/baseline-update-cases.ts";
import { makeSamples, type SamplesRecipe } from "../../test/support/samples.ts";
import type { Baseline } from "../model/baseline.ts";
import type { Samples } from "../model/samples.ts";
import { OUT_OF_TIME, type Rotation, rotate } from "./rotation.ts";

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

async function rotated(wishes: Wishes): Promise<{ samples: Samples; kept: number }> {
  const { roundMs = 1000, screen } = wishes;
  const recipe = { rounds: 80, noise: 0.03, state: "running", ...wishes.recipe } as const;
  const source = makeSamples(recipe);
  wishes.change?.(source);
  const abort = new AbortController();
  let measured = 0;
  let kept = 0;
  const samples = await rotate({
    samples: { ...source, rounds: [], run: { ...source.run, ended: "" } },
    baselines: wishes.baselines ?? [],
    elapsedMs: () => measured * roundMs,
    abort: abort.signal,
    keep: () => kept++,
    onTurn: () => {},
    ...(screen === undefined ? {} : { screen }),
    runOne: async ({ index }) => {
      const round = source.rounds[index];
      if (round === undefined) throw new Error(`round ${index} was not made up`);
      measured++;
      if (wishes.stopInRound === index) abort.abort();
      return round;
    },
  });
  return { samples, kept };
}

test("a run goes on until every question is answered, and keeps every round", async () => {
  const { samples, kept } = await rotated({});
  expect(samples.run).toMatchObject({ state: "complete", ended: "every question is answered" });
  expect([8, 12, 16, 20]).toContain(samples.rounds.length);
  expect(kept).toBe(samples.rounds.length + 1);
});

test("the last look, and a quarter more rounds at most, end what cannot be told", async () => {
  const { samples } = await rotated({ recipe: { noise: 0.6 } });
  expect(samples.run).toMatchObject({ state: "complete", ended: "every question is answered" });
  expect(samples.rounds).toHaveLength(60);
});

test("the time budget ends a run that could go on", async () => {
  const change = ({ config }: Samples): void => {
    config.policy.timeBudgetMs = 5000;
  };
  const { samples } = await rotated({ change });
  expect(samples.run).toMatchObject({ state: "complete", ended: OUT_OF_TIME, measuredMs: 5000 });
  expect(samples.rounds).toHaveLength(5);
});

test("a crash ends the run at once, with its round", async () => {
  const { samples } = await rotated({ recipe: { crashInRound: 2 } });
  expect(samples.run.state).toBe("failed");
  expect(samples.run.ended).toContain("exited with code 70");
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
  expect(samples.run.ended).toMatch(/^api\/echo: requests to the candidate went wrong/);
  expect(samples.rounds).toHaveLength(4);
});

test("a screen ends with its looks, with its time, or as soon as it cannot pass", async () => {
  const check = async (wishes: Wishes, rounds: number): Promise<void> => {
    const { samples } = await rotated({
      screen: { looks: 2, timeMs: 60_000 },
      baselines: [recorded(8)],
      ...wishes,
      recipe: { compare: "stored", ...wishes.recipe },
    });
    expect(samples.run).toMatchObject({ state: "complete", ended: "the screen is over" });
    expect(samples.rounds).toHaveLength(rounds);
  };
  await check({ recipe: { p99Us: 420 } }, 12);
  await check({ recipe: { p99Us: 420 }, screen: { looks: 1, timeMs: 60_000 } }, 8);
  await check({ screen: { looks: 2, timeMs: 3000 } }, 3);
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
