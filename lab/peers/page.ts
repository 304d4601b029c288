// Other tools' rules and ours on the same recorded rounds.
import type { StoredRun } from "../evidence/runs.ts";
import { percent, table } from "../evidence/words.ts";
import { applyRules, joined, type RuleRates, sessionOf, tailgateRule } from "./resample.ts";
import { PEER_RULES } from "./rules.ts";

/** Planted in every metric at once. */
const EFFECTS = [0.05, 0.1, 0.2] as const;
const TRIALS = 200;
/** As many as the rules that want most are given. */
const ROUNDS = 60;
const HISTORY = 30;

/** Empty where fewer than four calm gates of identical arms are stored. */
export function renderPeers(runs: readonly StoredRun[]): string {
  const calm = runs.filter(({ kind }) => kind === "aa-calm").map(({ samples }) => samples);
  const [first] = calm;
  if (first === undefined || calm.length < 4) return "";
  // What is stored comes from the other half.
  const half = Math.ceil(calm.length / 2);
  const sessions = [calm.slice(0, half), calm.slice(half)].map((own) => joined(own.map(sessionOf)));
  const rules = [tailgateRule(first), ...PEER_RULES];
  const rates = applyRules({
    sessions,
    rules,
    effects: [0, ...EFFECTS],
    trials: TRIALS,
    seed: 1,
    rounds: ROUNDS,
    history: HISTORY,
  });
  const rows = rules.map(({ name }) => {
    const own = (effect: number): RuleRates =>
      rates.find((rate) => rate.rule === name && rate.effect === effect) as RuleRates;
    const { any, rounds } = own(0);
    const found = EFFECTS.map((effect) => {
      const shares = Object.values(own(effect).metrics);
      return percent(shares.reduce((sum, one) => sum + one, 0) / shares.length);
    });
    const interval = `[${(any.low * 100).toFixed(1)}, ${(any.high * 100).toFixed(1)}]`;
    return [name, rounds.toFixed(1), `${percent(any.share)} ${interval}`, ...found];
  });
  const titles = EFFECTS.map((effect) => `+${effect * 100} %: a metric found`);
  return `## Other tools' rules on the same rounds

${table(["rule", "rounds, mean", "unchanged pull requests with an alarm", ...titles], rows)}

${TRIALS} pull requests of each sort, drawn from the rounds of the ${calm.length} calm gates in which nothing is planted; an alarm in any gated metric
counts. Stored values come from the other half of these gates. Intervals are Wilson's, of the drawing only. Where a metric's margin is
wider, our rule is not meant to find these sizes. The rules and their sources: [lab/peers](../peers/README.md).`;
}
