// Recorded rounds of identical arms drawn again as pull requests, and every rule asked about each.
// Pure and seeded.
import { createPrng, type Prng } from "../../src/core/base/prng.ts";
import type { Samples } from "../../src/core/model/samples.ts";
import { effectiveFloor } from "../../src/core/verdict/compare.ts";
import { decide, ruleOf } from "../../src/core/verdict/decide.ts";
import { gatingCount, listHypotheses } from "../../src/core/verdict/hypotheses.ts";
import { seriesOf } from "../../src/core/verdict/series.ts";
import { methodOf } from "../../src/core/verdict/slow.ts";
import { wilsonInterval } from "../stats/intervals.ts";
import type { PeerRule, PeerVerdict, Recorded } from "./rules.ts";

/** One metric of one recorded run. */
interface Series {
  id: string;
  candidate: readonly number[];
  reference: readonly number[];
}

/** A recorded run: what was measured in one stretch of time. */
export type Session = ReadonlyMap<string, Series>;

export interface Plan {
  sessions: readonly Session[];
  rules: readonly (PeerRule | OwnRule)[];
  /** Changes planted in every metric of the candidate, as fractions; 0 is a false-alarm trial. */
  effects: readonly number[];
  trials: number;
  seed: number;
  /** Rounds that a pull request may measure. */
  rounds: number;
  /** Stored values that rules with a history are given. */
  history: number;
}

/** Tailgate's own rule, which knows what metric it is asked about. */
export interface OwnRule {
  name: string;
  source: string;
  definition: string;
  judgeMetric(id: string, recorded: Recorded): PeerVerdict;
}

export interface RuleRates {
  rule: string;
  effect: number;
  /** By metric: share of trials that raised an alarm. */
  metrics: Record<string, number>;
  /** Share of pull requests in which any metric did, with Wilson's interval at 95 %. */
  any: { share: number; low: number; high: number };
  /** Bursts of the candidate a metric, on average. */
  rounds: number;
}

const Z95 = 1.959963984540054;

export function sessionOf(samples: Samples): Session {
  const hypotheses = listHypotheses(samples.config).filter(({ policy }) => policy.level === "gate");
  return new Map(
    hypotheses.map((hypothesis) => {
      const series = seriesOf(hypothesis, samples.rounds);
      return [
        hypothesis.id,
        {
          id: hypothesis.id,
          candidate: series.map(({ candidate }) => candidate),
          reference: series.map(({ reference }) => reference),
        },
      ];
    }),
  );
}

/** Sessions one after the other, as one stretch of time. */
export function joined(sessions: readonly Session[]): Session {
  const ids = new Set(sessions.flatMap((session) => [...session.keys()]));
  const all = (id: string, arm: "candidate" | "reference"): number[] =>
    sessions.flatMap((session) => session.get(id)?.[arm] ?? []);
  return new Map(
    [...ids].map((id) => [
      id,
      { id, candidate: all(id, "candidate"), reference: all(id, "reference") },
    ]),
  );
}

/** The rule of this repository, with the policy of the samples. Every round counts as calm. */
export function tailgateRule({ config, rounds }: Samples): OwnRule {
  const hypotheses = listHypotheses(config);
  const byId = new Map(hypotheses.map((hypothesis) => [hypothesis.id, hypothesis]));
  return {
    name: "tailgate",
    source: "src/core/verdict/decide.ts",
    definition:
      "Bets on paired log ratios after every round; one level shared among all metrics, whenever it stops.",
    judgeMetric(id, { candidate, reference }) {
      const hypothesis = byId.get(id);
      if (hypothesis === undefined) return { state: "silent", rounds: 0 };
      const observations = candidate.map((value, i) => ({
        d: Math.log(value / (reference[i] ?? Number.NaN)),
        calm: true,
      }));
      const floor = effectiveFloor(hypothesis, seriesOf(hypothesis, rounds));
      const rule = ruleOf({ ...hypothesis.policy, floor }, config.policy, gatingCount(hypotheses));
      const decision = decide(observations, rule, methodOf(hypothesis, rule));
      return {
        state: decision.state === "regressed" ? "regressed" : "silent",
        rounds: decision.rounds,
      };
    },
  };
}

/**
 * A trial is a stretch of one session in the order it was measured, wrapped around at its end, all
 * metrics from the same place: what goes together stays together; it has no more rounds than were
 * recorded. The arms change places by a coin. What was stored comes from another session where
 * there is one, else from the rounds before. The planted change multiplies the candidate's values.
 */
export function applyRules(plan: Plan): RuleRates[] {
  return plan.effects.flatMap((effect) =>
    plan.rules.map((rule) => {
      // Every rule and effect sees the same pull requests.
      const prng = createPrng(plan.seed);
      const alarms = new Map<string, number>();
      let any = 0;
      let bursts = 0;
      let asked = 0;
      for (let trial = 0; trial < plan.trials; trial++) {
        let alarmed = false;
        for (const [id, recorded] of drawPullRequest(plan, effect, prng)) {
          const verdict = "judge" in rule ? rule.judge(recorded) : rule.judgeMetric(id, recorded);
          bursts += verdict.rounds;
          asked++;
          if (verdict.state !== "regressed") continue;
          alarms.set(id, (alarms.get(id) ?? 0) + 1);
          alarmed = true;
        }
        if (alarmed) any++;
      }
      const ids = [...new Set(plan.sessions.flatMap((session) => [...session.keys()]))];
      return {
        rule: rule.name,
        effect,
        metrics: Object.fromEntries(ids.map((id) => [id, (alarms.get(id) ?? 0) / plan.trials])),
        any: { share: any / plan.trials, ...wilsonInterval(any, plan.trials, Z95) },
        rounds: asked === 0 ? 0 : bursts / asked,
      };
    }),
  );
}

function drawPullRequest(plan: Plan, effect: number, prng: Prng): [string, Recorded][] {
  const now = prng.below(plan.sessions.length);
  const others = plan.sessions.filter((_, i) => i !== now);
  const place = prng.next();
  const pastPlace = prng.next();
  const swapped = prng.below(2) === 1;
  const past = others.length === 0 ? null : (others[prng.below(others.length)] ?? null);
  const session = plan.sessions[now] ?? new Map<string, Series>();
  return [...session].flatMap(([id, series]): [string, Recorded][] => {
    const n = Math.min(series.candidate.length, series.reference.length);
    if (n === 0) return [];
    const start = Math.floor(place * n);
    // No round twice in a trial: repeats would look like agreement. Without another session, half
    // of this one is the past.
    const length = Math.min(plan.rounds, past === null ? Math.ceil(n / 2) : n);
    const take = (values: readonly number[], from: number, count: number): number[] =>
      Array.from({ length: count }, (_, i) => {
        const at = (((from + i) % values.length) + values.length) % values.length;
        return values[at] ?? Number.NaN;
      });
    const takeBefore = (values: readonly number[], end: number, count: number): number[] =>
      take(values, end - count, count);
    const [a, b] = swapped
      ? [series.reference, series.candidate]
      : [series.candidate, series.reference];
    const stored = past?.get(id)?.reference ?? [];
    const history =
      stored.length > 0
        ? take(stored, Math.floor(pastPlace * stored.length), Math.min(plan.history, stored.length))
        : takeBefore(b, start, Math.min(plan.history, n - length));
    const candidate = take(a, start, length).map((value) => value * (1 + effect));
    return [[id, { history, reference: take(b, start, length), candidate }]];
  });
}
