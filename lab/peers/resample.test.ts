import { describe, expect, test } from "vitest";
import { identicalArms } from "../../test/support/calibration.ts";
import {
  applyRules,
  type OwnRule,
  type Plan,
  type Session,
  sessionOf,
  tailgateRule,
} from "./resample.ts";
import { githubActionBenchmark, postgrestLoadtest } from "./rules.ts";

const session = (level: number, n = 30): Session =>
  new Map([
    [
      "m",
      {
        id: "m",
        candidate: Array.from({ length: n }, (_, i) => level + i / 1000),
        reference: Array.from({ length: n }, (_, i) => level + i / 1000),
      },
    ],
  ]);

const base: Omit<Plan, "sessions" | "rules"> = {
  effects: [0, 0.1],
  trials: 40,
  seed: 5,
  rounds: 12,
  history: 4,
};

/** What a rule was shown, trial by trial. */
function spy(): {
  rule: OwnRule;
  seen: { history: number[]; reference: number[]; candidate: number[] }[];
} {
  const seen: { history: number[]; reference: number[]; candidate: number[] }[] = [];
  return {
    seen,
    rule: {
      name: "spy",
      source: "",
      definition: "",
      judgeMetric(_, { history, reference, candidate }) {
        seen.push({ history: [...history], reference: [...reference], candidate: [...candidate] });
        return { state: "silent", rounds: candidate.length };
      },
    },
  };
}

describe("a pull request drawn from recordings", () => {
  test("is a stretch in the order it was measured, wrapped around, with the change planted in one arm", () => {
    const { rule, seen } = spy();
    applyRules({ ...base, effects: [0.1], sessions: [session(100)], rules: [rule] });
    expect(seen).toHaveLength(40);
    for (const { reference, candidate, history } of seen) {
      expect(reference).toHaveLength(12);
      expect(candidate[0]).toBeCloseTo((reference[0] ?? 0) * 1.1, 9);
      const steps = reference
        .slice(1)
        .map((value, i) => Math.round((value - (reference[i] ?? 0)) * 1000));
      expect(steps.filter((step) => step !== 1 && step !== -29)).toEqual([]);
      // Only one session: what was stored are the rounds before.
      expect(history).toHaveLength(4);
      const last = Math.round(((reference[0] ?? 0) - (history[3] ?? 0)) * 1000);
      expect([1, -29]).toContain(last);
    }
  });

  test("has no round twice: a short recording gives short trials", () => {
    const { rule, seen } = spy();
    const short = { ...base, effects: [0], rounds: 60, history: 60, rules: [rule] };
    applyRules({ ...short, sessions: [session(100, 10)] });
    for (const { reference, history } of seen) {
      expect([reference.length, history.length]).toEqual([5, 5]);
      expect(new Set([...reference, ...history]).size).toBe(10);
    }
    seen.length = 0;
    applyRules({ ...short, sessions: [session(100, 10), session(200, 12)] });
    for (const { reference } of seen) expect(new Set(reference).size).toBe(reference.length);
  });

  test("has its history from another session where there is one", () => {
    const { rule, seen } = spy();
    applyRules({ ...base, effects: [0], sessions: [session(100), session(200)], rules: [rule] });
    for (const { reference, history } of seen) {
      expect((reference[0] ?? 0) < 150).toBe((history[0] ?? 0) > 150);
    }
  });
});

test("a level that differs between sessions alarms who compares with what was stored, not who compares alongside", () => {
  const rates = applyRules({
    ...base,
    sessions: [session(100), session(130)],
    rules: [githubActionBenchmark({ threshold: 1.1 }), postgrestLoadtest({ limit: 0.05 })],
  });
  const of = (rule: string, effect: number) =>
    rates.find((rate) => rate.rule.startsWith(rule) && rate.effect === effect)?.any.share ?? -1;
  // Every other trial goes from the lower to the higher.
  expect(of("github", 0)).toBeGreaterThan(0.2);
  expect(of("github", 0)).toBeLessThan(0.8);
  expect(of("PostgREST", 0)).toBe(0);
  expect(of("PostgREST", 0.1)).toBe(1);
});

test("our own rule raises no alarm on identical arms, and finds what is planted", () => {
  const samples = identicalArms({ rounds: 40, noise: 0.03 });
  const rates = applyRules({
    ...base,
    effects: [0, 0.2],
    trials: 15,
    rounds: 60,
    sessions: [sessionOf(samples)],
    rules: [tailgateRule(samples)],
  });
  expect(rates[0]?.any.share).toBe(0);
  expect(rates[1]?.metrics["api/echo p99 typical"]).toBe(1);
  expect(rates[1]?.rounds).toBeGreaterThan(7);
});
