// The metrics that can be asked for, and what tailgate.yml may say of each.
import * as z from "zod";
import { LevelSchema, METRIC_FACTS, type Metric, QUESTIONS } from "../../model/metric.ts";
import { DURATION, PERCENTAGE, SIZE } from "../units.ts";
import { amount, either, HOUR, mapping, optional, quantity } from "./shapes.ts";

const fraction = quantity(PERCENTAGE, { most: 10 });
/** `auto`, or `auto 30%`: what it is at most. */
const auto = z
  .string()
  .regex(new RegExp(PERCENTAGE.pattern.replace("^", "^auto(?: ").replace("$", ")?$")))
  .transform((text) => text.split(" ")[1])
  .pipe(fraction.optional())
  .transform((most) => ({ most }));

/** Everything would break a smaller limit, and nothing a larger one. */
const DURATIONS = { least: 0.001, most: HOUR };
const SIZES = { least: 1, most: 1024 ** 4 };
const inUs = (ms: number): number => ms * 1000;
/** Floors and limits, by the metric's unit. */
const AMOUNTS = {
  us: [quantity(DURATION).transform(inUs), quantity(DURATION, DURATIONS).transform(inUs)],
  ms: [quantity(DURATION), quantity(DURATION, DURATIONS)],
  bytes: [quantity(SIZE), quantity(SIZE, SIZES)],
  count: [z.number({ error: "a number" }).min(0, { error: "a number from 0" }), amount(0.001, 1e9)],
  // Its limit is policy.errorBudget.
  share: [fraction, fraction],
} as const;

/** Two things are called max. */
const MAX_IS_A_METRIC =
  "; max is a metric here, the slowest request, and a limit stands below its metric: p99: { max: 20ms }";

function metricSource(metric: Metric) {
  const facts = METRIC_FACTS[metric];
  const [floor, limit] = AMOUNTS[facts.unit];
  const what = "a mapping with level, margin, tolerance, floor, absoluteFloor, max";
  const fields = {
    level: optional(
      z.enum(LevelSchema.options, { error: "gate, warn or info" }),
      "gate decides the verdict; warn is judged alike and only reported; info is shown. Default: by metric.",
    ),
    margin: optional(
      either("a percentage such as 10%, from 0% to 1000%, auto, or auto 30%", [fraction, auto]),
      "Non-inferiority margin, such as 10%: a pass shows that the change is less than this. auto, or auto 30%: as close as this machine's profile shows. Default: by metric.",
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
      floor,
      "The same in the metric's own unit, such as 50us or 1MiB; the larger of both counts. Default: by metric.",
    ),
    max: optional(
      limit,
      "Absolute limit of the candidate, such as 20ms or 200MiB. It gates unless level beside it says otherwise. Default: none.",
    ),
  };
  // Typed as others, of which every key may be absent.
  if (metric === "errors")
    return mapping("a mapping with level", { level: fields.level } as typeof fields).describe(
      facts.label,
    );
  return mapping(metric === "max" ? what + MAX_IS_A_METRIC : what, fields).describe(facts.label);
}
export type MetricSource = z.infer<ReturnType<typeof metricSource>>;

const metricsSource = (what: string, questions: typeof QUESTIONS) =>
  mapping(
    what,
    Object.fromEntries(questions.map(({ key, metric }) => [key, metricSource(metric).optional()])),
  );
export const MetricsSourceSchema = metricsSource("a mapping of metrics", QUESTIONS);

/** What one scenario may set apart: its latency and its wrong answers. */
export const ScenarioMetricsSourceSchema = metricsSource(
  "a mapping of a scenario's metrics",
  QUESTIONS.filter(({ estimator }) => estimator !== "launch"),
);

/** What one service may set apart: what is read of its launches. */
export const ServiceMetricsSourceSchema = metricsSource(
  "a mapping of a service's metrics",
  QUESTIONS.filter(({ estimator }) => estimator === "launch"),
);
