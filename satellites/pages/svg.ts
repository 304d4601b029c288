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
  ticks: readonly number[];
  /** How a tick is written. */
  write: (value: number) => string;
  /** With its unit. */
  title: string;
}

export function frame(box: Box, x: Axis, y: Axis): Markup {
  const title = (content: string, at: Attributes): Markup =>
    label(content, { class: "axis-title", ...at, "text-anchor": "middle" });
  const parts: Markup[] = [];
  for (const value of y.ticks) {
    const at = y.scale.at(value);
    parts.push(across("grid", box, at));
    parts.push(
      label(y.write(value), { class: "tick", x: box.left - 7, y: at + 4, "text-anchor": "end" }),
    );
  }
  for (const value of x.ticks) {
    const at = x.scale.at(value);
    parts.push(line({ class: "grid", x1: at, x2: at, y1: box.top, y2: box.bottom }));
    parts.push(
      label(x.write(value), { class: "tick", x: at, y: box.bottom + 16, "text-anchor": "middle" }),
    );
  }
  parts.push(across("axis", box, box.bottom));
  const middle = (box.top + box.bottom) / 2;
  parts.push(title(x.title, { x: (box.left + box.right) / 2, y: box.bottom + 34 }));
  const transform = `rotate(-90 14 ${rounded(middle)})`;
  parts.push(title(y.title, { x: 14, y: middle, transform }));
  return joined(parts);
}

export function label(content: string, attributes: Attributes): Markup {
  return element("text", attributes, text(content));
}

export function line(attributes: Attributes): Markup {
  return element("line", attributes);
}

export function across(kind: string, { left, right }: Box, y: number): Markup {
  return line({ class: kind, x1: left, x2: right, y1: y, y2: y });
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

interface FigureText {
  title: string;
  /** One sentence: what to look for. */
  caption: string;
  /** Of all the page's columns. */
  shape?: "wide";
  /** Name and class of each thing drawn; empty: it speaks for itself. */
  key: readonly { name: string; class: string }[];
}

export function figure(
  words: FigureText,
  size: { width: number; height: number },
  ...marks: Markup[]
): Markup {
  const viewBox = `0 0 ${size.width} ${size.height}`;
  const drawn = element("svg", { viewBox, role: "img", "aria-label": words.title }, ...marks);
  // On a narrow screen a plot keeps a size at which its labels can be read.
  return captioned(words, element("div", { class: "scroll" }, drawn));
}

/** Of what is drawn for any width. */
export function captioned({ title, caption, shape, key }: FigureText, drawn: Markup): Markup {
  const entries = key.map((entry) => element("li", {}, ...swatch(entry.class), text(entry.name)));
  return element(
    "figure",
    { class: shape },
    element("h4", {}, text(title)),
    entries.length === 0 ? joined([]) : element("ul", { class: "key" }, ...entries),
    drawn,
    element("figcaption", {}, text(caption)),
  );
}

/** A name that shows its mark itself has none. */
function swatch(kind: string): Markup[] {
  return kind === "" ? [] : [element("span", { class: `swatch ${kind}` })];
}

export function armKey(
  names: Readonly<Record<"candidate" | "reference", string>>,
): { name: string; class: "candidate" | "reference" }[] {
  return (["candidate", "reference"] as const).map((arm) => ({ name: names[arm], class: arm }));
}
