// The screen of `compare: auto`: whether stored values could pass a change, and what may be spent
// on asking them. A screen only ever passes; whatever else it says, the reference is measured
// alongside.

import type { Baseline } from "../../core/model/baseline.ts";
import type { Config, Policy } from "../../core/model/config.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import { baselineKey, differingLoad } from "../../core/model/workload.ts";
import { quantile, sortSample } from "../../core/stats/quantile.ts";
import { floorAt } from "../../core/verdict/compare.ts";
import { ruleOf } from "../../core/verdict/decide.ts";
import { decideStored } from "../../core/verdict/decide-stored.ts";
import type { Drift } from "../../core/verdict/drift.ts";
import {
  gatedOf,
  gatingCount,
  type Hypothesis,
  listQuestions,
  listStorable,
} from "../../core/verdict/hypotheses.ts";
import { baselinesFor, driftFor } from "../../core/verdict/stored.ts";
import type { ScreenLimits } from "./rotation.ts";

interface Stored {
  baselines: readonly Baseline[];
  history: readonly HistoryRecord[];
  /** ISO 8601. */
  now: string;
}

/**
 * Whether every gated question has a stored counterpart, of the same workload, with a known drift
 * that leaves room to pass: a screen that cannot pass is lost time.
 */
export function canScreen(config: Config, { baselines, history, now }: Stored): boolean {
  const hypotheses = listStorable(config);
  const gated = gatedOf(hypotheses);
  const gating = gatingCount(listQuestions(config));
  return (
    gated.length > 0 &&
    gated.every((hypothesis) => {
      // Which machine it is the run sees: a screen that its baselines cannot answer ends at once.
      return baselinesFor(hypothesis.service, baselines, { config }).some((baseline) => {
        const values = baseline.metrics[baselineKey(hypothesis)];
        const difference = differingLoad(baseline, { config }, hypothesis);
        if (difference !== null || values === undefined) return false;
        const drift = driftFor(hypothesis, baseline, { history, now, config });
        return couldPass(values, drift, { hypothesis, config, gating });
      });
    })
  );
}

/**
 * Whether the baseline's own launches would pass against it on a night that differs as nights do.
 * Their quantiles stand for the launches of a screen, so that the answer is the same each time.
 */
function couldPass(
  values: readonly number[],
  drift: Drift,
  { hypothesis, config, gating }: { hypothesis: Hypothesis; config: Config; gating: number },
): boolean {
  if (!drift.known) return false;
  const sorted = sortSample(values);
  const launches = Array.from(
    { length: SCREEN_ROUNDS },
    (_, i) => quantile(sorted, (i + 0.5) / SCREEN_ROUNDS) * Math.exp(drift.usual),
  );
  const limits = { ...hypothesis.policy, floor: floorAt(values, hypothesis) };
  const rule = { ...ruleOf(limits, config.policy, gating), driftMargin: drift.margin };
  return decideStored(launches, values, rule).state === "pass";
}

/** What is not shown by then is seldom shown by values of another day at all. */
const SCREEN_ROUNDS = 12;
/** The rest must do for the reference alongside. */
const TIME_SHARE = 1 / 3;

export function screenLimits({ timeBudgetMs }: Policy): ScreenLimits {
  return { rounds: SCREEN_ROUNDS, timeMs: timeBudgetMs * TIME_SHARE };
}
