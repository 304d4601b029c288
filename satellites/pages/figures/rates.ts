// Latency against rate: every slice that counts, the objective, and the capacity with its interval.
import type { Figure } from "../../../src/core/report/kit/blocks.ts";
import { formatAmount, formatCount, formatValue } from "../../../src/core/text/format.ts";
import { formatRate } from "../../words/rate.ts";
import { element, type Markup } from "../element.ts";
import { logScale, logTicks, paddedLogDomain, type Scale } from "../scale.ts";
import { across, type Box, figure, frame, hover, label, line } from "../svg.ts";

const SIZE = { width: 1120, height: 560 };
const BOX: Box = { left: 84, top: 26, right: 1096, bottom: 508 };

type Rates = Extract<Figure, { kind: "rates" }>;
type CurvePoint = Rates["curve"][number];

export function drawRates({ curve, capacity, objectiveUs }: Rates): Markup {
  const bounds = [capacity?.estimate, capacity?.low, capacity?.high].flatMap((rate) => rate ?? []);
  const x = logScale({
    domain: paddedLogDomain([...curve.map(({ rateRps }) => rateRps), ...bounds], 0.05),
    range: [BOX.left, BOX.right],
  });
  const y = logScale({
    domain: paddedLogDomain(
      [...curve.flatMap(({ p50Us, p99Us }) => [p50Us, p99Us]), objectiveUs],
      0.05,
    ),
    range: [BOX.bottom, BOX.top],
  });
  const limit = y.at(objectiveUs);
  return figure(
    {
      title: "Latency against rate",
      shape: "wide",
      caption:
        "Look for where p99 crosses the objective and how steeply: a cliff means that the queue grows without end, a slope that the tail was near the objective before. Each dot is one try, of any launch.",
      key: [
        { name: "p99, sustained", class: "candidate" },
        { name: "p99, not sustained", class: "regressed square" },
        { name: "p50", class: "reference" },
        ...(capacity === null ? [] : [{ name: "capacity and its interval", class: "estimate" }]),
      ],
    },
    SIZE,
    ...capacityMarks(capacity, x),
    frame(
      BOX,
      {
        scale: x,
        ticks: rateTicks(x.domain),
        write: formatCount,
        title: "requests a second offered (log scale)",
      },
      {
        scale: y,
        ticks: logTicks(y.domain, 14),
        write: (value) => formatAmount("us", value),
        title: "latency from the schedule (log scale)",
      },
    ),
    across("bound margin", BOX, limit),
    label(`objective: p99 ${formatAmount("us", objectiveUs)}`, {
      class: "bound-label margin",
      x: BOX.left + 6,
      y: limit - 5,
    }),
    ...curve.map((point) => dot(point, "p50", { x, y })),
    ...curve.map((point) => dot(point, "p99", { x, y })),
  );
}

/** Few rates lie close together: then 1, 2 and 5 are not enough. */
function rateTicks(domain: Scale["domain"]): number[] {
  const usual = logTicks(domain, 12);
  if (usual.length >= 3) return usual;
  const [low, high] = domain;
  const step = 10 ** Math.floor(Math.log10((high - low) / 2));
  const first = Math.ceil(low / step);
  const count = Math.min(20, Math.floor(high / step) - first + 1);
  return Array.from({ length: count }, (_, i) => (first + i) * step);
}

function capacityMarks(capacity: Rates["capacity"], x: Scale): Markup[] {
  if (capacity === null) return [];
  const { estimate, low, high, says } = capacity;
  const from = x.at(low ?? x.domain[0]);
  const to = x.at(high ?? x.domain[1]);
  const at = x.at(estimate);
  const left = at > (BOX.left + BOX.right) / 2;
  return [
    element("rect", {
      class: "interval",
      x: from,
      y: BOX.top,
      width: Math.max(1, to - from),
      height: BOX.bottom - BOX.top,
    }),
    line({ class: "estimate", x1: at, x2: at, y1: BOX.top, y2: BOX.bottom }),
    label(says, {
      x: at + (left ? -6 : 6),
      y: BOX.top - 8,
      "text-anchor": left ? "end" : "start",
    }),
  ];
}

function dot(point: CurvePoint, quantile: "p50" | "p99", { x, y }: { x: Scale; y: Scale }): Markup {
  const { rateRps, launch, sustained } = point;
  const value = quantile === "p50" ? point.p50Us : point.p99Us;
  const kind = quantile === "p50" ? "reference" : sustained ? "candidate" : "regressed";
  const verdict = sustained ? "sustained" : "not sustained";
  const [cx, cy] = [x.at(rateRps), y.at(value)];
  const isSquare = kind === "regressed";
  return hover(
    isSquare ? "rect" : "circle",
    isSquare
      ? { class: `point ${kind}`, x: cx - 3.5, y: cy - 3.5, width: 7, height: 7 }
      : { class: `point ${kind}`, cx, cy, r: 3.6 },
    `launch ${launch + 1}, ${formatRate(rateRps)}: ${quantile} ${formatValue("us", value)}, ${verdict}`,
  );
}
