// The tables of the page: comparisons, metrics that are only shown, facts, builds.
import { METRIC_FACTS } from "../../model/metric.ts";
import type { Report } from "../../model/report.ts";
import type { Comparison } from "../../model/verdict.ts";
import { buildRows, type Fact } from "../facts.ts";
import {
  formatDetectable,
  formatEstimate,
  formatInterval,
  formatLimits,
  formatPair,
  formatValue,
} from "../format.ts";
import { groupBySubject, metricName, splitMeasured } from "../rows.ts";
import { STATE_FACTS } from "../states.ts";
import { element, joined, type Markup, text } from "./element.ts";
import { intervalStrip } from "./interval-strip.ts";

export const NUMBER = { class: "number" };

export function cell(content: string, attributes: { class?: string } = {}): Markup {
  return element("td", attributes, text(content));
}

/** Headings of number columns are marked by a leading `>`. */
export function table(head: readonly string[], ...bodies: Markup[]): Markup {
  const cells = head.map((name) =>
    name.startsWith(">")
      ? element("th", { scope: "col", ...NUMBER }, text(name.slice(1)))
      : element("th", { scope: "col" }, text(name)),
  );
  return element(
    "div",
    { class: "scroll" },
    element("table", {}, element("thead", {}, element("tr", {}, ...cells)), ...bodies),
  );
}

export type Role = "deciding" | "context";

export function comparisonTable(comparisons: readonly Comparison[], role: Role): Markup {
  const bodies = groupBySubject(comparisons).map(({ name, comparisons: members }) =>
    element(
      "tbody",
      {},
      element(
        "tr",
        { class: "subject" },
        element("th", { colspan: 9, scope: "rowgroup" }, text(name)),
      ),
      ...members.map((member) => comparisonRow(member, role)),
    ),
  );
  return table(
    [
      "",
      "metric",
      ">reference → candidate",
      ">change",
      "",
      ">interval",
      ">limits",
      ">sees",
      ">rounds",
    ],
    ...bodies,
  );
}

function comparisonRow(comparison: Comparison, role: Role): Markup {
  const { symbol, word } = STATE_FACTS[comparison.state];
  // Only what decides is said in capitals.
  const shown = role === "deciding" ? word : word.toLowerCase();
  return element(
    "tr",
    { title: comparison.reason },
    element(
      "td",
      {},
      element("span", { class: `state ${comparison.state}` }, text(`${symbol} ${shown}`)),
    ),
    cell(metricName(comparison)),
    cell(
      formatPair(METRIC_FACTS[comparison.metric].unit, comparison.reference, comparison.candidate),
      NUMBER,
    ),
    cell(formatEstimate(comparison), {
      class: comparison.state === "pass" ? "number" : "number change",
    }),
    element("td", {}, intervalStrip(comparison)),
    cell(formatInterval(comparison), NUMBER),
    cell(formatLimits(comparison), NUMBER),
    cell(formatDetectable(comparison.detectable), NUMBER),
    cell(String(comparison.rounds), NUMBER),
  );
}

export const TABLE_NOTE =
  "In the bars: grey no change, amber the floor from which a proven change fails, red the promise below which an interval must end to pass. sees: the smallest true change that this run would have called 95 times in 100. ~: the interval holds 0.";

/** Metrics that are shown and not judged. */
export function infoTable(comparisons: readonly Comparison[]): Markup {
  const rows = groupBySubject(comparisons).flatMap(({ name, comparisons: members }) => {
    const { measured, missing } = splitMeasured(members);
    const rest = `not measured: ${missing.join(", ")}`;
    return [
      ...measured.map((member) => infoRow(name, member)),
      ...(missing.length === 0
        ? []
        : [
            element("tr", {}, cell(name), element("td", { colspan: 4, class: "note" }, text(rest))),
          ]),
    ];
  });
  return table(
    ["scenario or service", "metric", ">reference → candidate", ">change", ">interval"],
    element("tbody", {}, ...rows),
  );
}

function infoRow(name: string, comparison: Comparison): Markup {
  const { metric, reference, candidate } = comparison;
  const { unit } = METRIC_FACTS[metric];
  const values =
    reference === null ? formatValue(unit, candidate) : formatPair(unit, reference, candidate);
  return element(
    "tr",
    {},
    cell(name),
    cell(metricName(comparison)),
    cell(values, NUMBER),
    cell(formatEstimate(comparison), NUMBER),
    cell(formatInterval(comparison), NUMBER),
  );
}

export function buildTable({ artifacts }: Report): Markup {
  const rows = buildRows(artifacts).map((row) =>
    element(
      "tr",
      {},
      cell(row.service),
      cell(row.arm),
      cell(row.took, NUMBER),
      cell(row.size, NUMBER),
      cell(row.stripped, NUMBER),
      cell(row.toolchain),
      element("td", {}, element("code", {}, text(row.sha256))),
    ),
  );
  return table(
    ["service", "arm", ">build time", ">size", ">stripped", "toolchain", "sha256"],
    element("tbody", {}, ...rows),
  );
}

export function factList(facts: readonly Fact[]): Markup {
  const entries = facts.map(({ label, text: says }) =>
    joined([element("dt", {}, text(label)), element("dd", {}, text(says))]),
  );
  return element("dl", {}, ...entries);
}
