// The closed list of metrics, one row each: name, unit, and what is asked of it unless a
// configuration says otherwise. No measuring.
import * as z from "zod";

/** `gate` decides the verdict, `warn` is tested and reported, `info` is only shown. */
export const LevelSchema = z.enum(["gate", "warn", "info"], { error: "gate, warn or info" });
type Level = z.infer<typeof LevelSchema>;

/**
 * How an arm's value of a round comes about. `typical`: geometric mean of the quieter half of its
 * windows. `pooled`: over all kept requests. `windows`: geometric mean of the windows' slowest
 * answers. `launch`: one value a launch. `counts`: how many of how many requests went wrong.
 */
export const EstimatorSchema = z.enum(["typical", "pooled", "windows", "counts", "launch"]);
export type Estimator = z.infer<typeof EstimatorSchema>;

/** Values are always stored in this unit; `count` is a plain number, and of a `share` 0.1 is 10 %. */
export const UnitSchema = z.enum(["us", "ms", "bytes", "count", "share"]);
export type Unit = z.infer<typeof UnitSchema>;

/** Fractions: 0.1 is 10 %. MetricPolicySchema says what each does. */
interface Limits {
  margin: number;
  tolerance: number;
  floor: number;
}

/** What slice pairs can resolve within the time budget on an ordinary machine. */
const TYPICAL: Limits = { margin: 0.1, tolerance: 0.01, floor: 0.05 };
/** Of the slowest answers: a round counts as three margins at most (docs/adr/0019). */
const SLOW: Limits = { margin: 0.4, tolerance: 0.01, floor: 0.1 };
/** At the mercy of single stops of the host: its noise does not allow a closer margin. */
const POOLED: Limits = { margin: 1, tolerance: 0.01, floor: 0.25 };
/** Memory varies little from launch to launch. */
const MEMORY: Limits = { margin: 0.05, tolerance: 0.01, floor: 0.025 };
/** What may go wrong the error budget says. */
const COUNTS: Limits = { margin: 0, tolerance: 0, floor: 0 };
/** Starts of one build differ by a third from launch to launch. */
const START: Limits = { margin: 1, tolerance: 0.01, floor: 0.5 };

/**
 * Smaller differences are never a regression; in the unit that values are stored in. An echo over
 * loopback has a p99 of 80 us, of which 10 us are an eighth. 64 KiB is what one page fault maps at once
 * (the kernel's fault_around_bytes). Above a p99 of 200 us and an RSS of 2.5 MiB the relative floors
 * are the larger ones, and above half of that no margin is widened.
 */
const ABSOLUTE_FLOORS: Readonly<Record<Unit, number>> = {
  us: 10,
  ms: 1,
  bytes: 64 * 1024,
  count: 1,
  share: 0,
};
/** Of what one connection or one request takes. */
const ONE_OF_MANY = { absoluteFloor: 64 };

interface MetricFacts {
  unit: Unit;
  label: string;
  /** The quantile, in (0, 1]; null where the metric is not one. */
  quantile: number | null;
  /** In its unit. */
  absoluteFloor: number;
  /** By each estimator that makes sense for it. */
  asked: Readonly<Partial<Record<Estimator, Limits & { level: Level }>>>;
}

function latency(label: string, quantile: number | null, asked: MetricFacts["asked"]): MetricFacts {
  return { unit: "us", label, quantile, absoluteFloor: ABSOLUTE_FLOORS.us, asked };
}

function quantile(label: string, q: number, typical: Level = "info", pooled: Level = "info") {
  return latency(label, q, {
    typical: { level: typical, ...TYPICAL },
    pooled: { level: pooled, ...POOLED },
  });
}

/** One value for each launch of a service, over its process tree. */
function launch(
  label: string,
  unit: Unit,
  {
    absoluteFloor = ABSOLUTE_FLOORS[unit],
    level = "info" as Level,
    limits = unit === "bytes" ? MEMORY : TYPICAL,
  } = {},
): MetricFacts {
  return { unit, label, quantile: null, absoluteFloor, asked: { launch: { level, ...limits } } };
}

/** A scenario's latencies, from the scheduled release to the last byte. */
const QUANTILE_FACTS = {
  p50: quantile("p50", 0.5),
  p90: quantile("p90", 0.9),
  p95: quantile("p95", 0.95),
  // What the pooled one guarded against, the slowest answers do, and with less noise.
  p99: quantile("p99", 0.99, "gate", "warn"),
  p999: quantile("p99.9", 0.999),
  // The largest of a slice is no quantile that slices could agree on.
  max: latency("max", 1, { pooled: { level: "info", ...POOLED } }),
};

const LAUNCH_FACTS = {
  rss: launch("RSS after load", "bytes", { level: "gate" }),
  rssIdle: launch("RSS idle", "bytes"),
  rssPeak: launch("RSS peak", "bytes", { level: "gate", limits: TYPICAL }),
  rssPerConnection: launch("RSS peak per connection", "bytes", ONE_OF_MANY),
  anon: launch("anonymous memory", "bytes"),
  pss: launch("PSS", "bytes"),
  // Nobody waits for 5 ms of a start, and 2 us of a request are a few system calls.
  startup: launch("start-up until ready", "ms", { level: "gate", limits: START, absoluteFloor: 5 }),
  cpuPer1k: launch("CPU per 1,000 requests", "ms", { level: "gate", absoluteFloor: 2 }),
  ctxVoluntaryPer1k: launch("voluntary switches per 1,000 requests", "count"),
  ctxInvoluntaryPer1k: launch("involuntary switches per 1,000 requests", "count"),
  threads: launch("threads", "count"),
  fds: launch("open files", "count"),
  gcPauseMax: launch("max of last 256 GC pauses", "us"),
  gcCycles: launch("GC cycles", "count"),
  heap: launch("heap", "bytes"),
  allocPerRequest: launch("allocated per request", "bytes", ONE_OF_MANY),
};

export type Quantile = keyof typeof QUANTILE_FACTS;
export type ServiceMetric = keyof typeof LAUNCH_FACTS;
type LatencyMetric = Quantile | "slow";
export type Metric = LatencyMetric | "errors" | ServiceMetric;

export const METRIC_FACTS: Readonly<Record<Metric, MetricFacts>> = {
  ...QUANTILE_FACTS,
  slow: latency("slowest answer", null, { windows: { level: "gate", ...SLOW } }),
  errors: {
    ...latency("wrong answers", null, { counts: { level: "gate", ...COUNTS } }),
    ...{ unit: "share", absoluteFloor: 0 },
  },
  ...LAUNCH_FACTS,
};

export const QUANTILES = Object.keys(QUANTILE_FACTS) as Quantile[];
export const SERVICE_METRICS = Object.keys(LAUNCH_FACTS) as ServiceMetric[];
const METRICS = Object.keys(METRIC_FACTS) as Metric[];

export const ServiceMetricSchema = z.enum(SERVICE_METRICS);
export const MetricSchema = z.enum(METRICS);

export function isLatencyMetric(metric: Metric): metric is LatencyMetric {
  return metric !== "errors" && !(metric in LAUNCH_FACTS);
}

/** `p99`, `p99 of all requests`. */
export const metricLabel = (one: { metric: Metric; estimator: Estimator | null }): string =>
  METRIC_FACTS[one.metric].label + (one.estimator === "pooled" ? " of all requests" : "");

/** What a metric is of: a scenario, by its id, or a service. */
export const subjectOf = (one: { scenario: string | null; service: string }): string =>
  one.scenario ?? one.service;

interface Question {
  /** As `metrics` of a configuration names it: `p99`, `p99.pooled`, `rss`. */
  key: string;
  metric: Metric;
  estimator: Estimator;
  /** Unless the configuration says otherwise. */
  usual: Limits & { level: Level; absoluteFloor: number };
}

/** Each metric under each of its estimators, in the order of reports. */
export const QUESTIONS: readonly Question[] = METRICS.flatMap((metric) => {
  const { asked, absoluteFloor } = METRIC_FACTS[metric];
  return EstimatorSchema.options.flatMap((estimator): Question[] => {
    const limits = asked[estimator];
    if (limits === undefined) return [];
    const isSecond = estimator === "pooled" && asked.typical !== undefined;
    const key = isSecond ? `${metric}.pooled` : metric;
    return [{ key, metric, estimator, usual: { ...limits, absoluteFloor } }];
  });
});
