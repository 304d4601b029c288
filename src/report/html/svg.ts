// What every plot shares: a figure with title, caption and key, a frame with axes and grid, marks.
import { type Attributes, element, joined, type Markup, rounded, text } from "./element.ts";
import type { Scale } from "./scale.ts";

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Axis {
  scale: Scale;
  ticks: readonly { value: number; label: string }[];
  /** With its unit; empty: none is written. */
  title: string;
}

/** Grid, tick labels and axis titles around `box`. */
export function frame(box: Box, x: Axis, y: Axis): Markup {
  const middle = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
  const parts: Markup[] = [];
  for (const { value, label: name } of y.ticks) {
    const at = y.scale.at(value);
    parts.push(line({ class: "grid", x1: box.left, x2: box.right, y1: at, y2: at }));
    parts.push(label(name, { class: "tick", x: box.left - 7, y: at + 4, "text-anchor": "end" }));
  }
  for (const { value, label: name } of x.ticks) {
    const at = x.scale.at(value);
    parts.push(line({ class: "grid", x1: at, x2: at, y1: box.top, y2: box.bottom }));
    parts.push(label(name, { class: "tick", x: at, y: box.bottom + 16, "text-anchor": "middle" }));
  }
  parts.push(line({ class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }));
  if (x.title !== "") {
    parts.push(
      label(x.title, {
        class: "axis-title",
        x: middle.x,
        y: box.bottom + 34,
        "text-anchor": "middle",
      }),
    );
  }
  if (y.title !== "") {
    parts.push(
      label(y.title, {
        class: "axis-title",
        x: 14,
        y: middle.y,
        transform: `rotate(-90 14 ${rounded(middle.y)})`,
        "text-anchor": "middle",
      }),
    );
  }
  return joined(parts);
}

export function label(content: string, attributes: Attributes): Markup {
  return element("text", attributes, text(content));
}

export function line(attributes: Attributes): Markup {
  return element("line", attributes);
}

/** A mark that tells its value when pointed at. */
export function hover(name: string, attributes: Attributes, says: string): Markup {
  return element(name, attributes, element("title", {}, text(says)));
}

export type Point = readonly [x: number, y: number];

export function polyline(points: readonly Point[], attributes: Attributes): Markup {
  return element("polyline", { ...attributes, points: coordinates(points) });
}

export function polygon(points: readonly Point[], attributes: Attributes): Markup {
  return element("polygon", { ...attributes, points: coordinates(points) });
}

function coordinates(points: readonly Point[]): string {
  return points.map(([x, y]) => `${rounded(x)},${rounded(y)}`).join(" ");
}

/** Many equal dots as one path of zero-length strokes with round ends: a tenth of the markup of circles. */
export function dots(points: readonly Point[], attributes: Attributes): Markup {
  if (points.length === 0) return joined([]);
  return element("path", {
    ...attributes,
    d: points.map(([x, y]) => `M${rounded(x)} ${rounded(y)}h0`).join(""),
  });
}

export interface FigureText {
  title: string;
  /** One sentence: what to look for. */
  caption: string;
  /** `tall` takes two rows of the page's grid. */
  shape?: "tall";
  /** Name and class of each thing drawn; empty: it speaks for itself. */
  key: readonly { name: string; class: string }[];
}

export function figure(
  { title, caption, shape, key }: FigureText,
  size: { width: number; height: number },
  ...marks: Markup[]
): Markup {
  const entries = key.map((entry) =>
    element("li", {}, element("span", { class: `swatch ${entry.class}` }), text(entry.name)),
  );
  return element(
    "figure",
    { class: shape },
    element("h4", {}, text(title)),
    entries.length === 0 ? joined([]) : element("ul", { class: "key" }, ...entries),
    element(
      "svg",
      { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": title },
      ...marks,
    ),
    element("figcaption", {}, text(caption)),
  );
}

/** What the two arms are called; other than this where they are two services. */
export type ArmNames = Readonly<Record<"candidate" | "reference", string>>;
export const ARM_NAMES = { candidate: "candidate", reference: "reference" } as const;

/** Names of the two arms in every key. */
export const ARM_KEY = [
  { name: "candidate", class: "candidate" },
  { name: "reference", class: "reference" },
] as const;

export function armKey(names: ArmNames): { name: string; class: "candidate" | "reference" }[] {
  return ARM_KEY.map((entry) => ({ name: names[entry.class], class: entry.class }));
}
