import { expect, test } from "vitest";
import { signedRankTails } from "./signed-rank.ts";

test("the tails are those of all signs, by enumeration", () => {
  const n = 10;
  const sums = Array.from({ length: 2 ** n }, (_, bits) =>
    Array.from({ length: n }, (_, i) => ((bits >> i) & 1) * (i + 1)).reduce((a, b) => a + b),
  );
  const tails = signedRankTails(n);
  expect(tails).toHaveLength(56);
  for (const [w, p] of tails.entries()) {
    expect(p).toBe(sums.filter((sum) => sum >= w).length / sums.length);
  }
});

test("of nothing the only sum is 0", () => {
  expect([...signedRankTails(0)]).toEqual([1]);
});

test("two hundred values are still exact", () => {
  const tails = signedRankTails(200);
  expect(tails[0]).toBe(1);
  expect(tails[200 * 201 * 0.5]).toBe(2 ** -200);
  // Symmetric about its mean: P(W >= w) + P(W >= total - w + 1) = 1.
  for (const w of [7000, 10_050, 12_345]) {
    expect((tails[w] as number) + (tails[20_101 - w] as number)).toBeCloseTo(1, 12);
  }
});
