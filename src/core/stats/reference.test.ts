// Against values computed elsewhere: scipy, exact fractions, enumeration, and an independent
// implementation of the rule.
import { expect, test } from "vitest";
import { decide } from "../verdict/decide.ts";
import { decideStored } from "../verdict/decide-stored.ts";
import reference from "./fixtures/reference.json" with { type: "json" };
import { hodgesLehmann, signedRankInterval } from "./hodges-lehmann.ts";
import { normalUpperQuantile } from "./normal.ts";
import { binomialLowerTail, binomialUpperTail } from "./proportion.ts";
import { quantile, requestsBeyond, sortSample } from "./quantile.ts";
import { rankSumUpperTail, shiftEstimate } from "./rank-sum.ts";
import { signedRankTails } from "./signed-rank.ts";

/** Both absolutely, for values near zero, and relatively, so that the digits of a small p count. */
function close(actual: number, expected: number, tolerance: number, what: string): void {
  const message = `${what}: ${actual}, expected ${expected}`;
  if (actual === expected) return;
  const difference = Math.abs(actual - expected);
  expect(difference, message).toBeLessThanOrEqual(tolerance * Math.abs(expected) + 1e-15);
}

test("signed-rank p: enumeration, and scipy's exact test", () => {
  expect(reference.signedRank.length).toBeGreaterThan(30);
  for (const { x, p } of reference.signedRank) {
    const ranked = x.toSorted((a, b) => Math.abs(a) - Math.abs(b));
    const w = ranked.reduce((sum, value, i) => sum + (value > 0 ? i + 1 : 0), 0);
    close(signedRankTails(x.length)[w] as number, p, 1e-12, JSON.stringify(x));
  }
});

test("rank-sum p and shift: enumeration with ties, scipy's exact test without, to 60 against 60", () => {
  for (const { x, y, p, shift } of reference.rankSum) {
    close(rankSumUpperTail(x, y), p, 1e-11, `${x} | ${y}`);
    close(shiftEstimate(x, y), shift, 1e-12, `${x} | ${y}`);
  }
});

test("the rank of a quantile is that of exact fractions", () => {
  for (const { n, p, rank } of reference.quantileRank) {
    const sorted = sortSample(Array.from({ length: n }, (_, i) => i + 1));
    expect(quantile(sorted, p), `n = ${n}, p = ${p}`).toBe(rank);
    expect(requestsBeyond(n, p), `n = ${n}, p = ${p}`).toBe(n - rank);
  }
});

test("quantiles are numpy's inverted_cdf", () => {
  const sorted = sortSample(reference.skewed.x);
  for (const { p, q } of reference.skewed.quantiles) expect(quantile(sorted, p), `${p}`).toBe(q);
});

test("Hodges-Lehmann estimates are the medians of Walsh averages", () => {
  for (const { x, estimate } of reference.hodgesLehmann) {
    close(hodgesLehmann(x), estimate, 1e-12, JSON.stringify(x));
  }
});

test("binomial tails and normal quantiles are scipy's", () => {
  for (const { k, n, p, upper, lower } of reference.binomial) {
    close(binomialUpperTail(k, n, p), upper, 1e-8, `at least ${k} of ${n} at ${p}`);
    close(binomialLowerTail(k, n, p), lower, 1e-8, `at most ${k} of ${n} at ${p}`);
  }
  const usual = reference.normal.filter(({ q }) => q >= 1e-13);
  for (const { q, z } of usual) close(normalUpperQuantile(q), z, 1e-9, `q = ${q}`);
});

test("the interval is that of a search over shifts, out to the estimate", () => {
  for (const { d, level, low, high } of reference.intervals) {
    const interval = signedRankInterval(d, level);
    const what = `${JSON.stringify(d)} at ${level}`;
    close(interval.low, low ?? Number.NEGATIVE_INFINITY, 1e-12, `${what}, low`);
    close(interval.high, high ?? Number.POSITIVE_INFINITY, 1e-12, `${what}, high`);
  }
});

test("the rule decides as an independent implementation of it does", () => {
  const states = new Set<string>();
  for (const { d, state, rounds, estimate } of reference.series) {
    const decision = decide(
      d.map((value) => ({ d: value, calm: true })),
      reference.rule,
    );
    expect([decision.state, decision.rounds], JSON.stringify(d)).toEqual([state, rounds]);
    close(decision.estimate, estimate, 1e-9, "estimate");
    states.add(state);
  }
  expect([...states].sort()).toEqual(["open", "pass", "regressed"]);
});

test("against stored values it decides as an independent implementation does", () => {
  const states = new Set<string>();
  for (const { candidate, reference: stored, drift, state, rounds } of reference.unpaired) {
    const rule = { ...reference.rule, driftMargin: drift };
    const decision = decideStored(candidate, stored, rule);
    expect([decision.state, decision.rounds], JSON.stringify(candidate)).toEqual([state, rounds]);
    states.add(state);
  }
  expect([...states].sort()).toEqual(["open", "pass", "regressed"]);
});
