/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
// What the page of a history does in the browser: which span all charts show, which point is chosen,
// and the address that brings both back. The class is put into the page as text: it may use nothing
// but what it is given. Without it the page has the same numbers as tables.
import type { PageData } from "../data.ts";
import type { Chart, ChartTools } from "./chart.ts";
import type { Span } from "./reckon.ts";

export interface PageTools extends ChartTools {
  Chart: typeof Chart;
}

export class HistoryPage {
  readonly #tools: PageTools;
  readonly #charts: readonly Chart[];
  readonly #axis: HTMLSelectElement;
  readonly #whole: Span;
  /** Runs. */
  readonly #leastSpan = 3;
  /** Of the runs, in their order. */
  readonly #seconds: readonly number[];
  #view: Span;
  #chosen: { chart: Chart; point: number } | null = null;

  constructor(tools: PageTools) {
    const data: PageData = JSON.parse(this.#find("#history").textContent ?? "");
    this.#tools = tools;
    this.#axis = this.#find("#axis");
    this.#charts = data.series.map(
      (one, k) => new tools.Chart(this.#find(`#s${k}`), one, data, tools),
    );
    this.#seconds = data.runs.at;
    this.#whole = { from: -0.5, to: data.runs.at.length - 0.5 };
    this.#view = this.#whole;
  }

  start(): void {
    for (const chart of this.#charts) {
      this.#followPointer(chart);
      this.#followKeys(chart);
      chart.rows.addEventListener("toggle", () => chart.fillRows(this.#view));
      chart.box.hidden = false;
      this.#find("summary", chart.rows).textContent = "What the chart shows, as a table";
    }
    const onClick = (id: string, act: () => void): void =>
      this.#find(id).addEventListener("click", act);
    onClick("#in", () => this.#zoom(1 / 2));
    onClick("#out", () => this.#zoom(2));
    onClick("#all", () => this.#show(this.#whole));
    this.#axis.addEventListener("change", () => this.#show(this.#view));
    this.#find<HTMLElement>("#tools").hidden = false;
    addEventListener("hashchange", () => this.#restore());
    let width = innerWidth;
    addEventListener("resize", () => {
      if (innerWidth === width) return;
      width = innerWidth;
      for (const chart of this.#charts) this.#draw(chart);
    });
    this.#restore();
  }

  #find<T extends Element>(selector: string, within: ParentNode = document): T {
    return within.querySelector(selector) as T;
  }

  #draw(chart: Chart): void {
    const chosen = this.#chosen?.chart === chart ? this.#chosen.point : null;
    chart.draw({ view: this.#view, axis: this.#axis.value, chosen });
  }

  /** Whole runs. */
  #show({ from, to }: Span): void {
    const first = Math.max(Math.ceil(from) - 0.5, this.#whole.from);
    this.#view = { from: first, to: Math.min(Math.floor(to) + 0.5, this.#whole.to) };
    for (const chart of this.#charts) {
      this.#draw(chart);
      chart.fillRows(this.#view);
    }
    this.#keep();
  }

  /** By a factor, around the chosen point or the middle. */
  #zoom(factor: number): void {
    const { from, to } = this.#view;
    const point = this.#chosen === null ? 0 : (this.#chosen.chart.at[this.#chosen.point] ?? 0);
    const middle = point >= from && point <= to ? point : (from + to) / 2;
    const span = Math.max(this.#leastSpan, (to - from) * factor);
    const share = (middle - from) / (to - from);
    this.#show({ from: middle - share * span, to: middle + (1 - share) * span });
  }

  #choose(chart: Chart, point: number): void {
    const before = this.#chosen?.chart;
    this.#chosen = { chart, point };
    if (before !== undefined && before !== chart) {
      before.tell(null);
      this.#draw(before);
    }
    chart.tell(point);
    this.#draw(chart);
  }

  /** In the address. */
  #keep(): void {
    const iso = (run: number): string =>
      new Date((this.#seconds[run] ?? 0) * 1000).toISOString().slice(0, 19);
    const state = new URLSearchParams();
    if (this.#axis.value !== "fit") state.set("axis", this.#axis.value);
    if (this.#view.to - this.#view.from < this.#whole.to - this.#whole.from) {
      state.set("from", iso(this.#view.from + 0.5));
      state.set("to", iso(this.#view.to - 0.5));
    }
    if (this.#chosen !== null) {
      const { chart, point } = this.#chosen;
      state.set("series", chart.series.name);
      state.set("at", chart.timeOf(point));
    }
    history.replaceState(null, "", `#${state}`);
  }

  /** From the address. */
  #restore(): void {
    const state = new URLSearchParams(location.hash.slice(1));
    const time = (name: string): number => Date.parse(`${state.get(name)}Z`) / 1000;
    const runsUntil = (name: string): number =>
      this.#seconds.filter((seconds) => seconds <= time(name)).length;
    this.#axis.value = state.get("axis") ?? "fit";
    if (this.#axis.selectedIndex < 0) this.#axis.value = "fit";
    const [from, to] = [runsUntil("from") - 1.5, runsUntil("to") - 0.5];
    this.#view = state.has("from") && from < to ? { from, to } : this.#whole;
    for (const chart of this.#charts) this.#draw(chart);
    const chart = this.#charts.find(({ series: { name } }) => name === state.get("series"));
    const point = chart?.at.findIndex((run) => this.#seconds[run] === time("at")) ?? -1;
    if (chart === undefined || point < 0) return;
    this.#choose(chart, point);
    chart.box.scrollIntoView({ block: "center" });
  }

  #followKeys(chart: Chart): void {
    const { walk } = chart;
    const pick = (): void => {
      const point = chart.shownIn(this.#view)[Number(walk.value)];
      if (point === undefined) return;
      this.#choose(chart, point);
      this.#keep();
    };
    walk.addEventListener("input", pick);
    walk.addEventListener("focus", () => {
      if (this.#chosen?.chart === chart) return;
      walk.value = walk.max;
      pick();
    });
    walk.addEventListener("keydown", ({ key }) => {
      if (key === "+" || key === "=") this.#zoom(1 / 2);
      if (key === "-") this.#zoom(2);
      if (key === "0") this.#show(this.#whole);
    });
  }

  /** A drag shows what is between its ends, a click chooses the nearest point. */
  #followPointer(chart: Chart): void {
    const { box } = chart;
    let start: PointerEvent | null = null;
    let area: HTMLElement | null = null;
    box.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      start = event;
      box.setPointerCapture(event.pointerId);
    });
    box.addEventListener("pointermove", (event) => {
      if (start === null || Math.abs(event.clientX - start.clientX) < 5) return;
      area ??= this.#tools.add<HTMLElement>(box, "div", { class: "area" });
      const { left } = box.getBoundingClientRect();
      area.style.left = `${Math.min(start.clientX, event.clientX) - left}px`;
      area.style.width = `${Math.abs(event.clientX - start.clientX)}px`;
    });
    const end = (event: PointerEvent): void => {
      const [from, isDrag] = [start, area !== null];
      area?.remove();
      [start, area] = [null, null];
      if (from === null || event.type === "pointercancel") return;
      const place = this.#placeAt(event, box);
      if (!isDrag) {
        this.#chooseNearest(chart, place);
        return;
      }
      const [low = 0, high = 0] = [this.#placeAt(from, box), place].sort((a, b) => a - b);
      if (high - low >= this.#leastSpan) this.#show({ from: low, to: high });
    };
    box.addEventListener("pointerup", end);
    box.addEventListener("pointercancel", end);
    box.addEventListener("dblclick", () => this.#show(this.#whole));
  }

  #placeAt({ clientX }: PointerEvent, box: HTMLElement): number {
    const { plot } = this.#tools;
    const { from, to } = this.#view;
    const width = box.clientWidth - plot.left - plot.right;
    const share = (clientX - box.getBoundingClientRect().left - plot.left) / width;
    return from + Math.min(1, Math.max(0, share)) * (to - from);
  }

  #chooseNearest(chart: Chart, place: number): void {
    const distance = (i: number): number => Math.abs((chart.at[i] ?? 0) - place);
    const [nearest] = chart.shownIn(this.#view).sort((a, b) => distance(a) - distance(b));
    if (nearest === undefined) return;
    this.#choose(chart, nearest);
    this.#keep();
    chart.walk.focus({ preventScroll: true });
  }
}
