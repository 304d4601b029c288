// Blocks as one self-contained page: no request, no script but one of ours, its own record inside.
import type {
  Block,
  Cell,
  Column,
  Document,
  Figure,
  Fold,
  Item,
  Page,
  Section,
  Strip,
  Table,
  Text,
} from "../../src/core/report/kit/blocks.ts";
import { filled, itemLines } from "../../src/core/report/kit/blocks.ts";
import { element, joined, type Markup, text, trusted } from "./element.ts";
import { drawCurves } from "./figures/curves.ts";
import { drawFlame } from "./figures/flame.ts";
import { drawRates } from "./figures/rates.ts";
import { drawRounds } from "./figures/rounds.ts";
import { drawStrip, stripAxis } from "./figures/strip.ts";
import { STYLE } from "./style.ts";

/** Nothing may be loaded or sent, and nothing run but a script of this hash; styles are in the page. */
function policyFor(script: PageScript | undefined): string {
  const run = script === undefined ? "" : ` script-src 'sha256-${script.sha256}';`;
  return `default-src 'none'; style-src 'unsafe-inline';${run} base-uri 'none'; form-action 'none'`;
}

/** A constant of ours, without `</`. */
interface PageScript {
  text: string;
  /** Of the text, in base64. */
  sha256: string;
}

/** What a page of ours has beyond its document, in place of its sections. */
interface Extras {
  main: readonly Markup[];
  style: string;
  script?: PageScript;
}

/** Without `extras` its sections are what it shows. */
export function renderPage(
  { title, tool, id, record, document }: Page,
  { main, style, script }: Extras = { main: sectionsMarkup(document.sections), style: "" },
): string {
  const head = element(
    "head",
    {},
    element("meta", { charset: "utf-8" }),
    element("meta", { "http-equiv": "Content-Security-Policy", content: policyFor(script) }),
    element("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    element("meta", { name: "color-scheme", content: "light dark" }),
    element("title", {}, text(title)),
    element("style", {}, trusted(STYLE + style)),
  );
  const body = element(
    "body",
    {},
    banner(document),
    element("main", {}, ...main),
    element(
      "footer",
      {},
      text(`${tool}. The data of this page is in it, as JSON in the element #${id}.`),
    ),
    recordElement(id, record),
    ...(script === undefined ? [] : [element("script", {}, trusted(script.text))]),
  );
  return `<!doctype html>\n${element("html", { lang: "en" }, head, trusted("\n"), body)}\n`;
}

/** `<` could end the element and `&` mean something in XML; JSON has escapes for both. */
function recordElement(id: string, record: unknown): Markup {
  const json = JSON.stringify(record).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return element("script", { type: "application/json", id }, trusted(json));
}

function banner({ mark, headline, summary }: Document): Markup {
  const title =
    mark === null
      ? [element("h1", {}, text(headline))]
      : [
          element(
            "h1",
            {},
            element("span", { class: "mark" }, text(mark.symbol)),
            text(` ${mark.word}`),
          ),
          element("p", { class: "headline" }, text(headline)),
        ];
  return element(
    "header",
    { class: `banner ${mark?.like ?? "plain"}` },
    ...title,
    ...summary.map(blockMarkup),
  );
}

export function sectionsMarkup(sections: readonly Section[]): Markup[] {
  return filled(sections, "page").map(sectionMarkup);
}

/** Details are folded. */
function sectionMarkup({ title, blocks, depth }: Section): Markup {
  const heading = title === "" ? [] : [element("h2", {}, text(title))];
  const shown = blocks.map(blockMarkup);
  if (depth === "open") return element("section", {}, ...heading, ...shown);
  return element("details", { class: "section" }, element("summary", {}, ...heading), ...shown);
}

export function blockMarkup(block: Block): Markup {
  switch (block.kind) {
    case "text":
      return element("p", { class: block.emphasis }, marked(block.text));
    case "list":
      return element("ul", {}, ...block.items.map(itemMarkup));
    case "facts":
      return element(
        "dl",
        {},
        ...block.facts.flatMap(({ label, text: says }) => [
          element("dt", {}, text(label)),
          element("dd", {}, marked(says)),
        ]),
      );
    case "table":
      return tableMarkup(block.table);
    case "code":
      return lines(block.lines);
    case "note":
      return element("p", { class: "note" }, text(block.text));
    case "figure":
      return standingAlone(block.figure);
    case "folds":
      return element(
        "section",
        {},
        element("h2", {}, text(block.title)),
        ...block.folds.map(foldMarkup),
      );
  }
}

function draw(figure: Figure): Markup {
  switch (figure.kind) {
    case "curves":
      return drawCurves(figure);
    case "rounds":
      return drawRounds(figure);
    case "rates":
      return drawRates(figure);
    case "flame":
      return drawFlame(figure);
  }
}

/** Some are as wide as the page; the others stand in a row. */
function standingAlone(figure: Figure): Markup {
  return figure.kind === "rates" || figure.kind === "flame"
    ? draw(figure)
    : element("div", { class: "figures" }, draw(figure));
}

function foldMarkup({ name, note, isOpen, figures }: Fold): Markup {
  return element(
    "details",
    { class: "subject", open: isOpen ? "" : undefined },
    element("summary", {}, text(name), element("span", { class: "note" }, text(` ${note}`))),
    figures.length === 0
      ? element("p", { class: "note empty" }, text("No round of it counts."))
      : element("div", { class: "figures" }, ...figures.map(draw)),
  );
}

function marked(content: Text): Markup {
  if (typeof content === "string") return text(content);
  return joined(
    content.map((part) =>
      typeof part === "string" ? text(part) : element("code", {}, text(part.code)),
    ),
  );
}

function lines(printed: readonly string[]): Markup {
  return element("pre", {}, joined(printed.map(text), "\n"));
}

function itemMarkup(item: Item): Markup {
  const { label, under, fix } = item;
  const { first, printed } = itemLines(item);
  return element(
    "li",
    {},
    ...(label === undefined ? [] : [element("strong", {}, text(label)), text(": ")]),
    marked(first),
    ...(printed.length === 0 ? [] : [lines(printed)]),
    ...(fix == null ? [] : [text(" Fix: "), element("code", {}, text(fix))]),
    ...(under === undefined ? [] : [element("p", { class: "note" }, text(under))]),
  );
}

function tableMarkup({ columns, groups }: Table): Markup {
  const rows = groups.flatMap((group) => group.rows);
  const head = columns.map(({ title, kind }, at) => {
    const [strip] = rows.flatMap((cells) => stripOnAxis(cells[at]));
    const axis = strip === undefined ? [] : [stripAxis(strip)];
    return element("th", { scope: "col", class: classOf(kind) }, ...axis, text(title));
  });
  const bodies = groups.map(({ name, rows }) =>
    element(
      "tbody",
      {},
      ...(name === null
        ? []
        : [
            element(
              "tr",
              { class: "subject" },
              element("th", { colspan: columns.length, scope: "rowgroup" }, text(name)),
            ),
          ]),
      ...rows.map((cells) =>
        element("tr", {}, ...cells.map((cell, at) => cellMarkup(cell, columns[at]))),
      ),
    ),
  );
  return element(
    "div",
    { class: "scroll" },
    element("table", {}, element("thead", {}, element("tr", {}, ...head)), ...bodies),
  );
}

/** A bar that an axis stands above: one that is held to no limit, or whose limit has a place on it. */
function stripOnAxis(cell: Cell | undefined): Strip[] {
  if (typeof cell !== "object" || !("text" in cell) || cell.graphic === undefined) return [];
  return cell.graphic.limits?.margin === 0 ? [] : [cell.graphic];
}

function classOf(kind: Column["kind"] | undefined): string | undefined {
  return kind === "number" ? "number" : undefined;
}

/** On a narrow screen each cell stands on a line of its own, with its column's title before it. */
function cellMarkup(cell: Cell, column: Column | undefined): Markup {
  const label = column?.title === "" ? undefined : column?.title;
  const attributes = { class: classOf(column?.kind), "data-label": label };
  if (typeof cell === "string") return element("td", attributes, text(cell));
  if ("mark" in cell) {
    const { symbol, word, like } = cell.mark;
    return element(
      "td",
      attributes,
      element("span", { class: `state ${like}` }, text(`${symbol} ${word}`)),
    );
  }
  const { emphasis, graphic, href } = cell;
  const says = href === undefined ? text(cell.text) : element("a", { href }, text(cell.text));
  const classes = [attributes.class, emphasis].filter((name) => name !== undefined).join(" ");
  return element(
    "td",
    { ...attributes, class: classes === "" ? undefined : classes },
    ...(graphic === undefined ? [] : [drawStrip(graphic)]),
    says,
  );
}
