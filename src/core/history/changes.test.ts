// Changes in the series of a history: which nights, which commits, how large; and what is none.
import { expect, test } from "vitest";
import { type NightFacts, nightOf, tipOf } from "../../../test/support/history.ts";
import { normal } from "../../../test/support/samples.ts";
import { createPrng } from "../base/prng.ts";
import type { HistoryRecord, SeriesHistory } from "../model/history.ts";
import { seriesChanges } from "./changes.ts";

const RSS = "api/rss";
const SE = 0.01;
/** Half of a 90 % interval. */
const HALF = 1.6449 * SE;

const ratio = (estimate: number, half: number | null = HALF) => ({
  estimate,
  low: half === null ? null : estimate - half,
  high: half === null ? null : estimate + half,
});

interface Recipe {
  nights: number;
  level?: (day: number) => number;
  more?: (day: number) => Partial<NightFacts>;
  seed?: number;
}

function history({ nights, level = () => 0, more = () => ({}), seed = 1 }: Recipe) {
  const prng = createPrng(seed);
  return Array.from({ length: nights }, (_, day) => {
    const estimate = level(day) + SE * normal(prng);
    return nightOf({ day, anchor: { [RSS]: 300 }, ratio: ratio(estimate), ...more(day) });
  });
}

function only(records: readonly HistoryRecord[]): SeriesHistory {
  const [found, ...others] = seriesChanges(records);
  expect(others).toEqual([]);
  return found as SeriesHistory;
}

test("a step has its nights, its commits and its size", () => {
  const { series, runnerClass, points, changes } = only(
    history({ nights: 50, level: (day) => (day < 40 ? 0 : 0.05) }),
  );
  expect({ series, runnerClass, nights: points.length }).toEqual({
    series: RSS,
    runnerClass: points[0]?.record.runnerClass,
    nights: 50,
  });
  expect(points[0]?.standardError).toBeCloseTo(SE, 5);
  expect(changes).toEqual([
    {
      index: 40,
      until: 40,
      after: tipOf(39),
      by: tipOf(40),
      first: tipOf(40),
      size: {
        estimate: expect.closeTo(0.05, 2),
        low: expect.any(Number),
        high: expect.any(Number),
      },
      foundAfter: expect.any(Number),
      machineChanged: false,
    },
  ]);
  expect(changes[0]?.foundAfter).toBeLessThanOrEqual(48);
});

test("a creep is one change, from its first night to its last", () => {
  const { changes } = only(
    history({ nights: 61, level: (day) => 0.01 * Math.max(0, day - 39), seed: 3 }),
  );
  expect(changes).toHaveLength(1);
  expect(changes[0]?.until).toBeGreaterThan(50);
  expect(changes[0]?.size.low).toBeLessThan(0.21);
  expect(changes[0]?.size.high).toBeGreaterThan(0.21);
});

test("a night without a ratio keeps its place, and a bound that is not known its night", () => {
  const { points, changes } = only(
    history({
      nights: 52,
      level: (day) => (day < 40 ? 0 : 0.05),
      more: (day) =>
        day === 10 || day === 39 ? { ratio: null } : day === 45 ? { ratio: ratio(0.05, null) } : {},
    }),
  );
  expect(points[10]).toMatchObject({ ratio: null, standardError: null });
  expect(points[45]).toMatchObject({ ratio: { estimate: 0.05 }, standardError: null });
  expect(changes).toMatchObject([{ index: 40, after: tipOf(38), by: tipOf(40) }]);
});

const slower = (by: number) => (records: readonly HistoryRecord[]) =>
  records.map((record, day) =>
    day < 40
      ? record
      : {
          ...record,
          fingerprint: { ...record.fingerprint, kernel: "another" },
          series: Object.fromEntries(
            Object.entries(record.series).map(([id, point]) => [
              id,
              { ...point, candidate: 300 * by, anchor: 300 * by },
            ]),
          ),
        },
  );

test("a machine that is 20 % slower is no change and no break", () => {
  const { points, changes } = only(slower(1.2)(history({ nights: 80 })));
  expect(changes).toEqual([]);
  expect(points.some(({ afterBreak }) => afterBreak)).toBe(false);
});

test("a machine that changed with it may be why", () => {
  const { changes } = only(
    history({
      nights: 60,
      level: (day) => (day < 40 ? 0 : 0.1),
      more: (day) => (day < 40 ? {} : { kernel: "another" }),
    }),
  );
  expect(changes).toMatchObject([{ index: 40, machineChanged: true }]);
});

test("another workload is a break: what differs across it is no change", () => {
  const records = history({ nights: 80, level: (day) => (day < 40 ? 0 : 0.3) });
  const other = records.map((record, day) =>
    day < 40 ? record : { ...record, workloads: { ...record.workloads, api: "0" } },
  );
  const { points, changes } = only(other);
  expect(changes).toEqual([]);
  expect(points.flatMap(({ afterBreak }, day) => (afterBreak ? [day] : []))).toEqual([40]);
});

test("a moved anchor is a break: what joins it is as uncertain as a night", () => {
  const tenth = tipOf(10);
  // That commit was measured 5 % too slow; every later night lies on that.
  const { points, changes } = only(
    history({
      nights: 60,
      level: (day) => (day === 10 ? 0.05 : 0),
      more: (day) => (day <= 10 ? {} : { anchorCommit: tenth }),
    }),
  );
  expect(points[20]?.ratio?.estimate).toBeCloseTo(0.05, 1);
  expect(points.flatMap(({ afterBreak }, day) => (afterBreak ? [day] : []))).toEqual([11]);
  expect(changes).toEqual([]);
});

test("each class of machine has series of its own, also where their nights take turns", () => {
  const [steady, changed] = [
    history({ nights: 50 }),
    history({ nights: 50, level: (day) => (day < 40 ? 0 : 0.05), seed: 2 }).map((record) => ({
      ...record,
      runnerClass: "z-large",
      run: { ...record.run, id: `${record.run.id}-large` },
    })),
  ];
  const found = seriesChanges([...steady, ...changed]);
  expect(found.map(({ points, changes }) => [points.length, changes.length])).toEqual([
    [50, 0],
    [50, 1],
  ]);
});

test("a splice joins and is no point of its own", () => {
  const other = "b".repeat(40);
  const records = history({
    nights: 20,
    level: (day) => (day < 10 ? 0.1 : 0),
    more: (day) => (day < 10 ? {} : { anchorCommit: other }),
  });
  const tenth = records[10] as HistoryRecord;
  const splice = nightOf({
    day: 10.01,
    run: "again",
    commit: tipOf(10),
    ratio: ratio(0.1),
    anchor: { [RSS]: 300 },
  });
  const { points } = only([...records, { ...splice, run: { ...splice.run, shard: "splice" } }]);
  expect(points).toHaveLength(20);
  expect(points[10]?.ratio?.estimate).toBeCloseTo(0.1, 9);
  expect(tenth.series[RSS]?.ratio?.estimate).toBeLessThan(0.05);
});
