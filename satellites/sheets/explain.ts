// How a verdict came about: every hypothesis with the evidence of its last rounds.
import type { Comparison, Verdict, WaivedComparison } from "../../src/core/model/verdict.ts";
import { asChange } from "../../src/core/report/words/findings.ts";
import { fullName } from "../../src/core/report/words/names.ts";
import { formatFraction } from "../../src/core/text/format.ts";

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
  const { trail } = comparison;
  const lines = [`${fullName(comparison)} [${comparison.level}]: ${comparison.state}`];
  lines.push(...explainNeeds(comparison), ...explainTrail(trail));
  if (comparison.waiver !== null) lines.push(...explainWaiver(comparison.waiver));
  lines.push(`  ${comparison.reason}`, "");
  return lines;
}

function explainNeeds({ margin, tolerance, floor, against, answers }: Comparison): string[] {
  const regressed = "  regressed needs evidence of 1 for";
  if (answers !== undefined)
    return [`${regressed} a larger share, and more than ${formatFraction(margin)} of all`];
  if (against === "limit")
    return [`${regressed} more than its limit, from calm rounds; pass for less`];
  return [
    `${regressed} more than ${asChange(tolerance)} and an estimate of at least ${asChange(floor)}`,
    `  pass needs evidence of 1 for less than ${asChange(margin)}`,
  ];
}

type Trail = Comparison["trail"];

/** The last rounds; for earlier ones only the most evidence is shown. */
const LAST_STEPS = 10;

function explainTrail(trail: Trail): string[] {
  const last = trail.slice(-LAST_STEPS);
  const before = trail.slice(0, -LAST_STEPS);
  const until = before.at(-1);
  if (until === undefined) return last.map(explainStep);
  const most = (kind: "regress" | "pass"): string =>
    Math.max(...before.map((step) => step[kind])).toPrecision(2);
  return [
    `  until round ${until.rounds}: evidence for worse at most ${most("regress")}, for a pass at most ${most("pass")}`,
    ...last.map(explainStep),
  ];
}

function explainStep({ rounds, regress, pass }: Trail[number]): string {
  return `  after ${String(rounds).padStart(2)} rounds: evidence for worse ${regress.toPrecision(2)}, for a pass ${pass.toPrecision(2)}`;
}

/** The same rule with every limit at what is waived. */
function explainWaiver({ upTo, trail, answer }: WaivedComparison): string[] {
  const limit = asChange(upTo);
  return [`  a waiver accepts up to ${limit}: ${answer}`, ...explainTrail(trail)];
}
