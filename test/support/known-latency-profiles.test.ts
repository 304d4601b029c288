// That the tables have the quantiles they are said to have, by other means than the formulas.
import { expect, test } from "vitest";
import { quantile, sortSample } from "../../src/core/stats/quantile.ts";
import {
  heldTable,
  MIXES,
  mixedQuantileUs,
  PROFILES,
  type Profile,
  trueQuantileUs,
} from "./known-latency-profiles.ts";

function profileOf(name: string): Profile {
  const profile = PROFILES.find((one) => one.name === name);
  if (profile === undefined) throw new Error(name);
  return profile;
}

/** What evenly spaced requests meet, each held for the table's next entry. */
function latenciesOf(name: string, requests: number): number[] {
  const profile = profileOf(name);
  const table = heldTable(profile, 1);
  const { everyMs, lengthMs } = profile.stall ?? { everyMs: 1, lengthMs: 0 };
  const everyUs = everyMs * 1000;
  return Array.from({ length: requests }, (_, i) => {
    const intoUs = (((i + 0.5) * 8_000_000) / requests) % everyUs;
    return Math.max(0, lengthMs * 1000 - intoUs) + (table[i % table.length] ?? 0);
  });
}

function walk(name: string, requests: number): { p: number; truthUs: number; walkedUs: number }[] {
  const profile = profileOf(name);
  const sorted = sortSample(latenciesOf(name, requests));
  return [0.5, 0.9, 0.99, 0.999].map((p) => ({
    p,
    truthUs: trueQuantileUs(profile, p),
    walkedUs: quantile(sorted, p),
  }));
}

test.each(PROFILES.map(({ name }) => name))("%s", (name) => {
  for (const { p, truthUs, walkedUs } of walk(name, 64_000)) {
    expect(walkedUs / truthUs, `p${p}`).toBeGreaterThan(0.97);
    expect(walkedUs / truthUs, `p${p}`).toBeLessThan(1.03);
  }
});

test.each(MIXES.map(({ name }) => name))("the mix %s", (name) => {
  const mix = MIXES.find((one) => one.name === name);
  const parts = mix?.parts ?? [];
  const all = parts.flatMap(({ weight, profile }) => latenciesOf(profile.name, weight * 64_000));
  const sorted = sortSample(all);
  for (const p of [0.5, 0.9, 0.99, 0.999]) {
    const truthUs = mix === undefined ? Number.NaN : mixedQuantileUs(mix, p);
    expect(quantile(sorted, p) / truthUs, `p${p}`).toBeGreaterThan(0.97);
    expect(quantile(sorted, p) / truthUs, `p${p}`).toBeLessThan(1.03);
  }
});

test("known values", () => {
  const of = (name: string, p: number): number => Math.round(trueQuantileUs(profileOf(name), p));
  expect([0.5, 0.97, 0.99].map((p) => of("modes", p))).toEqual([1000, 10_000, 10_000]);
  expect([0.5, 0.9, 0.99, 0.999].map((p) => of("tail", p))).toEqual([1414, 3162, 10_000, 31_623]);
  expect([0.5, 0.9, 0.99, 0.999].map((p) => of("stalls", p))).toEqual([
    1000, 1000, 181_000, 199_000,
  ]);
});
