import fc from "fast-check";
import { expect, test } from "vitest";
import { signedRankTails, signedRankUpperTail } from "./signed-rank.ts";
import { trim, trimmedSignedRank } from "./trimmed-signed-rank.ts";

/** Few distinct sizes make ties and zeros; the outlying ones make the trim work. */
const sizes = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 12 }),
  fc.array(fc.constantFrom(1, 2, 2, 3, 50), { minLength: 4, maxLength: 12 }),
);

/**
 * That P(p ≤ a) ≤ a for every a that occurs, when each size has a sign by a fair coin: all of them
 * are tried.
 */
function checkExact(x: readonly number[], test: (x: number[]) => number): void {
  const all = Array.from({ length: 2 ** x.length }, (_, bits) =>
    test(x.map((size, i) => ((bits >> i) & 1 ? size : -size))),
  ).sort((a, b) => a - b);
  for (const [i, p] of all.entries()) {
    if (all[i + 1] !== p) expect((i + 1) / all.length).toBeLessThanOrEqual(p + 1e-12);
  }
}

test("the chance of p <= a is at most a, by enumeration, ties and zeros included", () => {
  fc.assert(
    fc.property(sizes, (x) => checkExact(x, signedRankUpperTail)),
    { numRuns: 40 },
  );
});

test("the chance of p <= a is at most a with the trim as well", () => {
  fc.assert(
    fc.property(sizes, (x) => checkExact(x, (signed) => trimmedSignedRank(signed, 0, "+").p)),
    { numRuns: 40 },
  );
});

test("without ties p is attained exactly", () => {
  const all = Array.from({ length: 2 ** 8 }, (_, bits) =>
    signedRankUpperTail([1, 2, 3, 4, 5, 6, 7, 8].map((v, i) => ((bits >> i) & 1 ? v : -v))),
  );
  for (const p of new Set(all)) expect(all.filter((q) => q <= p).length / 256).toBe(p);
});

test("p grows with the shift tested", () => {
  const d = fc.array(fc.integer({ min: -640, max: 640 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(d, fc.integer({ min: -640, max: 640 }), fc.nat(200), (whole, shift, step) => {
      const at = (t: number) => signedRankUpperTail(whole.map((v) => v - t));
      // Between the data's halves: at a tie the distribution is another one.
      expect(at(shift + 0.25)).toBeLessThanOrEqual(at(shift + step + 0.25) + 1e-12);
    }),
  );
});

test("mirrored data give the mirrored test", () => {
  const d = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { maxLength: 40 });
  fc.assert(
    fc.property(d, fc.double({ min: -1, max: 1, noNaN: true }), (x, shift) => {
      const mirrored = x.map((v) => -v);
      expect(trimmedSignedRank(mirrored, -shift, "-")).toEqual(trimmedSignedRank(x, shift, "+"));
    }),
  );
});

test("the trim keeps at least half, drops what is far, and looks at distances only", () => {
  const whole = fc.array(fc.integer({ min: -99, max: 99 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(whole, (x) => {
      const kept = trim(x);
      expect(kept.length * 2).toBeGreaterThanOrEqual(x.length);
      expect(trim(x.map(Math.abs))).toEqual(kept.map(Math.abs));
    }),
  );
  expect(trim([1, -2, 3, -1, 2, 1000])).toEqual([1, -2, 3, -1, 2]);
});

test("a trimmed test says how many it kept", () => {
  expect(trimmedSignedRank([1.1, 1.2, 1.3, 90], 1, "+")).toEqual({ p: 1 / 8, kept: 3, total: 4 });
});

test("of nothing, of zeros and of what is no number", () => {
  expect([signedRankUpperTail([]), signedRankUpperTail([0, 0])]).toEqual([1, 1]);
  expect(trimmedSignedRank([], 0, "+")).toEqual({ p: 1, kept: 0, total: 0 });
  for (const wrong of [Number.NaN, Number.NEGATIVE_INFINITY]) {
    expect(() => signedRankUpperTail([1, wrong])).toThrow(RangeError);
    expect(() => trimmedSignedRank([1, 2, 3, wrong], 0, "+")).toThrow(RangeError);
  }
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
