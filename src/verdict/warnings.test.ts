import { expect, test } from "vitest";
import { makeSamples, type SamplesRecipe } from "../../test/support/samples.ts";
import type { Comparison } from "../model/verdict.ts";
import { findWarnings } from "./warnings.ts";

const QUIET: SamplesRecipe = { rounds: 12, noise: 0.02, seed: 3 };

/** Kinds and texts of what is warned of, by rules of this file. */
function check(
  recipe: SamplesRecipe,
  comparisons: readonly Partial<Comparison>[],
  expected: readonly string[],
): void {
  const found = findWarnings(makeSamples(recipe), comparisons as readonly Comparison[]);
  expect(found.map(({ kind, text }) => `${kind}: ${text}`)).toEqual(expected);
}

const moved = (metric: Comparison["metric"], estimate: number): Partial<Comparison> => ({
  scenario: "api/echo",
  metric,
  estimator: "pooled",
  level: "info",
  state: "regressed",
  estimate,
  requestsBeyond: 100,
});

test("a quiet run with nothing worse is no matter for a warning", () => {
  check(QUIET, [], []);
});

test("quantiles that nobody gates are told in one line for a scenario", () => {
  const gated = { ...moved("p99", 0.5), level: "gate" as const };
  const service = { ...moved("rss", 0.5), scenario: null };
  const well = { ...moved("p95", 0), state: "pass" as const };
  check(
    QUIET,
    [moved("p50", Math.log(1.5)), gated, service, well, moved("p999", Math.log(3))],
    ["shape: api/echo: proven worse, and not gated: p50 (pooled) +50.0 %, p99.9 (pooled) +200 %."],
  );
});

test("a gated quantile with few requests beyond it is thin, from nine down", () => {
  const gated = { ...moved("p99", 0), level: "gate" as const, state: "pass" as const };
  check(QUIET, [{ ...gated, requestsBeyond: 10 }], []);
  check(
    QUIET,
    [{ ...gated, requestsBeyond: 9 }],
    [
      "thin: api/echo p99 (pooled) is thin: it rests on 9 requests beyond it in a round (10 wanted); more or longer slices would make it steadier.",
    ],
  );
});

test("slices that were void are told from one in twenty on", () => {
  const of = (voidShare: number) =>
    findWarnings(makeSamples({ ...QUIET, voidShare }), []).filter(({ kind }) => kind === "void");
  expect(of(0.01)).toEqual([]);
  expect(of(0.1)).toHaveLength(1);
});

test("a candidate with slower slices, against none of the reference, may stall", () => {
  const found = findWarnings(makeSamples({ ...QUIET, p99Ratio: { "api/echo": 2 } }), []);
  expect(found.map(({ kind }) => kind)).toEqual(["stall"]);
  expect(found[0]?.text).toMatch(/^api\/echo: 48 slices of the candidate .* against 0 the other/);
});
