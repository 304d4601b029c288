import { expect, test } from "vitest";
import { type Estimated, farthestBeyondMargin } from "./beyond-margin.ts";

const WAIVER: Estimated["waiver"] = {
  upTo: 0.5,
  regressionProven: false,
  answer: "open",
  trail: [],
};

test.each<[string, Partial<Estimated>, boolean]>([
  ["within", { estimate: Math.log(1.09) }, false],
  ["beyond", { estimate: Math.log(1.11) }, true],
  ["only watched", { estimate: 2, level: "warn" }, false],
  ["nothing measured", { estimate: null }, false],
  ["waived", { estimate: Math.log(1.3), state: "waived", waiver: WAIVER }, false],
  ["within what a waiver accepts", { estimate: Math.log(1.3), waiver: WAIVER }, false],
  ["beyond that", { estimate: Math.log(1.6), waiver: WAIVER }, true],
])("%s", (_, change, expected) => {
  const one: Estimated = {
    level: "gate",
    state: "inconclusive",
    estimate: 0,
    margin: 0.1,
    waiver: null,
    ...change,
  };
  const worst = {
    ...one,
    estimate: 3,
    waiver: null,
    level: "gate",
    state: "inconclusive",
  } as const;
  expect(farthestBeyondMargin([one, worst])).toBe(worst);
  expect(farthestBeyondMargin([one])).toBe(expected ? one : null);
});
