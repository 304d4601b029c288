// When the time left is too little for a noisy host. lab/verdicts asks every recorded run.
import { expect, test } from "vitest";
import { beBusy, makeSamples, type SamplesRecipe, withNew } from "../../../test/support/samples.ts";
import { makeWrong, wrongOf } from "../../../test/support/wrong-answers.ts";
import { openQuestions } from "./judge.ts";

interface Situation {
  name: string;
  rounds: number;
  /** Rounds from the first on in which others had the CPUs. */
  busy: number;
  leftMs: number;
  recipe?: Partial<SamplesRecipe>;
  questions: number | null;
}

const MINUTE_MS = 60_000;

test.each<Situation>([
  { name: "calm", rounds: 3, busy: 0, leftMs: MINUTE_MS, questions: null },
  { name: "noisy of late", rounds: 8, busy: 4, leftMs: MINUTE_MS / 2, questions: null },
  { name: "noisy, too early to tell", rounds: 5, busy: 5, leftMs: 10 * MINUTE_MS, questions: null },
  { name: "noisy for long", rounds: 40, busy: 40, leftMs: 8 * MINUTE_MS, questions: 4 },
  {
    name: "noisy, with time enough",
    rounds: 40,
    busy: 40,
    leftMs: 99 * MINUTE_MS,
    questions: null,
  },
  { name: "noisy, without time", rounds: 3, busy: 3, leftMs: 0, questions: 5 },
  {
    name: "noisy, and worse",
    rounds: 8,
    busy: 8,
    leftMs: 3 * MINUTE_MS,
    recipe: { p99Ratio: { "api/echo": 1.2 }, noise: 0.1 },
    questions: null,
  },
  {
    name: "wide, too early to tell",
    rounds: 8,
    busy: 0,
    leftMs: 4 * MINUTE_MS,
    recipe: { noise: 0.2 },
    questions: null,
  },
  {
    name: "wide for long",
    rounds: 20,
    busy: 0,
    leftMs: 4 * MINUTE_MS,
    recipe: { noise: 0.2 },
    questions: 2,
  },
  {
    name: "wide, with time enough",
    rounds: 20,
    busy: 0,
    leftMs: 16 * MINUTE_MS,
    recipe: { noise: 0.2 },
    questions: null,
  },
  {
    name: "wide, and worse",
    rounds: 12,
    busy: 0,
    leftMs: 2 * MINUTE_MS,
    recipe: { noise: 0.2, p99Ratio: { "api/echo": 1.25 } },
    questions: null,
  },
  {
    name: "stored",
    rounds: 24,
    busy: 24,
    leftMs: 0,
    recipe: { compare: "stored" },
    questions: null,
  },
])("$name: $questions", ({ rounds, busy, leftMs, recipe, questions }) => {
  const samples = makeSamples({ rounds, noise: 0.01, ...recipe });
  beBusy(samples, busy);
  const { futility } = openQuestions({ samples, baselines: [], leftMs });
  expect(futility?.questions ?? null).toBe(questions);
});

test("what is new needs no calm round, and a round without a ratio asks for none", () => {
  const samples = withNew(makeSamples({ rounds: 3, noise: 0.01 }), "api/hello");
  beBusy(samples, 3);
  expect(openQuestions({ samples, baselines: [], leftMs: 0 }).futility?.questions).toBe(3);
  const launches = samples.rounds.at(-1)?.launches;
  if (launches != null) launches.candidate.values.rss = 0;
  expect(openQuestions({ samples, baselines: [], leftMs: 0 }).futility?.questions).toBe(2);
});

test.each([
  ["gate", null],
  ["warn", 2],
] as const)("while wrong answers may yet be proven noise ends nothing: %s", (level, questions) => {
  const samples = makeWrong(wrongOf("candidate"), { rounds: 6, level });
  beBusy(samples, 6);
  const { futility } = openQuestions({ samples, baselines: [], leftMs: 0 });
  expect(futility?.questions ?? null).toBe(questions);
});
