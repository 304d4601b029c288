// What a slice shows, on rows with known truth.
import { expect, test } from "vitest";
import { makeCapacitySamples } from "../../../test/support/capacity.ts";
import type { LoadDone } from "../slice/load.ts";
import type { SliceVerdict } from "./model.ts";
import { judgeTry, leastRate, type SliceRun, sliceDurationMs, summarizeTry } from "./slice.ts";

const { scenario, settings } = makeCapacitySamples({ launches: 1 });
const QUIET: SliceRun["host"] = {
  steal: 0,
  foreign: 0.01,
  generator: 0.2,
  service: 0.9,
  throttled: 0,
};
const RATE = 500;
const REQUESTS = 1000;

interface Case {
  /** Latency of request i from its release, milliseconds. */
  tookMs?: (i: number) => number;
  /** Lateness of the release, milliseconds. */
  lateMs?: (i: number) => number;
  waitMs?: (i: number) => number;
  host?: Partial<SliceRun["host"]>;
  statuses?: Record<string, number>;
  errors?: Record<string, number>;
  answers?: number;
}

function factsOf(input: Case) {
  const rows = Array.from({ length: input.answers ?? REQUESTS }, (_, i) => {
    const release = (1e6 * i) / RATE + 1000 * (input.lateMs?.(i) ?? 0);
    return {
      release,
      start: release + 1000 * (input.waitMs?.(i) ?? 0),
      end: release + 1000 * (input.tookMs?.(i) ?? 3),
    };
  });
  const load: LoadDone = {
    kind: "done",
    rows: {
      release: Float64Array.from(rows, ({ release }) => release),
      start: Float64Array.from(rows, ({ start }) => start),
      end: Float64Array.from(rows, ({ end }) => end),
    },
    statuses: input.statuses ?? { "200": rows.length },
    errors: input.errors ?? {},
    wallMs: 2000,
  };
  const run: SliceRun = {
    rateRps: RATE,
    startedAtMs: 0,
    durationMs: 2000,
    scheduled: REQUESTS,
    serviceCpuMs: 1800,
    wallMs: 2060,
    host: { ...QUIET, ...input.host },
  };
  return summarizeTry(load, run, scenario, settings);
}

function check(input: Case, expected: Partial<SliceVerdict>): SliceVerdict {
  const verdict = judgeTry(factsOf(input), scenario, settings);
  expect(verdict).toMatchObject(expected);
  return verdict;
}

test("the head of a slice counts in nothing", () => {
  const facts = factsOf({ tookMs: (i) => (i < 250 ? 900 : 3) });
  expect(facts.dropped).toBe(250);
  expect(facts.latency).toEqual({ p50Us: 3000, p99Us: 3000, maxUs: 3000 });
  expect(facts.answeredShare).toBe(1);
});

test("latency counts from the schedule: the generator's lag is in it", () => {
  const facts = factsOf({ lateMs: (i) => (i % 2 === 0 ? 0 : 1.5) });
  expect(facts.latency?.p99Us).toBeCloseTo(4500, 0);
  expect(facts.lag?.p99Us).toBeCloseTo(1500, 0);
});

test("within the objective by far, just within, beyond", () => {
  check({ tookMs: () => 3 }, { kind: "sustained", clear: true });
  check({ tookMs: () => 15 }, { kind: "sustained", clear: false });
  check({ tookMs: () => 21 }, { kind: "exceeded", clear: false });
  // Of 750 that count, 7 may be late.
  check({ tookMs: (i) => (i >= 993 ? 80 : 3) }, { kind: "sustained", clear: true });
  check({ tookMs: (i) => (i >= 900 && i < 908 ? 80 : 3) }, { kind: "exceeded", clear: false });
});

test("a growing queue is the service's: its requests wait for a connection, the generator is on time", () => {
  // A service that answers 400/s of the 500/s: request i ends at (i + 1) / 400.
  const overload = (i: number): number => ((i + 1) / 400 - i / 500) * 1000;
  const verdict = check(
    { tookMs: overload, waitMs: (i) => overload(i) - 5 },
    { kind: "exceeded", clear: true },
  );
  expect(verdict.reason).toMatch(/^7\d\.\d % answered/);
  expect(factsOf({ tookMs: overload, waitMs: overload }).connectionWaitP99Us).toBeGreaterThan(4e5);
});

test("the same queue with a generator that has no CPU left is no evidence", () => {
  const overload = (i: number): number => ((i + 1) / 400 - i / 500) * 1000;
  check({ tookMs: overload, host: { generator: 0.9 } }, { kind: "void", by: "generator" });
  check({ lateMs: (i) => (i % 20 === 0 ? 8 : 0) }, { kind: "void", by: "generator" });
});

test("a slice that went well is dropped as readily as one that went badly", () => {
  for (const tookMs of [() => 3, () => 300]) {
    check({ tookMs, host: { steal: 0.1 } }, { kind: "void", by: "host" });
    check({ tookMs, host: { foreign: 0.2 } }, { kind: "void", by: "host" });
    check({ tookMs, host: { throttled: 3 } }, { kind: "void", by: "host" });
    check({ tookMs, host: { generator: 0.8 } }, { kind: "void", by: "generator" });
  }
});

test("lag on a disturbed machine is the machine's", () => {
  check(
    { lateMs: (i) => (i % 20 === 0 ? 8 : 0), host: { foreign: 0.2 } },
    { kind: "void", by: "host" },
  );
});

test("failures beyond the budget are not sustained, lost requests no evidence", () => {
  check({ statuses: { "200": 999, "503": 1 } }, { kind: "exceeded", clear: false });
  check(
    { answers: 990, errors: { timeout: 10 } },
    { kind: "exceeded", reason: "10 of 1000 requests failed (10 × timeout), 0 allowed" },
  );
  check({ answers: 990 }, { kind: "void", by: "generator" });
  const lenient = { ...settings, errorBudget: 0.01 };
  const facts = factsOf({ answers: 990, errors: { timeout: 10 } });
  expect(judgeTry(facts, scenario, lenient)).toMatchObject({ kind: "sustained" });
  check({ answers: 0, errors: { refused: 1000 } }, { kind: "exceeded" });
});

test("slices are longer where a p99 would be the slowest request", () => {
  const least = leastRate(settings);
  for (const [rate, durationMs] of [
    [5000, 2000],
    [68, 2000],
    [30, 4489],
    [least, 20_000],
    [1, 20_000],
  ] as const) {
    expect(sliceDurationMs(rate, settings)).toBe(durationMs);
  }
  expect(Math.round((least * 20_000 * 0.75) / 1000)).toBe(101);
});
