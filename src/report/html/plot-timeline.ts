// One service's run in time: whether what looks like the code was the machine. Three panels over the same minutes.
import type { Report } from "../../model/report.ts";
import { formatAmount, formatShare } from "../format.ts";
import { element, type Markup } from "./element.ts";
import {
  linearScale,
  linearTicks,
  logScale,
  logTicks,
  paddedLogDomain,
  type Scale,
} from "./scale.ts";
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
} from "./svg.ts";

const SIZE = { width: 1080, height: 470 };
const LEFT = 92;
const RIGHT = 1062;
const BOXES = {
  void: { left: LEFT, right: RIGHT, top: 4, bottom: 24 },
  p99: { left: LEFT, right: RIGHT, top: 30, bottom: 200 },
  lag: { left: LEFT, right: RIGHT, top: 222, bottom: 310 },
  host: { left: LEFT, right: RIGHT, top: 332, bottom: 420 },
} as const satisfies Record<string, Box>;
const BAR_WIDTH = 2;
const MINUTE = 60_000;

export type Slices = Report["timeline"];

export function plotTimeline(slices: Slices): Markup {
  const start = Math.min(...slices.map(({ atMs }) => atMs));
  const end = Math.max(...slices.map(({ atMs }) => atMs));
  const minutes = (atMs: number): number => (atMs - start) / MINUTE;
  const x = linearScale({
    domain: [0, Math.max(minutes(end), 0.05) * 1.005],
    range: [LEFT, RIGHT],
  });
  const place = (slice: Slices[number]): number => x.at(minutes(slice.atMs));
  const ticks = linearTicks(x.domain, 10).map((value) => ({ value, label: String(value) }));
  const xAxis = (title: string): Axis => ({
    scale: x,
    ticks: title === "" ? ticks.map(({ value }) => ({ value, label: "" })) : ticks,
    title,
  });
  const letters = lettersOf(slices);
  const rules = [...letters].map(([rule, letter]) => ({
    name: `${letter} void: ${rule}`,
    class: "void",
  }));

  const p99 = latencyPanel(slices, "p99Us", BOXES.p99);
  const lag = latencyPanel(slices, "lagP99Us", BOXES.lag);
  const busiest = Math.max(0.01, ...slices.map(({ steal, foreign }) => steal + foreign));
  const host = linearScale({
    domain: [0, busiest * 1.1],
    range: [BOXES.host.bottom, BOXES.host.top],
  });
  return figure(
    {
      title: "The run in time: slices, lag, host",
      caption:
        "Look for p99 that rises together with lag or with other people's CPU time: that is the machine, not the code. Void slices were measured again.",
      key: [
        ...ARM_KEY.filter(({ name }) => slices.some(({ arm }) => arm === name)),
        { name: "steal", class: "steal" },
        { name: "foreign CPU", class: "foreign" },
        ...rules,
      ],
    },
    SIZE,
    frame(BOXES.p99, xAxis(""), { ...p99, title: "slice p99" }),
    frame(BOXES.lag, xAxis(""), { ...lag, title: "lag p99" }),
    frame(BOXES.host, xAxis("minutes since the service's first slice"), {
      scale: host,
      ticks: linearTicks(host.domain, 3).map((value) => ({ value, label: formatShare(value) })),
      title: "CPU taken",
    }),
    ...ARM_KEY.toReversed().flatMap(({ name }) => {
      const own = slices.filter(({ arm }) => arm === name);
      return [
        dots(points(own, "p99Us", place, p99.scale), { class: `dots ${name}` }),
        dots(points(own, "lagP99Us", place, lag.scale), { class: `dots ${name}` }),
      ];
    }),
    ...hostBars(slices, place, host),
    ...slices.flatMap((slice) => voidMark(slice, place(slice), letters)),
  );
}

type LatencyKey = "p99Us" | "lagP99Us";

function latencyPanel(slices: Slices, key: LatencyKey, box: Box): Omit<Axis, "title"> {
  const domain = paddedLogDomain(
    slices.flatMap((slice) => slice[key] ?? []),
    0.08,
  );
  const scale = logScale({ domain, range: [box.bottom, box.top] });
  return {
    scale,
    ticks: logTicks(scale.domain, 6).map((value) => ({ value, label: formatAmount("us", value) })),
  };
}

function points(
  slices: Slices,
  key: LatencyKey,
  place: (slice: Slices[number]) => number,
  y: Scale,
): Point[] {
  return slices.flatMap((slice) => {
    const value = slice[key];
    return value === null || value <= 0 ? [] : [[place(slice), y.at(value)] as const];
  });
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

/** A letter for each rule that was met, in order of first appearance. */
function lettersOf(slices: Slices): Map<string, string> {
  const rules = [...new Set(slices.flatMap((slice) => slice.void ?? []))];
  return new Map(rules.map((rule, index) => [rule, String.fromCharCode(97 + (index % 26))]));
}

function voidMark(
  slice: Slices[number],
  at: number,
  letters: ReadonlyMap<string, string>,
): Markup[] {
  if (slice.void === null) return [];
  const says = `${slice.scenario}, ${slice.arm}: void by rule ${slice.void}`;
  return [
    hover(
      "path",
      { class: "void-line", d: `M${at.toFixed(1)} ${BOXES.p99.top}V${BOXES.host.bottom}` },
      says,
    ),
    label(letters.get(slice.void) ?? "?", {
      class: "void-letter",
      x: at,
      y: BOXES.void.bottom,
      "text-anchor": "middle",
    }),
  ];
}
