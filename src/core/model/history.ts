// history.v1: what one run of the default branch found; one record a line, a pure function of
// samples and report.
import * as z from "zod";
import { IsolationSchema } from "./config.ts";
import { FingerprintSchema } from "./host.ts";
import { type Estimator, type Metric, MetricSchema } from "./metric.ts";
import { count, logBounds, logRatio } from "./number.ts";
import { VerdictStateSchema } from "./verdict.ts";
import { baselineKey, estimatorOfKey, type KeyedMetric, metricOfKey } from "./workload.ts";

/** `api/echo/p99Typical` for a scenario's metric, `api/rss` for a service's. */
const SeriesIdSchema = z.string().regex(/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)?\/[A-Za-z0-9]+$/);

/** A commit that was measured in the same paired rounds: whatever slows both arms alike cancels. */
const AnchorSchema = z.strictObject({
  commit: z.string(),
  /** Branch, tag or how it was chosen, for people. */
  name: z.string(),
});
export type Anchor = z.infer<typeof AnchorSchema>;

const HistoryPointSchema = z.strictObject({
  /** Medians over calm, whole rounds, 4 significant digits; null: no such round, or no anchor. */
  candidate: z.number().positive().nullable(),
  anchor: z.number().positive().nullable(),
  /** Logs of candidate / anchor, as the verdict has it, over all its rounds; null: there was no anchor, or no round. */
  ratio: z.strictObject({ estimate: logRatio, ...logBounds }).nullable(),
  /** That the ratio rests on. */
  rounds: count,
  /** The smallest true change, a fraction, that the run would have called; null: not known. */
  detectable: z.number().nullable(),
  /** The limit that the candidate was held to, in the metric's unit; absent: none. */
  max: z.number().positive().optional(),
});
export type HistoryPoint = z.infer<typeof HistoryPointSchema>;

export const HistoryRecordSchema = z.strictObject({
  schema: z.literal("tailgate.history.v1"),
  tool: z.string(),
  run: z.strictObject({
    /** Unique: records with the same id and shard are the same record. */
    id: z.string(),
    /** Of the page that shows the run; null: it has none. */
    url: z.string().nullable(),
    /** When the first measurement began; never when it was recorded. */
    startedAt: z.iso.datetime(),
    /**
     * Null: the run itself. `1/3`: one shard. `splice`: the same commit against the anchor before.
     */
    shard: z.string().nullable(),
  }),
  commit: z.strictObject({
    sha: z.string(),
    /** The first one; null: not known, or none. */
    parent: z.string().nullable(),
    subject: z.string(),
  }),
  /** By service. Empty: the candidate was measured alone. */
  anchors: z.record(z.string(), AnchorSchema),
  runnerClass: z.string(),
  fingerprint: FingerprintSchema,
  /** Hash of each scenario's definition, and of each service's whole workload. */
  workloads: z.record(z.string(), z.string()),
  /** Each service's isolation of dependencies, by name; absent: as in Baseline. */
  isolation: z.record(z.string(), z.record(z.string(), IsolationSchema)).optional(),
  verdict: VerdictStateSchema,
  /** Series that a waiver let through; absent: none. */
  waived: z.array(SeriesIdSchema).optional(),
  /** Chance that the interval of a ratio holds it. */
  level: z.number().min(0).max(1),
  /** Of every metric that the run judged. */
  series: z.record(SeriesIdSchema, HistoryPointSchema),
});
export type HistoryRecord = z.infer<typeof HistoryRecordSchema>;

export function seriesId(metric: KeyedMetric): string {
  return `${metric.service}/${baselineKey(metric)}`;
}

interface SeriesParts {
  service: string;
  /** Scenario id; null for a service's metric. */
  scenario: string | null;
  metric: Metric;
  estimator: Estimator;
  key: string;
}

/** What `seriesId` put together; null where the id names no metric of this version. */
export function partsOfSeries(id: string): SeriesParts | null {
  const [service = "", ...rest] = id.split("/");
  const key = rest.join("/");
  const metric = MetricSchema.safeParse(metricOfKey(key));
  if (!metric.success) return null;
  const scenario = rest.length === 2 ? `${service}/${rest[0]}` : null;
  return { service, scenario, metric: metric.data, estimator: estimatorOfKey(key), key };
}

/** A history as it is looked at: what became of each series, and what people noted meanwhile. */
export interface Trend {
  /** In the one order of a history. */
  records: readonly HistoryRecord[];
  series: readonly SeriesHistory[];
  notes: readonly Note[];
}

/** What people know and no record says. */
export interface Note {
  /** ISO time. */
  at: string;
  /** Foreign. */
  text: string;
}

export interface SeriesHistory {
  /** As seriesId has it. */
  series: string;
  runnerClass: string;
  /** In the order of time, one for each run; splices are in the values. */
  points: SeriesHistoryPoint[];
  /** In the order of time. */
  changes: SeriesChange[];
}

export interface SeriesHistoryPoint {
  record: HistoryRecord;
  /** Nothing joins a point to one of another chain. */
  chain: number;
  /** Log ratio to the first anchor of its chain; null: the run has none. */
  ratio: HistoryPoint["ratio"];
  /** Of the run's own ratio; null: not known. What joins anchors is not in it. */
  standardError: number | null;
  /**
   * Changes are looked for from here anew: the workload is another, or the anchor has moved. What
   * joins the anchors is as uncertain as one night, and all later values share that error: taken for
   * nights of their own they would show it as a change.
   */
  afterBreak: boolean;
}

/** Indices are of the series' points. */
export interface SeriesChange {
  /** The first that is changed. */
  index: number;
  /** The first at the new level: `index` where it came at once, later where it crept. */
  until: number;
  /** The last commit that is surely of the old level, and the first that is surely changed (95 %). */
  after: string;
  by: string;
  /** The commit at `index`: where the change most likely began. */
  first: string;
  /** Log ratio of the new level to the old one, with 95 % confidence. */
  size: { estimate: number; low: number; high: number };
  /** Points until it was found. */
  foundAfter: number;
  /** The machine changed between `after` and `by`, which then may be why. */
  machineChanged: boolean;
}

/** One for the worse that stands: the level has not come back, and no accepted baseline has it. */
export interface StandingChange extends SeriesChange {
  series: string;
  runnerClass: string;
  /** The first run that is changed, and the first at the new level. */
  began: HistoryRecord;
  ended: HistoryRecord;
  /**
   * How many commits lie after `after` up to `by`, along first parents; null: not each of them was
   * measured.
   */
  commits: number | null;
  /** Log ratio of the level now to the one before the change, as `size`. */
  left: SeriesChange["size"];
}

/**
 * `annotations.yml`: what people know and no record says. Here, and not where it is read: a satellite
 * that makes schemas would bring all of zod into the bundle.
 */
export const AnnotationsSchema = z.array(
  z.union(
    [
      z.strictObject({ date: z.iso.date(), text: z.string().min(1) }),
      z.strictObject({ commit: z.string().regex(/^[0-9a-f]{7,64}$/), text: z.string().min(1) }),
    ],
    {
      error:
        "expected a text, and either a date such as 2026-10-31 or a commit of 7 digits or more",
    },
  ),
);
