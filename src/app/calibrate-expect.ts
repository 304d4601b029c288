// What a runner's profile says of a run before it begins. Pure. No verdict depends on it.
import { differingFact, workloadHash } from "../baseline/key.ts";
import type { Config } from "../model/config.ts";
import type { Fingerprint } from "../model/host.ts";
import type { Expectation, Profile, ProfileMetric, RunnerFacts } from "../model/profile.ts";
import { type Hypothesis, listHypotheses } from "../verdict/hypotheses.ts";

/** `fingerprint` null: of a machine that is not this one, as for `plan` on a desk. */
export function runnerFactsOf(
  profile: Profile,
  config: Config,
  fingerprint: Fingerprint | null,
): RunnerFacts {
  const difference = fingerprint === null ? null : differingFact(profile.fingerprint, fingerprint);
  const known = difference === null ? expectationsOf(profile, config) : [];
  const gated = listHypotheses(config).filter(({ policy }) => policy.level === "gate");
  // The whole gate's time is that of just these questions.
  const whole = known.length === gated.length && gated.length === gatedIn(profile).length;
  return {
    calibratedAt: profile.run.startedAt,
    rounds: Math.min(...profile.services.map(({ rounds }) => rounds)),
    unusable: unusable(difference, known.length),
    expectations: known,
    gateMs: whole ? profile.gate.medianMs : null,
  };
}

function gatedIn({ metrics }: Profile): ProfileMetric[] {
  return metrics.filter(({ costs }) => costs.length > 0);
}

function unusable(difference: string | null, known: number): string | null {
  if (difference !== null) return `it is of another machine (${difference})`;
  return known === 0 ? "it has none of this run's scenarios as they are now defined" : null;
}

function expectationsOf(profile: Profile, config: Config): Expectation[] {
  return listHypotheses(config).flatMap((hypothesis) => {
    if (hypothesis.policy.level !== "gate" || !isSameLoad(profile, config, hypothesis)) return [];
    const metric = profile.metrics.find(({ id }) => id === hypothesis.id);
    return metric === undefined || metric.costs.length === 0
      ? []
      : [expectationOf(profile, metric, hypothesis.policy.promise)];
  });
}

/** A service's own metric depends on all of its scenarios. */
function isSameLoad(profile: Profile, config: Config, { scenario, service }: Hypothesis): boolean {
  return config.scenarios
    .filter((one) => (scenario === null ? one.service === service : one.id === scenario))
    .every((one) => profile.workloads[one.id] === workloadHash(one));
}

function expectationOf(profile: Profile, metric: ProfileMetric, promise: number): Expectation {
  const cost = metric.costs.find((one) => one.promise === promise) ?? null;
  const rounds = cost?.unchanged.rounds?.median ?? null;
  const roundMs = profile.services.find(({ service }) => service === metric.service)?.roundMs;
  return {
    id: metric.id,
    sd: metric.sd.robust,
    sdHigh: metric.sd.high,
    rounds,
    passMs: rounds === null || roundMs === undefined ? null : rounds * roundMs,
    promise: metric.proposed?.promise ?? null,
    kept: cost?.kept ?? (metric.proposed !== null && promise >= metric.proposed.promise),
  };
}

/** For `plan`: what each gated metric takes when nothing changed, and what cannot be shown. */
export function describeExpectations(runner: RunnerFacts | null): string[] {
  if (runner === null) {
    return [
      "",
      "This class of runner is not calibrated: tailgate calibrate tells what it can show",
    ];
  }
  const when = `Calibrated ${runner.calibratedAt.slice(0, 10)} over ${runner.rounds} rounds`;
  if (runner.unusable !== null)
    return ["", `${when}, which does not count here: ${runner.unusable}`];
  const width = Math.max(...runner.expectations.map(({ id }) => id.length));
  const gate =
    runner.gateMs === null ? "" : `; when nothing changed about ${minutes(runner.gateMs)}`;
  return [
    "",
    `${when}${gate}`,
    ...runner.expectations.map(
      (expected) => `  ${expected.id.padEnd(width)}  ${describeExpectation(expected)}`,
    ),
  ];
}

function describeExpectation({ sd, rounds, passMs, promise, kept }: Expectation): string {
  const noise = `sd ${sd.toFixed(3)}`;
  if (!kept) {
    const instead =
      promise === null ? "" : `; it can show ${Number((promise * 100).toPrecision(3))} %`;
    return `${noise}, closer than this runner can show: expect inconclusive${instead}`;
  }
  if (rounds === null || passMs === null) return `${noise}, within what this runner can show`;
  return `${noise}, passes after ${rounds} rounds (${minutes(passMs)} of its service)`;
}

function minutes(ms: number): string {
  return `${(ms / 60_000).toFixed(1)} minutes`;
}
