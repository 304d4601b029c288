/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
// What the page of a history does in the browser. Its text is put into the page: it may use nothing
// but what it is given. Without it the page has the same numbers as tables.
import type { linearTicks, logTicks } from "../kit/scale.ts";
import type { PageData } from "./data.ts";
import type { compareUrl } from "./words.ts";

interface Tools {
  linearTicks: typeof linearTicks;
  logTicks: typeof logTicks;
  compareUrl: typeof compareUrl;
  scale: number;
  /** Said in place of an interval without ends. */
  unbounded: string;
}

interface Chart {
  series: PageData["series"][number];
  box: HTMLElement;
  walk: HTMLInputElement;
  readout: HTMLElement;
  rows: HTMLDetailsElement;
  /** Seconds of each point. */
  at: number[];
}

export function drawHistory({ linearTicks, logTicks, compareUrl, scale, unbounded }: Tools): void {
  const find = <T extends Element>(selector: string, within: ParentNode = document): T =>
    within.querySelector(selector) as T;
  const { runs, series, marks }: PageData = JSON.parse(find("#history").textContent ?? "");
  const HEIGHT = 190;
  const PLOT = { left: 56, top: 18, right: 8, bottom: 24 };
  /** Letters of marks that are closer would be drawn over each other. */
  const LETTERS_PX = 24;
  const LEAST_SPAN = 3600;
  const axis = find<HTMLSelectElement>("#axis");
  const [first, last] = [Math.min(...runs.at), Math.max(...runs.at)];
  const margin = Math.max(LEAST_SPAN / 2, 0.02 * (last - first));
  const whole = { from: first - margin, to: last + margin };
  let view = whole;

  const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();
  const short = (sha: string): string => sha.slice(0, 10);
  const ratioAt = (value: number): number => Math.exp(value / scale);
  /** Digits of a change and of its bounds, as the tables have them. */
  const digits = (value: number, round = Math.round): string => {
    const change = 100 * Math.expm1(value / scale);
    const step = Math.abs(change) < 99.95 ? 10 : 1;
    const rounded = round(Number((change * step).toPrecision(9))) / step;
    if (rounded === 0) return "0";
    return (rounded > 0 ? "+" : "−") + Math.abs(rounded).toFixed(step === 10 ? 1 : 0);
  };
  const changeOf = ({ value }: Chart["series"], i: number): string => {
    if (value[i] == null) return "–";
    const text = digits(value[i] ?? 0);
    return `${text === "0" ? "~0" : text} %`;
  };
  const boundsOf = ({ value, low, high }: Chart["series"], i: number): string => {
    if (value[i] == null) return "–";
    const [from, to] = [low[i], high[i]];
    if (from == null && to == null) return unbounded;
    const bottom = from == null ? "−∞" : digits(from, Math.floor);
    return `[${bottom}, ${to == null ? "+∞" : digits(to, Math.ceil)}] %`;
  };

  const add = <T extends Element>(
    parent: Element,
    name: string,
    attributes: Record<string, string | number> = {},
    text = "",
  ): T => {
    const svg = parent.namespaceURI?.endsWith("svg") === true || name === "svg";
    const child = svg
      ? document.createElementNS("http://www.w3.org/2000/svg", name)
      : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) child.setAttribute(key, `${value}`);
    if (text !== "") child.textContent = text;
    return parent.appendChild(child) as unknown as T;
  };

  const charts = series.map((one, k): Chart => {
    const card = find<HTMLElement>(`#s${k}`);
    const box = find<HTMLElement>(".chart", card);
    const walk = add<HTMLInputElement>(box, "input", {
      type: "range",
      "aria-label": `points of ${one.name}`,
    });
    const readout = find<HTMLElement>(".readout", card);
    const at = one.run.map((run) => runs.at[run] ?? 0);
    return { series: one, box, walk, readout, rows: find("details", card), at };
  });
  let chosen: { chart: Chart; point: number } | null = null;

  const isInView = (seconds = 0): boolean => seconds >= view.from && seconds <= view.to;
  const isShown = ({ series: { value }, at }: Chart, i: number): boolean =>
    value[i] != null && isInView(at[i]);
  const shownOf = (chart: Chart): number[] => [...chart.at.keys()].filter((i) => isShown(chart, i));

  /** Links of a point: its commits since the point before, and its run. */
  const tellLinks = (parent: Element, { series: { run } }: Chart, i: number): void => {
    const [now = 0, before] = [run[i], run[i - 1]];
    const from = before === undefined ? "" : (runs.sha[before] ?? "");
    const to = runs.sha[now] ?? "";
    const url = from === "" ? null : compareUrl(runs.url[now] ?? null, from, to);
    const text = `${from === "" ? "" : `${short(from)}..`}${short(to)}`;
    add(parent, url === null ? "code" : "a", url === null ? {} : { href: url }, text);
  };
  const tellRun = (parent: Element, { series: { run } }: Chart, i: number): void => {
    const now = run[i] ?? 0;
    const href = runs.url[now] ?? "";
    add(parent, href === "" ? "span" : "a", href === "" ? {} : { href }, runs.verdict[now]);
  };

  const choose = (chart: Chart, point: number): void => {
    const before = chosen?.chart;
    chosen = { chart, point };
    if (before !== undefined && before !== chart) {
      before.readout.replaceChildren();
      draw(before);
    }
    const { series: one, at, walk, readout } = chart;
    const says = `${iso(at[point] ?? 0).slice(0, 10)}: ${changeOf(one, point)} ${boundsOf(one, point)}`;
    const change = one.changes.find((found) => found.point === point);
    const marked = change === undefined ? "" : `; change of level: ${change.text}`;
    walk.setAttribute("aria-valuetext", says + marked);
    readout.replaceChildren();
    add(readout, "strong", {}, says);
    readout.append(`${marked}. Commits `);
    tellLinks(readout, chart, point);
    readout.append(` “${runs.subject[one.run[point] ?? 0]}”, run and report: `);
    tellRun(readout, chart, point);
    draw(chart);
  };

  const timeTicks = (count: number): { at: number; text: string }[] => {
    const HOUR = 3600;
    const span = view.to - view.from;
    const step = [1, 6, 24, 48, 168, 336].find((hours) => span / (hours * HOUR) <= count);
    if (step !== undefined) {
      const first = Math.ceil(view.from / (step * HOUR));
      const last = Math.floor(view.to / (step * HOUR));
      return Array.from({ length: last - first + 1 }, (_, i) => {
        const at = (first + i) * step * HOUR;
        const text = iso(at);
        return { at, text: step < 24 ? text.slice(5, 16).replace("T", " ") : text.slice(0, 10) };
      });
    }
    const months =
      [1, 2, 3, 6, 12, 24, 60].find((n) => span / (n * 30.4 * 24 * HOUR) <= count) ?? 120;
    const start = new Date(view.from * 1000);
    let month =
      Math.ceil((start.getUTCFullYear() * 12 + start.getUTCMonth() + 0.01) / months) * months;
    const ticks: { at: number; text: string }[] = [];
    for (; ; month += months) {
      const at = Date.UTC(Math.floor(month / 12), month % 12) / 1000;
      if (at > view.to) return ticks;
      ticks.push({ at, text: iso(at).slice(0, months < 12 ? 7 : 4) });
    }
  };

  /** Of ratios: as wide as the values, and as their intervals where these are not far wider. */
  const verticalDomain = ({ series: { value, low, high } }: Chart, shown: number[]) => {
    let least = 0;
    let most = 0;
    for (const i of shown) {
      least = Math.min(least, value[i] ?? 0);
      most = Math.max(most, value[i] ?? 0);
    }
    const room = Math.max(most - least, 0.01 * scale);
    let [bottom, top] = [least, most];
    for (const i of shown) {
      bottom = Math.min(bottom, Math.max(low[i] ?? least, least - room / 2));
      top = Math.max(top, Math.min(high[i] ?? most, most + room / 2));
    }
    const pad = 0.05 * (top - bottom || room);
    return { low: ratioAt(bottom - pad), high: ratioAt(top + pad) };
  };

  const draw = (chart: Chart): void => {
    const { series: one, box, walk, at } = chart;
    const shown = shownOf(chart);
    const width = box.clientWidth - PLOT.left - PLOT.right;
    const height = HEIGHT - PLOT.top - PLOT.bottom;
    const domain = verticalDomain(chart, shown);
    const bottom = axis.value === "zero" ? 0 : domain.low;
    const isLog = axis.value === "log";
    const along = isLog ? Math.log : (ratio: number): number => ratio;
    const x = (seconds: number): number =>
      Math.round((10 * width * (seconds - view.from)) / (view.to - view.from)) / 10;
    const y = (ratio: number): number => {
      const share = (along(ratio) - along(bottom)) / (along(domain.high) - along(bottom));
      return Math.round(10 * height * (1 - Math.min(9, Math.max(-9, share)))) / 10;
    };
    find("svg", box)?.remove();
    const svg = add(box, "svg", { width: box.clientWidth, height: HEIGHT, "aria-hidden": "true" });

    const powers = isLog
      ? logTicks([bottom, domain.high], 6).map((ratio) => 100 * (ratio - 1))
      : [];
    const ticks =
      powers.length > 1 ? powers : linearTicks([100 * (bottom - 1), 100 * (domain.high - 1)], 6);
    for (const tick of ticks) {
      const line = PLOT.top + y(1 + tick / 100);
      const kind = tick === 0 ? "axis" : "grid";
      add(svg, "line", { class: kind, x1: PLOT.left, x2: PLOT.left + width, y1: line, y2: line });
      const text = `${tick > 0 ? "+" : tick < 0 ? "−" : ""}${Math.abs(tick)} %`;
      add(
        svg,
        "text",
        { class: "tick", x: PLOT.left - 6, y: line + 4, "text-anchor": "end" },
        text,
      );
    }
    for (const { at: second, text } of timeTicks(width / 90)) {
      const place = {
        class: "tick",
        x: PLOT.left + x(second),
        y: HEIGHT - 6,
        "text-anchor": "middle",
      };
      add(svg, "text", place, text);
    }
    // A picture in the picture cuts off what is outside.
    const plot = add(svg, "svg", { x: PLOT.left, y: PLOT.top, width, height });
    const labels: { place: number; letters: Set<string>; texts: string[] }[] = [];
    for (const { at, letter, text } of one.marks.flatMap((k) => marks[k] ?? [])) {
      if (!isInView(at)) continue;
      const place = x(at);
      add(plot, "line", { class: "mark", x1: place, x2: place, y1: 0, y2: height });
      const last = labels.at(-1);
      if (last !== undefined && place - last.place < LETTERS_PX) {
        last.letters.add(letter);
        last.texts.push(text);
      } else labels.push({ place, letters: new Set([letter]), texts: [text] });
    }
    for (const { place, letters, texts } of labels) {
      const label = {
        class: "tick",
        x: PLOT.left + place,
        y: PLOT.top - 5,
        "text-anchor": "middle",
      };
      add(add(svg, "text", label, [...letters].join(" ")), "title", {}, texts.join("\n"));
    }

    // One point more on either side, so that lines go on beyond the edge.
    const first = shown[0] ?? 0;
    const last = shown.at(-1) ?? -1;
    const paths = { band: "", line: "", dots: "" };
    let edge: string[] = [];
    let pen = "M";
    const closeBand = (): void => {
      if (edge.length > 1) paths.band += `M${edge.join("L")}Z`;
      edge = [];
    };
    for (let i = Math.max(0, first - 1); i <= Math.min(at.length - 1, last + 1); i++) {
      if (one.breaks.includes(i)) {
        closeBand();
        pen = "M";
        const place = x(at[i] ?? 0) - 3;
        add(plot, "line", { class: "break", x1: place, x2: place, y1: 0, y2: height });
      }
      const value = one.value[i];
      if (value == null) continue;
      const place = x(at[i] ?? 0);
      const [low, high] = [one.low[i], one.high[i]];
      edge.push(`${place} ${low == null ? height : y(ratioAt(low))}`);
      edge.unshift(`${place} ${high == null ? 0 : y(ratioAt(high))}`);
      paths.line += `${pen}${place} ${y(ratioAt(value))}`;
      paths.dots += `M${place} ${y(ratioAt(value))}h0`;
      pen = "L";
    }
    closeBand();
    add(plot, "path", { class: "band", d: paths.band });
    add(plot, "path", { class: "line", d: paths.line });
    add(plot, "path", {
      class: shown.length > width / 4 ? "points many" : "points",
      d: paths.dots,
    });
    for (const { point, isWorse, text } of one.changes) {
      if (!isShown(chart, point)) continue;
      const [place, level] = [x(at[point] ?? 0), y(ratioAt(one.value[point] ?? 0))];
      const d = `M${place - 6} ${level + (isWorse ? -8 : 8)}h12l-6 ${isWorse ? -11 : 11}Z`;
      const mark = { class: isWorse ? "change regressed" : "change improved", d };
      add(plot, "line", { class: mark.class, x1: place, x2: place, y1: 0, y2: height });
      add(add(plot, "path", mark), "title", {}, text);
    }
    if (chosen?.chart === chart && isShown(chart, chosen.point)) {
      const { point } = chosen;
      const place = { cx: x(at[point] ?? 0), cy: y(ratioAt(one.value[point] ?? 0)), r: 6 };
      add(plot, "circle", { class: "chosen", ...place });
    }
    walk.max = `${Math.max(0, shown.length - 1)}`;
    walk.disabled = shown.length === 0;
    if (chosen?.chart === chart) walk.value = `${shown.indexOf(chosen.point)}`;
  };

  /** All of what the chart shows, the newest first; as the page came it has the newest alone. */
  const fillRows = (chart: Chart): void => {
    if (!chart.rows.open) return;
    const { series: one, at } = chart;
    const titles = [...chart.rows.querySelectorAll("th")].map((head) => head.textContent ?? "");
    const body = find("tbody", chart.rows);
    body.replaceChildren();
    for (let i = at.length - 1; i >= 0; i--) {
      if (!isInView(at[i])) continue;
      const row = add(body, "tr");
      const texts = [iso(at[i] ?? 0).slice(0, 10), changeOf(one, i), boundsOf(one, i), "", ""];
      const cells = texts.map((text, column) => {
        const kind = column === 1 || column === 2 ? "number" : "";
        return add(row, "td", { "data-label": titles[column] ?? "", class: kind }, text);
      });
      tellLinks(cells[3] as Element, chart, i);
      tellRun(cells[4] as Element, chart, i);
    }
  };

  const keep = (): void => {
    const state = new URLSearchParams();
    if (axis.value !== "fit") state.set("axis", axis.value);
    if (view !== whole) {
      state.set("from", iso(view.from).slice(0, 16));
      state.set("to", iso(view.to).slice(0, 16));
    }
    if (chosen !== null) {
      state.set("series", chosen.chart.series.name);
      state.set("at", iso(chosen.chart.at[chosen.point] ?? 0).slice(0, 19));
    }
    history.replaceState(null, "", `#${state}`);
  };
  const show = (from: number, to: number): void => {
    const isWhole = from <= whole.from && to >= whole.to;
    view = isWhole ? whole : { from: Math.max(from, whole.from), to: Math.min(to, whole.to) };
    for (const chart of charts) {
      draw(chart);
      fillRows(chart);
    }
    keep();
  };
  /** By a factor, around the chosen point or the middle. */
  const zoom = (factor: number): void => {
    const point = chosen?.chart.at[chosen.point] ?? 0;
    const middle = isInView(point) ? point : (view.from + view.to) / 2;
    const span = Math.max(LEAST_SPAN, (view.to - view.from) * factor);
    const share = (middle - view.from) / (view.to - view.from);
    show(middle - share * span, middle + (1 - share) * span);
  };
  const restore = (): void => {
    const state = new URLSearchParams(location.hash.slice(1));
    const time = (name: string): number => Date.parse(`${state.get(name)}Z`) / 1000;
    axis.value = state.get("axis") ?? "fit";
    if (axis.selectedIndex < 0) axis.value = "fit";
    const [from, to] = [time("from"), time("to")];
    view = from < to ? { from, to } : whole;
    for (const chart of charts) draw(chart);
    const chart = charts.find(({ series: { name } }) => name === state.get("series"));
    const point = chart?.at.indexOf(time("at")) ?? -1;
    if (chart === undefined || point < 0) return;
    choose(chart, point);
    chart.box.scrollIntoView({ block: "center" });
  };

  for (const chart of charts) {
    const { box, walk, at } = chart;
    const timeAt = (event: PointerEvent): number => {
      const { left } = box.getBoundingClientRect();
      const share = (event.clientX - left - PLOT.left) / (box.clientWidth - PLOT.left - PLOT.right);
      return view.from + Math.min(1, Math.max(0, share)) * (view.to - view.from);
    };
    let start: PointerEvent | null = null;
    let area: HTMLElement | null = null;
    box.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      start = event;
      box.setPointerCapture(event.pointerId);
    });
    box.addEventListener("pointermove", (event) => {
      if (start === null || Math.abs(event.clientX - start.clientX) < 5) return;
      area ??= add<HTMLElement>(box, "div", { class: "area" });
      const { left } = box.getBoundingClientRect();
      area.style.left = `${Math.min(start.clientX, event.clientX) - left}px`;
      area.style.width = `${Math.abs(event.clientX - start.clientX)}px`;
    });
    const end = (event: PointerEvent): void => {
      const [from, isDrag] = [start, area !== null];
      area?.remove();
      [start, area] = [null, null];
      if (from === null || event.type === "pointercancel") return;
      const time = timeAt(event);
      if (isDrag) {
        const [low = 0, high = 0] = [timeAt(from), time].sort((a, b) => a - b);
        if (high - low >= LEAST_SPAN) show(low, high);
        return;
      }
      const distance = (i: number): number => Math.abs((at[i] ?? 0) - time);
      const [nearest] = shownOf(chart).sort((a, b) => distance(a) - distance(b));
      if (nearest === undefined) return;
      choose(chart, nearest);
      keep();
      walk.focus({ preventScroll: true });
    };
    box.addEventListener("pointerup", end);
    box.addEventListener("pointercancel", end);
    box.addEventListener("dblclick", () => show(whole.from, whole.to));
    const pick = (): void => {
      const point = shownOf(chart)[Number(walk.value)];
      if (point === undefined) return;
      choose(chart, point);
      keep();
    };
    walk.addEventListener("input", pick);
    walk.addEventListener("focus", () => {
      if (chosen?.chart === chart) return;
      walk.value = walk.max;
      pick();
    });
    walk.addEventListener("keydown", ({ key }) => {
      if (key === "+" || key === "=") zoom(1 / 2);
      if (key === "-") zoom(2);
      if (key === "0") show(whole.from, whole.to);
    });
    chart.rows.addEventListener("toggle", () => fillRows(chart));
  }
  axis.addEventListener("change", () => show(view.from, view.to));
  find("#in").addEventListener("click", () => zoom(1 / 2));
  find("#out").addEventListener("click", () => zoom(2));
  find("#all").addEventListener("click", () => show(whole.from, whole.to));
  find<HTMLElement>("#tools").hidden = false;
  for (const { box, rows } of charts) {
    box.hidden = false;
    find("summary", rows).textContent = "What the chart shows, as a table";
  }
  addEventListener("hashchange", restore);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    for (const chart of charts) draw(chart);
  });
  restore();
}
