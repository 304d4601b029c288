// Whose change it is: this pull request's, held against its own base in the same minutes, or what has come together since the
// baseline was accepted. Shows both comparisons side by side where the report has both; computes nothing.
import type { Report } from "../model/report.ts";
import type { Comparison } from "../model/verdict.ts";
import { markdownCellCode } from "../report/foreign.ts";
import { tight } from "../report/markdown-table.ts";
import { metricName, subjectName } from "../report/rows.ts";
import { changeOf } from "./changed-table.ts";

const MAX_ROWS = 20;

/** Empty where nothing is worse, or where only one of the two was to be had. */
export function blameTable({ verdict }: Report): string[] {
  const pairs = verdict.stored
    .map((stored) => ({
      stored,
      alongside: verdict.comparisons.find((one) => isSameQuestion(one, stored)),
    }))
    .filter(
      ({ stored, alongside }) =>
        stored.estimate !== null &&
        alongside !== undefined &&
        alongside.level !== "info" &&
        [stored.state, alongside.state].includes("regressed"),
    );
  if (pairs.length === 0) return [];
  return [
    "**This pull request, or before it**",
    "",
    "| scenario or service | metric | this pull request | since the accepted baseline |",
    "|:--|:--|--:|--:|",
    ...pairs
      .slice(0, MAX_ROWS)
      .map(
        ({ stored, alongside }) =>
          `| ${markdownCellCode(subjectName(stored))} | ${tight(metricName(stored))} | ${alongside === undefined ? "" : changeOf(alongside)} | ${changeOf(stored)} |`,
      ),
    ...(pairs.length > MAX_ROWS ? ["", `… and ${pairs.length - MAX_ROWS} more such rows.`] : []),
    "",
    "<sub>The first is against the base, measured in the same minutes. The second is against values of another day: drift of the machine is in it, and it decides nothing.</sub>",
  ];
}

function isSameQuestion(a: Comparison, b: Comparison): boolean {
  return (
    a.service === b.service &&
    a.scenario === b.scenario &&
    a.metric === b.metric &&
    a.estimator === b.estimator
  );
}
