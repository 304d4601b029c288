// What a runner's profile says of a run before it begins. Pure. No verdict depends on it.
import type { Config } from "../model/config.ts";
import type { Fingerprint } from "../model/host.ts";
import { wholeId } from "../model/mix.ts";
import type { Expectation, Profile, ProfileMetric, RunnerFacts } from "../model/profile.ts";
import { gatedMetrics } from "../model/profile.ts";
import { differingFact, workloadHash } from "../model/workload.ts";
import { gatedOf, type Hypothesis, listHypotheses } from "../verdict/hypotheses.ts";
import { WANTED } from "./power.ts";

/** `fingerprint` null: not of this machine, as for `plan`. */
export function runnerFactsOf(
  profile: Profile,
  config: Config,
  fingerprint: Fingerprint | null,
): RunnerFacts {
  const difference = fingerprint === null ? null : differingFact(profile.fingerprint, fingerprint);
  const known = (difference === null ? knownOf(profile, config) : []).map(
    ({ hypothesis: { policy }, metric }) =>
      expectationOf(profile, metric, policy.margin, policy.auto === true),
  );
  const gated = gatedOf(listHypotheses(config));
  // The whole gate's time is known for exactly these hypotheses.
  const whole = known.length === gated.length && gated.length === gatedMetrics(profile).length;
  return {
    calibratedAt: profile.run.startedAt,
    rounds: Math.min(...profile.services.map(({ rounds }) => rounds)),
    unusable: unusable(difference, known.length),
    expectations: known,
    gateMs: whole ? profile.gate.medianMs : null,
  };
}

function unusable(difference: string | null, known: number): string | null {
  if (difference !== null) return `it is of another machine (${difference})`;
  return known === 0 ? "it has none of this run's scenarios as they are now defined" : null;
}

/** Gating questions that were simulated when it was calibrated, under the load of now. */
export function knownOf(profile: Profile, config: Config) {
  const simulated = new Map(gatedMetrics(profile).map((metric) => [metric.id, metric]));
  return gatedOf(listHypotheses(config)).flatMap((hypothesis) => {
    const metric = simulated.get(hypothesis.id);
    return metric !== undefined && isSameLoad(profile, config, hypothesis)
      ? [{ hypothesis, metric }]
      : [];
  });
}

/** A service's own metric depends on all of its scenarios. */
function isSameLoad(profile: Profile, config: Config, { scenario, service }: Hypothesis): boolean {
  return config.scenarios
    .filter(({ id, ...one }) =>
      scenario === null ? one.service === service : id === wholeId(scenario),
    )
    .every((one) => profile.workloads[one.id] === workloadHash(one, config));
}

function expectationOf(
  { services }: Profile,
  metric: ProfileMetric,
  margin: number,
  isAuto: boolean,
): Expectation {
  const { limits } = metric;
  // The effective floor may have raised the calibrated margin.
  const effective = limits.margin === limits.floor ? Math.max(margin, limits.floor) : margin;
  const cost = metric.costs.find((one) => one.margin === effective) ?? null;
  const rounds = cost?.unchanged.rounds?.median ?? null;
  const roundMs = services.find(({ service }) => service === metric.service)?.roundMs;
  return {
    id: metric.id,
    sd: metric.sd.robust,
    sdHigh: metric.sd.high,
    rounds,
    passMs: rounds === null || roundMs === undefined ? null : rounds * roundMs,
    margin: metric.proposed?.margin ?? null,
    // What was chosen by the profile was chosen so that it passes.
    kept:
      cost === null
        ? isAuto || (metric.proposed !== null && effective >= metric.proposed.margin)
        : cost.unchanged.passed >= WANTED,
  };
}
