// A history as one self-contained page: a chart of each series, which its script draws, and the same
// as a table, which needs none.
import type { SeriesHistory } from "../../history/changes.ts";
import { formatChange, NOTHING, UNBOUNDED } from "../../text/format.ts";
import { type Block, type Cell, note, section, tableOf } from "../kit/blocks.ts";
import { element, joined, type Markup, text } from "../kit/element.ts";
import { blockMarkup, renderPage } from "../kit/page.ts";
import { linearTicks, logTicks } from "../kit/scale.ts";
import { shortCommit } from "../provenance.ts";
import { pageData, SCALE } from "./data.ts";
import {
  byLatestChange,
  formatBounds,
  type History,
  historyDocument,
  markerSection,
  overview,
} from "./document.ts";
import { drawHistory } from "./script.ts";
import { HISTORY_STYLE } from "./style.ts";
import { compareUrl, dayOf, rangeOf, seriesName, sizeOf } from "./words.ts";

/** Without its script a page of years shows so many runs of each series: two months of nights. */
const MAX_ROWS = 60;

interface PageMeans {
  tool: string;
  /** Of a text, in base64. */
  sha256: (text: string) => string;
}

export function renderHistoryPage(history: History, { tool, sha256 }: PageMeans): string {
  const all = byLatestChange(history.series);
  const shown = { ...history, series: all };
  const document = historyDocument(shown);
  const script = `(${drawHistory})({linearTicks:${linearTicks},logTicks:${logTicks},compareUrl:${compareUrl},scale:${SCALE},unbounded:${JSON.stringify(UNBOUNDED)}})`;
  const charts: Block[] = [
    { kind: "markup", markup: tools() },
    {
      kind: "markup",
      markup: element("div", { class: "figures" }, ...all.map((one, k) => card(one, k, all))),
    },
    note(
      "Bands: the run's own interval, with what joining anchors adds. ▲ above a point: worse from there; ▼ below: better. Dashed lines: A new baseline and anchor, R release, M another machine, W waiver, N note. A thick line: nothing joins what is left and right of it.",
    ),
  ];
  const changed = all.filter(({ changes }) => changes.length > 0);
  const first = changed.length === 0 ? [] : [section("Changes", overview(changed, all))];
  return renderPage(
    {
      title: `History: ${document.headline}`,
      tool,
      id: "history",
      record: pageData(all, history.markers),
      style: HISTORY_STYLE,
      ...(all.length === 0 ? {} : { script: { text: script, sha256: sha256(script) } }),
    },
    {
      ...document,
      sections: [
        ...first,
        ...(all.length === 0
          ? []
          : [
              {
                name: "charts",
                title: "Over time",
                depth: "open" as const,
                drop: 0,
                blocks: charts,
              },
            ]),
        markerSection(history.markers),
      ],
    },
  );
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

function card(one: SeriesHistory, k: number, all: readonly SeriesHistory[]): Markup {
  const { points } = one;
  const rows = points.slice(-MAX_ROWS);
  const left = points.length - rows.length;
  const says = left > 0 ? `The newest ${rows.length} of ${points.length} runs` : "Each run";
  return element(
    "article",
    { class: "series", id: `s${k}` },
    element("h3", {}, text(seriesName(one, all))),
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

/** What 0 % is, at the right end. */
function anchorText({ series, points }: SeriesHistory): string {
  const service = series.split("/", 1)[0] ?? "";
  const last = points.at(-1)?.chain;
  const first = points.find(({ chain, ratio }) => chain === last && ratio !== null);
  const anchor = first?.record.anchors[service];
  if (anchor === undefined) return "no anchor";
  const commit = shortCommit(anchor.commit);
  // Without a tag the anchor is called by its commit.
  return anchor.commit.startsWith(anchor.name)
    ? `0 % is ${commit}`
    : `0 % is ${commit}: ${anchor.name}`;
}

function changeList({ points, changes }: SeriesHistory): Markup {
  if (changes.length === 0) return joined([]);
  const items = changes.toReversed().map((change) => {
    const { run } = points[change.index]?.record ?? {};
    const href = compareUrl(run?.url ?? null, change.after, change.by) ?? undefined;
    const range = text(rangeOf(change));
    return element(
      "li",
      {},
      text(`Since ${dayOf(run?.startedAt ?? "")}: ${sizeOf(change)}, commits `),
      href === undefined ? element("code", {}, range) : element("a", { href }, range),
    );
  });
  return element("ul", {}, ...items);
}

/** The newest first. `left`: how many points are not shown. */
function table({ points }: SeriesHistory, left: number): Block {
  const cells = points.slice(left).map(({ record, ratio }, i): Cell[] => {
    const { run, commit, verdict } = record;
    const before = points[left + i - 1]?.record.commit.sha;
    const to = shortCommit(commit.sha);
    const href = before === undefined ? null : compareUrl(run.url, before, commit.sha);
    const range = before === undefined ? to : `${shortCommit(before)}..${to}`;
    const isLink = run.url?.startsWith("https://") === true;
    return [
      dayOf(run.startedAt),
      formatChange(ratio?.estimate ?? null),
      ratio === null ? NOTHING : formatBounds(ratio),
      { text: range, ...(href === null ? {} : { href }) },
      { text: verdict, ...(isLink && run.url !== null ? { href: run.url } : {}) },
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
