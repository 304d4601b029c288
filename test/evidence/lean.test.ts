import { expect, test } from "vitest";
import { ALL, leanOf } from "../../scripts/evidence/lean.ts";
import type { Stretch } from "../../scripts/evidence/pool.ts";
import { createPrng } from "../../src/base/prng.ts";
import { normal } from "../support/samples.ts";

const stretch = (run: string, ds: readonly number[]): Stretch => ({
  run,
  machine: "m",
  startedAt: "2026-01-02T03:04:05Z",
  turns: ds.map((d) => ({ ms: {}, values: { x: { candidate: Math.exp(d), reference: 1 } } })),
});

test("by hand: 4 · 2.5² / 7.5 of 1, 2, 3, 4, which two of the sixteen ways to toss reach", () => {
  const lean = leanOf([stretch("a", [1, 2, 3, 4])], ["x"], { tosses: 4000, prng: createPrng(1) });
  expect(lean.get("x")?.ratio).toBeCloseTo((4 * 2.5 ** 2) / 7.5, 9);
  // ±0.016 is three standard errors of 4,000 tosses.
  expect(Math.abs((lean.get("x")?.p ?? 0) - 2 / 16)).toBeLessThan(0.016);
  expect(lean.get(ALL)).toEqual(lean.get("x"));
});

test("equal rounds have the ratio n", () => {
  const lean = leanOf([stretch("a", Array(6).fill(-0.1))], ["x"], {
    tosses: 9,
    prng: createPrng(1),
  });
  expect(lean.get("x")?.ratio).toBeCloseTo(6, 9);
});

test("what was measured too little is no run", () => {
  const lean = leanOf([stretch("a", [1, 2, 3])], ["x"], { tosses: 9, prng: createPrng(1) });
  expect(lean.get("x")).toEqual({ runs: 0, ratio: Number.NaN, p: 1 });
});

/** p of runs of eight rounds each, whose own sd is 1 and whose common shift has the given one. */
function simulate(sdOfRun: number, seed: number): number {
  const prng = createPrng(seed);
  const runs = Array.from({ length: 9 }, (_, i) => {
    const shift = sdOfRun * normal(prng);
    return stretch(
      `${i}`,
      Array.from({ length: 8 }, () => shift + normal(prng)),
    );
  });
  return leanOf(runs, ["x"], { tosses: 99, prng }).get("x")?.p ?? Number.NaN;
}

const shareBelow = (sdOfRun: number): number =>
  Array.from({ length: 300 }, (_, i) => simulate(sdOfRun, i + 1)).filter((p) => p <= 0.05).length /
  300;

test("runs that do not lean are called leaning as often as said, those that lean by their rounds' sd are seen", () => {
  // .05 and three standard errors of 300 simulations.
  expect(Math.abs(shareBelow(0) - 0.05)).toBeLessThan(0.038);
  expect(shareBelow(1)).toBeGreaterThan(0.95);
});
