import fc from "fast-check";
import { expect, test } from "vitest";
import { binomialLowerTail, binomialUpperTail } from "./proportion.ts";

const counts = fc.integer({ min: 1, max: 400 }).chain((n) => fc.tuple(fc.nat(n), fc.constant(n)));
const share = fc.double({ min: 0.001, max: 0.999, noNaN: true });

test("tails complete each other and grow with p", () => {
  fc.assert(
    fc.property(counts, share, share, ([k, n], a, b) => {
      expect(binomialUpperTail(k, n, a) + binomialLowerTail(k - 1, n, a)).toBeCloseTo(1, 11);
      expect(binomialUpperTail(k, n, Math.min(a, b))).toBeLessThanOrEqual(
        binomialUpperTail(k, n, Math.max(a, b)) + 1e-12,
      );
    }),
  );
});

test("at the ends", () => {
  expect([binomialUpperTail(0, 5, 0.2), binomialUpperTail(6, 5, 0.2)]).toEqual([1, 0]);
  expect([binomialUpperTail(1, 5, 0), binomialUpperTail(5, 5, 1)]).toEqual([0, 1]);
  expect([binomialLowerTail(-1, 5, 0.2), binomialLowerTail(5, 5, 0.2)]).toEqual([0, 1]);
});
