// A series whose anchor moves: joined by what was measured against both, with its interval.
import { expect, test } from "vitest";
import { type NightFacts, nightOf } from "../../../test/support/history.ts";
import { chainSeries, missingSplices } from "./chain.ts";

const RSS = "api/rss";
const [A, B, C] = ["a", "b", "c"].map((letter) => letter.repeat(40)) as [string, string, string];

const ratio = (estimate: number, half = 0.01) => ({
  estimate,
  low: estimate - half,
  high: estimate + half,
});

const night = (
  day: number,
  anchorCommit: string,
  estimate: number,
  more: Partial<NightFacts> = {},
) => nightOf({ day, anchorCommit, ratio: ratio(estimate), ...more });

const estimates = (...records: Parameters<typeof chainSeries>[0][number][]) =>
  chainSeries(records, RSS).map(({ ratio: one }) => Number(one?.estimate.toFixed(6)));
const chains = (...records: Parameters<typeof chainSeries>[0][number][]) =>
  chainSeries(records, RSS).map(({ chain }) => chain);

test("with one anchor a series is as it was measured, whatever the machine", () => {
  const records = [night(1, A, 0.01), night(2, A, 0.02, { kernel: "7.0" })];
  expect(estimates(...records)).toEqual([0.01, 0.02]);
  expect(chains(...records)).toEqual([0, 0]);
});

test("a night whose commit became the anchor joins: the variances add", () => {
  const records = [night(1, A, 0.1, { commit: B }), night(2, B, 0), night(3, B, 0.05)];
  expect(estimates(...records)).toEqual([0.1, 0.1, 0.15]);
  expect(chains(...records)).toEqual([0, 0, 0]);
  const [, , last] = chainSeries(records, RSS);
  expect(last?.ratio?.high).toBeCloseTo(0.15 + Math.hypot(0.01, 0.01), 9);
  expect(last?.ratio?.low).toBeCloseTo(0.15 - Math.hypot(0.01, 0.01), 9);
});

test("so does a commit that was measured against both", () => {
  const records = [
    night(1, A, 0.1),
    night(2, B, 0.02),
    night(2.01, A, 0.12, { run: "splice", commit: "0002".repeat(10) }),
  ];
  expect(estimates(...records)).toEqual([0.1, 0.12, 0.12]);
  expect(chains(...records)).toEqual([0, 0, 0]);
});

test("over several anchors, and by the closest way", () => {
  const records = [
    night(1, A, 0.1, { commit: B }),
    nightOf({ day: 2, run: "wide", anchorCommit: A, commit: B, ratio: ratio(0.3, 0.5) }),
    night(3, B, 0.01, { commit: C }),
    night(4, C, 0),
  ];
  expect(estimates(...records)).toEqual([0.1, 0.3, 0.11, 0.11]);
});

test("what nothing joins, and another workload, begin a chain of their own", () => {
  expect(chains(night(1, A, 0.1), night(2, B, 0))).toEqual([0, 1]);
  const other = night(2, A, 0.1);
  expect(
    chains(night(1, A, 0.1), { ...other, workloads: { ...other.workloads, api: "0" } }),
  ).toEqual([0, 1]);
});

test("a bound that is not known stays unknown, and a night without a ratio keeps its place", () => {
  const open = nightOf({
    day: 1,
    anchorCommit: A,
    commit: B,
    ratio: { estimate: 0.1, low: null, high: 0.2 },
  });
  const [, joined, missing] = chainSeries(
    [open, night(2, B, 0), nightOf({ day: 3, anchorCommit: B })],
    RSS,
  );
  expect(joined?.ratio).toMatchObject({ low: null, high: expect.any(Number) });
  expect(missing).toMatchObject({ ratio: null, chain: 0 });
});

test("a splice is asked for where an anchor moved and nothing joins, once", () => {
  const before = [night(1, A, 0.1)];
  const latest = night(2, B, 0.02);
  expect([...missingSplices(before, latest)]).toEqual([[A, ["api"]]]);
  const splice = night(2.01, A, 0.12, { run: "splice", commit: latest.commit.sha });
  expect([...missingSplices([...before, splice], latest)]).toEqual([]);
  expect([...missingSplices([night(1, A, 0.1, { commit: B })], latest)]).toEqual([]);
  expect([...missingSplices([], latest)]).toEqual([]);
  expect([...missingSplices(before, night(2, A, 0))]).toEqual([]);
});

test("what was measured elsewhere or under another load in between asks for no further splice", () => {
  const moved = night(2, B, 0.02);
  const splice = night(2.01, A, 0.12, { run: "splice", commit: moved.commit.sha });
  const between = night(2.5, B, 0.02, { run: "between" });
  const { workloads } = between;
  const others = [
    { ...between, runnerClass: "other" },
    { ...between, workloads: { ...workloads, api: "0" } },
  ];
  for (const other of others) {
    const records = [night(1, A, 0.1), moved, splice, other];
    expect([...missingSplices(records, night(3, B, 0.02))]).toEqual([]);
  }
});
