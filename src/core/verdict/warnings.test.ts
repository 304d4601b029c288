import { expect, test } from "vitest";
import { makeSamples, type SamplesRecipe } from "../../../test/support/samples.ts";
import type { JudgedComparison } from "../model/verdict.ts";
import { CAUTION_KINDS, describeCaution } from "../report/words/cautions.ts";
import { findCautions } from "./warnings.ts";

const QUIET: SamplesRecipe = { rounds: 12, noise: 0.02, seed: 3 };

/** Kinds and texts of what is warned of, by rules of this file. */
function check(
  recipe: SamplesRecipe,
  comparisons: readonly Partial<JudgedComparison>[],
  expected: readonly string[],
): void {
  const found = findCautions(makeSamples(recipe), comparisons as readonly JudgedComparison[]);
  expect(
    found.map(
      (caution) => `${CAUTION_KINDS[caution.code]}: ${describeCaution(caution, new Map())}`,
    ),
  ).toEqual(expected);
}

const moved = (
  metric: JudgedComparison["metric"],
  estimate: number,
): Partial<JudgedComparison> => ({
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
    [
      "shape: api/echo: proven worse, and not gated: p50 of all requests +50.0 %, p99.9 of all requests +200 %.",
    ],
  );
});

test("a gated quantile with few requests beyond it is thin, from nine down", () => {
  const gated = { ...moved("p99", 0), level: "gate" as const, state: "pass" as const };
  check(QUIET, [{ ...gated, requestsBeyond: 10 }], []);
  check(
    QUIET,
    [{ ...gated, requestsBeyond: 9 }],
    [
      "thin: api/echo: only 9 requests of a round lie beyond the p99 of all requests (10 recommended): raise slice.pairs or slice.duration of the scenario.",
    ],
  );
});

test("slices that were void are told from one in twenty on", () => {
  const of = (voidShare: number) =>
    findCautions(makeSamples({ ...QUIET, voidShare }), []).filter(({ code }) => code === "void");
  expect(of(0.01)).toEqual([]);
  expect(of(0.1)).toHaveLength(1);
});

test("a host that disturbed one slice in twenty is told, with who was at work", () => {
  const samples = makeSamples(QUIET);
  const found = (share: number): string[] => {
    const slices = samples.rounds.flatMap(({ scenarios }) => scenarios.flatMap((s) => s.slices));
    slices.forEach((slice, k) => {
      slice.host = { ...slice.host, foreign: k < share * slices.length ? 0.4 : 0 };
    });
    for (const round of samples.rounds) {
      round.culprits = [
        { command: "rust`c\u001b[31m", share: 0.381 },
        { command: "apt", share: 0.04 },
      ];
    }
    return findCautions(samples, [])
      .filter(({ code }) => code === "disturbed")
      .map((caution) => `${CAUTION_KINDS[caution.code]}: ${describeCaution(caution, new Map())}`);
  };
  expect(found(0.04)).toEqual([]);
  expect(found(0.125)).toEqual([
    "host: In 24 of 192 measurements something else took the machine (other programs 24): they count, but prove no pass. Meanwhile rust`c used 38 %, apt 4 % of the measured CPUs.",
  ]);
});

test("requests without compression are told of where the service compresses", () => {
  const samples = makeSamples(QUIET);
  const [entry] = samples.rounds[0]?.scenarios ?? [];
  if (entry === undefined) throw new Error("no scenario");
  const answer = { status: 200, contentType: null, bytes: 1, sha256: "0".repeat(64) };
  entry.answers = { candidate: answer, reference: answer };
  expect(findCautions(samples, [])).toEqual([]);
  entry.answers = { candidate: { ...answer, couldCompress: true }, reference: answer };
  expect(findCautions(samples, []).map((one) => describeCaution(one, new Map()))).toEqual([
    "api/echo: asked without compression, which the service has and most clients ask for. To measure it, add accept-encoding: gzip to headers of the request.",
  ]);
});
