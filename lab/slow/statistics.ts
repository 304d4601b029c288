// Which number of a round shows what is rare and slow, and passes soon where nothing is: candidates
// on recorded rounds of identical arms, as they were and with slow answers planted into the
// candidate's windows. The tables of docs/adr/0019 are of the runs that commit 290d252 has.
//
//   node lab/slow/statistics.ts [gates]
//
// Recorded slice pairs are dealt into rounds of two (/echo) and three (/process). Files of versions
// before have no slowest answer of a window: there the slice's stands for that of the window with the
// largest p99, and 1.15 times its p99 for another's.
import { createPrng, type Prng } from "../../src/core/base/prng.ts";
import type { Slice } from "../../src/core/model/samples.ts";
import { quantile, sortSample } from "../../src/core/stats/quantile.ts";
import { decide, type Rule } from "../../src/core/verdict/decide.ts";
import { validPairs } from "../../src/core/verdict/series.ts";
import { methodOf } from "../../src/core/verdict/slow.ts";
import { readRuns } from "../evidence/runs.ts";
import { RUNS } from "../evidence/working-copy.ts";

interface Window {
  slowestUs: number;
  p99Us: number;
  requests: number;
  fromMs: number;
  toMs: number;
}
interface Round {
  candidate: readonly Window[];
  reference: readonly Window[];
}

const SLICE_MS = 500;
/** The head of a slice counts in nothing. */
const HEAD_MS = 20;
const MOST_ROUNDS = 130;

function windowsOf({ latency, windows, startedAtMs }: Slice): Window[] {
  if (latency === null) return [];
  const parts = windows ?? [latency];
  const most = Math.max(...parts.map(({ p99 }) => p99));
  const stepMs = (SLICE_MS - HEAD_MS) / parts.length;
  return parts.map(({ p99, max, requests }, k) => ({
    slowestUs: max ?? (p99 === most ? latency.max : Math.min(latency.max, 1.15 * p99)),
    p99Us: p99,
    requests,
    fromMs: startedAtMs + HEAD_MS + k * stepMs,
    toMs: startedAtMs + HEAD_MS + (k + 1) * stepMs,
  }));
}

/** Rounds of identical arms; what the host disturbed counts. */
function roundsOf(scenario: string, pairs: number): Round[] {
  const rounds: Round[] = [];
  for (const { kind, samples } of readRuns(RUNS)) {
    if (!/^aa/.test(kind)) continue;
    for (const entry of samples.rounds.flatMap((round) => round.scenarios)) {
      if (!entry.scenario.endsWith(scenario)) continue;
      const all = validPairs(entry.slices);
      for (let i = 0; i + pairs <= all.length; i += pairs) {
        const own = all.slice(i, i + pairs);
        rounds.push({
          candidate: own.flatMap((pair) => windowsOf(pair.candidate)),
          reference: own.flatMap((pair) => windowsOf(pair.reference)),
        });
      }
    }
  }
  return rounds;
}

type Planting = (round: Round, prng: Prng) => Round;

/** Which arm is called candidate is a coin. */
const nothing: Planting = (round, prng) =>
  prng.below(2) === 0 ? round : { candidate: round.reference, reference: round.candidate };

const oneIn =
  (n: number, us: number): Planting =>
  (round, prng) => ({
    ...round,
    candidate: round.candidate.map((window) =>
      prng.next() < window.requests / n
        ? { ...window, slowestUs: Math.max(window.slowestUs, us) }
        : window,
    ),
  });

const stall =
  (everyMs: number, ms: number): Planting =>
  (round, prng) => {
    const phase = prng.next() * everyMs;
    return {
      ...round,
      candidate: round.candidate.map((window) => {
        const began = phase + Math.floor((window.toMs - phase) / everyMs) * everyMs;
        const us = 1000 * (began + ms - Math.max(window.fromMs, began));
        return us > 0 ? { ...window, slowestUs: Math.max(window.slowestUs, us) } : window;
      }),
    };
  };

const PLANTS: Readonly<Record<string, Planting>> = {
  nothing,
  "1 in 200, 20 ms": oneIn(200, 20_000),
  "1 in 200, 10 ms": oneIn(200, 10_000),
  "150 ms every 3 s": stall(3000, 150),
};

const logOfMean = (windows: readonly Window[]): number =>
  windows.reduce((sum, { slowestUs }) => sum + Math.log(slowestUs), 0) / windows.length;
const ranked = (windows: readonly Window[], share: number): number =>
  quantile(sortSample(windows.map(({ slowestUs }) => slowestUs)), 1 - share);
const logRatio = ({ candidate, reference }: Round, of: (windows: readonly Window[]) => number) =>
  Math.log(of(candidate) / of(reference));
const sharePast = (windows: readonly Window[], us: number): number =>
  windows.filter(({ slowestUs }) => slowestUs > us).length / windows.length;
const typicalUs = ({ candidate, reference }: Round): number =>
  quantile(sortSample([...candidate, ...reference].map(({ p99Us }) => p99Us)), 0.5);

/** 1: the candidate is slower in this round; -1: the reference. */
type Statistic = (round: Round) => number;

const clipped = (value: number): number => Math.max(-1, Math.min(1, value));
const past = (log: number, factor: number): number =>
  Math.abs(log) > Math.log(factor) ? Math.sign(log) : 0;

const STATISTICS: Readonly<Record<string, Statistic>> = {
  "any window past 8 typical p99": (round) =>
    Math.sign(sharePast(round.candidate, 8 * typicalUs(round))) -
    Math.sign(sharePast(round.reference, 8 * typicalUs(round))),
  "any window past 16 typical p99": (round) =>
    Math.sign(sharePast(round.candidate, 16 * typicalUs(round))) -
    Math.sign(sharePast(round.reference, 16 * typicalUs(round))),
  "share of windows past 4 typical p99": (round) =>
    sharePast(round.candidate, 4 * typicalUs(round)) -
    sharePast(round.reference, 4 * typicalUs(round)),
  "largest, 4 times": (round) =>
    past(
      logRatio(round, (own) => ranked(own, 0)),
      4,
    ),
  "largest, up to 4 times": (round) =>
    clipped(logRatio(round, (own) => ranked(own, 0)) / Math.log(4)),
  "largest or slowest quarter, 6 times": (round) =>
    clipped(
      past(
        logRatio(round, (own) => ranked(own, 0)),
        6,
      ) +
        past(
          logRatio(round, (own) => ranked(own, 0.25)),
          6,
        ),
    ),
  "geometric mean, twice": (round) =>
    past(logOfMean(round.candidate) - logOfMean(round.reference), 2),
  "geometric mean, up to 1.95 times": (round) =>
    (logOfMean(round.candidate) - logOfMean(round.reference)) / (3 * Math.log(1.25)),
  "geometric mean, up to 4 times": (round) =>
    (logOfMean(round.candidate) - logOfMean(round.reference)) / Math.log(4),
};

/** As slow answers are asked of; a statistic of 1 is what a round counts as at most. */
const RULE: Rule = {
  tolerance: 0.01,
  margin: 0.25,
  floor: 0.1,
  alpha: 0.01,
  hypotheses: 10,
  beta: 0.05,
};
const MOST = 3 * Math.log1p(RULE.margin);

function answers(
  rounds: readonly Round[],
  statistic: Statistic,
  plant: Planting,
  gates: number,
): string {
  const prng = createPrng(1);
  const seen = { regressed: [] as number[], pass: [] as number[], open: [] as number[] };
  for (let gate = 0; gate < gates; gate++) {
    const observations = Array.from({ length: MOST_ROUNDS }, () => {
      const round = rounds[prng.below(rounds.length)] as Round;
      return { d: MOST * clipped(statistic(plant(round, prng))), calm: true };
    });
    const { state, rounds: used } = decide(
      observations,
      RULE,
      methodOf({ estimator: "windows" }, RULE),
    );
    seen[state].push(used);
  }
  return Object.entries(seen)
    .filter(([, used]) => used.length > 0)
    .map(([state, used]) => {
      const sorted = sortSample(used);
      const share = ((100 * used.length) / gates).toFixed(used.length === gates ? 0 : 1);
      return state === "open"
        ? `open ${share} %`
        : `${state} ${share} %, ${quantile(sorted, 0.5)} (${quantile(sorted, 0.9)})`;
    })
    .join("; ");
}

const gates = Number(process.argv[2] ?? 300);
for (const [scenario, pairs] of [
  ["/echo", 2],
  ["/process", 3],
] as const) {
  const rounds = roundsOf(scenario, pairs);
  console.log(`\n${scenario}, ${rounds.length} rounds of ${pairs} pairs, ${gates} gates a cell\n`);
  console.log(`| a round's number | ${Object.keys(PLANTS).join(" | ")} |`);
  console.log(`|---|${"---|".repeat(Object.keys(PLANTS).length)}`);
  for (const [name, statistic] of Object.entries(STATISTICS)) {
    const cells = Object.values(PLANTS).map((plant) => answers(rounds, statistic, plant, gates));
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}
