// Every default of a configuration, each with its reason. Numbers only: resolve.ts says where they apply.
import type { CostParameters } from "../model/cost.ts";
import type { Metric, Unit } from "../model/metric.ts";
import { METRIC_FACTS } from "../model/metric.ts";

export const READY_TIMEOUT_MS = 30_000;
export const STOP_GRACE_MS = 5000;
export const REQUEST_TIMEOUT_MS = 5000;
export const CONNECTIONS = 16;
export const EXPECTED_STATUS = 200;
/** Warm-up lasts as long as half a second of load. */
export const WARMUP_MS = 500;

export const SLICE_PAIRS = 8;
/** Ten requests lie beyond a slice's p99. */
export const SLICE_REQUESTS = 1000;
/** Shorter slices are mostly connection set-up; in longer ones the machine drifts between the two arms. */
export const MIN_SLICE_MS = 250;
export const MAX_SLICE_MS = 4000;
/** With fewer counted requests a slice's p99 is little more than its slowest request. */
export const MIN_SLICE_KEPT = 50;

/** Chances are spent at each look: frequent ones while a clear answer may come early, sparse ones later. */
export const LOOKS: readonly number[] = [8, 12, 16, 20, 28, 40, 60];
export const ALPHA = 0.01;
export const BETA = 0.05;
export const TIME_BUDGET_MS = 15 * 60 * 1000;
export const ERROR_BUDGET = 0;
export const MAX_VOID_SHARE = 0.2;

export const RUNNER_CLASS = "default";
export const BASELINES_DIR = "baselines";
export const BASELINE_MAX_AGE_DAYS = 30;

export interface Limits {
  promise: number;
  tolerance: number;
  floor: number;
}

/** What slice pairs can resolve within the looks on an ordinary machine. */
export const TYPICAL_LIMITS: Limits = { promise: 0.1, tolerance: 0.01, floor: 0.05 };
/** Guards against stalls, which move the pooled quantile by multiples; its noise does not allow a closer promise. */
export const POOLED_LIMITS: Limits = { promise: 1, tolerance: 0.01, floor: 0.25 };
/** Memory varies little from launch to launch. */
export const MEMORY_LIMITS: Limits = { promise: 0.05, tolerance: 0.01, floor: 0.025 };

/** Below these nobody would notice; in the unit that values are stored in. */
export const ABSOLUTE_FLOORS: Readonly<Record<Unit, number>> = {
  us: 50,
  ms: 1,
  bytes: 1024 * 1024,
  count: 1,
};

/** Of the cost table; the price is that of a published comparison, in whatever currency. */
export const COST: CostParameters = {
  requestsPerDay: [1_000_000, 1_000_000_000],
  peakFactor: 3,
  utilisation: 0.6,
  coresPerHost: 8,
  hostPrice: 35,
};

/** Judged unless the configuration says otherwise; every other metric is shown. */
export const GATED: ReadonlySet<Metric> = new Set<Metric>(["p99", "rss"]);

export function launchLimits(metric: Metric): Limits {
  return METRIC_FACTS[metric].unit === "bytes" ? MEMORY_LIMITS : TYPICAL_LIMITS;
}
