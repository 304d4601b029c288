import { describe, expect, test } from "vitest";
import { makeSamples } from "../../../test/support/samples.ts";
import type { Samples, Slice } from "../model/samples.ts";
import { findSpoiled, hostNoise } from "./disturbances.ts";

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

describe("a signal that goes with slow slices", () => {
  const found = findSpoiled(disturbed(8, (slice) => host(withP99(slice, 900), { foreign: 0.1 })));

  test("is counted, with how slow they were and its part of all slowness", () => {
    expect(found.slices).toBe(160);
    expect(found.signals).toHaveLength(1);
    expect(found.signals[0]).toMatchObject({ signal: "foreign", slices: 20, void: 0, spoiled: 20 });
    expect(found.signals[0]?.slower).toBeCloseTo(3, 6);
    expect(found.signals[0]?.share).toBeCloseTo(1, 6);
  });

  test("explains what it spoiled", () => {
    expect(found).toMatchObject({ spoiled: 20, unexplained: 0, quiet: 140, void: 0 });
  });
});

test("slow slices without a signal are unexplained", () => {
  const found = findSpoiled(disturbed(8, (slice) => withP99(slice, 900)));
  expect(found).toMatchObject({ spoiled: 20, unexplained: 20, signals: [] });
});

test("a signal that does no harm has no part in the slowness", () => {
  const found = findSpoiled(disturbed(8, (slice) => host(slice, { steal: 0.02 })));
  expect(found.spoiled).toBe(0);
  expect(found.signals[0]).toMatchObject({ signal: "steal", slices: 20, spoiled: 0, share: 0 });
});

test("void slices are spoiled, and named by rule", () => {
  const found = findSpoiled(
    disturbed(8, (slice) => ({ ...slice, void: { rule: "lag", detail: "" } })),
  );
  expect(found).toMatchObject({ void: 20, spoiled: 20, byRule: { lag: 20 } });
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
    expect(findSpoiled(samples)).toMatchObject({ disturbed: 20, void: 0 });
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

test("the costliest comes first", () => {
  const found = findSpoiled(
    disturbed(4, (slice) =>
      slice.pair % 2 === 0
        ? host(withP99(slice, 400), { throttled: 1 })
        : host(withP99(slice, 3000), { steal: 0.5 }),
    ),
  );
  expect(found.signals.map(({ signal }) => signal)[0]).toBe(
    (found.signals[0]?.share ?? 0) > 0.5 ? found.signals[0]?.signal : "steal",
  );
  const shares = found.signals.map(({ share }) => share);
  expect(shares).toEqual([...shares].sort((a, b) => b - a));
});

const raised: [string, (slice: Slice) => Slice][] = [
  ["lag", (slice) => ({ ...slice, lag: { p50: 500, p99: 2500, max: 3000 } })],
  ["lag", (slice) => ({ ...slice, lag: { p50: 500, p99: 900, max: 6000 } })],
  ["throttled", (slice) => host(slice, { throttled: 1 })],
  ["generator", (slice) => host(slice, { generator: 0.6 })],
];
test.each(raised)("%s is raised", (signal, change) => {
  expect(findSpoiled(disturbed(8, change)).signals.map((one) => one.signal)).toEqual([signal]);
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
  expect(findSpoiled(clocked).signals).toMatchObject([{ signal: "frequency", slices: 20 }]);
  // Where nothing shows a clock, none is low.
  expect(findSpoiled(samples).signals).toEqual([]);
});

test("a run without slices has nothing to say", () => {
  const found = findSpoiled({ ...makeSamples({ rounds: 0, noise: 0 }), rounds: [] });
  expect(found).toMatchObject({ slices: 0, spoiled: 0, signals: [] });
});
