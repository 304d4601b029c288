import { expect, test } from "vitest";
import { drawStrip, stripAxis } from "./strip.ts";

const strip = (low: number | null, high: number | null, estimate = 0.01, margin = 0.1): string =>
  drawStrip({
    estimate,
    interval: { low, high, level: 0.9 },
    colour: "pass",
    says: "",
    reach: 9,
    limits: { floor: margin / 2, margin },
  });

const tips = (drawn: string): string[] =>
  [...drawn.matchAll(/v10l(-?)6/g)].map(([, sign]) => (sign === "" ? "right" : "left"));

test.each<[number | null, number | null, string[]]>([
  [-0.1, 0.19, []],
  [-0.1, 0.21, ["right"]],
  [-0.3, 0.1, ["left"]],
  [null, null, ["left", "right"]],
])("an interval from %j to %j has arrows: %j", (low, high, expected) => {
  expect(tips(strip(low, high))).toEqual(expected);
});

test("an estimate beyond the axis has no dot, which would stand at a wrong place", () => {
  expect(strip(0, 0.5, 0.19)).toContain("<circle");
  expect(strip(0, 0.5, 0.21)).not.toContain("<circle");
});

test("limits of any size stand below the axis's own", () => {
  const at = (drawn: string, kind: string): string =>
    new RegExp(`class="[a-z ]*${kind}" x1="([0-9.]+)"`).exec(drawn)?.[1] ?? "";
  const [small, large] = [strip(0, 0.1), strip(0, 0.1, 0.01, 0.7)];
  expect(at(small, "margin")).toBe(at(large, "margin"));
  expect(stripAxis()).toContain(`x1="${at(small, "margin")}"`);
  expect(stripAxis()).toContain(`x1="${at(small, "zero")}"`);
});
