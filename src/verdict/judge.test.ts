// The judge over whole samples: states, their precedence, and what must never pass.
import { expect, test } from "vitest";
import { makeSamples, type SamplesRecipe } from "../../test/support/samples.ts";
import type { VerdictState } from "../model/verdict.ts";
import { judge, openQuestions } from "./judge.ts";

function check(recipe: SamplesRecipe, state: VerdictState, blamed: string[] = []): void {
  const samples = makeSamples(recipe);
  const verdict = judge({ samples, baselines: [] });
  expect(verdict.state, verdict.headline).toBe(state);
  const named = verdict.comparisons
    .filter((comparison) => comparison.level === "gate" && comparison.state === state)
    .map(({ id }) => id);
  for (const id of blamed) expect(named).toContain(id);
  if (blamed.length > 0) expect(named).toHaveLength(blamed.length);
}

test("nothing changed passes", () => {
  check({ rounds: 16, noise: 0.03 }, "pass");
});

test("a slower scenario is named, and only it", () => {
  // The pooled p99 only guards against stalls: a quarter more is within its promise.
  check({ rounds: 20, noise: 0.03, p99Ratio: { "api/echo": 1.25 } }, "regressed", [
    "api/echo p99 typical",
  ]);
});

test("a heavier service is named, and only it", () => {
  check({ rounds: 20, noise: 0.01, rssRatio: { api: 1.1 } }, "regressed", ["api rss"]);
});

test("a proven improvement is improved", () => {
  check({ rounds: 20, noise: 0.02, p99Ratio: { "api/echo": 0.7 } }, "improved");
});

test("too few rounds say nothing", () => {
  check({ rounds: 7, noise: 0.01 }, "inconclusive");
});

test("a small proven change under the floor does not block", () => {
  check({ rounds: 60, noise: 0.004, p99Ratio: { "api/echo": 1.03 } }, "pass");
});

test("a change below the absolute floor does not block", () => {
  check(
    { rounds: 20, noise: 0.01, p99Us: 300, absoluteFloorUs: 80, p99Ratio: { "api/echo": 1.2 } },
    "inconclusive",
  );
});

test("a crash is invalid, however good the rounds before it were", () => {
  check({ rounds: 16, noise: 0.02, crashInRound: 15 }, "invalid");
});

test("void slices beyond the limit are invalid", () => {
  check({ rounds: 16, noise: 0.02, voidShare: 0.4 }, "invalid");
});

test("a saturated reference is invalid and never a pass", () => {
  check({ rounds: 16, noise: 0.02, saturated: "both" }, "invalid");
  // Once may be the host.
  check({ rounds: 1, noise: 0.02, saturated: "both" }, "inconclusive");
  check({ rounds: 2, noise: 0.02, saturated: "both" }, "invalid");
});

test("only the candidate saturating is a regression when its latency shows it", () => {
  check(
    { rounds: 20, noise: 0.03, saturated: "candidate", p99Ratio: { "api/echo": 40 } },
    "regressed",
    ["api/echo p99 typical", "api/echo p99 pooled"],
  );
});

test("a scenario that was never measured is never a pass", () => {
  check({ rounds: 16, noise: 0.02, omitScenario: "api/hello" }, "invalid");
});

test("a run without rounds is never a pass", () => {
  check({ rounds: 0, noise: 0.02 }, "invalid");
});

test("with nothing gated nothing is shown", () => {
  check({ rounds: 16, noise: 0.02, levels: "info" }, "inconclusive");
});

test("judging twice gives the same bytes", () => {
  const samples = makeSamples({ rounds: 20, noise: 0.05 });
  const first = JSON.stringify(judge({ samples, baselines: [] }));
  const again = JSON.stringify(
    judge({ samples: JSON.parse(JSON.stringify(samples)), baselines: [] }),
  );
  expect(again).toBe(first);
});

test("rounds after a decision do not change it", () => {
  const long = makeSamples({ rounds: 40, noise: 0.04 });
  const short = { ...long, rounds: long.rounds.slice(0, 16) };
  const decided = judge({ samples: short, baselines: [] }).comparisons.filter(
    ({ level, state }) => level === "gate" && state === "pass",
  );
  expect(decided.length).toBeGreaterThan(0);
  const later = judge({ samples: long, baselines: [] });
  for (const comparison of decided) {
    const same = later.comparisons.find(({ id }) => id === comparison.id);
    expect({ ...same, series: [] }).toEqual({ ...comparison, series: [] });
  }
});

test("what a run sees is no less than its floor, and no run sees before a regression can be called", () => {
  const sees = (rounds: number): number[] =>
    judge({ samples: makeSamples({ rounds, noise: 0.004 }), baselines: [] })
      .comparisons.filter(({ metric }) => metric === "p99")
      .map(({ detectable }) => detectable ?? Number.NaN);
  for (const [i, detectable] of sees(8).entries()) {
    const floor = i % 2 === 0 ? 0.05 : 0.25;
    expect(detectable).toBeGreaterThan(floor);
    expect(detectable).toBeLessThan(floor + 0.01);
  }
  const early = makeSamples({ rounds: 8, noise: 0.05 });
  const [eight] = judge({ samples: early, baselines: [] }).comparisons;
  early.config.policy.looks = [8];
  const [only] = judge({ samples: early, baselines: [] }).comparisons;
  // With one look alpha is not shared, but only eight rounds can be had.
  expect(eight?.rounds).toBe(8);
  expect(eight?.detectable).toBeLessThan(only?.detectable ?? 0);
});

test("what could be told with more time is advised, and how", () => {
  const verdict = judge({ samples: makeSamples({ rounds: 7, noise: 0.01 }), baselines: [] });
  expect(verdict.next[0]).toMatch(/--resume and a larger --time-budget/);
});

test("a run goes on with what is open, and a service's memory keeps all its scenarios", () => {
  const samples = makeSamples({ rounds: 7, noise: 0.01 });
  const open = openQuestions({ samples, baselines: [] });
  expect([...open.scenarios]).toEqual(["api/echo", "api/hello"]);
  expect([...open.services]).toEqual(["api"]);
  const done = openQuestions({ samples: makeSamples({ rounds: 16, noise: 0.01 }), baselines: [] });
  expect(done.hypotheses.size).toBe(0);
});
