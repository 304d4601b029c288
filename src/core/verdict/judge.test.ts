// The judge over whole samples: states, their precedence, and what must never pass.
import { expect, test } from "vitest";
import { usualLimits } from "../../../test/support/configurations.ts";
import { makeSamples, type SamplesRecipe, withNew } from "../../../test/support/samples.ts";
import { recordBaseline } from "../baseline/record.ts";
import type { Baseline } from "../model/baseline.ts";
import type { Fault } from "../model/fault.ts";
import type { Arm, Launch, Samples } from "../model/samples.ts";
import type { VerdictState } from "../model/verdict.ts";
import { describeVerdict } from "../report/words/verdict.ts";
import { detectableEffect } from "../stats/detectable-effect.ts";
import { fewestRounds, ruleOf } from "./decide.ts";
import { gatingCount, listHypotheses } from "./hypotheses.ts";
import { judge, openQuestions } from "./judge.ts";

function check(recipe: SamplesRecipe, state: VerdictState, blamed: string[] = []): void {
  const samples = makeSamples(recipe);
  const verdict = judge({ samples, baselines: [] });
  expect(verdict.state, JSON.stringify(verdict.causes)).toBe(state);
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
  // The pooled p99 only guards against stalls: a quarter more is within its margin.
  check({ rounds: 20, noise: 0.03, p99Ratio: { "api/echo": 1.25 } }, "regressed", [
    "api/echo p99 typical",
  ]);
});

/** Cuts the slices of api/echo into windows, and asks for their slowest answers. */
function withSlowest(rounds: number, usOf: (round: number, arm: Arm, window: number) => number) {
  const samples = makeSamples({ rounds, noise: 0.01 });
  const [first] = samples.config.policy.metrics;
  if (first === undefined) throw new Error("no metric");
  samples.config.policy.metrics.push({
    ...first,
    ...usualLimits("slow"),
    metric: "slow",
    estimator: "windows",
  });
  for (const { index, scenarios } of samples.rounds) {
    for (const slice of scenarios[0]?.slices ?? []) {
      if (slice.latency === null) continue;
      const { p999: _, max: __, ...quantiles } = slice.latency;
      slice.windows = [0, 1, 2, 3].map((k) => ({ ...quantiles, max: usOf(index, slice.arm, k) }));
    }
  }
  return judge({ samples, baselines: [] });
}

test("what is slow in every other window is named, and nothing else sees it", () => {
  const { comparisons, state } = withSlowest(20, (_, arm, window) =>
    arm === "candidate" && window % 2 === 0 ? 10_000 : 700,
  );
  expect(state).toBe("regressed");
  const red = comparisons.filter((one) => one.state === "regressed");
  expect(red.map(({ id, rounds }) => [id, rounds])).toEqual([["api/echo slow windows", 12]]);
});

test("what is slow in both arms passes", () => {
  const { comparisons, state } = withSlowest(60, (round, arm, window) =>
    round % 8 === (arm === "candidate" ? 0 : 4) && window === 0 ? 30_000 : 700,
  );
  expect(comparisons.find(({ metric }) => metric === "slow")?.state).toBe("pass");
  expect(state).toBe("pass");
});

test("a heavier service is named, and only it", () => {
  check({ rounds: 20, noise: 0.01, rssRatio: { api: 1.1 } }, "regressed", ["api rss"]);
});

test("a proven improvement is improved", () => {
  check({ rounds: 20, noise: 0.02, p99Ratio: { "api/echo": 0.7 } }, "improved");
});

test("too few rounds say nothing", () => {
  check({ rounds: 4, noise: 0.01 }, "inconclusive");
});

test.each([
  // Eleven rounds are the fewest for a regression, five for a pass.
  [4, 10, { code: "likely-worse", rounds: 4, more: 6 }],
  [4, 1, { code: "open", rounds: 4, more: 1 }],
])("after %d rounds a p99 %d times as long is %o", (rounds, ratio, expected) => {
  const samples = makeSamples({ rounds, noise: 0.01, p99Ratio: { "api/echo": ratio } });
  const { comparisons, state } = judge({ samples, baselines: [] });
  expect(state).toBe("inconclusive");
  expect(comparisons[0]?.finding).toEqual(expected);
});

test("a small proven change under the floor does not block, and is told from no change", () => {
  const samples = makeSamples({ rounds: 60, noise: 0.004, p99Ratio: { "api/echo": 1.04 } });
  const { state, causes, comparisons } = judge({ samples, baselines: [] });
  expect(state).toBe("pass");
  expect(comparisons.map(({ id, state: own }) => `${id}: ${own}`)).toContain(
    "api/echo p99 typical: worse-within",
  );
  expect(causes.map(({ finding }) => finding.code)).toContain("worse-within");
});

test("beside what is worse within its margin nothing is called an improvement", () => {
  const p99Ratio = { "api/echo": 1.04, "api/hello": 0.7 };
  check({ rounds: 60, noise: 0.004, p99Ratio }, "pass");
  check({ rounds: 60, noise: 0.004, p99Ratio: { "api/hello": 0.7 } }, "improved");
});

test("a change below the absolute floor passes, and one beyond it blocks", () => {
  const fast = { rounds: 20, noise: 0.01, p99Us: 300, absoluteFloorUs: 80 };
  check({ ...fast, p99Ratio: { "api/echo": 1.2 } }, "pass");
  check({ ...fast, p99Ratio: { "api/echo": 1.3 } }, "regressed", ["api/echo p99 typical"]);
});

test("a crash is invalid, however good the rounds before it were", () => {
  check({ rounds: 16, noise: 0.02, crashInRound: 15 }, "invalid");
});

test("slices that were void and measured again, as in files of versions before, change nothing", () => {
  check({ rounds: 16, noise: 0.02, voidShare: 0.4 }, "pass");
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
  check({ rounds: 16, noise: 0.02, levels: "info", crashInRound: 3 }, "invalid");
  const samples = makeSamples({ rounds: 16, noise: 0.02, levels: "info" });
  const unlike = { what: "compare", measured: "stored", wanted: "base" } as const;
  const ofRun: Fault = { kind: "otherwise", scenario: null, rule: null, difference: unlike };
  expect(judge({ samples, baselines: [], faults: [ofRun] }).state).toBe("invalid");
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
    judge({ samples: makeSamples({ rounds, noise: 0.002 }), baselines: [] })
      .comparisons.filter(({ metric }) => metric === "p99")
      .map(({ detectable }) => detectable ?? Number.NaN);
  for (const [i, detectable] of sees(8).entries()) {
    const floor = i % 2 === 0 ? 0.05 : 0.25;
    expect(detectable).toBeGreaterThan(floor);
    expect(detectable).toBeLessThan(floor + 0.01);
  }
  // Two rounds are too few to call anything: the figure is that of the first round that could.
  const samples = makeSamples({ rounds: 2, noise: 0.05 });
  const { policy } = samples.config;
  const hypotheses = gatingCount(listHypotheses(samples.config));
  const wealth = hypotheses / policy.alpha;
  const [two] = judge({ samples, baselines: [] }).comparisons;
  const sd = two?.sd ?? Number.NaN;
  const rounds = fewestRounds(ruleOf(usualLimits("p99"), policy, hypotheses)).regress;
  const { floor = Number.NaN } = two ?? {};
  const expected = detectableEffect({ sd, rounds, tolerance: 0.01, wealth, floor });
  expect(two?.detectable).toBeCloseTo(expected, 6);
});

test("what could be told with more time is advised, and how", () => {
  const verdict = judge({ samples: makeSamples({ rounds: 4, noise: 0.01 }), baselines: [] });
  expect(verdict.advice[0]).toEqual({ code: "measure-on", mostRounds: 150 });
});

test("a run goes on with what is open, and a service's memory keeps all its scenarios", () => {
  const samples = makeSamples({ rounds: 4, noise: 0.01 });
  const open = openQuestions({ samples, baselines: [] });
  expect([...open.scenarios]).toEqual(["api/echo", "api/hello"]);
  expect([...open.services]).toEqual(["api"]);
  const done = openQuestions({ samples: makeSamples({ rounds: 16, noise: 0.01 }), baselines: [] });
  expect(done.hypotheses.size).toBe(0);
});

test("what is new is shown, takes no share of alpha, and decides nothing", () => {
  const whole = makeSamples({ rounds: 20, noise: 0.02, p99Ratio: { "api/echo": 1.3 } });
  const without = structuredClone(whole);
  without.config.scenarios = without.config.scenarios.filter(({ id }) => id === "api/echo");
  const judged = judge({ samples: withNew(whole, "api/hello"), baselines: [] });
  const alone = judge({ samples: without, baselines: [] });
  const isNew = ({ scenario }: { scenario: string | null }): boolean => scenario === "api/hello";
  expect(judged.comparisons.filter((one) => !isNew(one))).toEqual(alone.comparisons);
  expect(judged.state).toBe("regressed");
  for (const one of judged.comparisons.filter(isNew)) {
    expect(one).toMatchObject({ state: "new", reference: null, estimate: null, rounds: 20 });
    expect(one.candidate).toBeGreaterThan(0);
  }
  expect(judged.oneArm).toEqual({ new: ["api/hello"], changed: [], gone: [] });
});

test("where all is new nothing was compared, and it passes once it was measured", () => {
  const samples = makeSamples({ rounds: 5, noise: 0.02 });
  const fresh = withNew(withNew(samples, "api/echo"), "api/hello");
  const judged = judge({ samples: fresh, baselines: [] });
  expect(describeVerdict(judged).summary).toBe(
    "nothing to compare yet: 2 new scenarios; new: api/echo, api/hello",
  );
  expect(judged.state).toBe("pass");
  expect(openQuestions({ samples: fresh, baselines: [] }).hypotheses.size).toBe(0);

  const unmeasured = structuredClone(fresh);
  for (const { scenarios } of unmeasured.rounds) {
    for (const { arms, slices } of scenarios) {
      arms.candidate.pooled = null;
      for (const slice of slices) slice.void = { rule: "incomplete", detail: "" };
    }
  }
  unmeasured.rounds = unmeasured.rounds.map((round) => ({ ...round, launches: null }));
  expect(judge({ samples: unmeasured, baselines: [] }).state).not.toBe("pass");
});

test("a new service has no reference, and its first rounds are open", () => {
  const samples = makeSamples({ rounds: 2, noise: 0.02 });
  const { sources } = samples;
  const fresh = { ...samples, sources: { ...sources, references: { api: null } } };
  expect([...openQuestions({ samples: fresh, baselines: [] }).scenarios]).toEqual([
    "api/echo",
    "api/hello",
  ]);
  expect(judge({ samples: fresh, baselines: [] }).oneArm.new).toEqual(["api/echo", "api/hello"]);
});

test("a new scenario that crashes the candidate is no pass", () => {
  const samples = withNew(makeSamples({ rounds: 16, noise: 0.02 }), "api/hello");
  const crash = { kind: "crash", arm: "candidate", scenario: "api/hello", text: "x", detail: "" };
  Object.assign(samples.rounds.at(-1) ?? {}, { failure: crash });
  expect(judge({ samples, baselines: [] }).state).toBe("invalid");
});

test("memory of several processes is PSS, in both arms, and its baseline is another", () => {
  const MIB = 1024 ** 2;
  const forking = (candidate: number, reference: number): Samples => {
    const samples = makeSamples({ rounds: 20, noise: 0.01 });
    for (const { launches, index } of samples.rounds) {
      const read = (launch: Launch | null | undefined, rss: number, pss: number): void => {
        if (launch == null) return;
        const luck = 1 + 0.002 * (index % 5);
        launch.values = { ...launch.values, rss: rss * luck * MIB, pss: pss * luck * MIB };
        launch.warm = { requests: 100, rss: 800 * MIB, pss: 95 * MIB };
      };
      // Eight workers of 3 MiB more each, and 80 MiB that all of them share.
      read(launches?.candidate, 842, 120);
      read(launches?.reference, 817, 95.8);
      if (launches?.candidate !== undefined && candidate > 1) {
        launches.candidate.processes = candidate;
      }
      if (launches?.reference != null && reference > 1) launches.reference.processes = reference;
    }
    return samples;
  };
  const rssOf = (samples: Samples, baselines: readonly Baseline[] = []) =>
    describeVerdict(judge({ samples, baselines })).comparisons.find(({ id }) => id === "api rss");
  for (const [candidate, reference] of [
    [9, 9],
    [9, 1],
    [1, 9],
  ] as const) {
    const found = rssOf(forking(candidate, reference));
    expect(found).toMatchObject({ state: "regressed", isPss: true, growth: { kind: "leak" } });
    expect(found?.reason).toMatch(/^api PSS after load is \+25\.3 % /);
  }
  // The sum of what each process has: a twentieth of that.
  const alone = rssOf(forking(1, 1));
  expect(alone?.state).not.toBe("regressed");
  expect(alone?.reason).toMatch(/^api RSS after load is \+3\.1 % /);

  const stored = (of: Samples, seen: Samples) =>
    judge({
      samples: { ...seen, run: { ...seen.run, compare: "stored" } },
      baselines: [recordBaseline(of, "api")],
    }).comparisons.find(({ metric }) => metric === "rss");
  expect(recordBaseline(forking(9, 9), "api").metrics.rss?.[0]).toBeCloseTo(120 * MIB, -5);
  expect(stored(forking(9, 9), forking(9, 9))?.finding.code).toBe("no-drift");
  expect(stored(forking(1, 1), forking(1, 1))?.finding.code).toBe("no-drift");
  // Before the first reading nobody knows, and what cannot be compared would never be read.
  expect(stored(forking(9, 9), { ...forking(9, 9), rounds: [] })?.finding.code).toBe("no-drift");
  for (const [then, now] of [
    [1, 9],
    [9, 1],
  ] as const) {
    expect(stored(forking(then, then), forking(now, now))?.finding).toMatchObject({
      code: "incomparable",
      difference: expect.stringMatching(/^memory is PSS where/),
    });
  }
});
