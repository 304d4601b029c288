import { expect, test } from "vitest";
import { nightOf } from "../../../../test/support/history.ts";
import { makeSamples } from "../../../../test/support/samples.ts";
import { reportOn } from "../../../app/gate/outcome.ts";
import { bars, sparklines } from "./sparkline.ts";

test.each([
  { values: [0, 1, 2, 3, 4, 5, 6, 7], span: 0, expected: "▁▂▃▄▅▆▇█" },
  { values: [0.01, 0, 0.01], span: 0.07, expected: "▂▁▂" },
  { values: [0, 0, 0], span: 0.1, expected: "▁▁▁" },
  { values: [0.3, 0], span: 0.1, expected: "█▁" },
])("$values within $span is $expected", ({ values, span, expected }) => {
  expect(bars(values, span)).toBe(expected);
});

const report = reportOn(makeSamples({ rounds: 8, noise: 0.02 }), []);
const ratioOf = (estimate: number) => ({ estimate, low: estimate - 0.01, high: estimate + 0.01 });
const nights = (count: number) =>
  Array.from({ length: count }, (_, day) => nightOf({ day, ratio: ratioOf(day < 20 ? 0 : 0.2) }));
const linesOf = ([block]: ReturnType<typeof sparklines>) =>
  block?.kind === "list"
    ? block.items.map((item) => (typeof item === "string" ? item : item.text))
    : [];

test("each gated metric with its last twenty runs", () => {
  const lines = linesOf(sparklines(report, nights(30)));
  expect(lines).toHaveLength(
    report.verdict.comparisons.filter(({ level }) => level === "gate").length,
  );
  expect(lines[0]).toEqual([{ code: "▁▁▁▁▁▁▁▁▁▁██████████" }, " api/echo p99"]);
});

test.each([
  ["too few runs", nights(2)],
  ["another class of machines", nights(9).map((one) => ({ ...one, runnerClass: "other" }))],
  ["runs without an anchor", Array.from({ length: 9 }, (_, day) => nightOf({ day }))],
])("nothing of %s", (_, history) => {
  expect(linesOf(sparklines(report, history))).toEqual([]);
});
