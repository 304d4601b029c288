// Stacks of both arms as one picture, without a script. Places are shares of its width, so that words
// keep their size on any screen. What there is to say of a frame stands above all, in words, while it
// is pointed at or has the focus; what differs is hatched, and marked in its label.
import type { Figure, FlameFrame } from "../../../src/core/report/kit/blocks.ts";
import { element, joined, type Markup, text } from "../element.ts";
import { captioned, label } from "../svg.ts";

const ROW = 19;
const LINE = 18;
/** Of what is said of a frame. */
const LINES = 4;
/** Shares of the width below which a label says nothing: on any screen, and on a narrow one. */
const SLIM = { always: 0.025, narrow: 0.08 };
const TOP = LINES * LINE + 8;
const FULL = { width: "100%", height: "100%" };

type Flame = Extract<Figure, { kind: "flame" }>;

export function drawFlame({ title, caption, frames }: Flame): Markup {
  const rows = 1 + Math.max(0, ...frames.map(({ depth }) => depth));
  const key = [
    { name: "▲ more than before", class: "flame-more" },
    { name: "▼ less", class: "flame-less" },
    { name: "named above", class: "flame-named" },
  ];
  const hint = "Point at a frame, or go from one to the next with Tab: here stands what it takes.";
  const drawn = element(
    "svg",
    { class: "flame", style: `height:${TOP + rows * ROW}px`, role: "group", "aria-label": title },
    element("defs", {}, hatch("more", "M0 8L8 0"), hatch("less", "M0 4H8")),
    label(hint, { class: "tick", y: LINE - 4 }),
    ...frames.map(drawFrame),
  );
  return captioned({ title, caption, shape: "wide", key }, drawn);
}

/** Without colour, slanting lines are more, and level ones less. */
function hatch(change: string, d: string): Markup {
  const tile = { id: `flame-${change}`, width: 8, height: 8, patternUnits: "userSpaceOnUse" };
  return element("pattern", tile, element("path", { class: `hatch ${change}`, d }));
}

function drawFrame({ depth, from, width, change, isNamed, ...words }: FlameFrame): Markup {
  const percent = (share: number): string => `${Number((share * 100).toFixed(3))}%`;
  // Else the page's rule for figures would make it as wide as all.
  const place = { width: percent(width), height: ROW - 1 };
  const style = `width:${place.width};height:${place.height}px`;
  const slim = width < SLIM.narrow ? "slim" : "";
  const marks = ["frame", change ?? "", isNamed ? "named" : "", slim];
  const fill = change === null ? [] : [element("rect", { ...FULL, fill: `url(#flame-${change})` })];
  return element(
    "g",
    { class: marks.filter((one) => one !== "").join(" "), tabindex: 0, role: "img" },
    element("title", {}, text(words.says.join("\n"))),
    element(
      "svg",
      { x: percent(from), y: TOP + depth * ROW, ...place, style },
      element("rect", { class: "ground", ...FULL }),
      ...fill,
      element("rect", { class: "rim", ...FULL }),
      ...(width < SLIM.always ? [] : [label(words.label, { x: 4, y: 13 })]),
    ),
    element(
      "g",
      { class: "says", "aria-hidden": "true" },
      element("rect", { width: "100%", height: LINES * LINE }),
      joined(words.says.map((says, at) => label(says, { y: (at + 1) * LINE - 4 }))),
    ),
  );
}
