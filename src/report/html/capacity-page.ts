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
import { element, joined, type Markup, text, trusted } from "./element.ts";
import { factList } from "./page-tables.ts";
import { STYLE } from "./style.ts";

/** Nothing may be loaded, run or sent; the style sheet is in the page. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function renderCapacityHtml(result: CapacityResult): string {
  const { symbol, word, like } = CAPACITY_STATE_FACTS[result.state];
  const head = element(
    "head",
    {},
    element("meta", { charset: "utf-8" }),
    element("meta", { "http-equiv": "Content-Security-Policy", content: POLICY }),
    element("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    element("meta", { name: "color-scheme", content: "light dark" }),
    element("title", {}, text(`Capacity: ${result.headline}`)),
    element("style", {}, trusted(STYLE)),
  );
  const banner = element(
    "header",
    { class: `banner ${like}` },
    element("h1", {}, element("span", { class: "mark" }, text(symbol)), text(` ${word}`)),
    element("p", { class: "headline" }, text(result.headline)),
    factList(resultFacts(result)),
  );
  const cost = costTable(result);
  const body = element(
    "body",
    {},
    banner,
    element(
      "main",
      {},
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
    ),
    element(
      "footer",
      {},
      text(`${result.tool}. This page carries its own record: the result as JSON in #capacity.`),
    ),
    record(result),
  );
  return `<!doctype html>\n${element("html", { lang: "en" }, head, trusted("\n"), body)}\n`;
}

/** The first line is ours; what follows is what a service printed. */
function warningItem(warning: string): Markup {
  const [first = "", ...tail] = plainLines(warning);
  const block = tail.length === 0 ? [] : [element("pre", {}, joined(tail.map(text), "\n"))];
  return element("li", {}, text(first), ...block);
}

function section(title: string, shown: boolean, content: Markup[]): Markup {
  if (!shown) return joined([]);
  return element("section", {}, element("h2", {}, text(title)), ...content);
}

function tableOf({ columns, rows }: TextTable): Markup {
  const classOf = (index: number): string | undefined =>
    columns[index]?.align === "right" ? "number" : undefined;
  const headings = columns.map(({ title }, index) =>
    element("th", { scope: "col", class: classOf(index) }, text(title)),
  );
  const body = rows.map((cells) =>
    element(
      "tr",
      {},
      ...cells.map((cell, index) => element("td", { class: classOf(index) ?? "note" }, text(cell))),
    ),
  );
  return element(
    "div",
    { class: "scroll" },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...headings)),
      element("tbody", {}, ...body),
    ),
  );
}

/** `<` could end the element and `&` mean something in XML; JSON has escapes for both. */
function record(result: CapacityResult): Markup {
  const json = JSON.stringify(result).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return element("script", { type: "application/json", id: "capacity" }, trusted(json));
}
