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

/** Requests of one slice that count, after connection set-up is dropped. */
function keptPerSlice(scenario: Scenario): number {
  const scheduled = requestsPerSlice(scenario);
  return Math.max(0, scheduled - requestsDropped(scenario));
}

export function requestsPerSlice(scenario: Scenario): number {
  return Math.round((scenario.rateRps * scenario.slice.durationMs) / 1000);
}

/** A slice's quantile is one only if the slice has a request beyond it. */
function typicalIsSound(scenario: Scenario, metric: Metric): boolean {
  const beyond = keptPerSlice(scenario) * (1 - (METRIC_FACTS[metric].quantile ?? 1));
  // The small term undoes binary rounding of products such as 100 × (1 − 0.99).
  return beyond >= 1 - 1e-9;
}

/** All comparisons, in the configuration's order: scenarios first, then the services' metrics. */
export function listHypotheses(config: Config): Hypothesis[] {
  const ofScenarios = withParts(config.scenarios).flatMap((scenario) =>
    scenarioPolicies(config, scenario).map((policy) => ({
      id: `${scenario.id} ${policy.metric} ${policy.estimator}`,
      service: scenario.service,
      scenario: scenario.id,
      policy,
    })),
  );
  const ofServices = config.services.flatMap((service) =>
    policiesOf(config.policy.metrics, service)
      .filter(({ metric }) => !isLatencyMetric(metric) && isAsked(config, service.name, metric))
      .map((policy) => ({
        id: `${service.name} ${policy.metric}`,
        service: service.name,
        scenario: null,
        policy,
      })),
  );
  return [...ofScenarios, ...ofServices];
}

/** Fails above the limit and passes below it. */
const AT_LIMIT = { margin: 0, tolerance: 0, floor: 0, absoluteFloor: 0 };

/** With the absolute limits, each a question of its own, behind that of its metric. */
export function listQuestions(config: Config): Hypothesis[] {
  return listHypotheses(config).flatMap((one) => {
    const { max, ...policy } = one.policy;
    if (max === undefined) return [one];
    const held = { ...policy, ...AT_LIMIT, max, level: max.level };
    return [one, { ...one, id: `${one.id} limit`, policy: held, against: "limit" }];
  });
}

type Asked = Pick<Samples, "config" | "unchanged"> & Partial<Pick<Samples, "rounds" | "sources">>;

/** The comparisons of a run with a reference. */
export function askedOf(samples: Asked): Hypothesis[] {
  return sharingOf(samples).filter(({ against }) => against !== "limit");
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
  return listQuestions(config)
    .filter(({ service }) => !same.has(service))
    .map((one) => (one.against === "limit" || isShared(one) ? one : { ...one, isNew: true }));
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
