// The closed list of metrics: identity, unit, and how a round's value comes about. No thresholds,
// no measuring.
import { z } from "zod";

/** A scenario's latencies, from the scheduled release to the last byte. */
export const QUANTILES = ["p50", "p90", "p95", "p99", "p999", "max"] as const;

/** One value for each scenario. `slow`: see the estimator `windows`. */
const LATENCY_METRICS = [...QUANTILES, "slow"] as const;

/** One value for each launch of a service, over its process tree. */
export const SERVICE_METRICS = [
  "rss",
  "rssIdle",
  "rssPeak",
  "rssPerConnection",
  "anon",
  "pss",
  "startup",
  "cpuPer1k",
  "ctxVoluntaryPer1k",
  "ctxInvoluntaryPer1k",
  "threads",
  "fds",
  "gcPauseMax",
  "gcCycles",
  "heap",
  "allocPerRequest",
] as const;

export type Quantile = (typeof QUANTILES)[number];
type LatencyMetric = (typeof LATENCY_METRICS)[number];
export type ServiceMetric = (typeof SERVICE_METRICS)[number];
export type Metric = LatencyMetric | ServiceMetric;

export const ServiceMetricSchema = z.enum(SERVICE_METRICS);
export const MetricSchema = z.enum([...LATENCY_METRICS, ...SERVICE_METRICS]);

/** Values are always stored in this unit; `count` is a plain number. */
export type Unit = "us" | "ms" | "bytes" | "count";

interface MetricFacts {
  unit: Unit;
  label: string;
  /** The quantile, in (0, 1]; null where the metric is not one. */
  quantile: number | null;
}

const latency = (label: string, quantile: number): MetricFacts => ({ unit: "us", label, quantile });
const launch = (label: string, unit: Unit): MetricFacts => ({ unit, label, quantile: null });

export const METRIC_FACTS: Readonly<Record<Metric, MetricFacts>> = {
  p50: latency("p50", 0.5),
  p90: latency("p90", 0.9),
  p95: latency("p95", 0.95),
  p99: latency("p99", 0.99),
  p999: latency("p99.9", 0.999),
  max: latency("max", 1),
  slow: { unit: "us", label: "slowest answer", quantile: null },
  rss: launch("RSS after load", "bytes"),
  rssIdle: launch("RSS idle", "bytes"),
  rssPeak: launch("RSS peak", "bytes"),
  rssPerConnection: launch("RSS peak per connection", "bytes"),
  anon: launch("anonymous memory", "bytes"),
  pss: launch("PSS", "bytes"),
  startup: launch("startup to first 200", "ms"),
  cpuPer1k: launch("CPU per 1,000 requests", "ms"),
  ctxVoluntaryPer1k: launch("voluntary switches per 1,000 requests", "count"),
  ctxInvoluntaryPer1k: launch("involuntary switches per 1,000 requests", "count"),
  threads: launch("threads", "count"),
  fds: launch("open files", "count"),
  gcPauseMax: launch("max of last 256 GC pauses", "us"),
  gcCycles: launch("GC cycles", "count"),
  heap: launch("heap", "bytes"),
  allocPerRequest: launch("allocated per request", "bytes"),
};

export function isLatencyMetric(metric: Metric): metric is LatencyMetric {
  return (LATENCY_METRICS as readonly string[]).includes(metric);
}

/**
 * How an arm's value of a round comes about. `typical`: geometric mean of the quieter half of its
 * windows. `pooled`: over all kept requests. `windows`: geometric mean of the windows' slowest
 * answers. `launch`: one value a launch.
 */
const ESTIMATORS = ["typical", "pooled", "windows", "launch"] as const;
export type Estimator = (typeof ESTIMATORS)[number];
export const EstimatorSchema = z.enum(ESTIMATORS);
