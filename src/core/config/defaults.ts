// Every default of a configuration, each with its reason. Numbers only: resolve.ts says where they
// apply.
import type { MetricPolicy } from "../model/config.ts";
import type { CostParameters } from "../model/cost.ts";
import type { Metric, Unit } from "../model/metric.ts";
import { METRIC_FACTS } from "../model/metric.ts";

export const READY_TIMEOUT_MS = 30_000;
export const STOP_GRACE_MS = 5000;
export const REQUEST_TIMEOUT_MS = 5000;
export const EXPECTED_STATUS = 200;

/**
 * A slice opens its connections anew, and their first requests count in no quantile: at a low rate
 * that is most of a slice. So many serve answers of a quarter of a second without a wait.
 */
export const MOST_CONNECTIONS = 16;
export const LEAST_CONNECTIONS = 4;
export const CONNECTIONS_PER_RPS = 0.25;

/** Of a mix: each part is a process of the load generator. */
export const LEAST_PARTS = 2;
export const MOST_PARTS = 8;
export const PART_WEIGHT = 1;

/** Warm-up: the requests of a tenth of a second, and two for each connection. */
export const WARMUP_MS = 100;
export const WARMUP_REQUESTS_PER_CONNECTION = 2;

/*
 * Slices and pairs. A verdict counts rounds: 10 are the fewest for a pass, 11 for a regression, and
 * about twice as many for a change as large as its margin. So eleven rounds have to fit well into
 * the time budget of 15 minutes, also with three scenarios on the service. A slice therefore sends
 * 500 requests (four windows and more) in half a second to two. Two seconds at a low rate are fewer
 * than 100 that count: then it lasts until there are so many, 12 s at most. A slice of a single
 * window gets three pairs in place of two, as far as they fit into 20 s. Load of eleven rounds, in
 * minutes, of one scenario and of three:
 *
 *   1000/s  2 pairs of  0.5 s   0.4   1.1
 *    200/s  2 pairs of  2 s     1.5   4.4
 *     50/s  3 pairs of  2.5 s   2.8   8.3
 *     10/s  1 pair  of 10.8 s   4.0  11.9
 */
export const SLICE_REQUESTS = 500;
export const MIN_SLICE_MS = 500;
export const MAX_PACED_SLICE_MS = 2000;
export const ENOUGH_KEPT = 100;
export const MAX_SLICE_MS = 12_000;
export const SLICE_PAIRS = 2;
/** Where a slice is a single window. */
export const SINGLE_WINDOW_PAIRS = 3;
/** Load of one scenario in a round, both arms. */
export const MAX_ROUND_LOAD_MS = 20_000;
/** With fewer counted requests a slice says nothing of a tail; its memory and CPU time it still tells. */
export const MIN_SLICE_KEPT = 20;

export const ALPHA = 0.01;
export const BETA = 0.05;
export const TIME_BUDGET_MS = 15 * 60 * 1000;
export const ERROR_BUDGET = 0;

export const RUNNER_CLASS = "default";
export const BASELINES_DIR = "baselines";
export const BASELINE_MAX_AGE_DAYS = 30;

interface Limits {
  margin: number;
  tolerance: number;
  floor: number;
}

/** What slice pairs can resolve within the time budget on an ordinary machine. */
export const TYPICAL_LIMITS: Limits = { margin: 0.1, tolerance: 0.01, floor: 0.05 };
/** Of the slowest answers: a round counts as three margins at most (docs/adr/0019). */
export const SLOW_LIMITS: Limits = { margin: 0.4, tolerance: 0.01, floor: 0.1 };
/** At the mercy of single stops of the host: its noise does not allow a closer margin. */
export const POOLED_LIMITS: Limits = { margin: 1, tolerance: 0.01, floor: 0.25 };
/** Memory varies little from launch to launch. */
export const MEMORY_LIMITS: Limits = { margin: 0.05, tolerance: 0.01, floor: 0.025 };

/**
 * Smaller differences are never a regression; in the unit that values are stored in. An echo over
 * loopback has a p99 of 80 us, of which 10 us are an eighth. 64 KiB is what one page fault maps at once
 * (the kernel's fault_around_bytes). Above a p99 of 200 us and an RSS of 2.6 MiB the relative floors
 * are the larger ones, and above half of that no margin is widened.
 */
const ABSOLUTE_FLOORS: Readonly<Record<Unit, number>> = {
  us: 10,
  ms: 1,
  bytes: 64 * 1024,
  count: 1,
};

/** What one connection or one request takes is a thousandth. */
export function absoluteFloorOf(metric: Metric): number {
  const floor = ABSOLUTE_FLOORS[METRIC_FACTS[metric].unit];
  return metric === "rssPerConnection" || metric === "allocPerRequest" ? floor / 1024 : floor;
}

/** Of the cost table; the price is that of a published comparison, in whatever currency. */
export const COST: CostParameters = {
  requestsPerDay: [1_000_000, 1_000_000_000],
  peakFactor: 3,
  utilisation: 0.6,
  coresPerHost: 8,
  hostPrice: 35,
};

/**
 * By the name in the configuration, unless that says otherwise; every other metric is shown. What
 * the pooled p99 guarded against, the slowest answers do, and with less noise.
 */
export const LEVELS: ReadonlyMap<string, MetricPolicy["level"]> = new Map([
  ["p99", "gate"],
  ["slow", "gate"],
  ["rss", "gate"],
  ["p99.pooled", "warn"],
]);

export function launchLimits(metric: Metric): Limits {
  return METRIC_FACTS[metric].unit === "bytes" ? MEMORY_LIMITS : TYPICAL_LIMITS;
}
