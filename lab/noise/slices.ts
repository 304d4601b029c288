// Tables of `noise.ts slices`: estimates of a round that its samples file allows, on the same
// rounds of identical arms.
import { readFileSync } from "node:fs";
import { createPrng, shuffled } from "../../src/core/base/prng.ts";
import type { Arm, Samples, Slice } from "../../src/core/model/samples.ts";
import { median, robustSd } from "../../src/core/stats/dispersion.ts";
import { varianceComponents, winsorized } from "../../src/core/stats/variance-components.ts";
import { validPairs } from "../../src/core/verdict/series.ts";
import { decimals, pairedRatio, percent, plain, robust, shown } from "./compare.ts";
import {
  ESTIMATORS,
  type Estimator,
  lowerShare,
  type MeasuredPair,
  type MeasuredSlice,
  mean,
  TODAY,
} from "./estimators.ts";

/** With fewer, an estimate has nothing to choose from; with fewer rounds, no spread. */
const LEAST_PAIRS = 2;
const LEAST_ROUNDS = 4;
/** As calibrate limits wild pairs: see WINSOR_LIMIT there. */
const LIMIT = 3;
/** A log ratio further out counts as this in a covariance. */
const WILD = 0.5;
/** Random halves, or choices of pairs, of each round. */
const DRAWS = 4;
/** Rounds behind a spread by pairs. */
const LEAST_FOR_SPREAD = 20;
const SEED = 1;

type Two = readonly [number, number];
const logP99 = ({ latency }: Slice): number => Math.log(latency?.p99 ?? Number.NaN);

interface Series {
  file: string;
  scenario: string;
  /** Valid pairs of each whole round. */
  rounds: MeasuredPair[][];
}

/**
 * The whole rounds of each scenario of each file. Not checked by the schema:
 * files of earlier versions lack what was added since, which is of no interest here.
 */
const isMeasured = (slice: Slice): slice is MeasuredSlice => slice.latency !== null;

function loadSeries(paths: readonly string[]): Series[] {
  return paths.flatMap((path) => {
    const { run, rounds }: Samples = JSON.parse(readFileSync(path, "utf8"));
    const series = new Map<string, MeasuredPair[][]>();
    for (const { failure, scenarios } of rounds) {
      if (failure !== null) continue;
      for (const { scenario, arms, slices } of scenarios) {
        if (arms.candidate.pooled === null || arms.reference?.pooled == null) continue;
        const pairs = validPairs(slices).flatMap(({ candidate, reference }) =>
          isMeasured(candidate) && isMeasured(reference) ? [{ candidate, reference }] : [],
        );
        if (pairs.length < LEAST_PAIRS) continue;
        series.set(scenario, [...(series.get(scenario) ?? []), pairs]);
      }
    }
    const file = run.startedAt.slice(0, 16);
    return [...series].map(([scenario, whole]) => ({ file, scenario, rounds: whole }));
  });
}

/**
 * Sources of a pair's log ratio: what its round has in common, what its slices add, and what they
 * share.
 */
function describeSources({ file, scenario, rounds }: Series): void {
  const logs = rounds.map((pairs) =>
    pairs.map(
      ({ candidate, reference }): Two => [
        Math.log(candidate.latency.p99),
        Math.log(reference.latency.p99),
      ],
    ),
  );
  const ratios = logs.map((pairs) => pairs.map(([c, r]) => c - r));
  const range = { centre: median(ratios.flat()), limit: LIMIT * robustSd(ratios.flat()) };
  const { between, within } = varianceComponents(ratios.map((group) => winsorized(group, range)));
  const beyond = logs.flatMap((pairs) => {
    const quiet = median(
      pairs
        .flat()
        .sort((a, b) => a - b)
        .slice(0, pairs.length),
    );
    return pairs.map(([c, r]): Two => [c - quiet, r - quiet]);
  });
  const slow = beyond.flat().filter((value) => value > Math.log(1.5)).length / beyond.flat().length;
  const d = rounds.map(TODAY);
  console.log(
    `| ${file} | ${scenario} | ${rounds.length} × ${rounds[0]?.length} | ${decimals(robust(d))} | ${decimals(plain(d))} | ${decimals(Math.sqrt(between))} | ${decimals(Math.sqrt(within))} | ${(100 * slow).toFixed(0)} % | ${decimals(rankCorrelation(beyond))} |`,
  );
}

/** Spearman's, of pairs. */
function rankCorrelation(pairs: readonly Two[]): number {
  const ranks = (side: 0 | 1): number[] => {
    const order = pairs
      .map((pair, i) => ({ value: pair[side], i }))
      .sort((a, b) => a.value - b.value);
    const rank: number[] = new Array(pairs.length);
    for (const [at, { i }] of order.entries()) rank[i] = at - (pairs.length - 1) / 2;
    return rank;
  };
  const [x, y] = [ranks(0), ranks(1)];
  const product = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((total, value, i) => total + value * (b[i] as number), 0);
  return product(x, y) / product(x, x);
}

/** What the host is known to have done during a slice; none of it depends on the arm. */
const COVARIATES: readonly ((slice: Slice) => number)[] = [
  ({ lag }) => Math.log(Math.max(1, lag?.p99 ?? 1)),
  ({ lag }) => Math.log(Math.max(1, lag?.max ?? 1)),
  ({ host }) => host.steal,
  ({ host }) => host.foreign,
];

/**
 * Least squares of ln p99 on the covariates, about each round's means: how much slower a slice is
 * where the host was so much worse. Fitted on the very slices that it then adjusts, which flatters
 * it.
 */
function fitCovariates(series: readonly Series[]): number[] {
  const size = COVARIATES.length;
  const matrix = Array.from({ length: size }, () => new Array<number>(size + 1).fill(0));
  for (const pairs of series.flatMap(({ rounds }) => rounds)) {
    const slices = pairs.flatMap(({ candidate, reference }) => [candidate, reference]);
    const columns = [...COVARIATES, logP99].map((of) => {
      const values = slices.map(of);
      const centre = mean(values);
      return values.map((value) => value - centre);
    });
    for (const [i, row] of matrix.entries()) {
      for (const [j, column] of columns.entries()) {
        const products = columns[i]?.map((value, k) => value * (column[k] as number)) ?? [];
        row[j] = (row[j] as number) + products.reduce((sum, value) => sum + value, 0);
      }
    }
  }
  return solve(matrix);
}

/**
 * Gauss and Jordan, of a matrix with its right side as the last column; a covariate that never
 * varied gets 0.
 */
function solve(matrix: readonly number[][]): number[] {
  const at = (row: readonly number[], i: number): number => row[i] ?? Number.NaN;
  for (const [i, own] of matrix.entries()) {
    const pivot = at(own, i);
    if (Math.abs(pivot) < 1e-12) continue;
    for (const row of matrix) {
      if (row === own) continue;
      const factor = at(row, i) / pivot;
      for (const [j, value] of own.entries()) row[j] = at(row, j) - factor * value;
    }
  }
  return matrix.map((row, i) =>
    Math.abs(at(row, i)) < 1e-12 ? 0 : at(row, row.length - 1) / at(row, i),
  );
}

function adjustedEstimate(coefficients: readonly number[]): Estimator {
  const level = (slice: MeasuredSlice): number =>
    COVARIATES.reduce((log, of, i) => log - (coefficients[i] ?? 0) * of(slice), logP99(slice));
  return (pairs) =>
    lowerShare(
      pairs.map(({ candidate }) => level(candidate)),
      0.5,
    ) -
    lowerShare(
      pairs.map(({ reference }) => level(reference)),
      0.5,
    );
}

function describeEstimates(group: string, series: readonly Series[]): void {
  if (series.length === 0) return;
  const estimators: Record<string, Estimator> = {
    ...ESTIMATORS,
    "quieter half, adjusted by regression": adjustedEstimate(fitCovariates(series)),
  };
  // In units of the series' own spread today, so that a noisy series has no more say than a quiet
  // one.
  const inUnits = (estimate: Estimator): number[] =>
    series.flatMap(({ rounds }) => {
      const unit = plain(rounds.map(TODAY));
      return rounds.map((pairs) => estimate(pairs) / unit);
    });
  const today = inUnits(TODAY);
  for (const [name, estimate] of Object.entries(estimators)) {
    const values = inUnits(estimate);
    const own = series.flatMap(({ rounds }) => rounds.map(estimate));
    console.log(
      `| ${group} | ${name} | ${values.length} | ${decimals(robust(own))} | ${decimals(plain(own))} | ${percent(median(own))} | ${(robust(values) / robust(today)).toFixed(2)} | ${shown(pairedRatio(values, today))} |`,
    );
  }
}

/**
 * What rounds have in common with themselves: two random halves of a round's pairs share its
 * launches and nothing else, so that the covariance of their estimates is the launches' variance.
 * And the spread by the number of pairs, drawn from rounds of at least as many.
 */
function describeHalves(group: string, series: readonly Series[]): void {
  const prng = createPrng(SEED);
  const rounds = series.flatMap((one) => one.rounds);
  const estimate: Estimator = (pairs) => Math.min(WILD, Math.max(-WILD, TODAY(pairs)));
  const products = rounds
    .filter((pairs) => pairs.length >= 2 * LEAST_PAIRS)
    .flatMap((pairs) =>
      Array.from({ length: DRAWS }, () => {
        const mixed = shuffled(pairs, prng);
        const half = mixed.length >> 1;
        return estimate(mixed.slice(0, half)) * estimate(mixed.slice(half, 2 * half));
      }),
    );
  if (products.length === 0) return;
  const trials = Array.from({ length: 500 }, () =>
    mean(products.map(() => products[prng.below(products.length)] as number)),
  ).sort((a, b) => a - b);
  // The draws of one round are as good as one.
  const widen = Math.sqrt(DRAWS);
  const centre = mean(products);
  const end = (index: number): number => centre + widen * ((trials[index] as number) - centre);
  const [low, high] = [end(12), end(487)];
  const spreads = [2, 3, 4, 6, 8, 12].flatMap((count) => {
    const enough = rounds.filter((pairs) => pairs.length >= count);
    if (enough.length < LEAST_FOR_SPREAD) return [];
    const d = enough.flatMap((pairs) =>
      Array.from({ length: DRAWS }, () => estimate(shuffled(pairs, prng).slice(0, count))),
    );
    return [`${count}: ${decimals(robust(d))}`];
  });
  console.log(
    `\n${group}: variance from the launches ${centre.toFixed(4)} [${low.toFixed(4)}, ${high.toFixed(4)}]; sd by pairs ${spreads.join(", ")}`,
  );
}

/**
 * Today's estimate of other quantiles of the same slices, and what coming second in a pair does to
 * a slice.
 */
function describeOthers(group: string, series: readonly Series[]): void {
  const rounds = series.flatMap((one) => one.rounds);
  if (rounds.length === 0) return;
  const spreads = (["p50", "p90", "p95", "p99", "p999"] as const).map((key) => {
    const level = (pairs: readonly MeasuredPair[], arm: Arm): number =>
      lowerShare(
        pairs.map((pair) => Math.log(pair[arm].latency[key])),
        0.5,
      );
    return `${key} ${decimals(robust(rounds.map((pairs) => level(pairs, "candidate") - level(pairs, "reference"))))}`;
  });
  const order = rounds.flat().map(({ candidate, reference }) => {
    const d = Math.log(candidate.latency.p99 / reference.latency.p99);
    return candidate.startedAtMs > reference.startedAtMs ? d : -d;
  });
  // Of a median: 1.253 standard errors of a mean, for normal values.
  const error = (1.253 * robustSd(order)) / Math.sqrt(order.length);
  console.log(
    `\n${group}: sd of ${spreads.join(", ")}; the second slice of a pair against the first ${percent(median(order))} (standard error ${percent(error)}, ${order.length} pairs)`,
  );
}

/** Scenarios by what their name begins with, up to a digit or a mark: echo16 and echo are one. */
const kindOf = (scenario: string): string =>
  /\/(e|echo)[\d~-]*\w*$/.test(scenario) ? "echo" : /\/p/.test(scenario) ? "process" : "others";

export function printSliceTables(paths: readonly string[]): void {
  const series = loadSeries(paths).filter(({ rounds }) => rounds.length >= LEAST_ROUNDS);
  console.log(`\n## ${[...new Set(series.map(({ file }) => file))].join(", ")}\n`);
  console.log(
    "| file | scenario | rounds × pairs | sd | plain | launch | pair | slow slices | correlation in a pair |\n|---|---|---|---|---|---|---|---|---|",
  );
  for (const one of series) describeSources(one);
  console.log(
    "\nslow: more than half as slow again as the round's quieter slices. launch, pair: REML, wild pairs limited.\n",
  );
  console.log(
    "| scenarios | estimate | rounds | sd | plain | bias | ratio of robust sds | ratio of capped sds [95 %] |\n|---|---|---|---|---|---|---|---|",
  );
  const kinds = ["echo", "process", "others"].map((kind) => ({
    kind,
    own: series.filter(({ scenario }) => kindOf(scenario) === kind),
  }));
  for (const { kind, own } of kinds) describeEstimates(kind, own);
  for (const { kind, own } of kinds) describeHalves(kind, own);
  for (const { kind, own } of kinds) describeOthers(kind, own);
}
