// An interval in one glance, for a table's cell, and the axis that stands above all of them. A limit is
// at the same place in each row, so that rows with other limits can be compared.
import type { Strip } from "../../../src/core/report/kit/blocks.ts";
import { element, type Markup, text } from "../element.ts";
import { linearScale } from "../scale.ts";
import { label, line } from "../svg.ts";

const SIZE = { width: 120, height: 20 };
const MIDDLE = SIZE.height / 2;
/** Room for a whole dot at either end. */
const INSET = 8;
/** Of an arrow, which points to what lies beyond the axis, and of the line before it at least. */
const TIP = 6;
const SHAFT = 12;
const RANGE = [INSET, SIZE.width - INSET] as const;

export function drawStrip({ estimate, interval, colour, says, tick, limits = {} }: Strip): Markup {
  const end = 2 * tick;
  const x = linearScale({ domain: [-end, end], range: RANGE });
  const [bottom, top] = [interval?.low ?? -Infinity, interval?.high ?? Infinity];
  const low = bottom > end ? RANGE[1] - SHAFT : x.at(bottom);
  const high = top < -end ? RANGE[0] + SHAFT : x.at(top);
  const ends = { x1: low, x2: Math.max(low + 2, high), y1: MIDDLE, y2: MIDDLE };
  const kind = `whisker-dot ${colour}`;
  return drawn(
    says,
    ...Object.entries({ zero: 0, ...limits }).map(([name, at]) =>
      line({ class: `bound ${name}`, x1: x.at(at), x2: x.at(at), y1: 1, y2: SIZE.height - 1 }),
    ),
    ...(estimate === null
      ? []
      : [
          line({ class: `whisker ${colour}`, ...ends }),
          ...(bottom < -end ? [arrow(kind, RANGE[0], -TIP)] : []),
          ...(top > end ? [arrow(kind, RANGE[1], TIP)] : []),
          ...(Math.abs(estimate) > end
            ? []
            : [element("circle", { class: kind, cx: x.at(estimate), cy: MIDDLE, r: 4 })]),
        ]),
  );
}

function arrow(kind: string, at: number, tip: number): Markup {
  return element("path", { class: kind, d: `M${at} ${MIDDLE - 5}v10l${tip} -5z` });
}

/** In units of each row's own limit, or of ratios where rows have none. */
export function stripAxis({ tick, limits }: Pick<Strip, "tick" | "limits">): Markup {
  const x = linearScale({ domain: [-2, 2], range: RANGE });
  const factor = Number(Math.exp(tick).toPrecision(3));
  const ticks = limits === undefined ? [`÷${factor}`, "1", `×${factor}`] : ["−limit", "0", "limit"];
  const marks = ticks.flatMap((says, i) => [
    line({ class: "axis", x1: x.at(i - 1), x2: x.at(i - 1), y1: 15, y2: SIZE.height }),
    label(says, { class: "tick", x: x.at(i - 1), y: 12, "text-anchor": "middle" }),
  ]);
  const base = line({ class: "axis", x1: RANGE[0], x2: RANGE[1], y1: 19.5, y2: 19.5 });
  return drawn(`axis of the bars: ${ticks.join(", ")}`, ...marks, base);
}

function drawn(says: string, ...marks: Markup[]): Markup {
  const viewBox = `0 0 ${SIZE.width} ${SIZE.height}`;
  const title = element("title", {}, text(says));
  return element("svg", { class: "strip", viewBox, role: "img" }, title, ...marks);
}
