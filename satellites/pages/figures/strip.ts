// An interval in one glance, for a table's cell.
import type { Strip } from "../../../src/core/report/kit/blocks.ts";
import { element, type Markup, text } from "../element.ts";
import { linearScale } from "../scale.ts";
import { line } from "../svg.ts";

const SIZE = { width: 150, height: 20 };
const MIDDLE = SIZE.height / 2;
/** Room for a whole dot at either end. */
const INSET = 6;

export function drawStrip({ estimate, interval, colour, says, reach, limits = {} }: Strip): Markup {
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
