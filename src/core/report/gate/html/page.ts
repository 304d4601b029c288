// A report as one self-contained page: sections and plots.
import type { Report } from "../../../model/report.ts";
import type { Comparison } from "../../../model/verdict.ts";
import { type Block, note, section } from "../../kit/blocks.ts";
import { element, type Markup, text } from "../../kit/element.ts";
import { renderPage } from "../../kit/page.ts";
import { countStates, verdictFacts } from "../../words/states.ts";
import { gateDocument, tableContent } from "../sections.ts";
import { plotCurves } from "./plots/curves.ts";
import { plotRounds } from "./plots/rounds.ts";

/** With more scenarios than this, those that pass are folded. */
const MAX_OPEN_SECTIONS = 6;

const BARS = note(
  "Bars: the interval and its estimate; grey is no change, amber the limit from which a proven regression fails, red the limit below which the interval must end to pass.",
);

export function renderHtml(report: Report): string {
  const { verdict } = report;
  return renderPage(
    {
      title: `${verdictFacts(verdict).word}: ${verdict.summary}`,
      tool: report.tool,
      id: "report",
      record: report,
    },
    gateDocument(report, {
      ...tableContent(report, BARS),
      plots: section("", ...subjectSections(report)),
    }),
  );
}

/** A fold for each scenario, then for each service. What passes among many starts folded. */
function subjectSections(report: Report): Block[] {
  const { comparisons } = report.verdict;
  const many = report.scenarios.length > MAX_OPEN_SECTIONS;
  const fold = (name: string, own: readonly Comparison[], figures: Markup[]): Markup => {
    const quiet = own.every(({ state }) => state === "pass");
    return element(
      "details",
      { class: "subject", open: many && quiet ? undefined : "" },
      element(
        "summary",
        {},
        text(name),
        element("span", { class: "note" }, text(` ${countStates(own)}`)),
      ),
      figures.length === 0
        ? element("p", { class: "note empty" }, text("No round of it counts."))
        : element("div", { class: "figures" }, ...figures),
    );
  };
  const judged = (own: (comparison: Comparison) => boolean): Comparison[] =>
    comparisons.filter((comparison) => comparison.level !== "info" && own(comparison));
  const scenarios = report.scenarios.map(({ id, curves }) => {
    const own = judged(({ scenario }) => scenario === id);
    const curvesShown = curves.candidate.length > 0 ? [plotCurves(curves)] : [];
    return fold(id, own, [...curvesShown, ...roundPlots(own)]);
  });
  const services = report.config.services.map(({ name }) => {
    const own = judged(({ scenario, service }) => scenario === null && service === name);
    return fold(name, own, roundPlots(own));
  });
  return [["Scenarios", scenarios] as const, ["Services", services] as const].map(
    ([title, folds]) => ({
      kind: "markup",
      markup: element("section", {}, element("h2", {}, text(title)), ...folds),
    }),
  );
}

function roundPlots(comparisons: readonly Comparison[]): Markup[] {
  return comparisons.filter(({ series }) => series.length > 0).map(plotRounds);
}
