// The metrics that can be asked for, and what tailgate.yml may say of each.
import * as z from "zod";
import { LevelSchema, METRIC_FACTS, type Metric, QUESTIONS } from "../../model/metric.ts";
import { DURATION, PERCENTAGE, SIZE } from "../units.ts";
import { mapping, optional, quantity } from "./shapes.ts";

const fraction = quantity(PERCENTAGE, { most: 10 });

function metricSource(metric: Metric) {
  const facts = METRIC_FACTS[metric];
  const byUnit = {
    us: quantity(DURATION).transform((ms) => ms * 1000),
    ms: quantity(DURATION),
    bytes: quantity(SIZE),
    count: z.number({ error: "a number" }).min(0, { error: "a number from 0" }),
  };
  return mapping("a mapping with level, margin, tolerance, floor, absoluteFloor", {
    level: optional(
      z.enum(LevelSchema.options, { error: "gate, warn or info" }),
      "gate decides the verdict; warn is judged alike and only reported; info is shown. Default: by metric.",
    ),
    margin: optional(
      fraction,
      "Non-inferiority margin, such as 10%: a pass shows that the change is less than this. Default: by metric.",
    ),
    tolerance: optional(
      fraction,
      "Changes up to this size count as no change; less than margin. Default: by metric.",
    ),
    floor: optional(
      fraction,
      "A regression that is proven, and estimated at less than this, does not fail; at most margin. Default: by metric.",
    ),
    absoluteFloor: optional(
      byUnit[facts.unit],
      "The same in the metric's own unit, such as 50us or 1MiB; the larger of both counts. Default: by metric.",
    ),
  }).describe(facts.label);
}
export type MetricSource = z.infer<ReturnType<typeof metricSource>>;

const metricsSource = (what: string, questions: typeof QUESTIONS) =>
  mapping(
    what,
    Object.fromEntries(questions.map(({ key, metric }) => [key, metricSource(metric).optional()])),
  );
export const MetricsSourceSchema = metricsSource("a mapping of metrics", QUESTIONS);

/** What one scenario may set apart: its latency. */
export const ScenarioMetricsSourceSchema = metricsSource(
  "a mapping of latency metrics",
  QUESTIONS.filter(({ estimator }) => estimator !== "launch"),
);

/** What one service may set apart: what is read of its launches. */
export const ServiceMetricsSourceSchema = metricsSource(
  "a mapping of a service's metrics",
  QUESTIONS.filter(({ estimator }) => estimator === "launch"),
);
