/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
// The chart of one series, its readout and its table. The class is put into the page as text: it may
// use nothing but what it is given.
import type { linearTicks, logTicks } from "../../scale.ts";
import type { PageData } from "../data.ts";
import type { compareUrl, median, pointWords, runTicks, Span, verticalDomain } from "./reckon.ts";

/** Pixels: of a chart, and from its edges to the plot. */
export const PLOT = { height: 190, left: 56, top: 18, right: 8, bottom: 24 };

export interface ChartTools {
  add: typeof add;
  linearTicks: typeof linearTicks;
  logTicks: typeof logTicks;
  runTicks: typeof runTicks;
  verticalDomain: typeof verticalDomain;
  pointWords: typeof pointWords;
  median: typeof median;
  compareUrl: typeof compareUrl;
  plot: typeof PLOT;
  /** Of the log ratios in the page's data. */
  scale: number;
  unbounded: string;
}

/** What all charts show, and the point that is chosen in this one. */
export interface Shown {
  view: Span;
  axis: string;
  chosen: number | null;
}

/** An empty chart, and where in it a place and a ratio are. */
interface Frame {
  svg: Element;
  /** A picture in the picture, which cuts off what is outside. */
  inner: Element;
  width: number;
  height: number;
  /** Ratios at its lower and its upper end. */
  bottom: number;
  top: number;
  x(place: number): number;
  y(ratio: number): number;
}

/** A new element of HTML, or of SVG inside one. */
export function add<T extends Element>(
  parent: Element,
  name: string,
  attributes: Record<string, string | number> = {},
  text = "",
): T {
  const svg = parent.namespaceURI?.endsWith("svg") === true || name === "svg";
  const child = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) child.setAttribute(key, `${value}`);
  if (text !== "") child.textContent = text;
  return parent.appendChild(child) as unknown as T;
}

export class Chart {
  readonly series: PageData["series"][number];
  readonly box: HTMLElement;
  /** Invisible: what walks from point to point by keys, and says each. */
  readonly walk: HTMLInputElement;
  readonly rows: HTMLDetailsElement;
  /** The place of each point: how many runs of the page were before it. */
  readonly at: number[];
  readonly #readout: HTMLElement;
  readonly #data: PageData;
  readonly #tools: ChartTools;

  constructor(
    card: Element,
    series: PageData["series"][number],
    data: PageData,
    tools: ChartTools,
  ) {
    this.series = series;
    this.#data = data;
    this.#tools = tools;
    this.at = series.run;
    this.box = card.querySelector(".chart") as HTMLElement;
    this.rows = card.querySelector("details") as HTMLDetailsElement;
    this.#readout = card.querySelector(".readout") as HTMLElement;
    const label = `points of ${series.name}`;
    this.walk = tools.add(this.box, "input", { type: "range", "aria-label": label });
  }

  isShown({ from, to }: Span, i: number): boolean {
    const at = this.at[i] ?? 0;
    return this.series.value[i] != null && at >= from && at <= to;
  }

  timeOf(point: number): string {
    const seconds = this.#data.runs.at[this.at[point] ?? 0] ?? 0;
    return new Date(seconds * 1000).toISOString().slice(0, 19);
  }

  shownIn(view: Span): number[] {
    return [...this.at.keys()].filter((i) => this.isShown(view, i));
  }

  draw(state: Shown): void {
    const { view, chosen } = state;
    const shown = this.shownIn(view);
    const frame = this.#frame(state, shown);
    this.#drawTicks(frame, state);
    // Above the lines of the ticks.
    frame.svg.append(frame.inner);
    this.#drawMarks(frame, view);
    this.#drawValues(frame, shown, view);
    this.#drawLevels(frame);
    this.#drawChanges(frame, view);
    if (chosen !== null && this.isShown(view, chosen)) {
      const [cx, cy] = this.#placeOf(frame, chosen);
      this.#tools.add(frame.inner, "circle", { class: "chosen", cx, cy, r: 6 });
    }
    this.walk.max = `${Math.max(0, shown.length - 1)}`;
    this.walk.disabled = shown.length === 0;
    if (chosen !== null) this.walk.value = `${shown.indexOf(chosen)}`;
  }

  /** Says a point, to the eye and to the ear; null: none. */
  tell(point: number | null): void {
    const readout = this.#readout;
    readout.replaceChildren();
    if (point === null) return;
    const { change, bounds } = this.#words(point);
    const says = `${this.#dayOf(point)}: ${change} ${bounds}`;
    const level = this.series.changes.find((one) => one.point === point);
    const more = level === undefined ? "" : `; change of level: ${level.text}`;
    this.walk.setAttribute("aria-valuetext", says + more);
    this.#tools.add(readout, "strong", {}, says);
    readout.append(`${more}. Commits `);
    this.#linkCommits(readout, point);
    const subject = this.#data.runs.subject[this.series.run[point] ?? 0];
    readout.append(` “${subject}”, run and report: `);
    this.#linkRun(readout, point);
  }

  /** All of what the chart shows, the newest first; as the page came it has the newest alone. */
  fillRows({ from, to }: Span): void {
    if (!this.rows.open) return;
    const { add } = this.#tools;
    const titles = [...this.rows.querySelectorAll("th")].map((head) => head.textContent ?? "");
    const body = this.rows.querySelector("tbody") as Element;
    body.replaceChildren();
    for (let i = this.at.length - 1; i >= 0; i--) {
      const at = this.at[i] ?? 0;
      if (at < from || at > to) continue;
      const row = add(body, "tr");
      const { change, bounds } = this.#words(i);
      const cells = [this.#dayOf(i), change, bounds, "", ""].map((text, column) => {
        const kind = column === 1 || column === 2 ? "number" : "";
        return add(row, "td", { "data-label": titles[column] ?? "", class: kind }, text);
      });
      this.#linkCommits(cells[3] as Element, i);
      this.#linkRun(cells[4] as Element, i);
    }
  }

  #frame({ view, axis }: Shown, shown: readonly number[]): Frame {
    const { box, series } = this;
    const { add, plot, scale, verticalDomain } = this.#tools;
    const width = box.clientWidth - plot.left - plot.right;
    const height = plot.height - plot.top - plot.bottom;
    const domain = verticalDomain(series, shown, scale);
    const bottom = axis === "zero" ? 0 : Math.exp(domain.low / scale);
    const top = Math.exp(domain.high / scale);
    const along = axis === "log" ? Math.log : (ratio: number): number => ratio;
    box.querySelector("svg")?.remove();
    const size = { width: box.clientWidth, height: plot.height };
    const svg = add(box, "svg", { ...size, "aria-hidden": "true" });
    return {
      svg,
      inner: add(svg, "svg", { x: plot.left, y: plot.top, width, height }),
      width,
      height,
      bottom,
      top,
      x: (place) => Math.round((10 * width * (place - view.from)) / (view.to - view.from)) / 10,
      y(ratio) {
        const share = (along(ratio) - along(bottom)) / (along(top) - along(bottom));
        return Math.round(10 * height * (1 - Math.min(9, Math.max(-9, share)))) / 10;
      },
    };
  }

  /** Of a point that is shown. */
  #placeOf({ x, y }: Frame, point: number): [x: number, y: number] {
    const value = this.series.value[point] ?? 0;
    return [x(this.at[point] ?? 0), y(Math.exp(value / this.#tools.scale))];
  }

  #drawTicks({ svg, width, bottom, top, x, y }: Frame, { view, axis }: Shown): void {
    const { add, linearTicks, logTicks, plot, runTicks } = this.#tools;
    const { base, unit } = this.series;
    const isOfUnit = axis === "units" && base > 0;
    const powers =
      axis === "log" ? logTicks([bottom, top], 6).map((ratio) => 100 * (ratio - 1)) : [];
    const ticks = isOfUnit
      ? linearTicks([base * bottom, base * top], 6)
      : powers.length > 1
        ? powers
        : linearTicks([100 * (bottom - 1), 100 * (top - 1)], 6);
    for (const tick of ticks) {
      const at = plot.top + y(isOfUnit ? tick / base : 1 + tick / 100);
      const across = { x1: plot.left, x2: plot.left + width, y1: at, y2: at };
      add(svg, "line", { class: tick === 0 && !isOfUnit ? "axis" : "grid", ...across });
      const place = { x: plot.left - 6, y: at + 4, "text-anchor": "end" };
      const sign = tick > 0 ? "+" : tick < 0 ? "−" : "";
      const says = isOfUnit ? `${tick} ${unit}` : `${sign}${Math.abs(tick)} %`;
      add(svg, "text", { class: "tick", ...place }, says);
    }
    const gap = (90 * (view.to - view.from)) / width;
    for (const { at, text } of runTicks(view, this.#data.runs.at, gap)) {
      const place = { x: plot.left + x(at), y: plot.height - 6, "text-anchor": "middle" };
      add(svg, "text", { class: "tick", ...place }, text);
    }
  }

  #drawMarks({ svg, inner, width, height, x }: Frame, { from, to }: Span): void {
    const { add, plot } = this.#tools;
    /** Words of marks that are closer would be drawn over each other. */
    const LETTER_PX = 6.5;
    const labels: { place: number; words: Set<string>; texts: string[] }[] = [];
    const widthOf = (words: Set<string>): number => LETTER_PX * [...words].join(", ").length;
    for (const { at, word, text } of this.series.marks.flatMap((k) => this.#data.marks[k] ?? [])) {
      if (at < from || at > to) continue;
      const place = x(at);
      add(inner, "line", { class: "mark", x1: place, x2: place, y1: 0, y2: height });
      const last = labels.at(-1);
      if (last !== undefined && place - last.place < widthOf(last.words) + LETTER_PX) {
        last.words.add(word);
        last.texts.push(text);
      } else labels.push({ place, words: new Set([word]), texts: [text] });
    }
    for (const { place, words, texts } of labels) {
      const x = plot.left + Math.max(0, Math.min(place, width - widthOf(words)));
      const label = add(svg, "text", { class: "tick", x, y: plot.top - 5 }, [...words].join(", "));
      add(label, "title", {}, texts.join("\n"));
    }
  }

  /** Intervals, values and what joins them; one point more on either side, so that lines go on. */
  #drawValues(frame: Frame, shown: readonly number[], view: Span): void {
    const { inner, width, height, x, y } = frame;
    const { series: one, at } = this;
    const { add, scale } = this.#tools;
    const paths = { bars: "", line: "", dots: "" };
    let pen = "M";
    const last = Math.min(at.length - 1, (shown.at(-1) ?? -1) + 1);
    for (let i = Math.max(0, (shown[0] ?? 0) - 1); i <= last; i++) {
      if (one.breaks.includes(i)) {
        pen = "M";
        const place = x((at[i] ?? 0) - 0.5);
        add(inner, "line", { class: "break", x1: place, x2: place, y1: 0, y2: height });
      }
      if (one.value[i] == null) continue;
      const [place, level] = this.#placeOf(frame, i);
      const [low, high] = [one.low[i], one.high[i]];
      paths.bars += `M${place} ${low == null ? height : y(Math.exp(low / scale))}`;
      paths.bars += `V${high == null ? 0 : y(Math.exp(high / scale))}`;
      paths.line += `${pen}${place} ${level}`;
      paths.dots += `M${place} ${level}h0`;
      pen = "L";
    }
    const thick = Math.min(6, Math.max(1, (0.5 * width) / (view.to - view.from)));
    add(inner, "path", { class: "bars", "stroke-width": thick, d: paths.bars });
    add(inner, "path", { class: "line", d: paths.line });
    const dots = shown.length > width / 4 ? "points many" : "points";
    add(inner, "path", { class: dots, d: paths.dots });
  }

  /** The median of what lies between changes and breaks. */
  #drawLevels({ inner, x, y }: Frame): void {
    const { breaks, changes, value } = this.series;
    const starts = [0, ...breaks, ...changes.map(({ point }) => point)].sort((a, b) => a - b);
    for (const [k, start] of starts.entries()) {
      const end = starts[k + 1] ?? value.length;
      const middle = this.#tools.median(value.slice(start, end).flatMap((one) => one ?? []));
      if (middle === null) continue;
      const level = y(Math.exp(middle / this.#tools.scale));
      const [x1, x2] = [x((this.at[start] ?? 0) - 0.5), x((this.at[end - 1] ?? 0) + 0.5)];
      this.#tools.add(inner, "line", { class: "level", x1, x2, y1: level, y2: level });
    }
  }

  #drawChanges(frame: Frame, view: Span): void {
    const { add } = this.#tools;
    for (const { point, isWorse, text } of this.series.changes) {
      if (!this.isShown(view, point)) continue;
      const [place, level] = this.#placeOf(frame, point);
      const kind = isWorse ? "change regressed" : "change improved";
      const d = `M${place - 6} ${level + (isWorse ? -8 : 8)}h12l-6 ${isWorse ? -11 : 11}Z`;
      add(frame.inner, "line", { class: kind, x1: place, x2: place, y1: 0, y2: frame.height });
      add(add(frame.inner, "path", { class: kind, d }), "title", {}, text);
    }
  }

  #words(point: number): { change: string; bounds: string } {
    return this.#tools.pointWords(this.series, point, this.#tools);
  }

  #dayOf(point: number): string {
    return this.timeOf(point).slice(0, 10);
  }

  /** Its commits since the point before. */
  #linkCommits(parent: Element, point: number): void {
    const { runs } = this.#data;
    const [now = 0, before = -1] = [this.series.run[point], this.series.run[point - 1]];
    const [from = "", to = ""] = [runs.sha[before], runs.sha[now]];
    const url = from === "" ? null : this.#tools.compareUrl(runs.url[now] ?? null, from, to);
    const text = `${from === "" ? "" : `${from.slice(0, 10)}..`}${to.slice(0, 10)}`;
    this.#tools.add(parent, url === null ? "code" : "a", url === null ? {} : { href: url }, text);
  }

  #linkRun(parent: Element, point: number): void {
    const { url, verdict } = this.#data.runs;
    const run = this.series.run[point] ?? 0;
    const href = url[run] ?? "";
    this.#tools.add(parent, href === "" ? "span" : "a", href === "" ? {} : { href }, verdict[run]);
  }
}
