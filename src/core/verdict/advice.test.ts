// What is advised follows from who is to blame: for what happens now and then, and for what always
// does.
import { expect, test } from "vitest";
import { makeSamples, withLimits } from "../../../test/support/samples.ts";
import { plantWrong, wrongOf } from "../../../test/support/wrong-answers.ts";
import type { Metric } from "../model/metric.ts";
import type {
  Culprit,
  DisturbanceRule,
  Explanation,
  Samples,
  Slice,
  SliceRule,
} from "../model/samples.ts";
import type { Advice, JudgedComparison } from "../model/verdict.ts";
import { adviseNext } from "./advice.ts";
import { judge } from "./judge.ts";

/** Changes this share of the slices of api/echo, of both arms alike. */
function changed(samples: Samples, share: number, change: (slice: Slice) => void): Samples {
  for (const { scenarios } of samples.rounds) {
    for (const entry of scenarios.filter(({ scenario }) => scenario === "api/echo")) {
      entry.slices.slice(0, share * entry.slices.length).forEach(change);
      // Without a pair that counts the scenario has no value.
      const hasNone = entry.slices.every((slice) => slice.void !== null);
      if (hasNone) entry.arms.candidate.pooled = null;
      if (hasNone && entry.arms.reference !== null) entry.arms.reference.pooled = null;
    }
  }
  return samples;
}

const adviceOn = (samples: Samples): Advice[] => judge({ samples, baselines: [] }).advice;

test("what a run that ended at its first regression did not wait for is told", () => {
  const p99Ratio = { "api/echo": 40, "api/hello": 1.08 };
  const samples = makeSamples({ rounds: 10, noise: 0.02, p99Ratio });
  const adviceOf = (ended: Samples["run"]["ended"]) =>
    judge({
      samples: {
        ...samples,
        run: { ...samples.run, ended },
      },
      baselines: [],
    }).advice.find(({ code }) => code === "answer-all");
  expect(adviceOf("regressed")).toEqual({ code: "answer-all", open: 1 });
  expect(adviceOf("out-of-time")).toBeUndefined();
});

test.each<[SliceRule, string[], string[]]>([
  ["generator-busy", [], ["relieve-generator"]],
  ["incomplete", [], ["relieve-generator"]],
  ["unanswered", ["try-request", "error-budget"], ["try-request", "error-budget"]],
  ["status", ["try-request", "error-budget"], ["check-request", "error-budget"]],
  ["service-gone", ["try-request", "error-budget"], ["try-request", "error-budget"]],
])("slices that do not count: %s", (rule, now, always) => {
  const codes = (share: number): string[] => {
    const samples = changed(makeSamples({ rounds: 8, noise: 0.02 }), share, (slice) => {
      slice.void = { rule, detail: "seen" };
    });
    return adviceOn(samples).map(({ code }) => code);
  };
  expect(codes(0.5)).toEqual(now);
  expect(codes(1)).toEqual(always);
});

const DISTURB: Readonly<Record<DisturbanceRule, (slice: Slice) => void>> = {
  lag: (slice) => {
    slice.lag = { p50: 900, p99: 9000, max: 12_000 };
  },
  steal: ({ host }) => {
    host.steal = 0.2;
  },
  "slow-cpu": ({ host }) => {
    host.slowed = 0.2;
  },
  "foreign-cpu": ({ host }) => {
    host.foreign = 0.4;
  },
  throttled: ({ host }) => {
    host.throttled = 4;
  },
};

/** Too noisy for any answer. */
function noisy(rule: DisturbanceRule, share: number, culprits?: Culprit[]): Samples {
  const samples = makeSamples({ rounds: 6, noise: 0.6 });
  if (culprits !== undefined) for (const round of samples.rounds) round.culprits = culprits;
  return changed(samples, share, DISTURB[rule]);
}

const RUSTC: Culprit[] = [{ command: "rustc", share: 0.38 }];

test.each<[DisturbanceRule, string, string]>([
  ["lag", "quiet-machine", "relieve-generator"],
  ["steal", "own-machine", "own-machine"],
  ["slow-cpu", "own-machine", "own-machine"],
  ["foreign-cpu", "quiet-machine", "quiet-machine"],
  ["throttled", "lift-quota", "lift-quota"],
])("a host that kept a question open: %s", (rule, now, always) => {
  const first = (share: number): unknown => adviceOn(noisy(rule, share))[0];
  expect(first(0.5)).toEqual({ code: now });
  expect(first(1)).toEqual({ code: always });
});

test("whoever was at work is named, where somebody else's work is the reason", () => {
  const named = { code: "stop-others", culprits: RUSTC };
  expect(adviceOn(noisy("foreign-cpu", 0.5, RUSTC))[0]).toEqual(named);
  expect(adviceOn(noisy("lag", 0.5, RUSTC))[0]).toEqual(named);
  expect(adviceOn(noisy("steal", 0.5, RUSTC))[0]).toEqual({ code: "own-machine" });
  expect(adviceOn(noisy("lag", 1, RUSTC))[0]).toEqual({ code: "relieve-generator" });
});

test("a value far from its limit is not told to be near it", () => {
  const codesAt = (p99: number): string[] => {
    const noisyOnes = makeSamples({ rounds: 30, noise: 1.5 });
    return adviceOn(withLimits(noisyOnes, { p99 })).map(({ code }) => code);
  };
  const seen = judge({
    samples: withLimits(makeSamples({ rounds: 30, noise: 1.5 }), { p99: 300 }),
    baselines: [],
  }).comparisons.find(({ id }) => id === "api/echo p99 typical limit")?.candidate;
  expect(codesAt(1.05 * (seen ?? 0))).toContain("near-limit");
  expect(codesAt((seen ?? 0) / 2)).not.toContain("near-limit");
});

test("of a run that was stopped nothing is blamed", () => {
  const stopped = noisy("foreign-cpu", 0.5, RUSTC);
  stopped.run.state = "interrupted";
  expect(adviceOn(stopped).map(({ code }) => code)).toEqual(["measure-on"]);
});

test("a calm host is not blamed", () => {
  const codes = adviceOn(noisy("foreign-cpu", 0, RUSTC)).map(({ code }) => code);
  expect(codes).not.toContain("stop-others");
  expect(codes).not.toContain("quiet-machine");
});

test("a wider margin is advised where it may help", () => {
  const codes = (samples: Samples): string[] => adviceOn(samples).map(({ code }) => code);
  const calm = noisy("foreign-cpu", 0);
  expect(codes(calm)).toContain("noise");
  expect(codes(noisy("foreign-cpu", 0.5, RUSTC))).not.toContain("noise");
  for (const one of calm.config.policy.metrics) one.margin = 50;
  expect(codes(calm)).not.toContain("noise");
});

test("each of what regressed is told how to accept it", () => {
  const codesOf = (samples: Samples): string[] =>
    adviceOn(samples).flatMap(({ code }) => (/waiver|budget|limit/.test(code) ? code : []));
  const slower = makeSamples({ rounds: 14, noise: 0.01, p99Ratio: { "api/hello": 1.4 } });
  expect(codesOf(slower)).toEqual(["add-waiver"]);
  expect(codesOf(withLimits(slower, { p99: 10 }))).toEqual(["look-at-limit", "add-waiver"]);
  plantWrong(slower, wrongOf("candidate"));
  expect(codesOf(slower)).toEqual(["add-waiver", "error-budget"]);
});

test("a start that fails beside shared data, and did not before, is laid to the sharing", () => {
  const codesOf = (
    index: number,
    isolation: "shared" | "separate",
    contents = { candidate: "one", reference: "one" },
  ): string[] => {
    const samples = makeSamples({ rounds: index + 1, noise: 0 });
    const last = samples.rounds.at(-1);
    const [service] = samples.config.services;
    if (last === undefined || service === undefined) throw new Error("no round");
    const where = { arm: "reference" as const, scenario: null };
    last.failure = { kind: "start", ...where, text: "ended with code 1", detail: "" };
    last.scenarios = [];
    service.recipe.needs = ["db"];
    samples.dependencies = [
      { name: "db", program: "PostgreSQL 15", contents, isolation, settings: {} },
    ];
    return adviceOn(samples).map(({ code }) => code);
  };
  expect(codesOf(1, "shared")).toEqual(["own-data", "try-start"]);
  expect(codesOf(0, "shared")).toEqual(["try-start"]);
  expect(codesOf(1, "separate")).toEqual(["try-start"]);
  expect(codesOf(1, "shared", { candidate: "one", reference: "two" })).toEqual(["try-start"]);
});

function regressed(metric: Metric, more: Partial<JudgedComparison> = {}): JudgedComparison {
  const [first] = judge({
    samples: makeSamples({ rounds: 2, noise: 0 }),
    baselines: [],
  }).comparisons;
  if (first === undefined) throw new Error("no comparison");
  return { ...first, metric, state: "regressed", ...more };
}

function codesFor(deciding: readonly JudgedComparison[], cause?: Explanation["cause"]): string[] {
  const samples = makeSamples({ rounds: 2, noise: 0 });
  if (cause !== undefined) samples.explanation = { cause, before: 1, after: 2, rows: [] };
  const situation = { deciding, faults: [], samples, unanswerable: new Map(), waivers: [] };
  return adviseNext("regressed", situation).map(({ code }) => code);
}

test("what is advised fits what regressed", () => {
  const codesOn = (...deciding: JudgedComparison[]): string[] => codesFor(deciding);
  const growth = { kind: "leak", bytes: 1e6, bytesPerRequest: 100, requests: 1e4 } as const;
  expect(codesOn(regressed("p99"))).toEqual(["look-at-change", "add-waiver"]);
  expect(codesOn(regressed("rss"))[0]).toBe("look-at-memory");
  expect(codesOn(regressed("rss", { growth }))[0]).toBe("look-at-leak");
  expect(codesOn(regressed("rss", { growth: { ...growth, kind: "ballast" } }))[0]).toBe(
    "look-at-memory",
  );
  expect(codesOn(regressed("slow"), regressed("cpuPer1k"), regressed("startup"))).toEqual([
    ...["look-at-slow", "look-at-cpu", "look-at-startup", "add-waiver"],
  ]);
  const cpu = regressed("cpuPer1k");
  expect(codesOn(regressed("p99"), cpu)).toEqual([
    ...["look-at-cpu-first", "look-at-cpu", "add-waiver"],
  ]);
  for (const other of [regressed("cpuPer1k", { service: "other" }), { ...cpu, against: "limit" }]) {
    expect(codesOn(regressed("p99"), other as JudgedComparison)[0]).toBe("look-at-change");
  }
  expect(codesOn(regressed("fds"), regressed("threads"))).toEqual([
    ...["look-at-resources", "add-waiver"],
  ]);
});

test.each<[Explanation["cause"] | undefined, string[]]>([
  [undefined, ["look-at-cpu-first", "look-at-cpu", "look-at-memory", "look-at-startup"]],
  ["cpu", ["look-at-change", "look-at-memory", "look-at-startup"]],
  ["memory", ["look-at-change", "look-at-startup"]],
  ["timer", ["look-at-change", "look-at-memory", "look-at-startup"]],
])("what profiles have shown is not advised to be looked for: %s", (cause, expected) => {
  const all = (["p99", "cpuPer1k", "rss", "startup"] as const).map((metric) => regressed(metric));
  expect(codesFor(all, cause)).toEqual([...expected, "add-waiver"]);
});
