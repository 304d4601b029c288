// From the samples of identical arms to a runner's profile. Pure: the same samples and seed give the same profile.

import { UserError } from "../base/errors.ts";
import { workloadHash } from "../baseline/key.ts";
import type { Config } from "../model/config.ts";
import { isLatencyMetric } from "../model/metric.ts";
import type { Profile, ProfileMetric, SlicePlan } from "../model/profile.ts";
import type { Round, Samples } from "../model/samples.ts";
import { median, robustSd, sampleSd } from "../stats/dispersion.ts";
import { trimmedEstimate } from "../stats/hodges-lehmann.ts";
import { medianRanks } from "../stats/median-interval.ts";
import { trimmedInterval } from "../stats/trimmed-shifts.ts";
import { varianceComponents, winsorized } from "../stats/variance-components.ts";
import { effectiveFloor } from "../verdict/compare.ts";
import type { Rule } from "../verdict/decide.ts";
import { gatingCount, type Hypothesis, listHypotheses } from "../verdict/hypotheses.ts";
import { seriesOf, validPairs } from "../verdict/series.ts";
import { planGate } from "./calibrate-gate.ts";
import {
  closestKept,
  costOfPromise,
  keepsPromise,
  noiseLike,
  PROMISES,
  TRIALS,
} from "./calibrate-power.ts";
import { planSlices } from "./calibrate-slices.ts";

/** With fewer rounds even the spread is a guess. */
export const MIN_ROUNDS = 8;
const SHOWN_PROMISES: readonly number[] = [0.05, 0.1, 0.2];
/** A promise's floor, where none is configured for it: proven changes of half of it block. */
const FLOOR_SHARE = 0.5;
/** Pairs further out count as this many robust standard deviations: one stall of the host is not what pairs usually differ by. */
const WINSOR_LIMIT = 3;
const LEVEL = 0.95;

export interface ProfileOptions {
  seed: number;
  /** Simulated runs behind each figure; default 200. */
  trials?: number;
  /** Told of every gated metric that is done: simulating takes seconds. */
  onMetric?(id: string): void;
}

export function profileOf(
  samples: Samples,
  { seed, trials = TRIALS, onMetric = () => {} }: ProfileOptions,
): Profile {
  assertSameArms(samples);
  const { config, rounds } = samples;
  const services = config.services.map(({ name }) => {
    const own = rounds.filter(({ service, failure }) => service === name && failure === null);
    return {
      service: name,
      rounds: own.length,
      roundMs: rounded(median(own.map((round) => configuredMs(round, config))), 1),
    };
  });
  const few = services.find((service) => service.rounds < MIN_ROUNDS);
  if (few !== undefined) {
    throw new UserError(
      `${few.service}: ${few.rounds} rounds of identical arms, and ${MIN_ROUNDS} are needed to tell noise`,
      { next: "Measure more: tailgate calibrate --rounds 16." },
    );
  }
  const turnMs = services.reduce((sum, { roundMs }) => sum + roundMs, 0);
  const maxRounds = Math.floor(config.policy.timeBudgetMs / turnMs);
  const hypotheses = listHypotheses(config);
  const gating = gatingCount(hypotheses.filter(({ scenario }) => !isVariant(scenario)));
  const unchangedRounds = new Map<string, readonly number[]>();
  const metrics = hypotheses.flatMap((hypothesis) => {
    const roundMs =
      services.find(({ service }) => service === hypothesis.service)?.roundMs ?? Number.NaN;
    const context = { config, rounds, gating, maxRounds, roundMs, seed, trials };
    const metric = describeMetric(hypothesis, context, unchangedRounds);
    if (metric !== null && hypothesis.policy.level === "gate") onMetric(hypothesis.id);
    return metric === null ? [] : [metric];
  });
  return {
    schema: "tailgate.profile.v1",
    tool: samples.tool,
    runnerClass: config.runner.class,
    run: {
      id: samples.run.id,
      startedAt: samples.run.startedAt,
      commit: samples.sources.candidate.commit,
      measuredMs: samples.run.measuredMs,
    },
    fingerprint: samples.host.fingerprint,
    cpuSets: samples.cpuSets,
    workloads: Object.fromEntries(config.scenarios.map((one) => [one.id, workloadHash(one)])),
    slices: countVoids(rounds),
    services,
    gate: planGate({ metrics, services, unchangedRounds, config, seed }),
    metrics,
    slicePlans: withAlternatives(slicePlans(config, metrics, rounds, gating), config),
    seed,
  };
}

/** No name that a person can write has it: marks a scenario that is another one with other slices, measured for comparison only. */
export const VARIANT_MARK = "~";

function isVariant(scenario: string | null): boolean {
  return scenario?.includes(VARIANT_MARK) ?? false;
}

/** Wall time of a round, as far as it is the configured scenarios': by their share of the load. */
function configuredMs({ startedAtMs, endedAtMs, scenarios }: Round, config: Config): number {
  const loadMs = (id: string): number => {
    const slice = config.scenarios.find((one) => one.id === id)?.slice;
    return slice === undefined ? 0 : slice.pairs * slice.durationMs;
  };
  const all = scenarios.reduce((sum, { scenario }) => sum + loadMs(scenario), 0);
  const own = scenarios
    .filter(({ scenario }) => !isVariant(scenario))
    .reduce((sum, { scenario }) => sum + loadMs(scenario), 0);
  return (endedAtMs - startedAtMs) * (all === 0 ? 1 : own / all);
}

/** Noise is what identical programs differ by: with two programs it would be noise and change. */
function assertSameArms({ sources, artifacts, config }: Samples): void {
  if (sources.reference === null) {
    throw new UserError(
      "the samples hold one arm only: a calibration needs the same code in both",
      {
        next: "Measure it: tailgate calibrate.",
      },
    );
  }
  const same = config.services.every(({ name }) => {
    const hashes = new Set(
      artifacts.filter(({ service }) => service === name).map(({ sha256 }) => sha256),
    );
    return hashes.size === 1;
  });
  const sameCommit =
    sources.candidate.commit === sources.reference.commit &&
    sources.candidate.dirty === sources.reference.dirty;
  if (artifacts.length === 0 ? sameCommit : same) return;
  throw new UserError("the two arms of these samples are not the same program", {
    detail: `candidate ${sources.candidate.commit.slice(0, 10)}, reference ${sources.reference.commit.slice(0, 10)}`,
    next: "Calibrate on rounds of one commit against itself: tailgate calibrate, or tailgate measure --reference HEAD.",
  });
}

interface Context {
  config: Config;
  rounds: readonly Round[];
  /** Hypotheses that share alpha. */
  gating: number;
  maxRounds: number;
  roundMs: number;
  seed: number;
  trials: number;
}

function describeMetric(
  hypothesis: Hypothesis,
  context: Context,
  unchangedRounds: Map<string, readonly number[]>,
): ProfileMetric | null {
  const series = seriesOf(hypothesis, context.rounds);
  const d = series.map((value) => value.d);
  if (d.length < 2) return null;
  const { policy } = hypothesis;
  const firstLook = context.config.policy.looks[0] ?? 1;
  const limits = {
    promise: policy.promise,
    tolerance: policy.tolerance,
    floor: effectiveFloor(hypothesis, series, firstLook),
  };
  // What the absolute floor alone comes to: it stays, whatever is promised.
  const bare = { ...hypothesis, policy: { ...policy, floor: 0 } };
  const absoluteFloor = effectiveFloor(bare, series, firstLook);
  const interval = trimmedInterval(d, LEVEL);
  const gated =
    policy.level === "gate" && d.length >= MIN_ROUNDS && !isVariant(hypothesis.scenario);
  const promising = gated
    ? promises(d, { ...limits, absoluteFloor }, hypothesis.id, context, unchangedRounds)
    : null;
  return {
    id: hypothesis.id,
    service: hypothesis.service,
    scenario: hypothesis.scenario,
    metric: policy.metric,
    estimator: policy.estimator,
    level: policy.level,
    d: d.map((value) => rounded(value, 5)),
    sd: { ...robustSdWithInterval(d), plain: rounded(sampleSd(d), 5) },
    bias: {
      estimate: rounded(trimmedEstimate(d), 5),
      low: finiteOrNull(interval.low),
      high: finiteOrNull(interval.high),
    },
    components: policy.estimator === "typical" ? componentsOf(hypothesis, context.rounds) : null,
    limits,
    costs: promising?.costs ?? [],
    proposed: promising?.proposed ?? null,
  };
}

/** 1.4826: see robustSd. */
const TO_SD = 1.482602218505602;

/**
 * The interval is that of the median of the distances from the centre, by their order alone; the centre is taken as known, which
 * makes it slightly too narrow for few rounds.
 */
function robustSdWithInterval(d: readonly number[]): { robust: number; low: number; high: number } {
  const centre = median(d);
  const distances = d.map((value) => Math.abs(value - centre)).sort((a, b) => a - b);
  const ranks = medianRanks(distances.length, LEVEL);
  const at = (rank: number): number => rounded((distances[rank - 1] ?? Number.NaN) * TO_SD, 5);
  return {
    robust: rounded(robustSd(d), 5),
    low: at(ranks?.low ?? 1),
    high: at(ranks?.high ?? distances.length),
  };
}

/** Of the slice pairs' log ratios, grouped by round. */
function componentsOf(
  hypothesis: Hypothesis,
  rounds: readonly Round[],
): ProfileMetric["components"] {
  const { metric } = hypothesis.policy;
  if (!isLatencyMetric(metric)) return null;
  const groups = rounds
    .filter(({ service, failure }) => service === hypothesis.service && failure === null)
    .map((round) =>
      round.scenarios
        .filter(({ scenario }) => scenario === hypothesis.scenario)
        .flatMap(({ slices }) => validPairs(slices))
        .flatMap(({ candidate, reference }) => {
          const c = candidate.latency?.[metric] ?? 0;
          const r = reference.latency?.[metric] ?? 0;
          return c > 0 && r > 0 ? [Math.log(c / r)] : [];
        }),
    );
  const all = groups.flat();
  const range = { centre: median(all), limit: WINSOR_LIMIT * robustSd(all) };
  const { between, within, values } = varianceComponents(
    groups.map((group) => winsorized(group, range)),
  );
  if (Number.isNaN(between) || Number.isNaN(within)) return null;
  return {
    launch: rounded(Math.sqrt(between), 5),
    slice: rounded(Math.sqrt(within), 5),
    pairs: values,
  };
}

function promises(
  d: readonly number[],
  limits: ProfileMetric["limits"] & { absoluteFloor: number },
  id: string,
  context: Context,
  unchangedRounds: Map<string, readonly number[]>,
): Pick<ProfileMetric, "costs" | "proposed"> {
  const { config, gating, maxRounds, roundMs, seed, trials } = context;
  const floorOf = (promise: number): number =>
    promise === limits.promise
      ? limits.floor
      : Math.max(promise * FLOOR_SHARE, limits.absoluteFloor);
  const simulation = (promise: number) => {
    const rule: Rule = {
      tolerance: limits.tolerance,
      promise,
      floor: floorOf(promise),
      alpha: config.policy.alpha,
      hypotheses: Math.max(1, gating),
      beta: config.policy.beta,
      looks: config.policy.looks,
    };
    return { noise: noiseLike(d), rule, maxRounds, roundMs, seed, trials };
  };
  const shown = [...new Set([...SHOWN_PROMISES, limits.promise])]
    .filter((promise) => promise > limits.tolerance)
    .sort((a, b) => a - b);
  const known = new Map<number, boolean>();
  const costs = shown.map((promise) => {
    const { unchangedRounds: own, ...cost } = costOfPromise(simulation(promise));
    known.set(promise, cost.kept);
    if (promise === limits.promise) unchangedRounds.set(id, own);
    return cost;
  });
  const closest = closestKept(
    PROMISES.filter((promise) => promise > limits.tolerance),
    (promise) => known.get(promise) ?? keepsPromise(simulation(promise)),
  );
  return {
    costs,
    proposed: closest === null ? null : { promise: closest, floor: floorOf(closest) },
  };
}

function countVoids(rounds: readonly Round[]): Profile["slices"] {
  const slices = rounds.flatMap(({ scenarios }) => scenarios.flatMap((entry) => entry.slices));
  const byRule: Record<string, number> = {};
  const examples: Record<string, string> = {};
  for (const slice of slices) {
    if (slice.void === null) continue;
    byRule[slice.void.rule] = (byRule[slice.void.rule] ?? 0) + 1;
    examples[slice.void.rule] ??= slice.void.detail;
  }
  const voided = Object.values(byRule).reduce((sum, n) => sum + n, 0);
  return { measured: slices.length, void: voided, byRule, examples };
}

/** For the typical p99, or whatever typical quantile is gated first: that is what slices are for. */
function slicePlans(
  config: Config,
  metrics: readonly ProfileMetric[],
  rounds: readonly Round[],
  gating: number,
): SlicePlan[] {
  return config.scenarios.flatMap((scenario) => {
    const metric = metrics.find(
      (one) => one.scenario === scenario.id && one.level === "gate" && one.estimator === "typical",
    );
    if (metric === undefined || metric.components === null) return [];
    const rule: Rule = {
      ...metric.limits,
      alpha: config.policy.alpha,
      hypotheses: Math.max(1, gating),
      beta: config.policy.beta,
      looks: config.policy.looks,
    };
    const plan = planSlices({
      scenario,
      scenarios: config.scenarios,
      rounds: rounds.filter(({ service }) => service === scenario.service),
      sd: metric.sd.robust,
      launch: metric.components.launch,
      rule,
    });
    return plan === null ? [] : [plan];
  });
}

/** Scenarios that differ in nothing but their slices are one load cut in several ways. */
function withAlternatives(plans: readonly SlicePlan[], config: Config): SlicePlan[] {
  const keyOf = (id: string): string => {
    const scenario = config.scenarios.find((one) => one.id === id);
    if (scenario === undefined) return id;
    const { id: _, name: __, slice: ___, metrics: ____, ...load } = scenario;
    return JSON.stringify(load);
  };
  return plans.map((plan) => ({
    ...plan,
    alternatives: plans
      .filter((other) => other !== plan && keyOf(other.scenario) === keyOf(plan.scenario))
      .map(({ scenario }) => scenario),
  }));
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? rounded(value, 5) : null;
}
