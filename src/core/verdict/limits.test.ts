// Absolute limits of the candidate: questions of their own, beside a reference and without one.
import { expect, test } from "vitest";
import { describeExplanation } from "../../../satellites/sheets/explain.ts";
import { makePolicy, makeSamples, withLimits, withNew } from "../../../test/support/samples.ts";
import type { Samples } from "../model/samples.ts";
import type { JudgedComparison, VerdictState } from "../model/verdict.ts";
import { whyNotLetThrough } from "../report/pull-request/status.ts";
import { describeRun, describeVerdict } from "../report/words/verdict.ts";
import {
  askedOf,
  gatingCount,
  limitOf,
  listQuestions,
  measuredOf,
  sharingOf,
} from "./hypotheses.ts";
import { judge, openQuestions } from "./judge.ts";

const MIB = 1024 ** 2;
/** A p99 of about 300 us, RSS of about 19 MiB. */
const steady = (rounds = 20): Samples => makeSamples({ rounds, noise: 0.02 });

/** The verdict, and what is not shown to be below its limit: `id: state`. */
function check(samples: Samples, state: VerdictState, others: string[] = []): JudgedComparison[] {
  const verdict = judge({ samples, baselines: [] });
  expect(verdict.state, JSON.stringify(verdict.causes)).toBe(state);
  const held = verdict.comparisons.filter(({ against }) => against === "limit");
  const told = held.filter((one) => one.state !== "pass");
  expect(told.map((one) => `${one.id}: ${one.state}`)).toEqual(others);
  return held;
}

test("below its limits a build passes, and above one it is red, whatever the reference has", () => {
  const held = check(withLimits(steady(), { p99: 900, rss: 30 * MIB }), "pass");
  expect(held.map(({ id, reference }) => [id, reference])).toEqual([
    ["api/echo p99 typical limit", 900],
    ["api/hello p99 typical limit", 900],
    ["api rss limit", 30 * MIB],
  ]);
  check(withLimits(steady(), { p99: 900, rss: 15 * MIB }), "regressed", [
    "api rss limit: regressed",
  ]);
  check(withLimits(steady(), { p99: 100 }), "regressed", [
    "api/echo p99 typical limit: regressed",
    "api/hello p99 typical limit: regressed",
  ]);
  // Half as slow, and still too slow: an improvement and a red.
  const faster = makeSamples({ rounds: 20, noise: 0.02, p99Ratio: { "api/hello": 0.5 } });
  const { comparisons } = judge({ samples: withLimits(faster, { p99: 100 }), baselines: [] });
  expect(
    comparisons.flatMap(({ id, state }) => (id.startsWith("api/hello p99 typical") ? [state] : [])),
  ).toEqual(["improved", "regressed"]);
});

test("at its limit nothing is proven, and a run goes on", () => {
  const samples = withLimits(steady(60), { rss: 20_000_000 });
  const [held] = check(samples, "inconclusive", ["api rss limit: inconclusive"]);
  expect(held?.finding.code).toMatch(/^open|likely-worse$/);
  expect([...openQuestions({ samples, baselines: [] }).hypotheses]).toEqual(["api rss limit"]);
});

test("a limit that is only watched, or shown, decides nothing", () => {
  for (const level of ["warn", "info"] as const) {
    const samples = withLimits(steady(), { rss: 15 * MIB }, level);
    check(samples, "pass", ["api rss limit: regressed"]);
    expect(openQuestions({ samples, baselines: [] }).hypotheses.size).toBe(0);
  }
});

test("a limit takes a share of alpha, and no other effect on what is compared", () => {
  const plain = judge({ samples: steady(), baselines: [] }).comparisons;
  const samples = withLimits(steady(), { p99: 900, rss: 30 * MIB });
  const held = judge({ samples, baselines: [] }).comparisons;
  const compared = held.filter(({ against }) => against !== "limit");
  expect(compared.map(({ id, state }) => [id, state])).toEqual(
    plain.map(({ id, state }) => [id, state]),
  );
  const evidence = (all: readonly JudgedComparison[]) => all[0]?.trail[0]?.regress ?? Number.NaN;
  expect(evidence(held) / evidence(plain)).toBeCloseTo(5 / 8, 12);
  expect(gatingCount(listQuestions(samples.config))).toBe(8);
  expect(gatingCount(sharingOf(samples))).toBe(8);
  expect(gatingCount(askedOf(samples))).toBe(5);
});

test("what is new is held to its limits until they are answered, and to nothing else", () => {
  const fresh = (max: number, rounds = 20) =>
    withLimits(withNew(steady(rounds), "api/hello"), { p99: max });
  check(fresh(900), "pass");
  check(fresh(100), "regressed", [
    "api/echo p99 typical limit: regressed",
    "api/hello p99 typical limit: regressed",
  ]);
  // Its values are shown after five rounds, and its limit is not answered yet.
  const open = openQuestions({ samples: fresh(100, 8), baselines: [] });
  expect([...open.hypotheses].filter((id) => id.startsWith("api/hello"))).toEqual([
    "api/hello p99 typical limit",
  ]);
  expect(gatingCount(sharingOf(fresh(100)))).toBe(5);
  expect(measuredOf(fresh(100)).filter(({ isNew }) => isNew)).toHaveLength(2);
});

test("where all is new, the words tell of the limits that it keeps", () => {
  const service = { ...steady(), sources: { ...steady().sources, references: { api: null } } };
  const summary = (samples: Samples) => describeVerdict(judge({ samples, baselines: [] })).summary;
  expect(summary(withLimits(service, { rss: 30 * MIB }))).toBe(
    "nothing to compare yet: 2 new scenarios, and 1 limit kept; new: api/echo, api/hello",
  );
  expect(summary(withLimits(steady(), { rss: 30 * MIB }))).toBe(
    "no regression: each of 6 gated metrics is shown to be within its limit",
  );
  expect(summary(withLimits(service, { p99: 900, rss: 15 * MIB }))).toMatch(
    /^RSS after load of api is 19\.\d MiB \(limit 15 MiB\)$/,
  );
});

test("measured alone, a build is held to its limits, with a baseline or without", () => {
  const alone = (limits: Parameters<typeof withLimits>[1]): Samples =>
    withLimits(makeSamples({ rounds: 20, noise: 0.02, compare: "stored" }), limits);
  // What has no stored value is no pass.
  check(alone({ p99: 900, rss: 30 * MIB }), "no-baseline");
  check(alone({ p99: 900, rss: 15 * MIB }), "regressed", ["api rss limit: regressed"]);
  const { comparisons } = judge({ samples: alone({ rss: 15 * MIB }), baselines: [] });
  expect(new Set(comparisons.map(({ against }) => against))).toEqual(new Set(["stored", "limit"]));
  const open = openQuestions({
    samples: { ...alone({ rss: 15 * MIB }), rounds: [] },
    baselines: [],
  });
  expect([...open.hypotheses]).toEqual(["api rss limit"]);
});

test("a value of 0 is below any limit, and keeps a comparison open", () => {
  const samples = withLimits(steady(), { rss: 30 * MIB });
  for (const { launches } of samples.rounds.slice(0, 3)) {
    if (launches?.reference) launches.candidate.values.rss = 0;
  }
  const verdict = judge({ samples, baselines: [] });
  expect(verdict.comparisons.find(({ id }) => id === "api rss")?.finding.code).toBe("zero");
  expect(verdict.comparisons.find(({ id }) => id === "api rss limit")?.state).toBe("pass");
});

test("what the reference does not tell of a launch, a limit does not need", () => {
  const samples = withLimits(steady(), { rss: 15 * MIB });
  for (const { launches } of samples.rounds) delete launches?.reference?.values.rss;
  check(samples, "regressed", ["api rss limit: regressed"]);
});

test("noise of the host keeps nothing from passing, and cannot break a limit", () => {
  const noisy = (max: number): Samples => {
    const samples = withLimits(steady(), { p99: max });
    for (const { scenarios } of samples.rounds) {
      for (const { host } of scenarios.flatMap(({ slices }) => slices)) host.foreign = 0.4;
    }
    return samples;
  };
  check(noisy(900), "inconclusive");
  check(noisy(100), "inconclusive", [
    "api/echo p99 typical limit: inconclusive",
    "api/hello p99 typical limit: inconclusive",
  ]);
});

test("a fault spoils the limits of its scenario too", () => {
  const samples = withLimits(makeSamples({ rounds: 16, noise: 0.02, omitScenario: "api/hello" }), {
    p99: 100,
  });
  check(samples, "regressed", [
    "api/echo p99 typical limit: regressed",
    "api/hello p99 typical limit: invalid",
  ]);
});

test("a waiver names a limit apart from the metric's change", () => {
  const waived = (limit: true | undefined, upTo: number): Samples => {
    const samples = withLimits(steady(40), { rss: 15 * MIB });
    const waiver = { metric: "rss", estimator: "launch", scenario: null, service: "api" } as const;
    const words = { reason: "a cache", owner: "Ada", expires: "2026-12-31" };
    samples.config.waivers = [{ ...waiver, ...words, upTo, ...(limit && { limit }) }];
    return samples;
  };
  check(waived(true, 0.5), "pass", ["api rss limit: waived"]);
  check(waived(undefined, 0.5), "regressed", ["api rss limit: regressed"]);
  check(waived(true, 0.05), "regressed", ["api rss limit: regressed"]);
  const told = (samples: Samples) =>
    describeVerdict(judge({ samples, baselines: [] })).waivers.map(({ text }) => text);
  expect(told(waived(true, 0.5))).toEqual([
    expect.stringMatching(
      /^RSS after load limit of api, up to \+50\.0 % until 2026-12-31: accepts api RSS after load limit \+2\d\.\d %$/,
    ),
  ]);
});

test("the pooled p99 of a thin slice is held to its own limit, else to that of the typical one", () => {
  const thin = withLimits(steady(), { p99: 700 });
  for (const scenario of thin.config.scenarios) scenario.rateRps = 100;
  const limits = (samples: Samples) =>
    listQuestions(samples.config)
      .filter(({ against }) => against === "limit")
      .map((one) => [one.id, limitOf(one)]);
  expect(limits(thin)[0]).toEqual(["api/echo p99 pooled limit", 700]);
  const [, pooled] = thin.config.policy.metrics;
  Object.assign(pooled ?? {}, { max: { value: 900, level: "gate" } });
  expect(limits(thin)[0]).toEqual(["api/echo p99 pooled limit", 900]);
});

/** Slowest answers of about 900 us. */
function slowHeldTo(max: number, rounds = 20): Samples {
  const samples = makeSamples({ rounds, noise: 0.02 });
  samples.config.policy.metrics.push(makePolicy("slow", "windows", "info", [0.4, 0.1, 0]));
  return withLimits(samples, { slow: max });
}

test("slow answers that break a limit are told by their values, as no change is", () => {
  const [held] = check(slowHeldTo(100), "regressed", [
    "api/echo slow windows limit: regressed",
    "api/hello slow windows limit: regressed",
  ]);
  expect(held).not.toHaveProperty("slowAnswers");
  // The rounds are held apart from the limit by less than they are: the value has all of it.
  expect(held).toMatchObject({ clipped: true, reference: 100 });
  expect(held?.candidate).toBeGreaterThan(250);
  const [grown] = check(withLimits(steady(), { rss: 15 * MIB }), "regressed", [
    "api rss limit: regressed",
  ]);
  expect(grown).not.toHaveProperty("growth");
});

test("a shard ends with its share of a limit of slow answers, and goes on at the limit", () => {
  const openAt = (max: number): string[] => {
    const { run, ...samples } = slowHeldTo(max, 3);
    const shard = { index: 1, of: 3, part: 0, parts: 3 };
    const { hypotheses } = openQuestions({
      samples: { ...samples, run: { ...run, shard } },
      baselines: [],
    });
    return [...hypotheses].filter((id) => id.endsWith("slow windows limit"));
  };
  expect(openAt(9000)).toEqual([]);
  expect(openAt(900)).toEqual(["api/echo slow windows limit", "api/hello slow windows limit"]);
});

test("what is advised of a limit is of the limit", () => {
  const codes = (samples: Samples) =>
    judge({ samples, baselines: [] }).advice.map(({ code }) => code);
  expect(codes(withLimits(steady(), { rss: 15 * MIB }))).toEqual(["look-at-limit"]);
  const near = withLimits(steady(60), { rss: 20_000_000 });
  expect(codes(near)).toEqual(["measure-on", "near-limit"]);
  // A warning of its shape, and of what is thin, is of the metric.
  const watched = withLimits(steady(), { p99: 100 }, "warn");
  expect(judge({ samples: watched, baselines: [] }).cautions).toEqual(
    judge({ samples: steady(), baselines: [] }).cautions,
  );
});

test("no answer at a limit that the estimate exceeds is not let through, and why is said", () => {
  const samples = withLimits(steady(4), { p99: 900, rss: 15 * MIB });
  const { verdict } = describeRun(samples, judge({ samples, baselines: [] }));
  expect(verdict.state).toBe("inconclusive");
  expect(whyNotLetThrough(verdict)).toMatch(
    /^RSS after load of api is 19\.\d MiB \(limit 15 MiB\): inconclusive: pass does not let/,
  );
  expect(verdict.reasons).toContainEqual(
    expect.stringMatching(
      /^RSS after load of api is 19\.\d+ MiB \(limit 15 MiB\), \+2\d\.\d %.* after 4 rounds: likely more than its limit, not proven yet; at least 7 more rounds are needed$/,
    ),
  );
  expect(describeExplanation(verdict)).toMatch(
    /^api RSS after load limit \[gate\]: inconclusive\n {2}regressed needs evidence of 1 for more than its limit, from calm rounds; pass for less$/m,
  );
});
