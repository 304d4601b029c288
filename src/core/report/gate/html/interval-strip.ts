// An interval in one glance, for a table's cell: a bar with its estimate between the limits.
import type { Comparison } from "../../../model/verdict.ts";
import { formatEstimate, formatInterval } from "../../../text/format.ts";
import { element, type Markup, text } from "../../kit/element.ts";
import { linearScale } from "../../kit/scale.ts";
import { line } from "../../kit/svg.ts";

const SIZE = { width: 150, height: 20 };
const MIDDLE = SIZE.height / 2;
/** Room for a whole dot at either end. */
const INSET = 6;

interface Strip extends Pick<Comparison, "estimate" | "interval"> {
  /** A class of the style sheet. */
  colour: string;
  says: string;
  /** Half the axis, a log ratio. */
  reach: number;
  /** Log ratios of the limits, by their class. */
  limits?: Readonly<Record<string, number>>;
}

export function strip({ estimate, interval, colour, says, reach, limits = {} }: Strip): Markup {
  const x = linearScale({ domain: [-reach, reach], range: [INSET, SIZE.width - INSET] });
  const low = x.at(interval?.low ?? -reach);
  const high = Math.max(low + 2, x.at(interval?.high ?? reach));
  const ends = { x1: low, x2: high, y1: MIDDLE, y2: MIDDLE };
  return element(
    "svg",
    { class: "strip", viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: "img" },
    element("title", {}, text(says)),
    ...Object.entries({ zero: 0, ...limits }).map(([kind, at]) =>
      line({ class: `bound ${kind}`, x1: x.at(at), x2: x.at(at), y1: 1, y2: SIZE.height - 1 }),
    ),
    ...(estimate === null
      ? []
      : [
          line({ class: `whisker ${colour}`, ...ends }),
          element("circle", {
            class: `whisker-dot ${colour}`,
            cx: x.at(estimate),
            cy: MIDDLE,
            r: 4,
          }),
        ]),
  );
}

/** Two margins to either side: enough to see on which side of the margin an interval ends. */
export function comparisonStrip(comparison: Comparison): Markup {
  const { estimate, interval, margin, floor, state } = comparison;
  return strip({
    estimate,
    interval,
    colour: state,
    says: `${formatEstimate(comparison)} ${formatInterval(comparison)}`,
    reach: Math.log1p(2 * margin),
    limits: { floor: Math.log1p(floor), margin: Math.log1p(margin) },
  });
}
