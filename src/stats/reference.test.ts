// Against values computed elsewhere: scipy, brute-force enumeration, and an independent implementation of the rule.
import { expect, test } from "vitest";
import { decide } from "../verdict/decide.ts";
import { normalUpperQuantile } from "./detectable-effect.ts";
import reference from "./fixtures/reference.json" with { type: "json" };
import { hodgesLehmann } from "./hodges-lehmann.ts";
import { binomialUpperTail, clopperPearson } from "./proportion.ts";
import { quantile, sortSample } from "./quantile.ts";
import { rankSumUpperTail } from "./rank-sum.ts";
import { signedRankUpperTail } from "./signed-rank.ts";

const EXACT = 1e-12;

function close(actual: number, expected: number, tolerance: number, what: string): void {
  expect(
    Math.abs(actual - expected),
    `${what}: ${actual}, expected ${expected}`,
  ).toBeLessThanOrEqual(tolerance * Math.max(1, Math.abs(expected)));
}

test("signed-rank tails equal the enumeration of all signs, ties and zeros included", () => {
  expect(reference.signedRank.length).toBeGreaterThan(20);
  for (const { x, p } of reference.signedRank) {
    close(signedRankUpperTail(x), p, EXACT, JSON.stringify(x));
  }
});

test("rank-sum tails equal scipy's exact ones, and the enumeration where there are ties", () => {
  for (const { x, y, p } of reference.rankSum)
    close(rankSumUpperTail(x, y), p, 1e-11, `${x} | ${y}`);
});

test("quantiles equal numpy's inverted_cdf", () => {
  const samples = new Map(
    reference.quantile.flatMap((row) => ("x" in row ? [[row.n, row.x]] : [])),
  );
  for (const { n, p, q } of reference.quantile) {
    const sample = samples.get(n);
    expect(quantile(sortSample(sample ?? []), p), `n = ${n}, p = ${p}`).toBe(q);
  }
});

test("Hodges-Lehmann estimates are the medians of Walsh averages", () => {
  for (const { x, estimate } of reference.hodgesLehmann) {
    close(hodgesLehmann(x), estimate, EXACT, JSON.stringify(x));
  }
});

test("binomial tails, Clopper-Pearson intervals and normal quantiles equal scipy's", () => {
  for (const { k, n, p, tail } of reference.binomial) {
    close(binomialUpperTail(k, n, p), tail, 1e-11, `${k} of ${n} at ${p}`);
  }
  for (const { k, n, level, low, high } of reference.clopperPearson) {
    const interval = clopperPearson(k, n, level);
    close(interval.low, low, 1e-9, `${k} of ${n}, low`);
    close(interval.high, high, 1e-9, `${k} of ${n}, high`);
  }
  for (const { q, z } of reference.normal) close(normalUpperQuantile(q), z, 1e-9, `q = ${q}`);
});

test("the rule decides as an independent implementation of it does", () => {
  const states = new Set<string>();
  for (const { d, state, look, estimate } of reference.series) {
    const decision = decide(d, reference.rule);
    expect([decision.state, decision.look], JSON.stringify(d)).toEqual([state, look]);
    close(decision.estimate, estimate, 1e-9, "estimate");
    states.add(state);
  }
  expect([...states].sort()).toEqual(["open", "pass", "regressed"]);
});
