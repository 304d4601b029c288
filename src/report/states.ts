// How each verdict state looks: a word, a symbol and a meaning that never look alike, the same in every rendering.
import type { Comparison, ComparisonState, Verdict } from "../model/verdict.ts";

export interface StateFacts {
  word: string;
  /** One column wide, told apart without colour. */
  symbol: string;
  emoji: string;
  meaning: string;
}

export const STATE_FACTS: Readonly<Record<ComparisonState, StateFacts>> = {
  pass: {
    word: "PASS",
    symbol: "✓",
    emoji: "✅",
    meaning: "shown to be less than the limit worse",
  },
  improved: {
    word: "IMPROVED",
    symbol: "▲",
    emoji: "✨",
    meaning: "shown to be better, and nothing worse",
  },
  regressed: { word: "REGRESSED", symbol: "✗", emoji: "❌", meaning: "proven to be worse" },
  inconclusive: {
    word: "INCONCLUSIVE",
    symbol: "?",
    emoji: "🟡",
    meaning: "neither proven worse nor shown to be within the limit",
  },
  invalid: {
    word: "INVALID",
    symbol: "!",
    emoji: "🟣",
    meaning: "the measurement itself cannot be trusted",
  },
  "no-baseline": {
    word: "NO BASELINE",
    symbol: "○",
    emoji: "⚪",
    meaning: "there was nothing to compare with",
  },
  waived: {
    word: "WAIVED",
    symbol: "≈",
    emoji: "🟠",
    meaning: "worse, and shown to be within what a waiver accepts",
  },
};

/** A pass that rests on a waiver never looks like one that does not. */
const PASS_WITH_WAIVER: StateFacts = {
  word: "PASS WITH WAIVER",
  symbol: "≈",
  emoji: "🟠",
  meaning: "worse only where a waiver accepts it, and shown to be within what that accepts",
};

/** How the verdict as a whole looks. */
export function verdictFacts({
  state,
  comparisons,
}: Pick<Verdict, "state" | "comparisons">): StateFacts {
  return restsOnWaiver({ state, comparisons }) ? PASS_WITH_WAIVER : STATE_FACTS[state];
}

export function restsOnWaiver({
  state,
  comparisons,
}: Pick<Verdict, "state" | "comparisons">): boolean {
  return (
    state === "pass" && comparisons.some((one) => one.level === "gate" && one.state === "waived")
  );
}

/** The state by whose colour the verdict is painted. */
export function verdictStyle(verdict: Pick<Verdict, "state" | "comparisons">): ComparisonState {
  return restsOnWaiver(verdict) ? "waived" : verdict.state;
}

/** Most important first. */
const SEVERITY: readonly ComparisonState[] = [
  "regressed",
  "invalid",
  "no-baseline",
  "inconclusive",
  "waived",
  "improved",
  "pass",
];

const LEVELS: readonly Comparison["level"][] = ["gate", "warn", "info"];

/** Sorts what decides first: by level, then by severity; equal ones keep their order. */
export function bySeverity(a: Comparison, b: Comparison): number {
  return (
    LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) ||
    SEVERITY.indexOf(a.state) - SEVERITY.indexOf(b.state)
  );
}

export function worstOf(comparisons: readonly Comparison[]): Comparison | undefined {
  return [...comparisons].sort(bySeverity)[0];
}

/** `3 regressed, 1 inconclusive, 8 pass`, most important first. */
export function countStates(comparisons: readonly Comparison[]): string {
  return SEVERITY.map((state) => ({
    word: STATE_FACTS[state].word.toLowerCase(),
    count: comparisons.filter((comparison) => comparison.state === state).length,
  }))
    .filter(({ count }) => count > 0)
    .map(({ word, count }) => `${count} ${word}`)
    .join(", ");
}

/** The headline without the state's own word at its head, for places that have just said it. */
export function headlineAfterState({
  state,
  headline,
}: Pick<Verdict, "state" | "headline">): string {
  const word = STATE_FACTS[state].word.toLowerCase();
  const pattern = new RegExp(`^${word}(?: measurement)?:\\s+`, "i");
  return headline.replace(pattern, "");
}
