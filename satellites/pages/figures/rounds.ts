// One hypothesis by rounds: ratios, evidence, decision and limits.
import { METRIC_FACTS } from "../../../src/core/model/metric.ts";
import type { Comparison } from "../../../src/core/model/verdict.ts";
import type { Figure } from "../../../src/core/report/kit/blocks.ts";
import {
  formatAmount,
  formatChange,
  formatEstimate,
  formatFraction,
  formatInterval,
} from "../../../src/core/text/format.ts";
import type { Markup } from "../element.ts";
import { countTicks, linearScale, linearTicks, type Scale, spread } from "../scale.ts";
import { type Axis, across, type Box, figure, frame, hover, label, line } from "../svg.ts";

const SIZE = { width: 640, height: 320 };
const BOX: Box = { left: 78, top: 12, right: 506, bottom: 268 };
/** Rounds are drawn above this, their evidence below. */
const DIVIDE = 212;
const LABEL_GAP = 13;
const EVIDENCE_HEIGHT = 38;
const BAR_WIDTH = 4;
/** An end of an interval farther away is outside. */
const MOST_MARGINS = 20;
/** Of a limit, which has no margin: a fraction. */
const LIMIT_REACH = 0.1;

const percent = (logRatio: number): number => Math.expm1(logRatio) * 100;

export function drawRounds({ title, comparison }: Extract<Figure, { kind: "rounds" }>): Markup {
  const { series, rounds } = comparison;
  const isLimit = comparison.against === "limit";
  const x = linearScale({
    domain: [0.4, Math.max(series.length, rounds, 2) + 0.6],
    range: [BOX.left, BOX.right],
  });
  const y = linearScale({ domain: verticalDomain(comparison), range: [DIVIDE, BOX.top] });
  const xAxis: Axis = {
    scale: x,
    ticks: countTicks(x.domain),
    write: String,
    title: "round (each a fresh start)",
  };
  const yAxis: Axis = {
    scale: y,
    ticks: linearTicks(y.domain, 6),
    write: (value) => (value === 0 ? "0" : `${value > 0 ? "+" : "−"}${Math.abs(value)} %`),
    title: `candidate against ${isLimit ? "limit" : "reference"}`,
  };
  return figure(
    {
      title,
      caption: `Look at the bars: the first to reach “enough” decides. There the shaded interval begins above ${isLimit ? "the limit for a red" : "“tolerated” for a regression"}, and ends below ${isLimit ? "it" : "“passes below”"} for a pass.`,
      key: [
        { name: "a round", class: "round" },
        { name: "evidence for worse", class: "evidence regress" },
        { name: "evidence for a pass", class: "evidence pass" },
        { name: "final estimate and interval", class: "estimate" },
        ...(series.length > rounds ? [{ name: "after the decision", class: "after" }] : []),
        ...(series.some(({ d }) => isOutside(d, y))
          ? [{ name: "▲▼ beyond the plot", class: "" }]
          : []),
      ],
    },
    SIZE,
    frame(BOX, xAxis, yAxis),
    ...drawBounds(comparison, y),
    ...drawEstimate(comparison, { x, y }),
    ...drawPoints(comparison, { x, y }),
    ...drawEvidence(comparison, { x, y }),
  );
}

/** Holds the limits, the interval and most rounds; what is worse has most of the room. */
function verticalDomain({ series, margin: own, interval }: Comparison): [number, number] {
  const margin = own || LIMIT_REACH;
  const reach = (side: 1 | -1, least: number): number => {
    const values = series.map(({ d }) => side * percent(d)).sort((a, b) => a - b);
    const usual = values[Math.floor(0.95 * (values.length - 1))] ?? 0;
    const end = side > 0 ? interval?.high : interval?.low;
    const shown = end == null ? 0 : Math.min(side * percent(end), MOST_MARGINS * least);
    return 1.15 * Math.max(least, usual, shown);
  };
  return [-reach(-1, (margin * 100) / 3), reach(1, margin * 100)];
}

function drawBounds({ tolerance, floor, margin, ...comparison }: Comparison, y: Scale): Markup[] {
  const { against, metric, reference } = comparison;
  const limit = formatAmount(METRIC_FACTS[metric].unit, reference ?? Number.NaN);
  const bounds =
    against === "limit"
      ? [{ value: 0, name: `limit ${limit}`, class: "margin" }]
      : [
          { value: 0, name: "no change", class: "zero" },
          { value: tolerance, name: `tolerated ${formatFraction(tolerance)}`, class: "tolerance" },
          { value: floor, name: `fails from ${formatFraction(floor)}`, class: "floor" },
          { value: margin, name: `passes below ${formatFraction(margin)}`, class: "margin" },
        ];
  const places = spread(
    bounds.map(({ value }) => y.at(value * 100)),
    LABEL_GAP,
  );
  return bounds.flatMap((bound, index) => {
    const at = y.at(bound.value * 100);
    const place = places[index] ?? at;
    return [
      across(`bound ${bound.class}`, BOX, at),
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
  const bottom = interval?.low == null ? DIVIDE : y.at(percent(interval.low));
  const at = y.at(percent(estimate));
  const says = `after ${rounds} rounds: ${formatEstimate(comparison)} ${formatInterval(comparison)}`;
  return [
    hover(
      "rect",
      { class: "interval", x: from, y: top, width: to - from, height: Math.max(1, bottom - top) },
      says,
    ),
    line({ class: "estimate", x1: from, x2: to, y1: at, y2: at }),
    line({ class: "decided", x1: to, x2: to, y1: BOX.top, y2: BOX.bottom }),
  ];
}

const isOutside = (d: number, { domain: [low, high] }: Scale): boolean =>
  percent(d) < low || percent(d) > high;

function drawPoints({ series, rounds }: Comparison, { x, y }: Scales): Markup[] {
  return series.map(({ round, d }, index) => {
    const value = percent(d);
    const outside = isOutside(d, y);
    const kind = index < rounds ? "round" : "round after";
    const says = `round ${round + 1}: ${formatChange(d)}${outside ? " (outside the plot)" : ""}`;
    const at = { x: x.at(index + 1), y: y.at(value) };
    if (!outside) return hover("circle", { class: kind, cx: at.x, cy: at.y, r: 3.6 }, says);
    const tip = value > 0 ? -6 : 6;
    return hover("path", { class: kind, d: `M${at.x - 4} ${at.y - tip}h8l-4 ${tip}z` }, says);
  });
}

/** How the evidence grew: along the lower edge, up to the line when there is enough. */
function drawEvidence({ trail }: Comparison, { x }: Scales): Markup[] {
  const height = (share: number): number =>
    Math.round(EVIDENCE_HEIGHT * Math.min(1, Math.max(0, share)));
  const bar = (kind: "regress" | "pass", side: -1 | 1): Markup[] =>
    trail.map((step) =>
      hover(
        "rect",
        {
          class: `evidence ${kind}`,
          x: x.at(step.rounds) + (side < 0 ? -BAR_WIDTH : 0),
          y: BOX.bottom - height(step[kind]),
          width: BAR_WIDTH,
          height: height(step[kind]),
        },
        `after ${step.rounds} rounds: evidence for worse ${step.regress.toPrecision(2)}, for a pass ${step.pass.toPrecision(2)} (1 is enough)`,
      ),
    );
  const enough = BOX.bottom - EVIDENCE_HEIGHT;
  return [
    across("bound tolerance", BOX, enough),
    label("enough evidence", { class: "bound-label", x: BOX.right + 12, y: enough + 4 }),
    ...bar("regress", -1),
    ...bar("pass", 1),
  ];
}
