// How a verdict came about, step by step: every hypothesis, every look, every number a decision was held against.
import type { Comparison, Verdict } from "../model/verdict.ts";
import { percentOf } from "../verdict/wording.ts";

export function describeExplanation(verdict: Verdict): string {
  const tested = [...verdict.comparisons, ...verdict.stored].filter(
    ({ level }) => level !== "info",
  );
  return [
    `verdict: ${verdict.state}`,
    ...verdict.reasons.map((reason) => `  because ${reason}`),
    "",
    ...tested.flatMap(explainComparison),
  ].join("\n");
}

function explainComparison(comparison: Comparison): string[] {
  const { thresholds, promise, tolerance, floor } = comparison;
  const lines = [`${comparison.id} [${comparison.level}]: ${comparison.state}`];
  if (thresholds !== null) {
    lines.push(
      `  regressed needs p(worse than ${asPercent(tolerance)}) <= ${thresholds.regress.toPrecision(3)} and an estimate of at least ${asPercent(floor)}`,
      `  pass needs p(at least ${asPercent(promise)} worse) <= ${thresholds.pass.toPrecision(3)}`,
    );
  }
  for (const look of comparison.looks) {
    lines.push(
      `  after ${String(look.rounds).padStart(2)} rounds: estimate ${percentOf(look.estimate)}, p(worse) ${look.pRegress.toPrecision(3)}, p(as bad as promised) ${look.pPass.toPrecision(3)}`,
    );
  }
  lines.push(`  ${comparison.reason}`, "");
  return lines;
}

function asPercent(fraction: number): string {
  return percentOf(Math.log1p(fraction));
}
