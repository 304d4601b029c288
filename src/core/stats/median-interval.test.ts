import { expect, test } from "vitest";
import { medianRanks } from "./median-interval.ts";

test("ranks and their exact levels (table of the sign test)", () => {
  const check = (n: number, low: number, high: number, level: number): void => {
    const ranks = medianRanks(n, 0.95);
    expect([ranks?.low, ranks?.high], `n = ${n}`).toEqual([low, high]);
    expect(ranks?.level, `n = ${n}`).toBeCloseTo(level, 12);
  };
  check(1, 1, 1, 0);
  check(2, 1, 2, 0.5);
  check(5, 1, 5, 0.9375);
  check(6, 1, 6, 1 - 2 / 64);
  check(8, 1, 8, 1 - 2 / 256);
  check(9, 2, 8, 1 - 20 / 512);
  check(12, 3, 10, 1 - (2 * (1 + 12 + 66)) / 4096);
  check(20, 6, 15, 1 - 2 * 0.020694732666015625);
  expect(medianRanks(0, 0.95)).toBeNull();
});

test("the narrowest that reaches the level", () => {
  for (let n = 6; n <= 200; n++) {
    const ranks = medianRanks(n, 0.95);
    const inner = medianRanks(n, 0);
    expect(ranks?.level).toBeGreaterThanOrEqual(0.95);
    expect((ranks?.low ?? 0) + (ranks?.high ?? 0)).toBe(n + 1);
    expect(inner?.low).toBe(Math.floor(n / 2));
  }
});
