// A history as one self-contained page: a chart of each series, which its script draws, and the same
// as a table, which needs none.
import { createHash } from "node:crypto";
import type { Trend } from "../../../src/core/model/history.ts";
import { type Block, type Cell, note, tableOf } from "../../../src/core/report/kit/blocks.ts";
import {
  renderTerminalDocument,
  type TerminalOptions,
} from "../../../src/core/report/kit/terminal.ts";
import { shortCommit } from "../../../src/core/report/provenance.ts";
import { formatChange, formatValue, NOTHING, UNBOUNDED } from "../../../src/core/text/format.ts";
import { dayOf, intervalOf, rangeOf } from "../../words/series.ts";
import { element, joined, type Markup, text } from "../element.ts";
import { blockMarkup, renderPage, sectionsMarkup } from "../page.ts";
import { linearTicks, logTicks } from "../scale.ts";
import { add, Chart, PLOT } from "./browser/chart.ts";
import { HistoryPage, type PageTools } from "./browser/page.ts";
import { compareUrl, median, pointWords, runTicks, verticalDomain } from "./browser/reckon.ts";
import { anchorOf, type ChartedSeries, pageData, recordsOf, SCALE, unitOf } from "./data.ts";
import { chartedHistory, historyDocument } from "./document.ts";
import { HISTORY_STYLE } from "./style.ts";

/** Without its script a page of years shows so many runs of each series: two months of nights. */
const MAX_ROWS = 60;

export function renderHistory(trend: Trend, options: TerminalOptions): string {
  return renderTerminalDocument(historyDocument(trend), options);
}

export function renderHistoryPage(trend: Trend, tool: string): string {
  const { above, below, series, marks } = chartedHistory(trend);
  const isEmpty = series.length === 0;
  const charts = element(
    "section",
    {},
    element("h2", {}, text("Over time")),
    blockMarkup(
      note(
        "A dot is a run, a thick blue line the level, a bar the run's own interval, with what joining anchors adds; at the edge it goes on. ▲ worse from there, ▼ better. A dashed line: what is written above it began. A black line: nothing joins what is left and right of it.",
      ),
    ),
    tools(),
    element("div", { class: "figures" }, ...series.map(card)),
  );
  const page = {
    title: `History: ${above.headline}`,
    tool,
    id: "history",
    record: pageData(recordsOf(trend), series, marks),
    document: above,
  };
  const main = [
    ...sectionsMarkup(above.sections),
    ...(isEmpty ? [] : [charts]),
    ...sectionsMarkup(below),
  ];
  return renderPage(page, { main, style: HISTORY_STYLE, script: isEmpty ? undefined : script() });
}

/** The script's classes and functions as they stand in our own files, and what they are given. */
function script(): { text: string; sha256: string } {
  const pieces = {
    add,
    Chart,
    compareUrl,
    linearTicks,
    logTicks,
    median,
    pointWords,
    runTicks,
    verticalDomain,
  };
  const given: PageTools = { ...pieces, plot: PLOT, scale: SCALE, unbounded: UNBOUNDED };
  const members = Object.entries(given).map(
    ([name, one]) => `${name}:${typeof one === "function" ? one : JSON.stringify(one)}`,
  );
  const content = `new(${HistoryPage})({${members.join(",\n")}}).start()`;
  const sha256 = createHash("sha256").update(content).digest("base64");
  return { text: content, sha256 };
}

function tools(): Markup {
  const option = (value: string, says: string): Markup => element("option", { value }, text(says));
  const button = (id: string, says: string): Markup =>
    element("button", { id, type: "button" }, text(says));
  return element(
    "div",
    { id: "tools", hidden: "" },
    element(
      "label",
      {},
      text("Axis "),
      element(
        "select",
        { id: "axis" },
        option("fit", "fits the values"),
        option("zero", "from zero (−100 %)"),
        option("log", "logarithmic"),
        option("units", "in µs, MiB, …"),
      ),
    ),
    button("in", "Zoom in"),
    button("out", "Zoom out"),
    button("all", "All"),
    element(
      "span",
      { class: "note" },
      text("Drag: zoom. Click: a point. Keys: Tab to a chart, ← → walk, + − 0 zoom."),
    ),
  );
}

function card(one: ChartedSeries, k: number): Markup {
  const { points } = one;
  const rows = points.slice(-MAX_ROWS);
  const left = points.length - rows.length;
  const says = left > 0 ? `The newest ${rows.length} of ${points.length} runs` : "Each run";
  return element(
    "article",
    { class: "series", id: `s${k}` },
    element("h3", {}, text(one.name)),
    element("p", { class: "note" }, text(anchorText(one))),
    element("div", { class: "chart", hidden: "" }),
    element("p", { class: "readout" }),
    changeList(one),
    element(
      "details",
      {},
      element("summary", {}, text(`${says}, as a table`)),
      blockMarkup(table(one, left)),
    ),
  );
}

function anchorText(one: ChartedSeries): string {
  const { anchor, value } = anchorOf(one);
  if (anchor === undefined) return "no anchor";
  const commit = shortCommit(anchor.commit);
  const about = value === null ? "" : `, about ${formatValue(unitOf(one), value)}`;
  // Without a tag the anchor is called by its commit.
  const name = anchor.commit.startsWith(anchor.name) ? "" : `: ${anchor.name}`;
  return `0 % is ${commit}${name}${about}`;
}

function changeList({ points, changes }: ChartedSeries): Markup {
  if (changes.length === 0) return joined([]);
  const items = changes.toReversed().map((change) => {
    const { run } = points[change.index]?.record ?? {};
    const href = compareUrl(run?.url ?? null, change.after, change.by) ?? undefined;
    const range = text(rangeOf(change));
    return element(
      "li",
      {},
      text(`Since ${dayOf(run?.startedAt ?? "")}: ${change.text}, commits `),
      href === undefined ? element("code", {}, range) : element("a", { href }, range),
    );
  });
  return element("ul", {}, ...items);
}

/** The newest first. `left`: how many points are not shown. */
function table({ points }: ChartedSeries, left: number): Block {
  const cells = points.slice(left).map(({ record, ratio }, i): Cell[] => {
    const { run, commit, verdict } = record;
    const before = points[left + i - 1]?.record.commit.sha;
    const to = shortCommit(commit.sha);
    const href = before && compareUrl(run.url, before, commit.sha);
    const range = before === undefined ? to : `${shortCommit(before)}..${to}`;
    return [
      dayOf(run.startedAt),
      formatChange(ratio?.estimate ?? null),
      ratio === null ? NOTHING : intervalOf(ratio),
      { text: range, href: href ?? undefined },
      { text: verdict, href: run.url?.startsWith("https://") ? run.url : undefined },
    ];
  });
  return tableOf(
    [
      { title: "day", kind: "text" },
      { title: "change", kind: "number" },
      { title: "interval", kind: "number" },
      { title: "commits", kind: "text" },
      { title: "run", kind: "text" },
    ],
    cells.reverse(),
  );
}
