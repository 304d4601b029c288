// Schedule, slices and validity on rows with known truth.
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeScenario } from "../../../test/support/samples.ts";
import { readOhaRows } from "../../machine/run/load/oha/rows.ts";
import type { Slice, SliceRule } from "../model/samples.ts";
import type { LoadDistribution, LoadDone } from "./load.ts";
import { reconstructLag } from "./schedule.ts";
import { summarizeSlice } from "./slice.ts";
import { isSaturated, voidReason } from "./validity.ts";

const FIXTURES = join(import.meta.dirname, "../../../test/fixtures/oha");
const HOST: Slice["host"] = { steal: 0, foreign: 0, generator: 0.2, service: 0.3, throttled: 0 };

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
  // Requests 0, 1, 2 on time, a stop until 9 ms, then 3 to 7 at once; with the fifth of them
  // missing, and with none.
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
      makeScenario({ rateRps, connections }),
      {
        ...FACTS,
        scheduled: 1000,
      },
    ).slice;
  expect(summarize(2000, 16)).toMatchObject({ dropped: 40, latency: { requests: 960 } });
  expect(summarize(250, 8)).toMatchObject({ dropped: 16, latency: { requests: 984 } });
});

test("a slice tells how long its answers are, where the generator does", () => {
  const check = (bytes: number[] | undefined, answerBytes: number | undefined): void => {
    const load = served(3, 2000, () => 10);
    if (bytes !== undefined) load.rows.bytes = Float64Array.from(bytes);
    const { slice } = summarizeSlice(load, makeScenario(), { ...FACTS, scheduled: 3 });
    expect(slice.answerBytes).toBe(answerBytes);
  };
  check([340, 340, 341], 340.3);
  check([], undefined);
  check(undefined, undefined);
});

test("a stop is in one window, whose neighbours know nothing of it", () => {
  // 4 ms at 4,000/s without an answer, while the generator itself is stopped for 9 ms elsewhere.
  const load = served(1016, 4000, (i) => (i === 500 ? 4000 : 50));
  for (let i = 900; i < 936; i++) {
    load.rows.release[i] = Math.max(load.rows.release[i] as number, 234_000);
  }
  const { slice } = summarizeSlice(load, makeScenario({ rateRps: 4000 }), {
    ...FACTS,
    scheduled: 1016,
  });
  expect(slice.windows?.map(({ p99 }) => p99 > 1000)).toEqual([false, true, false, false]);
  expect(slice.windows?.map(({ lagMax }) => lagMax)).toEqual([0, 0, 0, 9000]);
  expect(slice.lag?.max).toBe(9000);
});

test("a window has the share that a CPU lost while its requests may have been released", () => {
  const asked: [number, number][] = [];
  const lostIn = (fromMs: number, toMs: number): number => {
    asked.push([fromMs, toMs]);
    return asked.length / 10;
  };
  const load = served(1016, 4000, () => 50);
  const facts = { ...FACTS, scheduled: 1016, lostIn };
  const { slice } = summarizeSlice(load, makeScenario({ rateRps: 4000 }), facts);
  expect(slice.windows?.map(({ slowed }) => slowed)).toEqual([0.1, 0.2, 0.3, 0.4]);
  // Windows of 58.5 ms, and 60 on either side.
  expect(asked).toEqual([
    [-40, 138.25],
    [18.5, 196.75],
    [77, 255.25],
    [135.5, 313.75],
  ]);
});

test("a stall shows in every request behind it", () => {
  // 100 µs each at 1,000/s, and one stop of 200 ms: 200 requests wait, 1/5 of the slice.
  const { slice } = summarizeSlice(
    served(1000, 1000, (i) => (i === 500 ? 200_000 : 100)),
    makeScenario({ rateRps: 1000 }),
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
  makeScenario(),
  {
    ...FACTS,
    scheduled: 1000,
  },
).slice;

function checkVoid(change: Partial<Slice>, rule: SliceRule | null, budget = 0): void {
  const slice = { ...GOOD, ...change };
  const reason = voidReason(slice, makeScenario(), budget);
  expect(reason?.rule ?? null).toBe(rule);
  expect(voidReason({ ...slice, arm: "reference" }, makeScenario(), budget)).toEqual(reason);
}

test("rules of validity, blind to the arm", () => {
  checkVoid({}, null);
  checkVoid({ statuses: { "200": 999, "500": 1 } }, "status");
  checkVoid({ statuses: { "200": 990, "500": 10 } }, null, 0.01);
  checkVoid({ statuses: { "200": 989, "500": 11 } }, "status", 0.01);
  checkVoid({ statuses: { "200": 999 }, errors: { "connection closed": 1 } }, "transport");
  checkVoid({ statuses: { "200": 999 } }, "incomplete");
  checkVoid({ host: { ...HOST, generator: 0.71 } }, "generator-busy");
});

test("what was too much together is told together", () => {
  const slice = { ...GOOD, statuses: { "200": 996, "503": 3 }, errors: { timeout: 1 } };
  expect(voidReason(slice, makeScenario(), 0.003)?.detail).toBe(
    "3 of 1000 answers were not 200 (3 × 503), 1 of 1000 requests failed (1 × timeout), 3 allowed together",
  );
});

test("the host voids no slice", () => {
  const host = { ...HOST, steal: 0.9, foreign: 0.9, throttled: 30 };
  checkVoid({ host, lag: { p50: 1e5, p99: 1e6, max: 1e6 } }, null);
});

test("latency never voids a slice", () => {
  const slow = { requests: 960, p50: 9e6, p90: 9e6, p95: 9e6, p99: 9e6, p999: 9e6, max: 9e6 };
  checkVoid({ latency: slow, queueWaitP99Us: 8e6, p99FromIdealUs: 9e6 }, null);
});

test("saturation is waiting for a connection, not being slow", () => {
  const saturated = summarizeSlice(
    served(1000, 1000, () => 1500),
    makeScenario({ rateRps: 1000 }),
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
    sent: 3000 - missing,
    unsent: 0,
    oversleptUs: 0,
    slackUs: 712.34,
    statuses: { "200": 3000 - missing },
    errors: {},
    wallMs: 3100,
  };
}

test("of a distribution nothing is dropped, and what it does not tell is null", () => {
  const scenario = makeScenario({ generator: "wrk2", rateRps: 1000 });
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
  interface Left {
    missing: number;
    unsent?: number;
    oversleptMs?: number;
    host?: Partial<Slice["host"]>;
  }
  const check = (
    { missing, unsent = 0, oversleptMs = 0, host }: Left,
    rule: SliceRule | undefined,
  ): void => {
    const scenario = makeScenario({ generator: "wrk2", rateRps: 1000, connections: 16 });
    const load = { ...distribution(missing), unsent, oversleptUs: 1000 * oversleptMs };
    const facts = { ...FACTS, scheduled: 0, host: { ...HOST, ...host } };
    const { slice } = summarizeSlice(load, scenario, facts);
    const name = `${missing} missing, ${unsent} unsent, ${oversleptMs} ms overslept`;
    expect(voidReason(slice, scenario, 0)?.rule, name).toBe(rule);
  };
  check({ missing: 0 }, undefined);
  check({ missing: 32 }, undefined);
  check({ missing: -33 }, "incomplete");
  // Nothing but the arm explains these.
  check({ missing: 33 }, "unanswered");
  check({ missing: 3000 }, "unanswered");
  check({ missing: 1000, unsent: 200 }, "unanswered");
  // It overslept: at the start, or within the run, where it made up for it later.
  check({ missing: 980, unsent: 990, oversleptMs: 990 }, "incomplete");
  check({ missing: 0, oversleptMs: 990 }, "incomplete");
  check({ missing: 5, unsent: 200, oversleptMs: 200 }, undefined);
  // A stall, whoever's, shortly before its end.
  check({ missing: 100, unsent: 70 }, "incomplete");
  // A host that stops the generator before its end. A connection that the service has closed keeps
  // the generator busy.
  check({ missing: 200, host: { foreign: 0.3 } }, "incomplete");
  check({ missing: 200, host: { throttled: 1 } }, "incomplete");
  check({ missing: 200, host: { generator: 0.9 } }, "unanswered");
});
