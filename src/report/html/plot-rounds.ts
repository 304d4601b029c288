// One question, round by round: the ratio in each round, the looks at it, what was decided and against which bounds.
import type { Comparison } from "../../model/verdict.ts";
import { formatChange, formatFraction, formatInterval, formatP } from "../format.ts";
import { metricName } from "../rows.ts";
import { STATE_FACTS } from "../states.ts";
import { element, type Markup } from "./element.ts";
import { linearScale, linearTicks, type Scale, spread } from "./scale.ts";
import { type Axis, type Box, figure, frame, hover, label, line, polyline } from "./svg.ts";

const SIZE = { width: 640, height: 320 };
const BOX: Box = { left: 66, top: 12, right: 532, bottom: 268 };
const LABEL_GAP = 13;

const percent = (logRatio: number): number => Math.expm1(logRatio) * 100;

export function plotRounds(comparison: Comparison): Markup {
  const { series, state, rounds } = comparison;
  const x = linearScale({
    domain: [0.4, Math.max(series.length, rounds, 2) + 0.6],
    range: [BOX.left, BOX.right],
  });
  const y = linearScale({ domain: verticalDomain(comparison), range: [BOX.bottom, BOX.top] });
  const xAxis: Axis = {
    scale: x,
    ticks: linearTicks(x.domain, 10)
      .filter((value) => Number.isInteger(value) && value >= 1)
      .map((value) => ({ value, label: String(value) })),
    title: "round (each a fresh start of both arms)",
  };
  const yAxis: Axis = {
    scale: y,
    ticks: linearTicks(y.domain, 6).map((value) => ({
      value,
      label: value === 0 ? "0" : `${value > 0 ? "+" : "−"}${Math.abs(value)} %`,
    })),
    title: "candidate against reference",
  };
  return figure(
    {
      title: `${metricName(comparison)}, round by round: ${STATE_FACTS[state].word.toLowerCase()}`,
      caption:
        "Look at the shaded interval: its lower end above “tolerated” goes with a proven regression, its upper end below “promise” with a pass.",
      key: [
        { name: "a round", class: "round" },
        { name: "estimate at a look", class: "look" },
        { name: "final estimate and interval", class: "estimate" },
        ...(series.length > rounds ? [{ name: "after the decision", class: "after" }] : []),
      ],
    },
    SIZE,
    frame(BOX, xAxis, yAxis),
    ...drawBounds(comparison, y),
    ...drawEstimate(comparison, { x, y }),
    ...drawPoints(comparison, { x, y }),
    ...drawLooks(comparison, { x, y }),
  );
}

/** Holds the bounds, the interval and most rounds; a round far outside is drawn at the edge. */
function verticalDomain({ series, promise, interval }: Comparison): [number, number] {
  const magnitudes = series.map(({ d }) => Math.abs(percent(d))).sort((a, b) => a - b);
  const usual = magnitudes[Math.floor(0.95 * (magnitudes.length - 1))] ?? 0;
  const ends = [interval?.low, interval?.high].flatMap((end) =>
    end == null ? [] : Math.abs(percent(end)),
  );
  const reach =
    1.15 * Math.max(promise * 100, usual, ...ends.map((end) => Math.min(end, 20 * promise * 100)));
  return [-reach, reach];
}

function drawBounds({ tolerance, floor, promise }: Comparison, y: Scale): Markup[] {
  const bounds = [
    { value: 0, name: "no change", class: "zero" },
    { value: tolerance, name: `tolerated ${formatFraction(tolerance)}`, class: "tolerance" },
    { value: floor, name: `fails from ${formatFraction(floor)}`, class: "floor" },
    { value: promise, name: `promise ${formatFraction(promise)}`, class: "promise" },
  ];
  const places = spread(
    bounds.map(({ value }) => y.at(value * 100)),
    LABEL_GAP,
  );
  return bounds.flatMap((bound, index) => {
    const at = y.at(bound.value * 100);
    const place = places[index] ?? at;
    return [
      line({ class: `bound ${bound.class}`, x1: BOX.left, x2: BOX.right, y1: at, y2: at }),
      line({ class: "lead", x1: BOX.right, x2: BOX.right + 9, y1: at, y2: place }),
      label(bound.name, { class: `bound-label ${bound.class}`, x: BOX.right + 12, y: place + 4 }),
    ];
  });
}

interface Scales {
  x: Scale;
  y: Scale;
}

function drawEstimate(comparison: Comparison, { x, y }: Scales): Markup[] {
  const { estimate, interval, rounds } = comparison;
  if (estimate === null || rounds === 0) return [];
  const [from, to] = [x.at(0.4), x.at(rounds + 0.5)];
  const top = interval?.high == null ? BOX.top : y.at(percent(interval.high));
  const bottom = interval?.low == null ? BOX.bottom : y.at(percent(interval.low));
  const says = `after ${rounds} rounds: ${formatChange(estimate)} ${formatInterval(comparison)}`;
  return [
    hover(
      "rect",
      { class: "interval", x: from, y: top, width: to - from, height: Math.max(1, bottom - top) },
      says,
    ),
    line({
      class: "estimate",
      x1: from,
      x2: to,
      y1: y.at(percent(estimate)),
      y2: y.at(percent(estimate)),
    }),
    line({ class: "decided", x1: to, x2: to, y1: BOX.top, y2: BOX.bottom }),
  ];
}

function drawPoints({ series, rounds }: Comparison, { x, y }: Scales): Markup[] {
  return series.map(({ round, d }, index) => {
    const value = percent(d);
    const outside = value < y.domain[0] || value > y.domain[1];
    const kind = index < rounds ? "round" : "round after";
    const says = `round ${round + 1}: ${formatChange(d)}${outside ? " (outside the plot)" : ""}`;
    const at = { x: x.at(index + 1), y: y.at(value) };
    if (!outside) return hover("circle", { class: kind, cx: at.x, cy: at.y, r: 3.6 }, says);
    const tip = value > 0 ? -6 : 6;
    return hover("path", { class: kind, d: `M${at.x - 4} ${at.y - tip}h8l-4 ${tip}z` }, says);
  });
}

function drawLooks({ looks }: Comparison, { x, y }: Scales): Markup[] {
  const points = looks.map((look) => ({
    ...look,
    at: [x.at(look.rounds), y.at(percent(look.estimate))] as const,
  }));
  return [
    polyline(
      points.map(({ at }) => at),
      { class: "look-line" },
    ),
    ...points.map(({ at: [cx, cy], rounds, pRegress, pPass, estimate }) =>
      hover(
        "rect",
        { class: "look", x: cx - 4, y: cy - 4, width: 8, height: 8 },
        `look after ${rounds} rounds: ${formatChange(estimate)}, p of “no worse than tolerated” ${formatP(pRegress)}, p of “as bad as the promise” ${formatP(pPass)}`,
      ),
    ),
    ...points.map(({ at: [cx] }) =>
      element("path", { class: "look-tick", d: `M${Math.round(cx * 10) / 10} ${BOX.bottom}v-7` }),
    ),
  ];
}
