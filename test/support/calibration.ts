// Profiles of runners for tests of what is said about them.
import { profileOf } from "../../src/core/calibration/profile.ts";
import type { Config } from "../../src/core/model/config.ts";
import type { Profile } from "../../src/core/model/profile.ts";
import type { Samples } from "../../src/core/model/samples.ts";
import { workloadHash } from "../../src/core/model/workload.ts";
import { listHypotheses } from "../../src/core/verdict/hypotheses.ts";
import { makeSamples, type SamplesRecipe } from "./samples.ts";

/** Rounds of one commit against itself. */
export function identicalArms(recipe: Partial<SamplesRecipe> = {}): Samples {
  const samples = makeSamples({ rounds: 16, noise: 0.05, ...recipe });
  return {
    ...samples,
    sources: { ...samples.sources, reference: { ...samples.sources.candidate, label: "same" } },
  };
}

export function makeProfile(recipe: Partial<SamplesRecipe> = {}): Profile {
  return profileOf(identicalArms(recipe), { seed: 1, trials: 60 });
}

/** Quantiles of a normal law. */
const STANDARD = [-1.86, -1.32, -1.01, -0.78, -0.58, -0.4, -0.24, -0.08];

/** Sixteen values of so wide a spread. */
export const spread = (sd: number): number[] =>
  [...STANDARD, ...STANDARD.map((value) => -value)].map((value) => sd * value);

export const CALIBRATED_AT = "2026-01-01T00:00:00.000Z";

/**
 * As a calibration of the configuration writes it, but simulated by nobody: each question with a
 * spread, and the rounds that nine in ten of unchanged builds take for it.
 */
export function profileOfSpreads(
  config: Config,
  { sd = 0.03, p90 = 12 }: { sd?: number; p90?: number } = {},
): Profile {
  const { host, cpuSets } = makeSamples({ rounds: 0, noise: 0 });
  const simulated = { trials: 200, passed: 1, regressed: 0 };
  return {
    schema: "tailgate.profile.v1",
    tool: "tailgate 0.0.0-test",
    runnerClass: config.runner.class,
    run: { id: "calibration", startedAt: CALIBRATED_AT, commit: "c".repeat(40), measuredMs: 1 },
    fingerprint: host.fingerprint,
    cpuSets,
    workloads: Object.fromEntries(
      config.scenarios.map((one) => [one.id, workloadHash(one, config)]),
    ),
    slices: { measured: 0, void: 0, byRule: {}, examples: {}, disturbed: {} },
    services: config.services.map(({ name }) => ({ service: name, rounds: 16, roundMs: 1000 })),
    gate: {
      trials: 1,
      passed: 1,
      medianMs: 1,
      p90Ms: 1,
      timeBudgetMs: config.policy.timeBudgetMs,
      roomForRounds: 60,
    },
    metrics: listHypotheses(config).map(({ id, service, scenario, policy }) => ({
      id,
      service,
      scenario,
      metric: policy.metric,
      estimator: policy.estimator,
      level: policy.level,
      d: spread(sd),
      sd: { robust: sd, low: sd / 2, high: 2 * sd, plain: sd },
      bias: { estimate: 0, low: -sd, high: sd },
      components: null,
      limits: { margin: policy.margin, tolerance: policy.tolerance, floor: policy.floor },
      costs:
        policy.level === "gate"
          ? [
              {
                margin: policy.margin,
                floor: policy.floor,
                unchanged: { ...simulated, rounds: { median: p90 - 4, p90, medianMs: 1 } },
                worse: { ...simulated, rounds: null },
                kept: true,
              },
            ]
          : [],
      proposed: null,
    })),
    seed: 1,
  };
}
