import { describe, expect, test } from "vitest";
import { makeSamples } from "../../../test/support/samples.ts";
import type { Samples, Slice } from "../model/samples.ts";
import { findSliceNoise, hostNoise } from "./disturbances.ts";

/** Rounds without noise, every k-th slice of which is changed. */
function disturbed(every: number, change: (slice: Slice) => Slice): Samples {
  const samples = makeSamples({ rounds: 10, noise: 0 });
  let n = 0;
  return {
    ...samples,
    rounds: samples.rounds.map((round) => ({
      ...round,
      scenarios: round.scenarios.map((entry) => ({
        ...entry,
        // The reference's level wanders from round to round: here all are alike.
        slices: entry.slices.map((slice) => {
          const same = withP99(slice, 300);
          return n++ % every === 0 ? change(same) : same;
        }),
      })),
    })),
  };
}

function withP99(slice: Slice, p99: number): Slice {
  return slice.latency === null ? slice : { ...slice, latency: { ...slice.latency, p99 } };
}

const host = (slice: Slice, changes: Partial<Slice["host"]>): Slice => ({
  ...slice,
  host: { ...slice.host, ...changes },
});

test("a signal's slices are compared with calm ones", () => {
  const found = findSliceNoise(
    disturbed(8, (slice) => host(withP99(slice, 900), { foreign: 0.1 })),
  );
  expect(found).toMatchObject({ slices: 160, void: 0, calm: 140 });
  expect(found.signals).toMatchObject([{ signal: "foreign-cpu", slices: 20 }]);
  expect(found.signals[0]?.slower).toBeCloseTo(3, 6);
});

test("slow slices without a signal are calm, and discarded ones are counted by rule", () => {
  const slow = disturbed(8, (slice) => withP99(slice, 900));
  expect(findSliceNoise(slow)).toMatchObject({ calm: 160, signals: [] });
  const discarded = disturbed(8, (slice) => ({ ...slice, void: { rule: "lag", detail: "" } }));
  expect(findSliceNoise(discarded)).toMatchObject({ void: 20, calm: 140, byRule: { lag: 20 } });
});

test("the costliest signal comes first", () => {
  const found = findSliceNoise(
    disturbed(3, (slice) =>
      slice.pair % 2 === 0
        ? host(withP99(slice, 330), { throttled: 1 })
        : host(withP99(slice, 3000), { steal: 0.5 }),
    ),
  );
  expect(found.signals.map(({ signal }) => signal)).toEqual(["steal", "throttled"]);
});

test("where no slice was calm, the most frequent signal comes first", () => {
  const found = findSliceNoise(
    disturbed(1, (slice) =>
      host(slice, { foreign: 0.1, ...(slice.pair % 2 === 0 ? { steal: 0.5 } : {}) }),
    ),
  );
  expect(found.calm).toBe(0);
  expect(found.signals.map(({ signal }) => signal)).toEqual(["foreign-cpu", "steal"]);
});

describe("noise of the host", () => {
  const samples = disturbed(8, (slice) => host(slice, { foreign: 0.3, steal: 0.01 }));

  test("is counted in slices that count, by what tells it first", () => {
    const lagged = disturbed(4, (slice) => ({
      ...host(slice, slice.pair === 0 ? { steal: 0.3 } : {}),
      lag: { p50: 900, p99: 9000, max: 9000 },
    }));
    const { slices, disturbed: all, byRule } = hostNoise(lagged.rounds);
    expect([slices, all, (byRule.steal ?? 0) + (byRule.lag ?? 0)]).toEqual([160, 40, 40]);
    expect(byRule.steal).toBeGreaterThan(0);
    expect(hostNoise(samples.rounds)).toMatchObject({ byRule: { "foreign-cpu": 20 } });
  });

  test("is of the scenarios that are asked about", () => {
    expect(hostNoise(samples.rounds, new Set(["api/echo"])).slices).toBe(80);
  });

  test("names who was at work in the rounds that it met, by their share of those rounds' time", () => {
    const rounds = samples.rounds.map((round, k) => ({
      ...round,
      scenarios: k < 2 ? round.scenarios : [],
      culprits: [
        [{ command: "rustc", share: 0.3 }],
        [
          { command: "rustc", share: 0.1 },
          { command: "apt", share: 0.04 },
        ],
        [{ command: "quiet-hour", share: 0.9 }],
      ][Math.min(k, 2)],
    }));
    const { culprits } = hostNoise(rounds as Samples["rounds"]);
    expect(culprits.map(({ command }) => command)).toEqual(["rustc", "apt"]);
    expect(culprits[0]?.share).toBeCloseTo(0.2, 9);
    expect(culprits[1]?.share).toBeCloseTo(0.02, 9);
  });

  test("of files that name nobody nobody is named", () => {
    expect(hostNoise(samples.rounds).culprits).toEqual([]);
  });
});

test("a lower clock is one against the run's own", () => {
  const samples = disturbed(8, (slice) => host(slice, { mhz: 2000 }));
  const clocked = {
    ...samples,
    rounds: samples.rounds.map((round) => ({
      ...round,
      scenarios: round.scenarios.map((entry) => ({
        ...entry,
        slices: entry.slices.map((slice) => host(slice, { mhz: slice.host.mhz ?? 3000 })),
      })),
    })),
  };
  expect(findSliceNoise(clocked).signals).toMatchObject([{ signal: "frequency", slices: 20 }]);
  // Where nothing shows a clock, none is low.
  expect(findSliceNoise(samples).signals).toEqual([]);
});

test("a run without slices has nothing to say", () => {
  const found = findSliceNoise({ ...makeSamples({ rounds: 0, noise: 0 }), rounds: [] });
  expect(found).toMatchObject({ slices: 0, calm: 0, signals: [] });
});
