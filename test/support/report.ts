// Makes whole reports with believable numbers for tests of renderers. Seeded: the same call gives
// the same report. The statistics in them are plausible, not computed: renderers must show what
// they are given.
import { createPrng, type Prng } from "../../src/core/base/prng.ts";
import type { MetricPolicy } from "../../src/core/model/config.ts";
import type { Estimator, Metric } from "../../src/core/model/metric.ts";
import { METRIC_FACTS } from "../../src/core/model/metric.ts";
import { type CurveBand, type Report, ReportSchema } from "../../src/core/model/report.ts";
import type {
  Comparison,
  ComparisonState,
  VerdictState,
  WaiverOutcome,
} from "../../src/core/model/verdict.ts";
import { describeVerdict, headlineOf } from "../../src/core/report/words/verdict.ts";
import { makeReportFrame, type Workload } from "./report-frame.ts";
import { normal } from "./samples.ts";

/** What happened to one hypothesis; the default is "nothing, and it passed". */
interface Change {
  state?: ComparisonState;
  waiver?: Comparison["waiver"];
  /** Planted change as a fraction: 0.12 is 12 % worse. */
  shift?: number;
  /** Robust standard deviation of a round's log ratio. */
  sd?: number;
  /** Rounds up to the deciding look. */
  rounds?: number;
  reason?: string;
  requestsBeyond?: number;
}

type Warning = Report["verdict"]["warnings"][number];
/** What a warning is of where a case does not say: no remark on how it was measured. */
const OTHER: Warning["caution"] = { code: "shared-cpus" };

interface ReportOverrides {
  services?: string[];
  /** Names of scenarios; each service serves all of them. */
  scenarios?: string[];
  /** By id of comparison: `gin-api/echo p99 typical`, `gin-api rss`. */
  changes?: Record<string, Change>;
  state?: VerdictState;
  summary?: string;
  reasons?: string[];
  causes?: Report["verdict"]["causes"];
  next?: string[];
  warnings?: (Omit<Warning, "caution"> & Partial<Pick<Warning, "caution">>)[];
  waivers?: WaiverOutcome[];
  /** The candidate was measured without a reference beside it. */
  alone?: boolean;
  /** Add comparisons with a stored baseline. */
  stored?: boolean;
  /** Share of void slices. */
  voidShare?: number;
  /** Rounds measured for each service. */
  measured?: number;
  patch?: (report: Report) => void;
}

const PAIRS = 4;
const PROBABILITIES = [0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999, 1];

export function makeReport(overrides: ReportOverrides = {}): Report {
  const { services = ["axum-api", "gin-api"], scenarios = ["echo", "process"] } = overrides;
  const prng = createPrng(20_260_214);
  const workloads = services.flatMap((service) =>
    scenarios.map((name, index) => ({
      service,
      name,
      id: `${service}/${name}`,
      baseUs: 240 * 3 ** (index % 3),
    })),
  );
  const frame = makeReportFrame({
    services,
    workloads,
    pairs: PAIRS,
    alone: overrides.alone === true,
  });
  const measured = overrides.measured ?? 20;
  const hypotheses = listQuestions(services, workloads, frame.config.policy.metrics);
  const comparisons = hypotheses.map((question) =>
    makeComparison(question, overrides, measured, prng),
  );
  const state = overrides.state ?? "pass";
  const gated = comparisons.filter(({ level }) => level === "gate");
  const slices = measured * workloads.length * PAIRS * (overrides.alone === true ? 1 : 2);
  const voided = Array.from({ length: slices }, () => prng.next())
    .filter((chance) => chance < (overrides.voidShare ?? 0.006))
    .map((_, i) => (i % 2 === 0 ? "incomplete" : "generator-busy"));
  const { causes = [] } = overrides;
  const nothing = { advice: [], cautions: [], stored: [], unchanged: [], waivers: [], faults: [] };
  const oneArm = { new: [], changed: [], gone: [] };
  const judged = { ...nothing, state, causes, comparisons, oneArm };
  const summary = overrides.summary ?? describeVerdict(judged).summary;
  const report: Report = {
    ...frame,
    run: {
      ...frame.run,
      slices,
      voidSlices: voided.length,
      voidByRule: Object.fromEntries(
        [...new Set(voided)].map((rule) => [rule, voided.filter((entry) => entry === rule).length]),
      ),
    },
    verdict: {
      state,
      headline: headlineOf(state, summary),
      summary,
      reasons:
        overrides.reasons ??
        gated
          .filter((comparison) => comparison.state === state && state !== "pass")
          .map(({ reason }) => reason),
      causes,
      next: overrides.next ?? [],
      advice: [],
      comparisons,
      stored: overrides.stored === true ? gated.map((entry) => asStored(entry, prng)) : [],
      warnings: (overrides.warnings ?? []).map((warning) => ({ caution: OTHER, ...warning })),
      waivers: overrides.waivers ?? [],
    },
    scenarios: workloads.map((workload) => {
      const shift = overrides.changes?.[`${workload.id} p99 typical`]?.shift ?? 0;
      return {
        id: workload.id,
        rounds: measured,
        requestsPerArmRound: 3840,
        curves: {
          candidate: makeCurve(workload.baseUs, shift, prng),
          reference: overrides.alone === true ? null : makeCurve(workload.baseUs, 0, prng),
        },
      };
    }),
  };
  overrides.patch?.(report);
  return ReportSchema.parse(report);
}

interface Question {
  id: string;
  service: string;
  scenario: string | null;
  policy: MetricPolicy;
  base: number;
}

/** Ratio of each quantile to the median, and typical values of launch metrics. */
const LEVELS: Partial<Record<Metric, number>> = {
  p50: 1,
  p90: 1.5,
  p95: 1.8,
  p99: 2.7,
  p999: 6.1,
  max: 19,
  rss: 21.7 * 1024 ** 2,
  rssPeak: 23.1 * 1024 ** 2,
  startup: 14.2,
  cpuPer1k: 87,
  threads: 7,
};

function listQuestions(
  services: readonly string[],
  workloads: readonly Workload[],
  policies: readonly MetricPolicy[],
): Question[] {
  const level = (metric: Metric): number => LEVELS[metric] ?? 1;
  const isLaunch = ({ estimator }: { estimator: Estimator }): boolean => estimator === "launch";
  return [
    ...workloads.flatMap(({ id, service, baseUs }) =>
      policies
        .filter((policy) => !isLaunch(policy))
        .map((policy) => ({
          id: `${id} ${policy.metric} ${policy.estimator}`,
          service,
          scenario: id,
          policy,
          base: baseUs * level(policy.metric) * (policy.estimator === "pooled" ? 1.04 : 1),
        })),
    ),
    ...services.flatMap((service, index) =>
      policies.filter(isLaunch).map((policy) => ({
        id: `${service} ${policy.metric}`,
        service,
        scenario: null,
        policy,
        // The first service is a small one.
        base:
          level(policy.metric) *
          (index === 0 && METRIC_FACTS[policy.metric].unit === "bytes" ? 0.4 : 1),
      })),
    ),
  ];
}

function makeComparison(
  question: Question,
  overrides: ReportOverrides,
  measured: number,
  prng: Prng,
): Comparison {
  const { id, service, scenario, policy, base } = question;
  const change = overrides.changes?.[id] ?? {};
  const state = change.state ?? (overrides.alone === true ? "no-baseline" : "pass");
  const sd =
    change.sd ?? (scenario === null ? 0.008 : policy.estimator === "pooled" ? 0.07 : 0.045);
  const rounds = change.rounds ?? (scenario === null ? 8 : 12);
  const planted = Math.log1p(change.shift ?? 0);
  const series = Array.from({ length: measured }, (_, round) => ({
    round,
    d: planted + sd * normal(prng),
  }));
  const alone = overrides.alone === true;
  const estimate = planted + (sd * normal(prng)) / Math.sqrt(rounds);
  const half = (2.3 * sd) / Math.sqrt(rounds);
  const grown = (share: number, enough: boolean): number =>
    enough ? share ** 2 * (1 + 0.2 * prng.next()) : 0.08 * share;
  const trail = Array.from({ length: rounds }, (_, index) => ({
    rounds: index + 1,
    regress: grown((index + 1) / rounds, state === "regressed"),
    pass: grown((index + 1) / rounds, state === "pass" || state === "improved"),
  }));
  const { regress = 0.001, pass = 0.05 } = trail.at(-1) ?? {};
  const label = METRIC_FACTS[policy.metric].label;
  return {
    id,
    service,
    scenario,
    metric: policy.metric,
    estimator: policy.estimator,
    level: policy.level,
    state,
    against: "alongside",
    finding: { code: "within", rounds },
    reason:
      change.reason ??
      `${scenario ?? service} ${label} (${policy.estimator}): ${REASONS[state]} after ${rounds} rounds`,
    candidate: alone ? base : base * Math.exp(estimate),
    reference: alone ? null : base,
    estimate: alone ? null : estimate,
    interval: alone ? null : { low: estimate - half, high: estimate + half, level: 0.9 },
    margin: policy.margin,
    tolerance: policy.tolerance,
    floor: policy.floor,
    evidence: { regress, pass },
    trail: alone ? [] : trail,
    rounds,
    sd: alone ? null : sd,
    detectable: alone ? null : policy.tolerance + (4.6 * sd) / Math.sqrt(rounds),
    requestsBeyond: scenario === null ? null : (change.requestsBeyond ?? 38),
    series: alone ? [] : series,
    waiver: change.waiver ?? null,
  };
}

const REASONS: Readonly<Record<ComparisonState, string>> = {
  waived: "a regression is proven, and shown to be within what is waived,",
  pass: "shown to be within its margin",
  "worse-within": "worse by more than is tolerated, and shown to be within its margin,",
  improved: "proven better",
  regressed: "more than +1.0 % worse is proven",
  inconclusive: "neither a regression nor less than +10.0 % worse is proven",
  invalid: "the measurement cannot be trusted",
  "no-baseline": "nothing to compare with",
  new: "nothing to compare yet",
};

function asStored(comparison: Comparison, prng: Prng): Comparison {
  const estimate = 0.02 + 0.01 * normal(prng);
  return {
    ...comparison,
    id: `${comparison.id} against the stored baseline`,
    against: "stored",
    state: "inconclusive",
    candidate: (comparison.reference ?? 0) * Math.exp(estimate),
    estimate,
    interval: { low: estimate - 0.06, high: estimate + 0.06, level: 0.9 },
    series: [],
    trail: [],
  };
}

function makeCurve(baseUs: number, shift: number, prng: Prng): CurveBand {
  return PROBABILITIES.map((probability) => {
    const beyond = Math.log10(1 / Math.max(1 - probability, 2e-5));
    const tail = shift * Math.min(1, beyond / 2);
    const median =
      baseUs * (0.72 + 0.33 * beyond ** 1.6) * (1 + tail) * Math.exp(0.01 * normal(prng));
    const spread = 0.02 + 0.045 * beyond;
    return { probability, median, low: median * (1 - spread), high: median * (1 + spread * 1.3) };
  });
}
