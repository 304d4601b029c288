// What of a history teaches drift, what does not, and what is said while it does not suffice.
import { expect, test } from "vitest";
import {
  ANCHOR,
  daysFrom,
  type NightFacts,
  nightOf,
  nights,
  pairedNight,
  RUNNER_CLASS,
  recordNight,
  timeOf,
  workloadOfSeries,
} from "../../../test/support/history.ts";
import { makeHost } from "../../../test/support/samples.ts";
import type { HistoryRecord } from "../model/history.ts";
import { machineName } from "../model/workload.ts";
import { type Drift, type DriftQuestion, driftOf } from "./drift.ts";

const RSS = "api/rss";
const MACHINE = machineName(makeHost().fingerprint);

function ask(
  history: readonly HistoryRecord[],
  {
    now = 10,
    earlier = 9,
    ...change
  }: { now?: number; earlier?: number } & Partial<
    Pick<DriftQuestion, "runnerClass" | "workload" | "series" | "machine">
  > = {},
): Drift {
  const series = change.series ?? RSS;
  return driftOf({
    history,
    runnerClass: RUNNER_CLASS,
    series,
    ...workloadOfSeries(series),
    earlier: timeOf(earlier),
    now: timeOf(now),
    machine: MACHINE,
    ...change,
  });
}

const made = (days: readonly number[], facts: (day: number) => Partial<NightFacts> = () => ({})) =>
  days.map((day) => nightOf({ day, ...facts(day) }));

const STEADY = made(daysFrom(4, 9), (day) => ({ anchor: 1000 + (day & 1) }));
const UNKNOWN = { known: false, needed: 6 };

test.each<[string, HistoryRecord[], object]>([
  ["nothing", [], { ...UNKNOWN, nights: 0, ready: null }],
  ["one night", made([9]), { ...UNKNOWN, nights: 1, ready: "2026-01-15" }],
  ["three nights", made([7, 8, 9]), { ...UNKNOWN, nights: 3, ready: "2026-01-13" }],
  ["five nights", made(daysFrom(5, 9)), { ...UNKNOWN, nights: 5, ready: "2026-01-11" }],
  ["six nights", STEADY, { known: true }],
  ["six nights and a gap", made([1, 2, 3, 7, 8, 9]), { known: true }],
  ["six nights, a week ago", made(daysFrom(-2, 3)), { known: true }],
  [
    "six nights, and none for eight days",
    made(daysFrom(-3, 2)),
    { ...UNKNOWN, nights: 6, ready: null },
  ],
  ["nights of last year", made(daysFrom(-200, -100)), { ...UNKNOWN, nights: 0, ready: null }],
  ["the run's own night and later ones", made(daysFrom(10, 20)), { ...UNKNOWN, nights: 0 }],
])("%s", (_, history, expected) => {
  expect(ask(history)).toMatchObject(expected);
});

test("the same run counts once, however often it was recorded, and a day is one night", () => {
  const [one] = STEADY;
  if (one === undefined) throw new Error("no night");
  expect(ask(Array.from({ length: 6 }, () => one))).toMatchObject({ known: false, nights: 1 });
  const merges = Array.from({ length: 6 }, (_, i) =>
    nightOf({ day: 9 + i / 100, run: `merge-${i}` }),
  );
  expect(ask(merges)).toMatchObject({ known: false, nights: 1 });
  expect(ask([...STEADY, ...STEADY])).toEqual(ask(STEADY));
});

test("an order of records says nothing", () => {
  expect(ask(STEADY.toReversed())).toEqual(ask(STEADY));
});

test("the margin is what any two nights differed by", () => {
  const wandering = made(daysFrom(3, 9), (day) => ({ anchor: 1000 * 1.01 ** day }));
  const drift = ask(wandering);
  // Neighbours differ by 1 %, the first and the last by 6 %; 20 of 21 pairs by 5 % at most.
  expect(drift).toMatchObject({
    known: true,
    margin: expect.closeTo(5 * Math.log(1.01), 6),
    usual: expect.closeTo(2 * Math.log(1.01), 6),
  });
});

test("further apart than any two nights on record: as a random walk wanders", () => {
  const near = ask(STEADY, { earlier: 9 });
  const far = ask(STEADY, { earlier: -10 });
  if (!near.known || !far.known) throw new Error("not known");
  // Twenty days, where the nights span five.
  expect(far.margin / near.margin).toBeCloseTo(2, 6);
});

test("a change of the service is no drift: the anchor is the same program", () => {
  const growing = nights(4, 9, (day) => ({ rssRatio: { api: 1.2 ** day } }));
  const drift = ask(growing);
  expect(drift.known && drift.margin).toBeLessThan(0.01);
});

test("a kernel, or another anchor, begins anew and forgets nothing", () => {
  const before = made(daysFrom(2, 5), (day) => ({ anchor: 1000 + (day & 1) }));
  const after = made(daysFrom(6, 9), (day) => ({ anchor: 1300 + (day & 1), kernel: "7.0" }));
  const moved = made(daysFrom(6, 9), (day) => ({
    anchor: 1300 + (day & 1),
    anchorCommit: "b".repeat(40),
  }));
  for (const history of [
    [...before, ...after],
    [...before, ...moved],
  ]) {
    const drift = ask(history);
    // The step of 30 % is not the machine's wandering.
    expect(drift.known && drift.margin).toBeLessThan(0.002);
  }
  expect(ask([...before, ...after.slice(0, 2)])).toMatchObject({ known: false, nights: 5 });
});

test("only of the class, the workload and the series that is asked for", () => {
  expect(ask(STEADY, { runnerClass: "other" }).known).toBe(false);
  expect(ask(STEADY, { workload: "0".repeat(16) }).known).toBe(false);
  expect(ask(STEADY, { series: "api/other/p99" }).known).toBe(false);
  const alone = STEADY.map((record) => ({ ...record, anchors: {}, series: {} }));
  expect(ask(alone).known).toBe(false);
});

test("a measured night is a record with its anchor's level", () => {
  const record = recordNight(pairedNight(3));
  expect(record.anchors.api).toEqual({ commit: ANCHOR, name: "commit of the stored baseline" });
  expect(record.series[RSS]?.anchor).toBeCloseTo(2e7, -5);
});

/** Nights on two models of machine that take turns; `other` is what the second adds to a level. */
const turns = (days: readonly number[], other: number): HistoryRecord[] =>
  days.map((day) => {
    const isOther = (day & 1) === 1;
    const night = nightOf({ day, anchor: 1000 * (1 + 0.001 * (day & 3)) * (isOther ? other : 1) });
    const { fingerprint } = makeHost({ architecture: "x64", ...(isOther ? OTHER : {}) });
    return { ...night, fingerprint };
  });
const OTHER = { cpuModel: "Other CPU", microcode: "0x9" };
const marginOf = (drift: Drift): number => (drift.known ? drift.margin : Number.NaN);

test("latency of two models is never one series, and memory is", () => {
  const history = turns(daysFrom(2, 9), 1.04);
  expect(marginOf(ask(history, { series: "api/echo/p99", machine: null }))).toBeLessThan(0.013);
  expect(marginOf(ask(history, { machine: null }))).toBeGreaterThan(Math.log(1.04));
});

test("a model's own nights count alone once they are enough", () => {
  const few = turns(daysFrom(2, 9), 1.04);
  const many = turns(daysFrom(-3, 9), 1.04);
  expect(marginOf(ask(few))).toBeGreaterThan(Math.log(1.03));
  expect(marginOf(ask(many))).toBeLessThan(0.0021);
});

test("on another model than the baseline's, memory may differ by 1 % more", () => {
  const [same, other] = [ask(STEADY), ask(STEADY, { machine: null })];
  expect(marginOf(other) - marginOf(same)).toBeCloseTo(Math.log(1.01), 9);
});
