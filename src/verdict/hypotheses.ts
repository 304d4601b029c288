// Which questions a run will answer, fixed by the configuration before anything is measured: the false-alarm bound of the
// whole pull request is shared among the gating ones, so their number may not depend on data.
import type { Config, MetricPolicy, Scenario } from "../model/config.ts";
import { requestsDropped } from "../model/load-rules.ts";
import { isLatencyMetric, METRIC_FACTS } from "../model/metric.ts";

/**
 * The typical estimate takes a quantile of each slice: with fewer kept requests than this, a slice's p99 is one of its five
 * slowest requests and the pooled estimate is the better one (method §2).
 */
const TYPICAL_MIN_SLICE_REQUESTS = 500;

export interface Hypothesis {
  /** Unique in a run: `api/echo p99 typical`, `api rss`. */
  id: string;
  service: string;
  /** Scenario id; null for a service's metric. */
  scenario: string | null;
  policy: MetricPolicy;
}

/** Requests of one slice that count, after connection set-up is dropped. */
export function keptPerSlice(scenario: Scenario): number {
  const scheduled = requestsPerSlice(scenario);
  return Math.max(0, scheduled - requestsDropped(scenario));
}

export function requestsPerSlice(scenario: Scenario): number {
  return Math.round((scenario.rateRps * scenario.slice.durationMs) / 1000);
}

function typicalIsSound(config: Config, scenario: Scenario): boolean {
  const service = config.services.find((candidate) => candidate.name === scenario.service);
  return service?.scheme === "sliced" && keptPerSlice(scenario) >= TYPICAL_MIN_SLICE_REQUESTS;
}

/** All questions, in the configuration's order: scenarios first, then the services' metrics. */
export function listHypotheses(config: Config): Hypothesis[] {
  const latency = config.policy.metrics.filter((policy) => isLatencyMetric(policy.metric));
  const launch = config.policy.metrics.filter((policy) => !isLatencyMetric(policy.metric));
  const ofScenarios = config.scenarios.flatMap((scenario) =>
    scenarioPolicies(latency, typicalIsSound(config, scenario)).map((policy) => ({
      id: `${scenario.id} ${policy.metric} ${policy.estimator}`,
      service: scenario.service,
      scenario: scenario.id,
      policy,
    })),
  );
  const ofServices = config.services.flatMap((service) =>
    launch.map((policy) => ({
      id: `${service.name} ${policy.metric}`,
      service: service.name,
      scenario: null,
      policy,
    })),
  );
  return [...ofScenarios, ...ofServices];
}

/** Where slices are too small for the typical estimate, the pooled one answers for it, with its policy. */
function scenarioPolicies(
  policies: readonly MetricPolicy[],
  typicalSound: boolean,
): MetricPolicy[] {
  if (typicalSound) return [...policies];
  return policies
    .filter((policy) => policy.estimator === "pooled")
    .map((pooled) => {
      const typical = policies.find(
        (policy) => policy.metric === pooled.metric && policy.estimator === "typical",
      );
      return typical === undefined ? pooled : { ...typical, estimator: "pooled" as const };
    });
}

/** Number of hypotheses that share `alpha`. */
export function gatingCount(hypotheses: readonly Hypothesis[]): number {
  return hypotheses.filter((hypothesis) => hypothesis.policy.level === "gate").length;
}

export function metricLabel(hypothesis: Hypothesis): string {
  const { label } = METRIC_FACTS[hypothesis.policy.metric];
  return hypothesis.policy.estimator === "launch"
    ? label
    : `${label} ${hypothesis.policy.estimator}`;
}

export function subjectOf(hypothesis: Hypothesis): string {
  return hypothesis.scenario ?? hypothesis.service;
}
