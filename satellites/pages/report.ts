// A report as a page: sections, and figures of what was measured.
import type { Report } from "../../src/core/model/report.ts";
import type { Comparison } from "../../src/core/model/verdict.ts";
import { gateDocument, tableContent } from "../../src/core/report/gate/sections.ts";
import {
  type Block,
  type Figure,
  type Fold,
  note,
  section,
} from "../../src/core/report/kit/blocks.ts";
import { metricName } from "../../src/core/report/words/names.ts";
import { countStates, STATE_FACTS, verdictFacts } from "../../src/core/report/words/states.ts";
import { renderPage } from "./page.ts";

/** With more scenarios than this, those that pass are folded. */
const MAX_OPEN_SECTIONS = 6;

const BARS = note(
  "Bars: the interval and its estimate; grey is no change, amber the limit from which a proven regression fails, red the limit below which the interval must end to pass.",
);

const CURVES_CAPTION =
  "Look for where the candidate leaves the reference's band: on the left every request got slower, on the right only the tail.";

export function renderReportPage(report: Report): string {
  const { verdict, tool } = report;
  return renderPage({
    title: `${verdictFacts(verdict).word}: ${verdict.summary}`,
    tool,
    id: "report",
    record: report,
    document: gateDocument(report, {
      ...tableContent(report, BARS),
      plots: section("", ...subjectFolds(report)),
    }),
  });
}

/** A fold for each scenario, then for each service. What passes among many starts folded. */
function subjectFolds(report: Report): Block[] {
  const { comparisons } = report.verdict;
  const many = report.scenarios.length > MAX_OPEN_SECTIONS;
  const fold = (
    name: string,
    isOwn: (comparison: Comparison) => boolean,
    curves: readonly Figure[],
  ): Fold => {
    const own = comparisons.filter((one) => one.level !== "info" && isOwn(one));
    const isQuiet = own.every(({ state }) => state === "pass");
    const figures = [...curves, ...roundFigures(own)];
    return { name, note: countStates(own), isOpen: !(many && isQuiet), figures };
  };
  const scenarios = report.scenarios.map(({ id, curves }) =>
    fold(
      id,
      ({ scenario }) => scenario === id,
      curves.candidate.length > 0 ? [{ kind: "curves", ...curves, caption: CURVES_CAPTION }] : [],
    ),
  );
  const services = report.config.services.map(({ name }) =>
    fold(name, ({ scenario, service }) => scenario === null && service === name, []),
  );
  return [
    { kind: "folds", title: "Scenarios", folds: scenarios },
    { kind: "folds", title: "Services", folds: services },
  ];
}

function roundFigures(comparisons: readonly Comparison[]): Figure[] {
  return comparisons
    .filter(({ series }) => series.length > 0)
    .map((comparison) => ({
      kind: "rounds",
      title: `${metricName(comparison)}, round by round: ${STATE_FACTS[comparison.state].word.toLowerCase()}`,
      comparison,
    }));
}
