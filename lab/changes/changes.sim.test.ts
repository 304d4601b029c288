// What is found in series of nights whose changes are known.
import { expect, test } from "vitest";
import { seriesChanges } from "../../src/core/history/changes.ts";
import { type ChangePoint, changePoints } from "../../src/core/stats/change-points.ts";
import { robustSd } from "../../src/core/stats/dispersion.ts";
import { binomialUpperTail } from "../../src/core/stats/proportion.ts";
import { PRINTS_RATES, trialsOf } from "../../test/support/trials.ts";
import { makeHistory, makeNights, type Planted, recordedRounds } from "./nights.ts";

const RECORDED = [...recordedRounds()];
/** Standard error of a night by which changes are to be found. */
const NIGHT = 0.015;
const MOST_ROUNDS = 80;
/** Rounds that give it, of the questions where they are not too many to be drawn here. */
const FINE = RECORDED.map(([id, d]) => ({ id, d, rounds: Math.ceil((robustSd(d) / NIGHT) ** 2) }))
  .filter(({ rounds }) => rounds <= MOST_ROUNDS)
  .map((one) => ({ ...one, rounds: Math.max(12, one.rounds) }));
const ALL = RECORDED.map(([id, d]) => ({ id, d, rounds: 12 }));

test("both kinds of questions are fine enough", () => {
  const ids = FINE.map(({ id }) => id);
  for (const kind of ["p99 typical", "rss"]) {
    expect(ids.some((id) => id.endsWith(kind))).toBe(true);
  }
});

interface Trial<Change = ChangePoint> {
  id: string;
  /** The night on which it began. */
  onset: number;
  changes: readonly Change[];
}

/** Every trial is of one question, in turn, of its own onset and of its own seed. */
function tryAll(
  count: number,
  questions: typeof ALL,
  plan: (onset: number) => Omit<Planted, "seed" | "rounds">,
): Trial[] {
  return Array.from({ length: count }, (_, trial) => {
    const { id, d, rounds } = questions[trial % questions.length] as (typeof ALL)[number];
    const onset = 20 + ((7 * trial) % 60);
    const nights = makeNights(d, { ...plan(onset), rounds, seed: trial });
    return { id, onset, changes: changePoints(nights, { seed: trial }) };
  });
}

/** Fails where the true rate is shown to be above `most`, by an exact test at 1 in 1,000. */
function expectAtMost<Change>(
  most: number,
  what: string,
  trials: readonly Trial<Change>[],
  is: (trial: Trial<Change>) => boolean,
): void {
  const failed = trials.filter(is);
  if (PRINTS_RATES) console.log(`${what}: ${failed.length} of ${trials.length}`, countsOf(failed));
  expect(binomialUpperTail(failed.length, trials.length, most), what).toBeGreaterThan(0.001);
}

function countsOf(trials: readonly Trial<unknown>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { id } of trials) counts[id] = (counts[id] ?? 0) + 1;
  return counts;
}

const isEmpty = ({ changes }: Trial<unknown>): boolean => changes.length === 0;
const isFound = ({ changes }: Trial<unknown>): boolean => changes.length > 0;
const lastOf = ({ changes }: Trial): ChangePoint => changes.at(-1) as ChangePoint;
const missesOnset = (trial: Trial): boolean =>
  trial.onset < lastOf(trial).earliest || trial.onset > lastOf(trial).latest;
const creeps = (trial: Trial): boolean => lastOf(trial).until > lastOf(trial).first;
const missesSize =
  (size: number) =>
  (trial: Trial): boolean =>
    size < lastOf(trial).size.low || size > lastOf(trial).size.high;

test("at most 1 % of series have a change point in 200 nights of nothing", () => {
  const trials = tryAll(trialsOf(1000), ALL, () => ({ nights: 200 }));
  expectAtMost(0.01, "found in nothing", trials, isFound);
});

test("nor where the anchor moves every five weeks and the machine becomes slower by 20 %", () => {
  const trials = Array.from({ length: trialsOf(500) }, (_, trial) => {
    const { id, d, rounds } = FINE[trial % FINE.length] as (typeof FINE)[number];
    const nights = makeNights(d, { nights: 200, rounds, seed: trial });
    const history = makeHistory(nights, { anchorMovesAfter: 35, slowerFrom: 100 });
    const [series] = seriesChanges(history);
    expect(series?.points).toHaveLength(200);
    return { id, onset: 0, changes: series?.changes ?? [] };
  });
  expectAtMost(0.01, "found in a history of nothing", trials, isFound);
});

test("+5 % is found within ten nights in 95 of 100, and where it is", () => {
  const size = Math.log(1.05);
  const trials = tryAll(trialsOf(1000), FINE, (onset) => ({
    nights: onset + 10,
    shift: (night) => (night < onset ? 0 : size),
  }));
  expectAtMost(0.05, "+5 % missed", trials, isEmpty);
  const found = trials.filter(isFound);
  expectAtMost(0.05, "range without the night", found, missesOnset);
  expectAtMost(0.1, "size outside its interval", found, missesSize(size));
  expectAtMost(0.1, "step taken for a creep", found, creeps);
});

test("creep of 1 % a night is found within three weeks, with its size and first nights", () => {
  const size = Math.log(1.01);
  const trials = tryAll(trialsOf(500), FINE, (onset) => ({
    nights: onset + 21,
    shift: (night) => size * Math.max(0, night - onset + 1),
  }));
  expectAtMost(0.05, "creep missed", trials, isEmpty);
  const found = trials.filter(isFound);
  expectAtMost(0.05, "more than one change", found, ({ changes }) => changes.length > 1);
  expectAtMost(0.05, "creep taken for a step", found, (trial) => !creeps(trial));
  expectAtMost(0.05, "range without the first night", found, missesOnset);
  expectAtMost(0.1, "size outside its interval", found, missesSize(21 * size));
});
