// A capacity as one self-contained page: no script, no request, its own record inside. Nothing is computed but positions.
import type { CapacityResult } from "../../model/capacity.ts";
import {
  CAPACITY_STATE_FACTS,
  costNote,
  costTable,
  launchTable,
  measurementFacts,
  resultFacts,
  type TextTable,
} from "../capacity-text.ts";
import { plainLines } from "../foreign.ts";
import { plotCapacity } from "./capacity-plot.ts";
import { element, joined, type Markup, text } from "./element.ts";
import { block, renderPage } from "./page-frame.ts";
import { cell, factList, NUMBER, table } from "./page-tables.ts";

export function renderCapacityHtml(result: CapacityResult): string {
  return renderPage(
    {
      title: `Capacity: ${result.headline}`,
      footer: `${result.tool}. This page carries its own record: the result as JSON in #capacity.`,
      id: "capacity",
      record: result,
    },
    banner(result),
    element("main", {}, ...sections(result)),
  );
}

function banner(result: CapacityResult): Markup {
  const { symbol, word, like } = CAPACITY_STATE_FACTS[result.state];
  return element(
    "header",
    { class: `banner ${like}` },
    element("h1", {}, element("span", { class: "mark" }, text(symbol)), text(` ${word}`)),
    element("p", { class: "headline" }, text(result.headline)),
    factList(resultFacts(result)),
  );
}

function sections(result: CapacityResult): Markup[] {
  const cost = costTable(result);
  return [
    section("Warnings", result.warnings.length > 0, [
      element("ul", {}, ...result.warnings.map(warningItem)),
    ]),
    section("Curve", result.curve.length > 0, [plotCapacity(result)]),
    section("Launches", result.launches.length > 0, [tableOf(launchTable(result))]),
    section("Cost", cost.rows.length > 0, [
      tableOf(cost),
      element("p", { class: "note" }, text(costNote(result))),
    ]),
    section("How it was measured", true, [factList(measurementFacts(result))]),
  ];
}

/** The first line is ours; what follows is what a service printed. */
function warningItem(warning: string): Markup {
  const [first = "", ...tail] = plainLines(warning);
  return element("li", {}, text(first), tail.length === 0 ? joined([]) : block(tail));
}

function section(title: string, shown: boolean, content: Markup[]): Markup {
  if (!shown) return joined([]);
  return element("section", {}, element("h2", {}, text(title)), ...content);
}

function tableOf({ columns, rows }: TextTable): Markup {
  const isNumber = (index: number): boolean => columns[index]?.align === "right";
  return table(
    columns.map(({ title, align }) => (align === "right" ? `>${title}` : title)),
    element(
      "tbody",
      {},
      ...rows.map((cells) =>
        element(
          "tr",
          {},
          ...cells.map((content, i) => cell(content, isNumber(i) ? NUMBER : { class: "note" })),
        ),
      ),
    ),
  );
}
