// Schedule, slices and validity on rows with known truth.
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeConfig } from "../../test/support/samples.ts";
import type { Scenario } from "../model/config.ts";
import type { Slice, VoidRule } from "../model/samples.ts";
import type { LoadDistribution, LoadDone } from "./load/load-generator.ts";
import { readOhaRows } from "./load/oha-rows.ts";
import { reconstructLag } from "./load/schedule.ts";
import { summarizeSlice } from "./slice.ts";
import { isSaturated, voidReason } from "./validity.ts";

const FIXTURES = join(import.meta.dirname, "../../test/fixtures/oha");
const HOST: Slice["host"] = { steal: 0, foreign: 0, generator: 0.2, service: 0.3, throttled: 0 };

function scenarioOf(change: Partial<Scenario> = {}): Scenario {
  const [scenario] = makeConfig().scenarios;
  if (scenario === undefined) throw new Error("no scenario");
  return { ...scenario, ...change };
}

test("lag is what is left of the release times when the schedule is taken out", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 0, max: 100_000 }),
      (late, rate, origin) => {
        const least = Math.min(...late);
        const release = Float64Array.from(late, (lag, i) => origin + (i * 1e6) / rate + lag);
        const lag = reconstructLag(release, rate, late.length);
        expect(lag).not.toBeNull();
        lag?.forEach((value, i) => {
          expect(value).toBeCloseTo((late[i] as number) - least, 3);
        });
      },
    ),
  );
});

test("with rows missing, lag is what it must have been at least, to one period", () => {
  const lates = fc.array(
    fc.record({ late: fc.integer({ min: 0, max: 5000 }), missing: fc.boolean() }),
    { minLength: 1, maxLength: 200 },
  );
  fc.assert(
    fc.property(lates, fc.integer({ min: 1, max: 5000 }), (requests, rate) => {
      // The emitter is one task: a late request makes the next one no earlier than itself.
      const period = 1e6 / rate;
      let last = 0;
      const released = requests.map(({ late, missing }, i) => {
        last = Math.max(last, i * period + late);
        return { at: last, lag: last - i * period, missing };
      });
      const rows = released.filter(({ missing }) => !missing);
      const lag = reconstructLag(
        Float64Array.from(rows, ({ at }) => at),
        rate,
        requests.length,
      );
      expect(lag === null).toBe(rows.length === 0);
      lag?.forEach((value, row) => {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual((rows[row]?.lag ?? 0) + period + 1e-3);
      });
    }),
  );
});

test("a generator that stops is seen among missing rows", () => {
  const check = (release: number[], scheduled: number, lag: number[] | null): void => {
    const result = reconstructLag(Float64Array.from(release), 1000, scheduled);
    expect(result === null ? null : [...result]).toEqual(lag);
  };
  // Requests 0, 1, 2 on time, a stop until 9 ms, then 3 to 7 at once; with the fifth of them missing, and with none.
  check([0, 1000, 2000, 9000, 9000, 9000, 9000, 9000], 8, [0, 0, 0, 6000, 5000, 4000, 3000, 2000]);
  check([0, 1000, 2000, 9000, 9000, 9000, 9000], 8, [0, 0, 0, 5000, 4000, 3000, 2000]);
  check([0, 2000, 3000], 4, [0, 0, 0]);
  check([], 5, null);
  check([0, 1000], 1, null);
});

test("a healthy oha lags by one to two milliseconds, by its own timers", () => {
  const { release } = readOhaRows(join(FIXTURES, "steady-n.db"));
  const lag = reconstructLag(release, 1000, 2000);
  const sorted = [...(lag ?? [])].sort((a, b) => a - b);
  expect(sorted[0]).toBe(0);
  expect(sorted[1980]).toBeGreaterThan(500);
  expect(sorted[1980]).toBeLessThan(2500);
});

/** A server that answers in `serviceUs`, one connection at a time, behind an exact schedule. */
function served(count: number, rate: number, serviceUs: (i: number) => number): LoadDone {
  const release = Float64Array.from({ length: count }, (_, i) => (i * 1e6) / rate);
  const start = new Float64Array(count);
  const end = new Float64Array(count);
  let free = 0;
  for (let i = 0; i < count; i++) {
    start[i] = Math.max(free, release[i] as number);
    end[i] = (start[i] as number) + serviceUs(i);
    free = end[i] as number;
  }
  return {
    kind: "done",
    rows: { release, start, end },
    statuses: { "200": count },
    errors: {},
    wallMs: 1,
  };
}

const FACTS = { arm: "candidate" as const, pair: 0, attempt: 0, startedAtMs: 1, host: HOST };

test("the head of a slice counts in nothing: twice the connections or 20 ms, whichever is more", () => {
  const summarize = (rateRps: number, connections: number) =>
    summarizeSlice(
      served(1000, rateRps, () => 10),
      scenarioOf({ rateRps, connections }),
      {
        ...FACTS,
        scheduled: 1000,
      },
    ).slice;
  expect(summarize(2000, 16)).toMatchObject({ dropped: 40, latency: { requests: 960 } });
  expect(summarize(250, 8)).toMatchObject({ dropped: 16, latency: { requests: 984 } });
});

test("a stall shows in every request behind it", () => {
  // 100 µs each at 1,000/s, and one stop of 200 ms: 200 requests wait, 1/5 of the slice.
  const { slice } = summarizeSlice(
    served(1000, 1000, (i) => (i === 500 ? 200_000 : 100)),
    scenarioOf({ rateRps: 1000 }),
    { ...FACTS, scheduled: 1000 },
  );
  expect(slice.latency?.p50).toBe(100);
  expect(slice.latency?.p90).toBeGreaterThan(80_000);
  expect(slice.latency?.max).toBe(200_000);
  expect(slice.lag).toEqual({ p50: 0, p99: 0, max: 0 });
  expect(slice.p99FromIdealUs).toBe(slice.latency?.p99);
  expect(slice.achievedRps).toBe(1000);
});

const GOOD = summarizeSlice(
  served(1000, 2000, () => 100),
  scenarioOf(),
  {
    ...FACTS,
    scheduled: 1000,
  },
).slice;

function checkVoid(change: Partial<Slice>, rule: VoidRule | null, budget = 0): void {
  const slice = { ...GOOD, ...change };
  const reason = voidReason(slice, scenarioOf(), budget);
  expect(reason?.rule ?? null).toBe(rule);
  expect(voidReason({ ...slice, arm: "reference" }, scenarioOf(), budget)).toEqual(reason);
}

test("rules of validity, blind to the arm", () => {
  checkVoid({}, null);
  checkVoid({ statuses: { "200": 999, "500": 1 } }, "status");
  checkVoid({ statuses: { "200": 990, "500": 10 } }, null, 0.01);
  checkVoid({ statuses: { "200": 989, "500": 11 } }, "status", 0.01);
  checkVoid({ statuses: { "200": 999 }, errors: { "connection closed": 1 } }, "transport");
  checkVoid({ statuses: { "200": 999 } }, "incomplete");
  checkVoid({ lag: { p50: 900, p99: 1900, max: 4000 } }, null);
  checkVoid({ lag: { p50: 900, p99: 4100, max: 5000 } }, "lag");
  checkVoid({ lag: { p50: 900, p99: 1900, max: 21_000 } }, "lag");
  // Of 60 requests the p99 is the largest: one late one is no generator that lags.
  const few = { scheduled: 64, dropped: 4, statuses: { "200": 64 } };
  checkVoid({ ...few, lag: { p50: 900, p99: 5000, max: 5000 } }, null);
  checkVoid({ ...few, lag: { p50: 900, p99: 21_000, max: 21_000 } }, "lag");
  checkVoid({ host: { ...HOST, generator: 0.71 } }, "generator-busy");
  checkVoid({ host: { ...HOST, steal: 0.11 } }, "steal");
  checkVoid({ host: { ...HOST, foreign: 0.16 } }, "foreign-cpu");
  checkVoid({ host: { ...HOST, throttled: 1 } }, "throttled");
});

test("latency never voids a slice", () => {
  const slow = { requests: 960, p50: 9e6, p90: 9e6, p95: 9e6, p99: 9e6, p999: 9e6, max: 9e6 };
  checkVoid({ latency: slow, queueWaitP99Us: 8e6, p99FromIdealUs: 9e6 }, null);
});

test("saturation is waiting for a connection, not being slow", () => {
  const saturated = summarizeSlice(
    served(1000, 1000, () => 1500),
    scenarioOf({ rateRps: 1000 }),
    {
      ...FACTS,
      scheduled: 1000,
    },
  ).slice;
  expect(isSaturated(saturated)).toBe(true);
  expect(isSaturated(GOOD)).toBe(false);
  expect(isSaturated({ ...saturated, queueWaitP99Us: 2000 })).toBe(false);
});

/** 3,000 requests at 1,000/s as wrk2 gives them, of which `missing` were under way at the end. */
function distribution(missing: number): LoadDistribution {
  const latencies = Float64Array.from({ length: 3000 - missing }, (_, i) => 1000 + i);
  return {
    kind: "distribution",
    latencies,
    scheduled: 3000,
    durationMs: 3000,
    sinceSend: { values: Float64Array.of(300), counts: Float64Array.of(latencies.length) },
    slackUs: 712.34,
    statuses: { "200": 3000 - missing },
    errors: {},
    wallMs: 3100,
  };
}

test("of a distribution nothing is dropped, and what it does not tell is null", () => {
  const scenario = scenarioOf({ generator: "wrk2", rateRps: 1000 });
  const { slice, latencies } = summarizeSlice(distribution(3), scenario, {
    ...FACTS,
    scheduled: 1234,
  });
  expect(latencies).toHaveLength(2997);
  expect(slice).toMatchObject({
    scheduled: 3000,
    dropped: 0,
    latency: { requests: 2997, p50: 2498, max: 3996 },
    p99FromIdealUs: slice.latency?.p99,
    lag: null,
    queueWaitP99Us: null,
    achievedRps: 999,
    slackUs: 712.3,
    void: null,
  });
  const nothing = { ...distribution(0), latencies: new Float64Array(), statuses: {} };
  const { slice: empty } = summarizeSlice(nothing, scenario, { ...FACTS, scheduled: 1 });
  expect([empty.latency, empty.slackUs, empty.achievedRps]).toEqual([null, undefined, 0]);
});

test("wrk2 may leave two requests of each connection unfinished, and no more", () => {
  const check = (missing: number, rule: VoidRule | undefined): void => {
    const scenario = scenarioOf({ generator: "wrk2", rateRps: 1000, connections: 16 });
    const { slice } = summarizeSlice(distribution(missing), scenario, { ...FACTS, scheduled: 0 });
    expect(voidReason(slice, scenario, 0)?.rule, String(missing)).toBe(rule);
  };
  check(0, undefined);
  check(32, undefined);
  check(33, "incomplete");
  check(3000, "incomplete");
});
