// A month of a machine that wanders from day to day, and what a screen against a stored baseline does in it: how often it lets a real
// regression pass, and how often it sends an unchanged pull request to be measured alongside. The program's own rule and its own
// drift margin, on simulated launches. Pure and seeded.
import { SCREEN_LOOKS } from "../../src/app/screen.ts";
import { createPrng, type Prng } from "../../src/base/prng.ts";
import {
  ALPHA,
  BETA,
  LOOKS,
  MEMORY_LIMITS,
  POOLED_LIMITS,
  TYPICAL_LIMITS,
} from "../../src/config/defaults.ts";
import type { Baseline } from "../../src/model/baseline.ts";
import { median } from "../../src/stats/dispersion.ts";
import { decideUnpaired, type Rule } from "../../src/verdict/decide.ts";
import { driftOf } from "../../src/verdict/drift.ts";

/** How the machine's level moves. */
export type Wander =
  /** Every day by itself about one level. */
  | "days"
  /** Each day from where the day before was. */
  | "walk";

export interface Month {
  wander: Wander;
  /** Standard deviation of a day's log level, or of its step. */
  daily: number;
  /** Standard deviation of a launch's log value within a day. */
  launch: number;
  rule: Rule;
  /** Days between records of the baseline; drift is learned from as many days apart. */
  recordEvery: number;
  /** After this day of the month nobody records any more; null: they go on. */
  recordedUntil: number | null;
}

export interface MonthResult {
  /** Pull requests of each sort: unchanged, and worse by the promise. */
  pullRequests: number;
  /** Worse by the promise, and passed by the screen. */
  wrongPasses: number;
  /** Unchanged, and not passed: measured alongside after all. */
  needlessReplays: number;
  /** Unchanged, and blocked by `--compare stored`, which asks as many launches as the last look has. */
  falseAlarms: number;
}

export const MONTH_DAYS = 30;
const RECORD_LAUNCHES = 16;
const KEY = "rss";

/** Days on record before the month begins: a quarter of nightly records would be 90. */
const EARLIER_RECORDS = 20;

function normal(prng: Prng): number {
  return Math.sqrt(-2 * Math.log(1 - prng.next())) * Math.cos(2 * Math.PI * prng.next());
}

export function simulateMonths(month: Month, months: number, seed: number): MonthResult {
  const prng = createPrng(seed);
  const result: MonthResult = {
    pullRequests: 0,
    wrongPasses: 0,
    needlessReplays: 0,
    falseAlarms: 0,
  };
  for (let i = 0; i < months; i++) simulateMonth(month, prng, result);
  return result;
}

function simulateMonth(month: Month, prng: Prng, result: MonthResult): void {
  const { wander, daily, launch, rule, recordEvery, recordedUntil } = month;
  let level = 0;
  const newDay = (): void => {
    level = daily * normal(prng) + (wander === "walk" ? level : 0);
  };
  const launches = (count: number, change: number): number[] =>
    Array.from({ length: count }, () => Math.exp(level + change + launch * normal(prng)));
  let medians: number[] = [];
  let current: number[] = [];
  const record = (): void => {
    if (current.length > 0) medians = [...medians, median(current)];
    current = launches(RECORD_LAUNCHES, 0);
  };
  for (let day = -EARLIER_RECORDS * recordEvery; day < MONTH_DAYS; day++) {
    newDay();
    if (day >= 0) {
      const drift = driftOf(baselineWith(current, medians), KEY);
      if (drift === null) throw new Error("bug: too little history");
      const ask = (values: readonly number[]) =>
        decideUnpaired(values, current, { ...rule, driftMargin: drift }).state;
      const unchanged = launches(rule.looks.at(-1) ?? 0, 0);
      const screened = rule.looks[SCREEN_LOOKS - 1] ?? 0;
      result.pullRequests++;
      if (ask(unchanged.slice(0, screened)) !== "pass") result.needlessReplays++;
      if (ask(unchanged) === "regressed") result.falseAlarms++;
      if (ask(launches(screened, Math.log1p(rule.promise))) === "pass") result.wrongPasses++;
    }
    // After the day's pull requests: the night's record.
    if (day % recordEvery === 0 && day < (recordedUntil ?? MONTH_DAYS)) record();
  }
}

function baselineWith(current: readonly number[], medians: readonly number[]): Baseline {
  return {
    schema: "tailgate.baseline.v1",
    service: "api",
    runnerClass: "simulated",
    recordedAt: "2026-01-01T00:00:00.000Z",
    run: "simulated",
    source: { commit: "", subject: "" },
    fingerprint: {
      cpuModel: "",
      cpus: 1,
      memoryGiB: 1,
      kernel: "",
      microcode: "",
      governor: "",
      smt: "",
      virtual: false,
      generator: "",
    },
    workloads: {},
    metrics: { [KEY]: [...current] },
    history: medians.map((value) => ({
      recordedAt: "2026-01-01T00:00:00.000Z",
      commit: "",
      medians: { [KEY]: value },
    })),
  };
}

/** The defaults of a policy, with as many gated hypotheses as this repository's configuration has. */
const SHARED = { alpha: ALPHA, beta: BETA, looks: LOOKS, hypotheses: 10 };
const RSS: Rule = { ...SHARED, ...MEMORY_LIMITS };
const TYPICAL: Rule = { ...SHARED, ...TYPICAL_LIMITS };
const POOLED: Rule = { ...SHARED, ...POOLED_LIMITS };

export interface Case {
  title: string;
  month: Month;
}

const nightly = { recordEvery: 1, recordedUntil: null };

/** What the page shows and the test asserts. */
export const CASES: readonly Case[] = [
  ...([0.005, 0.01, 0.02, 0.04] as const).flatMap((daily): Case[] =>
    (["days", "walk"] as const).map((wander) => ({
      title: "RSS, promise 5 %",
      month: { wander, daily, launch: 0.005, rule: RSS, ...nightly },
    })),
  ),
  ...([0.01, 0.02, 0.04] as const).map(
    (daily): Case => ({
      title: "typical p99, promise 10 %",
      month: { wander: "walk", daily, launch: 0.05, rule: TYPICAL, ...nightly },
    }),
  ),
  ...([0.02, 0.04] as const).map(
    (daily): Case => ({
      title: "pooled p99, promise 100 %",
      month: { wander: "walk", daily, launch: 0.1, rule: POOLED, ...nightly },
    }),
  ),
  {
    title: "RSS, promise 5 %, recorded weekly",
    month: {
      wander: "walk",
      daily: 0.005,
      launch: 0.005,
      rule: RSS,
      recordEvery: 7,
      recordedUntil: null,
    },
  },
  {
    title: "RSS, promise 5 %, recorded nightly until the month begins and then no more",
    month: {
      wander: "walk",
      daily: 0.01,
      launch: 0.005,
      rule: RSS,
      recordEvery: 1,
      recordedUntil: 0,
    },
  },
];
