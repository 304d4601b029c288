// Ratios with their intervals, one line each, on a logarithmic axis about 1.
import type { ComparisonRow } from "../../comparison/model.ts";
import { element, type Markup } from "../kit/element.ts";
import { logScale } from "../kit/scale.ts";
import { type Box, figure, frame, hover, label, line } from "../kit/svg.ts";
import { findingWord, formatRatio, formatRatioInterval, isShown, shortLabel } from "./text.ts";

const STEP = 24;
const WIDTH = 640;
const TICKS = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 5, 10, 20, 50, 100,
];
/** More ticks than this crowd; then only those a factor of two apart or more are kept. */
const MOST_TICKS = 8;

export function plotRatios(rows: readonly ComparisonRow[], sides: string): Markup {
  const drawn = rows.flatMap((row) => {
    const { estimate, interval } = row;
    return estimate === null ? [] : [{ row, estimate, low: interval?.low, high: interval?.high }];
  });
  const box: Box = { left: 210, top: 12, right: 622, bottom: 12 + STEP * drawn.length };
  const furthest = Math.max(
    // So that at least 0.9 and 1.1 are on the axis.
    0.11,
    ...drawn.flatMap(({ estimate, low, high }) =>
      [estimate, low ?? 0, high ?? 0].map((bound) => Math.abs(bound) * 1.05),
    ),
  );
  const x = logScale({
    domain: [Math.exp(-furthest), Math.exp(furthest)],
    range: [box.left, box.right],
  });
  const inside = TICKS.filter((tick) => Math.abs(Math.log(tick)) <= furthest);
  const coarse = inside.filter((tick) => ![0.7, 0.8, 0.9, 1.1, 1.25, 1.5].includes(tick));
  const ticks = inside.length <= MOST_TICKS ? inside : coarse;
  const [from, to] = x.domain;
  return figure(
    {
      title: `Ratios, ${sides}`,
      caption:
        "Left of 1 the first service has less of it, right of 1 more; a line that crosses 1 shows no difference.",
      key: [],
    },
    { width: WIDTH, height: box.bottom + 52 },
    frame(
      box,
      { scale: x, ticks, write: String, title: "ratio (log scale)" },
      { scale: x, ticks: [], title: "" },
    ),
    line({ class: "axis", x1: x.at(1), x2: x.at(1), y1: box.top, y2: box.bottom }),
    ...drawn.flatMap(({ row, estimate, low, high }, index) => {
      const y = box.top + STEP * (index + 0.5);
      const says = `${row.label}: ${formatRatio(estimate)} ${formatRatioInterval(row)}, ${findingWord(row)}`;
      const at = (log: number | null | undefined, open: number): number =>
        x.at(log === null || log === undefined ? open : Math.exp(log));
      const arm = isShown(row) ? "candidate" : "no-baseline";
      return [
        label(shortLabel(row), { class: "tick", x: box.left - 10, y: y + 4, "text-anchor": "end" }),
        element(
          "g",
          { class: arm },
          line({ class: "whisker", x1: at(low, from), x2: at(high, to), y1: y, y2: y }),
          hover(
            "circle",
            { class: "whisker-dot", cx: x.at(Math.exp(estimate)), cy: y, r: 4 },
            says,
          ),
        ),
      ];
    }),
  );
}
