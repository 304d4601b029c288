// The hypotheses of a run, fixed before any data: gating ones share alpha.
import { type Config, type MetricPolicy, policiesOf, type Scenario } from "../model/config.ts";
import { requestsDropped, sharingConnections } from "../model/load-rules.ts";
import { isLatencyMetric, METRIC_FACTS, type Metric } from "../model/metric.ts";
import { wholeId, withParts } from "../model/mix.ts";
import { referenceOf, type Samples } from "../model/samples.ts";

export interface Hypothesis {
  /** Unique in a run: `api/echo p99 typical`, `api rss`, `api rss limit`. */
  id: string;
  service: string;
  /** Id of a scenario or of a part of one; null for a service's metric. */
  scenario: string | null;
  policy: MetricPolicy;
  /** Ids of scenarios, two or three, whose log ratios it is of. Absent: it has values of its own. */
  among?: readonly string[];
  /** Of the slowest answers: so many margins a round counts as at most. Absent: three. */
  clip?: number;
  /** The reference does not have it: there is nothing to ask. Absent: it does. */
  isNew?: boolean;
  /** The policy's absolute limit stands in the reference's place. Absent: a comparison. */
  against?: "limit";
}

/** In the metric's unit; undefined: it is held to none. */
export function limitOf({ against, policy }: Hypothesis): number | undefined {
  return against === "limit" ? policy.max?.value : undefined;
}

/**
 * Why a hypothesis can get no answer: nothing comparable stored, drift not known, or a value of 0,
 * which has no ratio.
 */
export type Unanswerable = "no-baseline" | "no-drift" | "zero";

export function requestsPerSlice(scenario: Scenario): number {
  return Math.round((scenario.rateRps * scenario.slice.durationMs) / 1000);
}

/** A slice's quantile is one only if the slice has a request beyond it. */
function typicalIsSound(scenario: Scenario, metric: Metric): boolean {
  const kept = requestsPerSlice(scenario) - requestsDropped(scenario);
  const beyond = kept * (1 - (METRIC_FACTS[metric].quantile ?? 1));
  // The small term undoes binary rounding of products such as 100 × (1 − 0.99).
  return beyond >= 1 - 1e-9;
}

/** All comparisons, in the configuration's order: scenarios first, then what is of services. */
export function listHypotheses(config: Config): Hypothesis[] {
  const slowOf = config.services.flatMap(({ name }) => slowOfService(config, name) ?? []);
  const isBeside = (one: Scenario) => slowOf.some(({ service }) => service === one.service);
  const ofScenarios = withParts(config.scenarios).flatMap((scenario) =>
    scenarioPolicies(config, scenario).map((policy) => ({
      id: `${scenario.id} ${policy.metric} ${policy.estimator}`,
      service: scenario.service,
      scenario: scenario.id,
      policy,
      clip: policy.metric === "slow" && isBeside(scenario) ? CLIP_BESIDE : undefined,
    })),
  );
  const ofServices = config.services.flatMap((service) =>
    policiesOf(config.policy.metrics, service)
      .filter(
        ({ metric, estimator }) => estimator === "launch" && isAsked(config, service.name, metric),
      )
      .map((policy) => ({
        id: `${service.name} ${policy.metric}`,
        service: service.name,
        scenario: null,
        policy,
      })),
  );
  const { autoMargins = {} } = config.policy;
  return [...ofScenarios, ...slowOf, ...ofServices].map((one) => {
    const { margin } = autoMargins[one.id] ?? {};
    if (margin === undefined) return one;
    const policy = { ...one.policy, margin, floor: Math.min(one.policy.floor, margin / 2) };
    return { ...one, policy };
  });
}

/** Margins that a round counts as at most: for a service, and for its scenarios beside it. */
const CLIP_OF_SERVICE = 2.5;
const CLIP_BESIDE = 2;
/** The slowest of many routes is mostly noise. */
const MOST_AMONG = 3;

/**
 * A stall stops a whole process, which one route alone sees in few rounds. Of the scenarios with
 * most load, since those see it most often; by the widest of their limits. Null: fewer than two are
 * gated, and the one asks for itself. The tolerance is for log ratios that are tolerable in each of
 * them (docs/adr/0028).
 */
function slowOfService(config: Config, service: string): Hypothesis | null {
  if (config.policy.slowOfServices !== true) return null;
  const gated = config.scenarios
    .filter((scenario) => scenario.service === service)
    .flatMap((scenario) =>
      scenarioPolicies(config, scenario)
        .filter(({ metric, level }) => metric === "slow" && level === "gate")
        .map((policy) => ({ scenario, policy })),
    )
    .sort((a, b) => loadMs(b.scenario) - loadMs(a.scenario))
    .slice(0, MOST_AMONG);
  const [first] = gated;
  if (first === undefined || gated.length < 2) return null;
  const widest = (limit: "margin" | "tolerance" | "floor" | "absoluteFloor"): number =>
    Math.max(...gated.map(({ policy }) => policy[limit]));
  const tolerance = (1 + widest("tolerance")) ** gated.length - 1;
  // An absolute limit is of a scenario's own answers.
  const { max: _, ...rest } = first.policy;
  const policy = {
    ...rest,
    auto: gated.every((one) => one.policy.auto) || undefined,
    tolerance,
    margin: Math.max(widest("margin"), tolerance),
    floor: widest("floor"),
    absoluteFloor: widest("absoluteFloor"),
  };
  const among = gated.map(({ scenario }) => scenario.id);
  return { id: `${service} slow`, service, scenario: null, among, clip: CLIP_OF_SERVICE, policy };
}

const loadMs = ({ slice }: Scenario): number => slice.pairs * slice.durationMs;

/** Read of launches, so that it depends on all that they did. */
export function isOfLaunches({ scenario, among }: Pick<Hypothesis, "scenario" | "among">): boolean {
  return scenario === null && among === undefined;
}

/** Of wrong answers, whose counts are compared and not a ratio. */
export function isOfAnswers({ policy }: Pick<Hypothesis, "policy">): boolean {
  return policy.estimator === "counts";
}

/** Each arm has a value of its own, that can be stored. */
export function isStorable(hypothesis: Hypothesis): boolean {
  return hypothesis.among === undefined && !isOfAnswers(hypothesis);
}

export function listStorable(config: Config): Hypothesis[] {
  return listHypotheses(config).filter(isStorable);
}

/** Fails above the limit and passes below it. */
export const AT_LIMIT = { margin: 0, tolerance: 0, floor: 0, absoluteFloor: 0 };

/** With the absolute limits, each a question of its own, behind that of its metric; and of answers. */
export function listQuestions(config: Config): Hypothesis[] {
  const ofAnswers = config.scenarios.flatMap((scenario) =>
    policiesOf(config.policy.metrics, scenario)
      .filter((policy) => isOfAnswers({ policy }))
      .map((policy) => ({
        id: `${scenario.id} ${policy.metric}`,
        service: scenario.service,
        scenario: scenario.id,
        policy,
      })),
  );
  const ofValues = listHypotheses(config).flatMap((one): Hypothesis[] => {
    const { max, ...policy } = one.policy;
    if (max === undefined) return [one];
    const held = { ...policy, ...AT_LIMIT, max, level: max.level };
    const { clip: _, ...like } = one;
    return [one, { ...like, id: `${one.id} limit`, policy: held, against: "limit" }];
  });
  return [...ofValues, ...ofAnswers];
}

type Asked = Pick<Samples, "config" | "unchanged"> & Partial<Pick<Samples, "rounds" | "sources">>;

/** The comparisons of a run with a reference that are of values. */
export function askedOf(samples: Asked): Hypothesis[] {
  return sharingOf(samples).filter((one) => one.against !== "limit" && !isOfAnswers(one));
}

/**
 * Those of a run that share alpha. A service that is the same in both arms has none; what the
 * candidate alone has is held to its limits only. Which scenarios are new the first round tells.
 */
export function sharingOf(samples: Asked): Hypothesis[] {
  return measuredOf(samples).filter(({ isNew }) => isNew !== true);
}

/** With those of what is new. */
export function measuredOf(samples: Asked): Hypothesis[] {
  const { config, unchanged = [] } = samples;
  const same = new Set(unchanged.map(({ service }) => service));
  const fresh = newScenarios(samples);
  const shared = config.scenarios.filter(({ id }) => !fresh.has(id));
  const isShared = ({ scenario, service }: Hypothesis): boolean =>
    scenario === null
      ? shared.some((one) => one.service === service)
      : !fresh.has(wholeId(scenario));
  const ofBoth = new Map(
    listHypotheses({ ...config, scenarios: shared }).map((one) => [one.id, one]),
  );
  return listQuestions(config)
    .filter(({ service }) => !same.has(service))
    .flatMap((one) => {
      if (one.against === "limit") return one;
      if (isOfAnswers(one)) return samples.sources?.reference !== null && isShared(one) ? one : [];
      const own = ofBoth.get(one.id);
      if (one.among !== undefined) return (samples.sources?.reference !== null && own) || [];
      return isShared(one) ? (own ?? one) : { ...one, isNew: true };
    });
}

/** Ids of those that the reference does not have, as far as they were asked for. */
export function newScenarios({
  config,
  sources,
  rounds = [],
}: Omit<Asked, "unchanged">): ReadonlySet<string> {
  if (sources === undefined || sources.reference === null) return new Set();
  const alone = rounds.flatMap(({ scenarios }) =>
    scenarios.flatMap(({ scenario, arms }) => (arms.reference === null ? wholeId(scenario) : [])),
  );
  const ofNew = config.scenarios.filter(({ service }) => referenceOf(sources, service) === null);
  return new Set([...alone, ...ofNew.map(({ id }) => id)]);
}

/** Memory per connection is no question of a service that few connections load. */
function isAsked(config: Config, service: string, metric: Metric): boolean {
  if (metric !== "rssPerConnection") return true;
  const own = config.scenarios.filter((scenario) => scenario.service === service);
  return sharingConnections(own) !== null;
}

/** Without a sound typical estimate the pooled one takes its place, with its policy. */
function scenarioPolicies(config: Config, scenario: Scenario): MetricPolicy[] {
  const policies = policiesOf(config.policy.metrics, scenario).filter(({ metric }) =>
    isLatencyMetric(metric),
  );
  return policies.flatMap((policy) => {
    if (typicalIsSound(scenario, policy.metric)) return [policy];
    if (policy.estimator === "typical") return [];
    const typical = policies.find(
      ({ metric, estimator }) => metric === policy.metric && estimator === "typical",
    );
    const max = policy.max ?? typical?.max;
    return [typical === undefined ? policy : { ...typical, estimator: "pooled" as const, max }];
  });
}

export function gatedOf(hypotheses: readonly Hypothesis[]): Hypothesis[] {
  return hypotheses.filter(({ policy }) => policy.level === "gate");
}

export function gatingCount(hypotheses: readonly Hypothesis[]): number {
  return gatedOf(hypotheses).length;
}
