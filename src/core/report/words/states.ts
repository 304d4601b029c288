// How each state looks: word, symbol and meaning.
import type { Comparison, ComparisonState, Verdict } from "../../model/verdict.ts";

interface StateFacts {
  word: string;
  /** One column wide, told apart without colour. */
  symbol: string;
  emoji: string;
  meaning: string;
}

const facts = (word: string, symbol: string, emoji: string, meaning: string): StateFacts => ({
  word,
  symbol,
  emoji,
  meaning,
});

/** Most important first. */
export const STATE_FACTS: Readonly<Record<ComparisonState, StateFacts>> = {
  regressed: facts("REGRESSED", "✗", "❌", "proven to be worse"),
  invalid: facts("INVALID", "!", "🟣", "the measurement itself cannot be trusted"),
  "no-baseline": facts("NO BASELINE", "○", "⚪", "no baseline of this machine to compare with"),
  inconclusive: facts(
    "INCONCLUSIVE",
    "?",
    "🟡",
    "neither proven worse nor shown to be within the limit",
  ),
  waived: facts("WAIVED", "≈", "🟠", "worse, and shown to be within what a waiver accepts"),
  "worse-within": facts(
    "WORSE IN MARGIN",
    "↗",
    "📈",
    "worse than is tolerated, and shown to be within the limit: it passes",
  ),
  improved: facts("IMPROVED", "▲", "✨", "shown to be better"),
  pass: facts("PASS", "✓", "✅", "proven to be within the limit"),
  new: facts("NEW", "+", "🆕", "the reference does not have it: there is nothing to compare yet"),
};

const SEVERITY = Object.keys(STATE_FACTS) as readonly ComparisonState[];

/** A pass that rests on a waiver never looks like one that does not. */
const PASS_WITH_WAIVER: StateFacts = {
  ...STATE_FACTS.waived,
  word: "PASS WITH WAIVER",
  meaning: "worse only where a waiver accepts it, and shown to be within what that accepts",
};

type Judged = Pick<Verdict, "state" | "comparisons" | "oneArm">;

export function verdictFacts(verdict: Judged): StateFacts {
  return restsOnWaiver(verdict) ? PASS_WITH_WAIVER : STATE_FACTS[verdict.state];
}

export function restsOnWaiver({ state, comparisons }: Judged): boolean {
  return (
    state === "pass" && comparisons.some((one) => one.level === "gate" && one.state === "waived")
  );
}

/** Gated metrics that were compared: what is new decides nothing. */
export function decidingOf<T extends Pick<Comparison, "level" | "state">>(all: readonly T[]): T[] {
  return all.filter(({ level, state }) => level === "gate" && state !== "new");
}

/** A pass without anything to read: no gated metric is worse, and the arms have the same. */
export function isPlain({ state, comparisons, oneArm }: Judged): boolean {
  return (
    state === "pass" &&
    oneArm === undefined &&
    comparisons.every((one) => one.level !== "gate" || one.state === "pass")
  );
}

/** The state by whose colour the verdict is painted. */
export function verdictStyle(verdict: Judged): ComparisonState {
  return restsOnWaiver(verdict) ? "waived" : verdict.state;
}

const LEVELS: readonly Comparison["level"][] = ["gate", "warn", "info"];

/** Sorts what decides first: by level, then by severity; equal ones keep their order. */
export function bySeverity(a: Comparison, b: Comparison): number {
  return (
    LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) ||
    SEVERITY.indexOf(a.state) - SEVERITY.indexOf(b.state)
  );
}

export function worstOf(comparisons: readonly Comparison[]): Comparison | undefined {
  return comparisons.toSorted(bySeverity)[0];
}

/** `3 regressed, 1 inconclusive, 8 pass`, most important first. */
export function countStates(comparisons: readonly Comparison[]): string {
  return SEVERITY.flatMap((state) => {
    const count = comparisons.filter((one) => one.state === state).length;
    return count === 0 ? [] : [`${count} ${STATE_FACTS[state].word.toLowerCase()}`];
  }).join(", ");
}
