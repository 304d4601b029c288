// Samples in which some answers of api/echo are wrong, and asked about.
import type { MetricPolicy } from "../../src/core/model/config.ts";
import type { Arm, Samples, Slice } from "../../src/core/model/samples.ts";
import { makePolicy, makeSamples } from "./samples.ts";

type Told = Partial<Pick<Slice, "statuses" | "errors">>;
/** What a slice of api/echo with 1,000 requests came to; null: all was right. */
export type Plan = (at: { round: number; arm: Arm; pair: number }) => Told | null;

export interface WrongCase {
  rounds?: number;
  level?: MetricPolicy["level"] | "not asked";
  budget?: number;
  change?: (samples: Samples) => Samples;
}

/** Of a run under way. */
export function makeWrong(
  plan: Plan,
  { rounds = 14, level, budget, change = (samples) => samples }: WrongCase = {},
): Samples {
  const samples = makeSamples({ rounds, noise: 0.01, state: "running" });
  plantWrong(samples, plan, { level, budget });
  return change(samples);
}

export function plantWrong(
  samples: Samples,
  plan: Plan,
  { level = "gate", budget = 0 }: Pick<WrongCase, "level" | "budget"> = {},
): void {
  const { policy } = samples.config;
  policy.errorBudget = budget;
  if (level !== "not asked") policy.metrics.push(makePolicy("errors", "counts", level, [0, 0, 0]));
  for (const { index, scenarios } of samples.rounds) {
    const [echo] = scenarios;
    for (const slice of echo?.slices ?? []) {
      const told = plan({ round: index, arm: slice.arm, pair: slice.pair });
      if (echo === undefined || told === null) continue;
      const { statuses = {}, errors = {} } = told;
      const wrong = [...Object.values(statuses), ...Object.values(errors)].reduce((a, b) => a + b);
      Object.assign(slice, { statuses: { ...statuses, "200": 1000 - wrong }, errors });
      if (wrong <= budget * 1000) continue;
      slice.void = { rule: "status", detail: `${wrong} of 1000 answers were not 200` };
      // The pair stayed so after its repeats.
      for (const arm of [echo.arms.candidate, echo.arms.reference]) {
        if (arm !== null) arm.pooled = null;
      }
    }
  }
}

/** Two of a slice's 1,000. */
export const ONE_IN_500: Told = { statuses: { "500": 2 } };
export const wrongOf =
  (wanted: Arm, told = ONE_IN_500): Plan =>
  ({ arm }) =>
    arm === wanted ? told : null;
