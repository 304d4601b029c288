// One scenario's percentile curves: where in the distribution the arms part.
import type { CurveBand } from "../../../src/core/model/report.ts";
import type { Figure } from "../../../src/core/report/kit/blocks.ts";
import { formatAmount, formatValue } from "../../../src/core/text/format.ts";
import type { Markup } from "../element.ts";
import { logScale, logTicks, paddedLogDomain, type Scale } from "../scale.ts";
import { armKey, type Box, figure, frame, hover, type Point, polygon, polyline } from "../svg.ts";

const SIZE = { width: 640, height: 320 };
const BOX: Box = { left: 78, top: 12, right: 622, bottom: 268 };
const PERCENTILES = [0, 50, 90, 99, 99.9, 99.99, 99.999];

const ARM_NAMES = { candidate: "candidate", reference: "reference" };

export function drawCurves({
  candidate,
  reference,
  names = ARM_NAMES,
  caption,
}: Extract<Figure, { kind: "curves" }>): Markup {
  const bands = [candidate, reference ?? []].map(drawable);
  const all = bands.flat();
  const x = logScale({
    domain: [1, Math.max(2, ...all.map(({ probability }) => stretch(probability)))],
    range: [BOX.left, BOX.right],
  });
  const yDomain = paddedLogDomain(
    all.flatMap(({ low, high }) => [low, high]),
    0.04,
  );
  const y = logScale({ domain: yDomain, range: [BOX.bottom, BOX.top] });
  const stretched = new Map(PERCENTILES.map((one) => [stretch(one / 100), String(one)]));
  const [candidateBand = [], referenceBand = []] = bands;
  return figure(
    {
      title: "Latency by percentile",
      caption,
      key: reference === null ? armKey(names).slice(0, 1) : armKey(names),
    },
    SIZE,
    frame(
      BOX,
      {
        scale: x,
        ticks: [...stretched.keys()].filter((value) => value <= x.domain[1] * 1.001),
        write: (value) => stretched.get(value) ?? "",
        title: "percentile of requests, the tail stretched (1 / (1 − p))",
      },
      {
        scale: y,
        ticks: logTicks(y.domain),
        write: (us) => formatAmount("us", us),
        title: "latency (log scale)",
      },
    ),
    ...drawBand(referenceBand, "reference", names.reference, { x, y }),
    ...drawBand(candidateBand, "candidate", names.candidate, { x, y }),
  );
}

/** The maximum has no place on a stretched axis, and zero none on a logarithmic one. */
function drawable(band: CurveBand): CurveBand {
  return band.filter(({ probability, low }) => probability < 1 && low > 0);
}

function stretch(probability: number): number {
  // Undoes binary rounding: 1 / (1 − 0.99) is not quite 100.
  return Number((1 / (1 - probability)).toPrecision(9));
}

function drawBand(
  band: CurveBand,
  arm: string,
  name: string,
  { x, y }: { x: Scale; y: Scale },
): Markup[] {
  if (band.length === 0) return [];
  const at = (pick: (point: CurveBand[number]) => number): Point[] =>
    band.map((point) => [x.at(stretch(point.probability)), y.at(pick(point))]);
  const edge = [...at(({ high }) => high), ...at(({ low }) => low).reverse()];
  return [
    polygon(edge, { class: `band ${arm}` }),
    polyline(
      at(({ median }) => median),
      { class: `curve ${arm}` },
    ),
    ...band.map(({ probability, median, low, high }) =>
      hover(
        "circle",
        { class: `point ${arm}`, cx: x.at(stretch(probability)), cy: y.at(median), r: 3 },
        `${name} p${Number((probability * 100).toPrecision(7))}: ${formatValue("us", median)}; the middle half of rounds: ${formatValue("us", low)} to ${formatValue("us", high)}`,
      ),
    ),
  ];
}
