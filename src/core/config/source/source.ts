// tailgate.yml as people write it: every key, its shape and its words. Values keep the units they
// were written with; resolve.ts gives them meaning and checks what needs more than one value. The
// JSON schema for editors comes from here.
import * as z from "zod";
import { COMPARE_MODES, type CostParameters } from "../../model/config.ts";
import { QUESTIONS } from "../../model/metric.ts";
import { DURATION, INCREASE, PERCENTAGE } from "../units.ts";
import { MetricsSourceSchema } from "./metrics.ts";
import { DependencySourceSchema, ServiceSourceSchema } from "./program.ts";
import { ScenarioSourceSchema } from "./scenario.ts";
import {
  amount,
  DAY,
  integer,
  list,
  mapping,
  mappingOf,
  NAME,
  named,
  optional,
  path,
  quantity,
  SECOND,
  section,
  text,
  usual,
  wholeMs,
} from "./shapes.ts";

const chance = quantity(PERCENTAGE, { least: 0.000001, most: 0.49 });
const PolicySourceSchema = mapping("a mapping that describes the policy", {
  alpha: usual(chance, "1%", "Chance of a false alarm over the whole pull request."),
  beta: usual(chance, "5%", "Chance that one question passes while as bad as its margin."),
  answerAll: usual(
    z.boolean({ error: "true or false" }),
    false,
    "true: go on after the first proven regression until every question is answered.",
  ),
  giveUp: usual(
    z.boolean({ error: "true or false" }),
    false,
    "true: end as inconclusive once the time left will hardly do, so that the job can be tried elsewhere.",
  ),
  looks: optional(
    z.unknown(),
    "No longer used: every round is judged, and a run ends as soon as all is answered. Remove it.",
  ),
  timeBudget: usual(
    wholeMs(SECOND, DAY),
    "15m",
    "How long a run measures at most, builds aside; what has no answer then is inconclusive.",
  ),
  errorBudget: usual(
    quantity(PERCENTAGE, { most: 1 }),
    "0%",
    "Share of a slice's requests that may fail, such as 0.1%.",
  ),
});

/**
 * Metrics as they are named under `metrics`, where a plain name stands for every estimate of it, and
 * their limits.
 */
const WAIVABLE = QUESTIONS.flatMap(({ key, estimator }) =>
  estimator === "counts" ? [] : [key, `${key}.max`],
);

const WaiverSourceSchema = mapping(
  "a mapping with metric, scenario or service, upTo, reason, owner, expires",
  {
    metric: z
      .enum(WAIVABLE, {
        error: "a metric such as p99, p99.pooled or rss, or a limit such as p99.max",
      })
      .describe(
        "p99 covers the typical and the pooled one and slow, p99.pooled only that, rss also rssPeak, and p99.max or rss.max their limits.",
      ),
    scenario: optional(text("the name of a scenario"), "Default: all of the service."),
    service: optional(text("the name of a service"), "Default: all the scenario loads."),
    upTo: quantity(INCREASE, { least: 0.001, most: 10 }).describe(
      "Limit, such as +15%: accepts what is shown to be less than this much worse.",
    ),
    reason: text("why it is accepted")
      .regex(/\S/, { error: "why it is accepted" })
      .max(500, { error: "at most 500 characters" })
      .describe("Why it is accepted; reports show it."),
    owner: text("who answers for it")
      .regex(/\S/, { error: "who answers for it" })
      .max(100, { error: "at most 100 characters" })
      .describe("Who answers for it, such as ann."),
    expires: z.iso
      .date({ error: "a date such as 2026-12-31" })
      .describe("The last day on which it counts, UTC; afterwards the gate fails."),
  },
);
export type WaiverSource = z.infer<typeof WaiverSourceSchema>;

const cpuList = list(integer(0, 4095), "a list of CPU numbers");

const CostSourceSchema = mappingOf({
  requestsPerDay: usual(
    list(amount(1, 1e15), "a list of numbers of requests"),
    [1_000_000, 1_000_000_000],
    "Rows of its table.",
    "1000000, 1000000000",
  ),
  peakFactor: usual(amount(1, 1000), 3, "The busiest rate over the day's mean."),
  utilisation: usual(
    quantity(PERCENTAGE, { least: 0.01, most: 1 }),
    "60%",
    "Share of a core that may be used at the peak.",
  ),
  coresPerHost: usual(amount(0.01, 10_000), 8, "Cores of one host."),
  // That of a published comparison.
  hostPrice: usual(amount(0, 1e9), 35, "What one host costs a month, in any currency."),
});

const DEPENDENCIES = "Side processes that the gate starts once for a run. Default: none.";
/** What is taken for a configuration that says nothing of costs. */
export const COST: CostParameters = CostSourceSchema.parse({});

export const SourceSchema = mapping("a mapping with version, services, scenarios", {
  version: z.literal(1, { error: "1" }),
  services: named(ServiceSourceSchema, "services"),
  dependencies: optional(named(DependencySourceSchema, "dependencies"), DEPENDENCIES),
  scenarios: named(ScenarioSourceSchema, "scenarios"),
  metrics: optional(MetricsSourceSchema, "Changes to what is gated, and how strictly."),
  policy: section(PolicySourceSchema),
  waivers: optional(
    z.array(WaiverSourceSchema, { error: "a list of waivers" }),
    "Regressions that are accepted for a while. Default: none.",
  ),
  compare: usual(
    z.enum(COMPARE_MODES, { error: COMPARE_MODES.join(", ") }),
    "auto",
    "What to compare with: base, the commit that the change started from; stored, the stored baseline's values; replay, its commit, built again; auto, stored where that can answer and passes, else base.",
  ),
  seed: optional(
    integer(0, 0xffffffff),
    "Fixes every random choice. Default: another each run, which the report names.",
  ),
  runner: section(
    mappingOf({
      class: usual(
        text("a name").regex(NAME, { error: "a name such as c6i-metal" }),
        "default",
        "Kind of machine: those of one class share stored baselines and a calibration.",
      ),
      cpus: optional(
        mappingOf({
          service: cpuList.describe("Where services run."),
          generator: cpuList.describe("Where the load generator runs."),
        }),
        "CPUs by number, such as {service: [1], generator: [0]}. Default: planned from the machine.",
      ),
      keepAwake: optional(
        z.boolean({ error: "true or false" }),
        "Keeps the measured CPUs from halting. Default: on virtual machines.",
      ),
      explain: optional(
        z.boolean({ error: "true or false" }),
        "false: no [profiles](explain.md) of what is red. Default: true.",
      ),
    }),
  ),
  baselines: section(
    mappingOf({
      dir: usual(path("a folder"), "baselines", "Folder of the stored baselines."),
      maxAge: usual(
        quantity(DURATION, { least: DAY, most: 3650 * DAY, step: DAY }),
        "30d",
        "Older ones are pointed out in the report.",
      ),
    }),
  ),
  cost: optional(CostSourceSchema, "What `tailgate capacity` makes hosts and money with."),
});

/** All but the entries, of which each is read by itself. */
export const FrameSchema = SourceSchema.extend({
  services: named(z.unknown(), "services"),
  dependencies: optional(named(z.unknown(), "dependencies"), DEPENDENCIES),
  scenarios: named(z.unknown(), "scenarios"),
});
export type Source = z.infer<typeof FrameSchema>;
