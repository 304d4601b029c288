import { expect, test } from "vitest";
import { drawStrip, stripAxis } from "./strip.ts";

const strip = (low: number | null, high: number | null, estimate = 0.01, margin = 0.1): string =>
  drawStrip({
    estimate,
    interval: { low, high, level: 0.9 },
    colour: "pass",
    says: "",
    tick: margin,
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
  const axis = stripAxis({ tick: 0.1, limits: { margin: 0.1 } });
  for (const kind of ["zero", "margin"]) expect(axis).toContain(`x1="${at(small, kind)}"`);
});

test("bars without limits stand below ratios, each at its own tick", () => {
  const tick = Math.log(1.5);
  const axis = stripAxis({ tick });
  const ends = [-tick, tick].map((estimate) => {
    const drawn = drawStrip({ estimate, interval: null, colour: "candidate", says: "", tick });
    return /<circle[^>]* cx="([0-9.]+)"/.exec(drawn)?.[1] ?? "";
  });
  const ticks = [...axis.matchAll(/<text[^>]* x="([0-9.]+)"[^>]*>([^<]*)/g)];
  expect(ticks.map(([, , says]) => says)).toEqual(["÷1.5", "1", "×1.5"]);
  expect([ticks[0]?.[1], ticks[2]?.[1]]).toEqual(ends);
});
