// The screen of `compare: auto`: whether stored values could pass a change, and what may be spent
// on asking them. A screen only ever passes; whatever else it says, the reference is measured
// alongside.

import type { Baseline } from "../../core/model/baseline.ts";
import type { Config, Policy } from "../../core/model/config.ts";
import { baselineKey, differingWorkload, differingWorkloads } from "../../core/model/workload.ts";
import { driftOf } from "../../core/verdict/drift.ts";
import { listHypotheses } from "../../core/verdict/hypotheses.ts";
import type { ScreenLimits } from "./rotation.ts";

/**
 * Whether every gated question has a stored counterpart, of the same workload, whose drift is
 * known: one without cannot pass.
 */
export function canScreen(config: Config, baselines: readonly Baseline[]): boolean {
  const gated = listHypotheses(config).filter(({ policy }) => policy.level === "gate");
  return (
    gated.length > 0 &&
    gated.every((hypothesis) => {
      const baseline = baselines.find(
        ({ service, runnerClass }) =>
          service === hypothesis.service && runnerClass === config.runner.class,
      );
      if (baseline === undefined) return false;
      const key = baselineKey(hypothesis);
      const differing =
        hypothesis.scenario === null
          ? differingWorkloads(baseline, { config })
          : differingWorkload(baseline, { config }, hypothesis.scenario);
      return (
        differing === null && baseline.metrics[key] !== undefined && driftOf(baseline, key) !== null
      );
    })
  );
}

/** What is not shown by then is seldom shown by values of another day at all. */
const SCREEN_ROUNDS = 12;
/** The rest must do for the reference alongside. */
const TIME_SHARE = 1 / 3;

export function screenLimits({ timeBudgetMs }: Policy): ScreenLimits {
  return { rounds: SCREEN_ROUNDS, timeMs: timeBudgetMs * TIME_SHARE };
}
