// Other tools' rules and ours on the same recorded rounds.
import type { Samples } from "../../src/model/samples.ts";
import { applyRules, type RuleRates, tailgateRule } from "../peers/resample.ts";
import { PEER_RULES } from "../peers/rules.ts";
import { type Stretch, sessionsOf, type Terms } from "./pool.ts";
import { mean, percent, table } from "./words.ts";

/** Planted in every metric at once. */
const EFFECTS: readonly number[] = [0, 0.05, 0.1, 0.2];
const HISTORY = 30;

export function renderPeers(
  stretches: readonly Stretch[],
  terms: Terms,
  { samples, trials, seed }: { samples: Samples; trials: number; seed: number },
): string {
  const sessions = sessionsOf(stretches, terms);
  const rules = [tailgateRule(samples), ...PEER_RULES];
  const rates = applyRules({
    sessions,
    rules,
    effects: EFFECTS,
    trials,
    seed,
    rounds: terms.looks.at(-1) ?? 0,
    history: HISTORY,
  });
  const rows = rules.map(({ name }) => {
    const own = (effect: number): RuleRates | undefined =>
      rates.find((rate) => rate.rule === name && rate.effect === effect);
    const unchanged = own(0);
    const any = unchanged?.any ?? { share: 0, low: 0, high: 0 };
    return [
      name,
      unchanged?.rounds.toFixed(1) ?? "",
      `${percent(any.share)} [${(any.low * 100).toFixed(1)}, ${(any.high * 100).toFixed(1)}]`,
      ...EFFECTS.slice(1).map((effect) => percent(mean(Object.values(own(effect)?.metrics ?? {})))),
    ];
  });
  return `${table(["rule", "rounds, mean", "unchanged pull requests with an alarm", ...EFFECTS.slice(1).map((effect) => `+${effect * 100} %: a metric found`)], rows)}

${trials} pull requests of each sort drawn from ${sessions.length} sittings; all ${terms.gating} gated metrics of each, and an alarm in any of them counts. Intervals are Wilson's,
of the drawing only. Stored values come from another sitting where there is one${sessions.length < 2 ? " (here there is none, so that nothing of the drift between days is in it, which flatters rules that compare with what was stored)" : ""}. A metric whose promise is wide (pooled
p99) is meant not to be found at these sizes by the rule of this repository. Each rule's definition and source: [scripts/peers](../scripts/peers/README.md),
which also says what flatters whom.`;
}
