// A verdict as GitHub annotations, to be escaped by whoever prints them.
import type { Annotation } from "../../src/core/model/export.ts";
import type { Report } from "../../src/core/model/report.ts";
import type { Comparison, ComparisonState } from "../../src/core/model/verdict.ts";
import { splitWarnings } from "../../src/core/report/gate/sections.ts";
import { fullName } from "../../src/core/report/words/names.ts";
import {
  bySeverity,
  STATE_FACTS,
  verdictFacts,
  verdictStyle,
} from "../../src/core/report/words/states.ts";
import { plainLine } from "../../src/core/text/escape.ts";

/** GitHub shows ten of a kind for a step. */
const MAX_ANNOTATIONS = 10;

const LEVELS: Readonly<Record<ComparisonState, Annotation["level"]>> = {
  pass: "notice",
  improved: "notice",
  regressed: "error",
  inconclusive: "warning",
  invalid: "error",
  "no-baseline": "error",
  "worse-within": "notice",
  waived: "warning",
  new: "notice",
};

/** The verdict, what decided it, warnings; nothing for a pass without warnings. */
export function renderAnnotations(report: Report): Annotation[] {
  const { verdict } = report;
  const whole: Annotation = {
    level: LEVELS[verdictStyle(verdict)],
    title: `Tailgate: ${verdictFacts(verdict).word}`,
    message: plainLine(verdict.summary),
  };
  const single = [...verdict.comparisons]
    .filter(({ level, state }) => level !== "info" && !["pass", "improved", "new"].includes(state))
    .sort(bySeverity)
    .map(annotateComparison);
  const warnings = splitWarnings(verdict).warnings.map(({ kind, text }): Annotation => {
    const title = `Tailgate: ${plainLine(kind, 40)}`;
    return { level: "warning", title, message: plainLine(text) };
  });
  const all = [...(verdictStyle(verdict) === "pass" ? [] : [whole]), ...single, ...warnings];
  return all.slice(0, MAX_ANNOTATIONS);
}

function annotateComparison(comparison: Comparison): Annotation {
  const { state, level } = comparison;
  return {
    // What is only watched never looks like a failure.
    level: level === "gate" ? LEVELS[state] : "notice",
    title: plainLine(`${fullName(comparison)}: ${STATE_FACTS[state].word.toLowerCase()}`, 120),
    message: plainLine(comparison.reason),
  };
}
