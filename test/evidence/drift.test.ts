// A month of drift: what the screen against a stored baseline lets pass wrongly, and what it measures again for nothing. Seeded.
import { describe, expect, test } from "vitest";
import {
  CASES,
  type Month,
  type MonthResult,
  simulateMonths,
} from "../../scripts/evidence/drift.ts";
import { binomialUpperTail } from "../../src/stats/proportion.ts";

const MONTHS = 10;
const month = (title: string, daily: number, wander: Month["wander"]): MonthResult => {
  const found = CASES.find(
    (one) => one.title === title && one.month.daily === daily && one.month.wander === wander,
  );
  if (found === undefined) throw new Error(`no case ${title} ${daily} ${wander}`);
  return simulateMonths(found.month, MONTHS, 20261121);
};

/** That so many events are no proof of a rate above the bound, at one in a thousand. Days of a month share a baseline: not fewer. */
const isWithin = (events: number, n: number, bound: number): boolean =>
  binomialUpperTail(events, n, bound) > 0.001;

describe("recorded every night", () => {
  for (const { title, month: one } of CASES) {
    if (one.recordEvery !== 1 || one.recordedUntil !== null) continue;
    test(`${title}, ${one.wander} of ${one.daily}: wrong passes are within beta, false alarms within what the margin leaves`, () => {
      const { pullRequests, wrongPasses, falseAlarms } = month(title, one.daily, one.wander);
      expect(pullRequests).toBe(30 * MONTHS);
      expect(isWithin(wrongPasses, pullRequests, one.rule.beta)).toBe(true);
      // The margin covers 95 % of a day's changes, half of the others are upwards: where drift is most of the noise that is what is left.
      expect(isWithin(falseAlarms, pullRequests, 0.025)).toBe(true);
    });
  }

  test("a drift small against the promise costs few replays, one of its size most of them", () => {
    const replays = (daily: number) => {
      const { needlessReplays, pullRequests } = month("RSS, promise 5 %", daily, "walk");
      return needlessReplays / pullRequests;
    };
    expect(replays(0.005)).toBeLessThan(0.1);
    expect(replays(0.02)).toBeGreaterThan(0.25);
    expect(replays(0.04)).toBeGreaterThan(0.65);
  });

  test("2 to 4 % a day are nothing to a promise of 100 %", () => {
    for (const daily of [0.02, 0.04]) {
      expect(month("pooled p99, promise 100 %", daily, "walk").needlessReplays).toBeLessThan(
        0.05 * 30 * MONTHS,
      );
    }
  });
});

test("a baseline that nobody renews passes what it should not: that is what its age limit is for", () => {
  const stale = CASES.find(({ month: one }) => one.recordedUntil === 0);
  if (stale === undefined) throw new Error("no stale case");
  const { wrongPasses, pullRequests } = simulateMonths(stale.month, MONTHS, 20261121);
  expect(isWithin(wrongPasses, pullRequests, stale.month.rule.beta)).toBe(false);
});
