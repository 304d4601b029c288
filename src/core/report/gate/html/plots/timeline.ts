// One service's run in time: whether a change was the machine.
import type { Report } from "../../../../model/report.ts";
import { formatAmount, formatShare } from "../../../../text/format.ts";
import { element, type Markup } from "../../../kit/element.ts";
import {
  linearScale,
  linearTicks,
  logScale,
  logTicks,
  paddedLogDomain,
  type Scale,
} from "../../../kit/scale.ts";
import {
  ARM_KEY,
  type Axis,
  type Box,
  dots,
  figure,
  frame,
  hover,
  label,
  type Point,
} from "../../../kit/svg.ts";

const WIDTH = 1080;
const LEFT = 116;
const RIGHT = 1062;
/** Above the panels: a row for each rule that made slices void. */
const VOID_ROW = 15;
const PANELS = { p99: [8, 178], host: [200, 288] } as const;
const BELOW = 44;
const BAR_WIDTH = 2;
const MINUTE = 60_000;

type Slices = Report["timeline"];

export function plotTimeline(slices: Slices): Markup {
  const start = Math.min(...slices.map(({ atMs }) => atMs));
  const end = Math.max(...slices.map(({ atMs }) => atMs));
  const minutes = (atMs: number): number => (atMs - start) / MINUTE;
  const x = linearScale({
    domain: [0, Math.max(minutes(end), 0.05) * 1.005],
    range: [LEFT, RIGHT],
  });
  const place = (slice: Slices[number]): number => x.at(minutes(slice.atMs));
  const unnamed: Axis = { scale: x, ticks: linearTicks(x.domain, 10), title: "" };
  const marks = [...new Set(slices.flatMap((slice) => markOf(slice) ?? []))];
  const top = marks.length * VOID_ROW;
  const box = ([from, to]: readonly [number, number]): Box => ({
    left: LEFT,
    right: RIGHT,
    top: top + from,
    bottom: top + to,
  });
  const boxes = { p99: box(PANELS.p99), host: box(PANELS.host) };
  const p99 = logScale({
    domain: paddedLogDomain(
      slices.flatMap(({ p99Us }) => p99Us ?? []),
      0.08,
    ),
    range: [boxes.p99.bottom, boxes.p99.top],
  });
  const busiest = Math.max(0.01, ...slices.map(({ steal, foreign }) => steal + foreign));
  const host = linearScale({
    domain: [0, busiest * 1.1],
    range: [boxes.host.bottom, boxes.host.top],
  });
  return figure(
    {
      title: "The run in time: slices and host",
      shape: "wide",
      caption:
        "Look for p99 that rises together with CPU time of others: that is the machine, not the code. Discarded slices were measured again; disturbed ones count.",
      key: [
        ...ARM_KEY.filter(({ name }) => slices.some(({ arm }) => arm === name)),
        { name: "steal", class: "steal" },
        { name: "foreign CPU", class: "foreign" },
        ...(marks.length === 0 ? [] : [{ name: "discarded or disturbed, by rule", class: "void" }]),
      ],
    },
    { width: WIDTH, height: boxes.host.bottom + BELOW },
    frame(boxes.p99, unnamed, {
      scale: p99,
      ticks: logTicks(p99.domain, 6),
      write: (value) => formatAmount("us", value),
      title: "slice p99",
    }),
    frame(
      boxes.host,
      { ...unnamed, write: String, title: "minutes since the service's first slice" },
      {
        scale: host,
        ticks: linearTicks(host.domain, 3),
        write: formatShare,
        title: "CPU taken",
      },
    ),
    ...ARM_KEY.toReversed().map(({ name }) => {
      const points = slices.flatMap((slice): Point[] =>
        slice.arm === name && slice.p99Us !== null && slice.p99Us > 0
          ? [[place(slice), p99.at(slice.p99Us)]]
          : [],
      );
      return dots(points, { class: `dots ${name}` });
    }),
    ...hostBars(slices, place, host),
    ...marks.flatMap((mark, row) =>
      markRow(mark, slices, place, { y: (row + 0.5) * VOID_ROW, bottom: boxes.p99.bottom }),
    ),
  );
}

/** Steal below, foreign on top; as two paths. */
function hostBars(slices: Slices, place: (slice: Slices[number]) => number, y: Scale): Markup[] {
  const bar = (at: number, from: number, to: number): string =>
    to <= from ? "" : `M${at.toFixed(1)} ${y.at(from).toFixed(1)}V${y.at(to).toFixed(1)}`;
  const steal = slices.map((slice) => bar(place(slice), 0, slice.steal)).join("");
  const foreign = slices
    .map((slice) => bar(place(slice), slice.steal, slice.steal + slice.foreign))
    .join("");
  return [
    element("path", { class: "bar steal", d: steal, "stroke-width": BAR_WIDTH }),
    element("path", { class: "bar foreign", d: foreign, "stroke-width": BAR_WIDTH }),
  ];
}

/** `discarded: status`, `disturbed: lag`; null: nothing is to be said of it. */
function markOf(slice: Slices[number]): string | null {
  if (slice.void !== null) return `discarded: ${slice.void}`;
  return slice.disturbed === undefined ? null : `disturbed: ${slice.disturbed}`;
}

/** A mark for each slice in the row of theirs, and a faint line down to what the slice measured. */
function markRow(
  mark: string,
  slices: Slices,
  place: (slice: Slices[number]) => number,
  { y, bottom }: { y: number; bottom: number },
): Markup[] {
  const own = slices.filter((slice) => markOf(slice) === mark);
  const lines = own.map((slice) => `M${place(slice).toFixed(1)} ${y}V${bottom}`).join("");
  return [
    label(mark, {
      class: "void-rule",
      x: LEFT - 7,
      y: y + 4,
      "text-anchor": "end",
    }),
    element("path", { class: "void-line", d: lines }),
    ...own.map((slice) =>
      hover(
        "rect",
        { class: "void-mark", x: place(slice) - 2, y: y - 5, width: 4, height: 10 },
        `${slice.scenario}, ${slice.arm}: ${mark}`,
      ),
    ),
  ];
}
