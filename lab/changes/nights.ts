// Nights as a nightly gate would have measured them, made of recorded rounds of identical arms.
import { createPrng, type Prng } from "../../src/core/base/prng.ts";
import type { HistoryRecord } from "../../src/core/model/history.ts";
import type { SeriesPoint } from "../../src/core/stats/change-points.ts";
import { robustSd } from "../../src/core/stats/dispersion.ts";
import { hodgesLehmann } from "../../src/core/stats/hodges-lehmann.ts";
import { normalUpperQuantile } from "../../src/core/stats/normal.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import { nightOf, tipOf } from "../../test/support/history.ts";
import { readRuns } from "../evidence/runs.ts";
import { RUNS } from "../evidence/working-copy.ts";

/** Log ratios of one question's rounds. */
type Recorded = readonly number[];

/** Of the runs in which nothing was planted or edited: what gates, by the id of the question. */
export function recordedRounds(): ReadonlyMap<string, Recorded> {
  const byQuestion = new Map<string, number[]>();
  for (const { samples, plant, edit } of readRuns(RUNS)) {
    if (plant !== null || edit !== undefined) continue;
    for (const { id, level, series } of judge({ samples, baselines: [] }).comparisons) {
      // Wrong answers are counts, not ratios.
      if (level !== "gate" || series.length === 0) continue;
      byQuestion.set(id, [...(byQuestion.get(id) ?? []), ...series.map(({ d }) => d)]);
    }
  }
  return byQuestion;
}

export interface Planted {
  nights: number;
  /** Of each night. */
  rounds: number;
  seed: number;
  /** What is added to the log ratio of a night, from 0. Default: nothing. */
  shift?: (night: number) => number;
}

/**
 * The rounds of a night are drawn anew from all that were recorded. A coin for each swaps its arms, so
 * that the true change is what is planted.
 */
export function makeNights(recorded: Recorded, planted: Planted): SeriesPoint[] {
  const { nights, rounds, seed, shift = () => 0 } = planted;
  const prng = createPrng(seed);
  return Array.from({ length: nights }, (_, night) => {
    const d = Array.from(
      { length: rounds },
      () => (prng.next() < 0.5 ? 1 : -1) * pick(recorded, prng),
    );
    return {
      value: hodgesLehmann(d) + shift(night),
      standardError: robustSd(d) / Math.sqrt(rounds),
      afterBreak: false,
    };
  });
}

function pick<T>(of: readonly T[], prng: Prng): T {
  return of[prng.below(of.length)] as T;
}

interface Calendar {
  /** Nights after which that night's commit is the anchor. */
  anchorMovesAfter: number;
  /** The first night on a machine that is slower by a fifth, for both arms. */
  slowerFrom: number;
}

const SERIES = "api/rss";
const LEVEL = 1000;
const SLOWER = 1.2;

/** The same nights as the history has them: each is a ratio to the anchor of its day. */
export function makeHistory(
  nights: readonly SeriesPoint[],
  { anchorMovesAfter, slowerFrom }: Calendar,
): HistoryRecord[] {
  return nights.map(({ value, standardError }, day) => {
    const half = normalUpperQuantile(0.05) * (standardError ?? 0);
    const moves = Math.floor((day - 1) / anchorMovesAfter);
    return nightOf({
      day,
      anchor: { [SERIES]: LEVEL * (day < slowerFrom ? 1 : SLOWER) },
      ratio: { estimate: value, low: value - half, high: value + half },
      ...(moves < 1 ? {} : { anchorCommit: tipOf(moves * anchorMovesAfter) }),
      ...(day < slowerFrom ? {} : { kernel: "another" }),
    });
  });
}
