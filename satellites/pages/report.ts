// A report as a page: sections, and figures of what was measured.
import type { Report } from "../../src/core/model/report.ts";
import type { Comparison } from "../../src/core/model/verdict.ts";
import { gateDocument, tableContent } from "../../src/core/report/gate/sections.ts";
import { type Figure, type Fold, note, section } from "../../src/core/report/kit/blocks.ts";
import { metricName } from "../../src/core/report/words/names.ts";
import {
  bySeverity,
  countStates,
  STATE_FACTS,
  verdictFacts,
} from "../../src/core/report/words/states.ts";
import { formatEstimate } from "../../src/core/text/format.ts";
import { COLUMNS_LEGEND, columnsOfPage } from "./gate-columns.ts";
import { renderPage } from "./page.ts";

const BARS = note(
  "Bars: the interval, and a dot at its estimate; an arrow: it goes on beyond. Thin line: no change. Dashed: from here a proven regression fails. Thick: an interval that ends before it passes.",
);

const CURVES_CAPTION =
  "Look for where the candidate leaves the reference's band: on the left every request got slower, on the right only the tail.";

const ALONE_CAPTION =
  "Look for where the curve bends upwards: there is no reference to hold it against.";

/** A scenario, or a service itself. */
interface Subject {
  name: string;
  /** What is judged of it. */
  own: readonly Comparison[];
  curves: readonly Figure[];
}

export function renderReportPage(report: Report): string {
  const { verdict, tool } = report;
  const { scenarios, services } = subjectsOf(report);
  const leading = worstOf([...scenarios, ...services]);
  const folds = (subjects: readonly Subject[]): Fold[] =>
    subjects.flatMap((one) => restOf(one, leading?.worst));
  return renderPage({
    title: `${verdictFacts(verdict).word}: ${verdict.summary}`,
    tool,
    id: "report",
    record: report,
    document: gateDocument(report, {
      ...tableContent(report, columnsOfPage(verdict.comparisons), BARS, COLUMNS_LEGEND),
      "changed metrics": section("", {
        kind: "folds",
        title: "At a glance",
        folds: leading === undefined ? [] : [leadingFold(leading)],
      }),
      plots: section(
        "",
        { kind: "folds", title: "Scenarios", folds: folds(scenarios) },
        { kind: "folds", title: "Services", folds: folds(services) },
      ),
    }),
  });
}

function curvesOf(curves: Report["scenarios"][number]["curves"]): Figure {
  const caption = curves.reference === null ? ALONE_CAPTION : CURVES_CAPTION;
  return { kind: "curves", ...curves, caption };
}

function subjectsOf({ verdict, scenarios, config }: Report) {
  const judged = verdict.comparisons.filter(({ level }) => level !== "info");
  return {
    scenarios: scenarios.map(
      ({ id, curves }): Subject => ({
        name: id,
        own: judged.filter(({ scenario }) => scenario === id),
        curves: curves.candidate.length > 0 ? [curvesOf(curves)] : [],
      }),
    ),
    services: config.services.map(
      ({ name }): Subject => ({
        name,
        own: judged.filter(({ scenario, service }) => scenario === null && service === name),
        curves: [],
      }),
    ),
  };
}

/** What is worst, if it did not simply pass or is new, with the question that is why. */
function worstOf(
  subjects: readonly Subject[],
): { subject: Subject; worst: Comparison } | undefined {
  return subjects
    .flatMap((subject) => subject.own.map((worst) => ({ subject, worst })))
    .filter(({ worst }) => worst.level === "gate" && !["pass", "new"].includes(worst.state))
    .filter(({ subject, worst }) => subject.curves.length + worst.series.length > 0)
    .toSorted((a, b) => bySeverity(a.worst, b.worst))[0];
}

/** Above all tables. */
function leadingFold({ subject, worst }: NonNullable<ReturnType<typeof worstOf>>): Fold {
  return {
    name: subject.name,
    note: `${metricName(worst)} ${formatEstimate(worst)}`,
    isOpen: true,
    figures: [...subject.curves, ...roundsOf([worst])],
  };
}

/** Without what stands above. What passes is folded. */
function restOf({ name, own, curves }: Subject, above: Comparison | undefined): Fold[] {
  const rest = own.filter((one) => one !== above);
  const isAbove = rest.length < own.length;
  const figures = [...(isAbove ? [] : curves), ...roundsOf(rest)];
  if (figures.length === 0 && (isAbove || own.length === 0)) return [];
  const isOpen = rest.some(({ state }) => state !== "pass");
  return [{ name, note: countStates(own), isOpen, figures }];
}

function roundsOf(comparisons: readonly Comparison[]): Figure[] {
  return comparisons
    .filter(({ series }) => series.length > 0)
    .map((comparison) => ({
      kind: "rounds",
      title: `${metricName(comparison)}, round by round: ${STATE_FACTS[comparison.state].word.toLowerCase()}`,
      comparison,
    }));
}
