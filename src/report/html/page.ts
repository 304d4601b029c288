// A report as one self-contained page: no script, no request, its own record inside. Nothing is computed but positions.
import type { Report } from "../../model/report.ts";
import type { Comparison, WaiverOutcome } from "../../model/verdict.ts";
import { measurementFacts, reproduceCommands, sourceFacts } from "../facts.ts";
import { plainLines } from "../foreign.ts";
import { ofLevel } from "../rows.ts";
import { countStates, headlineAfterState, verdictFacts, verdictStyle } from "../states.ts";
import { WAIVER_FACTS, whyWaived } from "../waivers.ts";
import { element, joined, type Markup, text } from "./element.ts";
import { block, renderPage } from "./page-frame.ts";
import { buildTable, comparisonTable, factList, infoTable, TABLE_NOTE } from "./page-tables.ts";
import { plotCurves } from "./plot-curves.ts";
import { plotMemory } from "./plot-memory.ts";
import { plotRounds } from "./plot-rounds.ts";
import { plotTimeline } from "./plot-timeline.ts";

/** With more scenarios than this, those that pass are folded. */
const MAX_OPEN_SECTIONS = 6;

export function renderHtml(report: Report): string {
  const { verdict } = report;
  const title = `${verdictFacts(verdict).word}: ${headlineAfterState(verdict)}`;
  return renderPage(
    {
      title,
      footer: `${report.tool}. This page carries its own record: the report as JSON in the element #report.`,
      id: "report",
      record: report,
    },
    banner(report),
    element("main", {}, ...mainSections(report)),
  );
}

function banner(report: Report): Markup {
  const { verdict } = report;
  const { symbol, word } = verdictFacts(verdict);
  const reasons = verdict.reasons
    .filter((reason) => reason !== headlineAfterState(verdict))
    .slice(0, 12)
    .map((reason) => {
      const [first = "", ...tail] = plainLines(reason);
      return element("li", {}, text(first), tail.length === 0 ? joined([]) : block(tail));
    });
  return element(
    "header",
    { class: `banner ${verdictStyle(verdict)}` },
    element("h1", {}, element("span", { class: "mark" }, text(symbol)), text(` ${word}`)),
    element("p", { class: "headline" }, text(headlineAfterState(verdict))),
    reasons.length === 0 ? joined([]) : element("ul", {}, ...reasons),
    factList(sourceFacts(report)),
  );
}

function mainSections(report: Report): Markup[] {
  const { comparisons, stored, waivers, warnings, next } = report.verdict;
  const [gated, watched, info] = (["gate", "warn", "info"] as const).map((level) =>
    ofLevel(comparisons, level),
  );
  const list = (items: readonly string[]): Markup =>
    element("ul", {}, ...items.map((item) => element("li", {}, text(item))));
  return [
    section("Gated", gated, (rows) => [
      element(
        "p",
        { class: "note" },
        text(`${rows.length} gated metrics: ${countStates(rows)}. ${TABLE_NOTE}`),
      ),
      comparisonTable(rows, "deciding"),
    ]),
    section("Watched, not gating", watched, (rows) => [comparisonTable(rows, "context")]),
    section("Waivers", waivers, (outcomes) => [element("ul", {}, ...outcomes.map(waiverItem))]),
    section("Warnings", warnings, (items) => [list(items.map(({ text: says }) => says))]),
    section("What to do next", next, (items) => [list(items)]),
    ...subjectSections(report),
    section("Against the stored baseline", stored, (rows) => [
      element("p", { class: "note" }, text("Context, not the verdict: numbers of another day.")),
      comparisonTable(rows, "context"),
    ]),
    section("Shown, not judged", info, (rows) => [infoTable(rows)]),
    section("How it was measured", measurementFacts(report), (facts) => [factList(facts)]),
    section("Findings on the machine", report.host.findings, (findings) => [
      element("ul", {}, ...findings.map(findingItem)),
    ]),
    section("Builds", report.artifacts, () => [buildTable(report)]),
    section("Repeat this run", reproduceCommands(report) ?? [], (commands) => [block(commands)]),
  ];
}

/** Nothing where there is nothing to show. */
function section<T>(
  title: string,
  items: readonly T[] | undefined,
  content: (items: readonly T[]) => Markup[],
): Markup {
  if (items === undefined || items.length === 0) return joined([]);
  return element("section", {}, element("h2", {}, text(title)), ...content(items));
}

function waiverItem(outcome: WaiverOutcome): Markup {
  const { state, text: says } = outcome;
  return element(
    "li",
    { class: "waiver" },
    element("span", { class: "level" }, text(WAIVER_FACTS[state].word)),
    text(` ${says}`),
    element("p", { class: "note" }, text(whyWaived(outcome))),
  );
}

function findingItem({ level, text: says, fix }: Report["host"]["findings"][number]): Markup {
  return element(
    "li",
    { class: `finding ${level}` },
    element("span", { class: "level" }, text(level)),
    text(` ${says}`),
    fix === null ? joined([]) : joined([text(" Fix: "), element("code", {}, text(fix))]),
  );
}

/** A fold for each scenario, then for each service. What passes among many starts folded. */
function subjectSections(report: Report): Markup[] {
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
    return fold(name, own, serviceFigures(report, name, own));
  });
  return [
    element("section", {}, element("h2", {}, text("Scenarios")), ...scenarios),
    element("section", {}, element("h2", {}, text("Services")), ...services),
  ];
}

function roundPlots(comparisons: readonly Comparison[]): Markup[] {
  return comparisons.filter(({ series }) => series.length > 0).map(plotRounds);
}

/** Each judged metric as launches and, beside them, as rounds; then the run in time. */
function serviceFigures(report: Report, service: string, own: readonly Comparison[]): Markup[] {
  const metrics = own.flatMap((comparison) => [
    ...report.launches
      .filter(
        (launches) =>
          launches.service === service &&
          launches.metric === comparison.metric &&
          launches.candidate.length > 0,
      )
      .map((launches) => plotMemory(launches, comparison)),
    ...roundPlots([comparison]),
  ]);
  const scenarios = new Set(
    report.config.scenarios.filter((scenario) => scenario.service === service).map(({ id }) => id),
  );
  const slices = report.timeline.filter(({ scenario }) => scenarios.has(scenario));
  const timeline =
    slices.length === 0 ? [] : [element("div", { class: "wide" }, plotTimeline(slices))];
  return [...metrics, ...timeline];
}
