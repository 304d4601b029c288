import { expect, test } from "vitest";
import { binomialLowerTail, binomialUpperTail } from "./proportion.ts";

test("binomial tails at the ends", () => {
  expect([binomialUpperTail(0, 5, 0.2), binomialUpperTail(6, 5, 0.2)]).toEqual([1, 0]);
  expect([binomialUpperTail(1, 5, 0), binomialUpperTail(5, 5, 1)]).toEqual([0, 1]);
  expect([binomialLowerTail(-1, 5, 0.2), binomialLowerTail(5, 5, 0.2)]).toEqual([0, 1]);
});
