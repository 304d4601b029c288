// How a verdict came about, step by step: every hypothesis, every look, every number a decision was held against.
import type { Comparison, HeldAgainstWaiver, Verdict } from "../model/verdict.ts";
import { percentOf } from "../verdict/wording.ts";

export function describeExplanation(verdict: Verdict): string {
  const tested = [...verdict.comparisons, ...verdict.stored].filter(
    ({ level }) => level !== "info",
  );
  return [
    `verdict: ${verdict.state}`,
    ...verdict.reasons.map((reason) => `  because ${reason}`),
    ...verdict.waivers.map(({ state, text }) => `  waiver ${state}: ${text}`),
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
  if (comparison.waiver !== null) lines.push(...explainWaiver(comparison.waiver));
  lines.push(`  ${comparison.reason}`, "");
  return lines;
}

/** The same rule with every limit at what is waived, at the same levels. */
function explainWaiver({ upTo, looks, answer }: HeldAgainstWaiver): string[] {
  const limit = asPercent(upTo);
  return [
    `  a waiver accepts up to ${limit}: ${answer}`,
    ...looks.map(
      (look) =>
        `  after ${String(look.rounds).padStart(2)} rounds: p(worse than ${limit}) ${look.pRegress.toPrecision(3)}, p(at least ${limit} worse) ${look.pPass.toPrecision(3)}`,
    ),
  ];
}

function asPercent(fraction: number): string {
  return percentOf(Math.log1p(fraction));
}
