// Wrong answers as a question of their own: what is red, what is not, and what goes on.
import fc from "fast-check";
import { expect, test } from "vitest";
import { withNew } from "../../../test/support/samples.ts";
import {
  makeWrong,
  ONE_IN_500,
  type Plan,
  type WrongCase,
  wrongOf,
} from "../../../test/support/wrong-answers.ts";
import { recordBaseline } from "../baseline/record.ts";
import type { Samples } from "../model/samples.ts";
import { VerdictSchema, type VerdictState } from "../model/verdict.ts";
import { describeVerdict } from "../report/words/verdict.ts";
import { configForBase } from "../untrusted/base-config.ts";
import { decideAnswers, type RoundAnswers } from "./answers.ts";
import { askedOf, listQuestions, listStorable, sharingOf } from "./hypotheses.ts";
import { judge, openQuestions } from "./judge.ts";

const ofCandidate = wrongOf("candidate");
const ofBoth: Plan = () => ONE_IN_500;
const ofReference = wrongOf("reference");
const inTurn: Plan = ({ round, arm }) =>
  arm === (round % 2 === 0 ? "candidate" : "reference") ? ONE_IN_500 : null;
const hardlyMore: Plan = ({ arm }) => ({ statuses: { "500": arm === "candidate" ? 3 : 2 } });
const once: Plan = ({ round, arm, pair }) =>
  arm === "candidate" && round === 3 && pair === 0 ? ONE_IN_500 : null;

const judged = (samples: Samples) =>
  judge({ samples: { ...samples, run: { ...samples.run, state: "complete" } }, baselines: [] });
const echoOf = (samples: Samples) =>
  judged(samples).comparisons.find(({ id }) => id === "api/echo errors");

const SOME_KINDS = wrongOf("candidate", {
  statuses: { "500": 3, "502": 1 },
  errors: { "connection reset": 2, timeout: 1 },
});

test.each<[string, Plan, WrongCase, VerdictState, string | undefined]>([
  ["the candidate's alone", ofCandidate, {}, "regressed", "regressed"],
  ["a few of each kind", SOME_KINDS, {}, "regressed", "regressed"],
  ["too few rounds", ofCandidate, { rounds: 8 }, "invalid", "inconclusive"],
  ["both arms alike", ofBoth, {}, "invalid", "invalid"],
  ["both arms alike, for long", ofBoth, { rounds: 80 }, "invalid", "invalid"],
  ["each arm's in every other round", inTurn, { rounds: 80 }, "invalid", "invalid"],
  ["hardly more than the reference's", hardlyMore, {}, "invalid", "inconclusive"],
  ["the reference's alone", ofReference, {}, "invalid", "pass"],
  ["one slice of all", once, {}, "pass", "pass"],
  ["none", () => null, {}, "pass", "pass"],
  ["within the budget", ofCandidate, { budget: 0.005 }, "pass", "pass"],
  ["beyond the budget", ofCandidate, { budget: 0.001 }, "regressed", "regressed"],
  ["only watched", ofCandidate, { level: "warn" }, "invalid", "regressed"],
  ["not asked, as before", ofCandidate, { level: "not asked" }, "invalid", undefined],
  [
    "of a new scenario",
    ofCandidate,
    { change: (it) => withNew(it, "api/echo") },
    "inconclusive",
    undefined,
  ],
  ["at the very first request", ofCandidate, { change: withFirstWrong }, "invalid", "invalid"],
])("wrong answers, %s", (_, plan, given, state, own) => {
  const samples = makeWrong(plan, given);
  const judgement = judged(samples);
  const [cause] = judgement.causes;
  expect(judgement.state, JSON.stringify(cause)).toBe(state);
  expect(judgement.comparisons.find(({ id }) => id === "api/echo errors")?.state).toBe(own);
  if (state === "regressed") expect(cause?.comparison).toBe("api/echo errors");
  // No latency is judged from what is left of such slices.
  const latencies = judgement.comparisons.filter(
    ({ scenario, answers }) => scenario === "api/echo" && answers === undefined,
  );
  if (state === "regressed")
    expect(new Set(latencies.map((one) => one.state))).toEqual(new Set(["invalid"]));
  const verdict = describeVerdict(judgement);
  expect(VerdictSchema.safeParse(verdict).error).toBeUndefined();
});

/** As the load finds a service that answers nothing rightly. */
function withFirstWrong(samples: Samples): Samples {
  const [entry] = samples.rounds.at(-1)?.scenarios ?? [];
  if (entry === undefined) throw new Error("no round");
  const scenario = "api/echo";
  entry.failure = {
    kind: "answer",
    arm: "candidate",
    scenario,
    text: "GET /echo got 500",
    detail: "",
  };
  return samples;
}

test.each<[string, Plan, WrongCase, { open: string[]; lost: string[]; regressed: boolean }]>([
  ["may be worse", ofCandidate, { rounds: 6 }, { open: ["errors"], lost: [], regressed: false }],
  ["is worse", ofCandidate, { rounds: 14 }, { open: [], lost: ["api/echo"], regressed: true }],
  ["is as bad", ofBoth, { rounds: 6 }, { open: [], lost: ["api/echo"], regressed: false }],
  [
    "is watched",
    ofCandidate,
    { rounds: 6, level: "warn" },
    { open: [], lost: ["api/echo"], regressed: false },
  ],
  ["is right", () => null, { rounds: 6 }, { open: [], lost: [], regressed: false }],
])("a candidate that %s goes on while more can be proven", (_, plan, given, expected) => {
  const samples = makeWrong(plan, given);
  const { hypotheses, lost, isHopeless, regressed } = openQuestions({ samples, baselines: [] });
  const ids = [...hypotheses].filter((id) => id.startsWith("api/echo "));
  const open = ids.map((id) => id.replace("api/echo ", "")).sort();
  expect({ open, lost: [...lost], regressed }).toEqual(expected);
  expect(isHopeless).toBe(false);
});

test("a run of one scenario ends when its wrong answers are proven, and not before", () => {
  const alone = (samples: Samples): Samples => ({
    ...samples,
    config: { ...samples.config, scenarios: samples.config.scenarios.slice(0, 1) },
  });
  const look = (plan: Plan, rounds: number) =>
    openQuestions({ samples: makeWrong(plan, { rounds, change: alone }), baselines: [] });
  const ends = Array.from({ length: 14 }, (_, k) => look(ofCandidate, k + 1));
  expect(ends.map(({ isHopeless }) => isHopeless)).toEqual(Array(14).fill(false));
  expect(ends.findIndex(({ regressed }) => regressed)).toBe(9);
  expect(look(ofBoth, 6).isHopeless).toBe(true);
});

test("what is found is told by counts and kinds", () => {
  const told = (plan: Plan, given?: WrongCase) => {
    const { headline, reasons, next } = describeVerdict(judged(makeWrong(plan, given)));
    return { headline, reasons, next };
  };
  expect(told(ofCandidate)).toMatchInlineSnapshot(`
    {
      "headline": "regressed: api/echo: 88 of 44,000 answers were wrong (0.2 %: 88 × 500); none of 44,000 before",
      "next": [
        "Look for what makes the candidate answer wrongly: send the scenario's request many times and read the service's log.",
        "If a service is meant to refuse some requests, say how many: policy.errorBudget in tailgate.yml, such as 0.1%.",
      ],
      "reasons": [
        "api/echo: 88 of 44,000 answers were wrong (0.2 %: 88 × 500); none of 44,000 before: a larger share than before is proven after 11 rounds",
      ],
    }
  `);
  expect(told(SOME_KINDS)).toMatchInlineSnapshot(`
    {
      "headline": "regressed: api/echo: 308 of 44,000 answers were wrong (0.7 %: 132 × 500, 88 × connection reset, 44 × 502); none of 44,000 before",
      "next": [
        "Look for what makes the candidate answer wrongly: send the scenario's request many times and read the service's log.",
        "If a service is meant to refuse some requests, say how many: policy.errorBudget in tailgate.yml, such as 0.1%.",
      ],
      "reasons": [
        "api/echo: 308 of 44,000 answers were wrong (0.7 %: 132 × 500, 88 × connection reset, 44 × 502); none of 44,000 before: a larger share than before is proven after 11 rounds",
      ],
    }
  `);
  expect(told(ofCandidate, { rounds: 8 })).toMatchInlineSnapshot(`
    {
      "headline": "invalid measurement: api/echo: requests to the candidate went wrong in 32 of 32 measurements, mostly 500 (64 ×); the last: 2 of 1000 answers were not 200; of 3 other gated metrics 2 are shown to be within the limit",
      "next": [
        "Try the scenario's request by hand, and correct its path, or what it expects, in tailgate.yml: in every measurement there were wrong answers.",
        "If a service is meant to refuse some requests, say how many: policy.errorBudget in tailgate.yml, such as 0.1%.",
      ],
      "reasons": [
        "api/echo: requests to the candidate went wrong in 32 of 32 measurements, mostly 500 (64 ×); the last: 2 of 1000 answers were not 200
    Such measurements are repeated, so only requests that went well would count: that says nothing of the service.",
      ],
    }
  `);
  expect(
    describeVerdict(judged(makeWrong(once))).comparisons.find(({ id }) => id === "api/echo errors")
      ?.reason,
  ).toMatchInlineSnapshot(
    `"api/echo: 2 of 56,000 answers were wrong (0.00357 %: 2 × 500); none of 56,000 before: a larger share than before is not proven after 14 rounds"`,
  );
});

test("requests that the arm swallowed are wrong, and those that were not sent are not", () => {
  const swallow = (rule: "unanswered" | "incomplete", unsent = 0) =>
    makeWrong(() => null, {
      change: (samples) => {
        for (const { scenarios } of samples.rounds) {
          for (const slice of scenarios[0]?.slices ?? []) {
            if (slice.arm === "reference") continue;
            Object.assign(slice, { statuses: { "200": 990 }, unsent, void: { rule, detail: "" } });
          }
        }
        return samples;
      },
    });
  expect(echoOf(swallow("unanswered"))?.answers?.candidate).toEqual({
    wrong: 440,
    of: 44_000,
    kinds: { unanswered: 440 },
  });
  expect(echoOf(swallow("unanswered", 4))?.answers?.candidate.wrong).toBe(264);
  expect(echoOf(swallow("incomplete"))?.answers?.candidate.wrong).toBe(0);
});

const RULE = { alpha: 0.01, hypotheses: 5, errorBudget: 0 };
const arbitraryRounds = fc.array(
  fc.record({ candidate: fc.nat(20), reference: fc.nat(20) }).map(
    ({ candidate, reference }): RoundAnswers => ({
      candidate: { wrong: candidate, of: 1000 },
      reference: { wrong: reference, of: 1000 },
    }),
  ),
  { minLength: 1, maxLength: 60 },
);
const evidence = (rounds: readonly RoundAnswers[]) =>
  decideAnswers(rounds, { ...RULE, errorBudget: 1 }).trail.at(-1)?.regress ?? 0;

test("no two arms are each proven worse than the other", () => {
  fc.assert(
    fc.property(arbitraryRounds, (rounds) => {
      const exchanged = rounds.map(({ candidate, reference }) => ({
        candidate: reference,
        reference: candidate,
      }));
      expect(decideAnswers(rounds, RULE).isWorse && decideAnswers(exchanged, RULE).isWorse).toBe(
        false,
      );
    }),
  );
});

test("the reference's wrong answers never speak against the candidate", () => {
  fc.assert(
    fc.property(
      arbitraryRounds,
      fc.nat(59),
      fc.integer({ min: 1, max: 500 }),
      (rounds, at, more) => {
        const worse = rounds.map((round, k) =>
          k === at % rounds.length
            ? { ...round, reference: { ...round.reference, wrong: round.reference.wrong + more } }
            : round,
        );
        expect(evidence(worse)).toBeLessThanOrEqual(evidence(rounds) * (1 + 1e-12));
      },
    ),
  );
});

test("rounds without a wrong answer change no evidence", () => {
  fc.assert(
    fc.property(arbitraryRounds, fc.nat(59), (rounds, at) => {
      const none: RoundAnswers = {
        candidate: { wrong: 0, of: 1000 },
        reference: { wrong: 0, of: 1000 },
      };
      const more = rounds.toSpliced(at % rounds.length, 0, none);
      expect(evidence(more)).toBeCloseTo(evidence(rounds), 10);
    }),
  );
});

test("wrong answers are asked of two arms alone, and no value of them is kept", () => {
  const asked = (samples: Samples, list: (of: Samples) => readonly { id: string }[]): string[] =>
    list(samples).flatMap(({ id }) => (id.endsWith(" errors") ? id : []));
  const samples = makeWrong(() => null);
  const ids = ["api/echo errors", "api/hello errors"];
  expect(asked(samples, sharingOf)).toEqual(ids);
  expect(asked(samples, ({ config }) => listQuestions(config))).toEqual(ids);
  expect(asked(samples, askedOf)).toEqual([]);
  expect(asked(samples, ({ config }) => listStorable(config))).toEqual([]);
  const alone = { ...samples, sources: { ...samples.sources, reference: null } };
  expect(asked(alone, sharingOf)).toEqual([]);
  expect(asked(withNew(samples, "api/echo"), sharingOf)).toEqual(["api/hello errors"]);
  const same = { service: "api", by: "sources", key: "" } as const;
  expect(asked({ ...samples, unchanged: [same] }, sharingOf)).toEqual([]);
  const baselines = [recordBaseline(samples, "api")];
  const { stored } = judge({ samples, baselines });
  expect(stored).not.toEqual([]);
  expect(stored.filter(({ metric }) => metric === "errors")).toEqual([]);
});

test("what is only watched is told once", () => {
  const { cautions } = judged(makeWrong(wrongOf("candidate"), { level: "warn" }));
  expect(cautions.map(({ code }) => code)).not.toContain("shape");
});

test("what is new in a pull request has no wrong answers that gate", () => {
  const samples = makeWrong(() => null);
  const base = { ...samples.config, scenarios: samples.config.scenarios.slice(1) };
  const { config } = configForBase(base, samples);
  const levels = listQuestions(config).flatMap(({ id, policy }) =>
    id.endsWith(" errors") ? `${id}: ${policy.level}` : [],
  );
  expect(levels).toEqual(["api/hello errors: gate", "api/echo errors: info"]);
});
