// A comparison in one glance, for a table's cell: the interval as a bar between "no change", floor
// and margin.
import type { Comparison } from "../../../model/verdict.ts";
import { formatEstimate, formatInterval } from "../../../text/format.ts";
import { element, type Markup, text } from "../../kit/element.ts";
import { linearScale } from "../../kit/scale.ts";
import { line } from "../../kit/svg.ts";

const SIZE = { width: 150, height: 20 };
const MIDDLE = SIZE.height / 2;
/** Room for a whole dot at either end. */
const INSET = 6;
/** Half the axis, in margins: enough to see on which side of the margin an interval ends. */
const REACH = 2;

export function intervalStrip(comparison: Comparison): Markup {
  const { estimate, interval, margin, floor, state } = comparison;
  const reach = Math.log1p(margin * REACH);
  const x = linearScale({ domain: [-reach, reach], range: [INSET, SIZE.width - INSET] });
  const mark = (at: number, kind: string): Markup =>
    line({ class: `bound ${kind}`, x1: x.at(at), x2: x.at(at), y1: 1, y2: SIZE.height - 1 });
  const low = x.at(interval?.low ?? -reach);
  const high = x.at(interval?.high ?? reach);
  return element(
    "svg",
    { class: "strip", viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: "img" },
    element("title", {}, text(`${formatEstimate(comparison)} ${formatInterval(comparison)}`)),
    mark(0, "zero"),
    mark(Math.log1p(floor), "floor"),
    mark(Math.log1p(margin), "margin"),
    ...(estimate === null
      ? []
      : [
          line({
            class: `whisker ${state}`,
            x1: low,
            x2: Math.max(low + 2, high),
            y1: MIDDLE,
            y2: MIDDLE,
          }),
          element("circle", {
            class: `whisker-dot ${state}`,
            cx: x.at(estimate),
            cy: MIDDLE,
            r: 4,
          }),
        ]),
  );
}
