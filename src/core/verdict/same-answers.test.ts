// Builds that do different work are told from answers that vary by themselves.
import { expect, test } from "vitest";
import { makeSamples, type SamplesRecipe } from "../../../test/support/samples.ts";
import type { Scenario } from "../model/config.ts";
import type { Answer, Samples } from "../model/samples.ts";
import { describeVerdict } from "../report/words/verdict.ts";
import { judge } from "./judge.ts";
import { findFaults, lostScenarios } from "./validity.ts";

const answer = (text: string, contentType: string | null = null): Answer => ({
  status: 200,
  contentType,
  bytes: text.length,
  sha256: Buffer.from(text).toString("hex").padEnd(64, "0"),
});

const HASHES = { a: "a".repeat(64), b: "b".repeat(64), c: "c".repeat(64) };

/** As JSON each arm says the same or another thing in its first rounds; null: it is none. */
function withJson(
  candidate: readonly ("a" | "b" | "c" | null)[],
  reference: typeof candidate,
): Samples {
  const letters = (said: typeof candidate) => said.map((one) => one ?? "x");
  const samples = withAnswers(letters(candidate), letters(reference), { ignore: ["id"] });
  for (const [i, { scenarios }] of samples.rounds.entries()) {
    const entry = scenarios.find(({ scenario }) => scenario === "api/echo");
    for (const [arm, said] of Object.entries({ candidate, reference })) {
      const one = entry?.answers?.[arm as "candidate"];
      const hash = said[i] == null ? null : HASHES[said[i]];
      if (one !== undefined) one.json = hash;
    }
    if (entry !== undefined && candidate[i] !== reference[i] && i === 0) {
      const [ours, theirs] = ["1", '"1"'];
      entry.difference = {
        path: "items.0.price",
        candidate: { kind: "number", text: ours },
        reference: { kind: "string", text: theirs },
      };
    }
  }
  return samples;
}

type Said = readonly (string | undefined)[];

/** What each arm answers to api/echo in the first rounds; undefined: it was not asked. */
function withAnswers(candidate: Said, reference: Said, answers?: Scenario["answers"]): Samples {
  const samples = makeSamples({ rounds: 16, noise: 0.02, seed: 3 });
  for (const [i, { scenarios }] of samples.rounds.entries()) {
    const entry = scenarios.find(({ scenario }) => scenario === "api/echo");
    const [ours, theirs] = [candidate[i], reference[i]];
    if (entry === undefined || (ours === undefined && theirs === undefined)) continue;
    entry.answers = {
      ...(ours === undefined ? {} : { candidate: answer(ours) }),
      ...(theirs === undefined ? {} : { reference: answer(theirs) }),
    };
  }
  const scenarios = samples.config.scenarios.map((scenario) =>
    answers !== undefined && scenario.id === "api/echo" ? { ...scenario, answers } : scenario,
  );
  return { ...samples, config: { ...samples.config, scenarios } };
}

type Sizes = (round: number) => readonly [candidate: number, reference: number];

/** What the answers to the load of api/echo are long, in all rounds. */
function withSizes(sizes: Sizes, answers?: Scenario["answers"], rounds = 16): Samples {
  const samples = withAnswers(["a", "a"], ["a", "a"], answers);
  for (const [i, { scenarios }] of samples.rounds.entries()) {
    const [candidate, reference] = sizes(i);
    const slices = scenarios.flatMap((one) => (one.scenario === "api/echo" ? one.slices : []));
    for (const slice of slices) slice.answerBytes = { candidate, reference }[slice.arm];
  }
  return { ...samples, rounds: samples.rounds.slice(0, rounds) };
}

const cautions = (samples: Samples) =>
  judge({ samples, baselines: [] }).cautions.filter(({ code }) => code === "answers-differ");
const faults = (samples: Samples) => findFaults(samples).map(({ kind }) => kind);

test("a shorter answer is warned of, and so is other content of one size", () => {
  const empty = withAnswers(["[]", "[]"], ["[1,2,3]", "[1,2,3]"]);
  expect(cautions(empty)).toMatchObject([
    { what: "size", candidate: { bytes: 2 }, reference: { bytes: 7 } },
  ]);
  expect(judge({ samples: empty, baselines: [] }).state).toBe("pass");
  expect(cautions(withAnswers(["a", "a"], ["b", "b"]))).toMatchObject([{ what: "content" }]);
  expect(cautions(withAnswers(["a", "a"], ["a", "a"]))).toEqual([]);
});

test("what varies by itself is no change, and a size that does not vary still is", () => {
  expect(cautions(withAnswers(["a", "b"], ["c", "d"]))).toEqual([]);
  expect(cautions(withAnswers(["a", "a"], ["c", "d"]))).toEqual([]);
  expect(cautions(withAnswers(["aa", "b"], ["ccc", "dddd"]))).toEqual([]);
  expect(cautions(withAnswers(["a", "b"], ["cc", "dd"]))).toMatchObject([{ what: "size" }]);
});

test("one answer of an arm does not show what varies", () => {
  expect(cautions(withAnswers(["a"], ["b"]))).toEqual([]);
  expect(cautions(withAnswers(["a", "a"], ["b", undefined]))).toEqual([]);
});

test("what is faster or lighter at other work is no improvement, and says so", () => {
  const check = (
    scenario: string,
    better: Partial<SamplesRecipe>,
    state: string,
    reason?: RegExp,
  ): void => {
    const samples = makeSamples({ rounds: 20, noise: 0.02, ...better });
    for (const { scenarios } of samples.rounds.slice(0, 2)) {
      const entry = scenarios.find((one) => one.scenario === scenario);
      const answers = { candidate: answer("[]"), reference: answer("[1,2,3]") };
      if (entry !== undefined) entry.answers = answers;
    }
    const verdict = describeVerdict(judge({ samples, baselines: [] }));
    expect(verdict.state).toBe(state);
    if (reason === undefined) expect(verdict.reasons.join()).not.toContain("other work");
    else expect(verdict.reasons[0]).toMatch(reason);
  };
  const faster = { p99Ratio: { "api/echo": 0.7 } };
  const ofLatency = /^api.echo p99 is .* better, which is no improvement: the builds' answers/;
  check("api/echo", faster, "pass", ofLatency);
  check("api/echo", { rssRatio: { api: 0.7 } }, "pass", /^api RSS .* they did other work$/);
  // Where the other scenario alone answers otherwise, this one did the same work.
  check("api/hello", faster, "improved");
  check("api/echo", {}, "pass");
});

test("answers that are shorter under load are warned of, though the first ones are equal", () => {
  const check = (sizes: Sizes, rounds: number, expected: object[]): void =>
    expect(cautions(withSizes(sizes, "status", rounds))).toMatchObject(expected);
  const what = "load";
  check(() => [2, 340], 2, [{ what, candidate: { bytes: 2 }, reference: { bytes: 340 } }]);
  check(() => [2, 340], 1, []);
  check(() => [340, 340], 16, []);
  // Of 600 bytes, and others from launch to launch: one of 252 orders at five rounds.
  const varying =
    (ratio: number): Sizes =>
    (i) => [ratio * (600 + (i % 3)), 600 + ((i + 1) % 3)];
  check(varying(0.9), 6, [{ what, reference: { bytes: 601 } }]);
  check(varying(1.1), 6, [{ what }]);
  check(varying(0.9), 5, []);
  // A duration in the answer is a digit shorter in the faster build.
  check(varying(0.98), 16, []);
  check((i) => (i === 9 ? [610, 590] : [500, 600 + (i % 3)]), 16, []);
});

test("where answers must be the same, those to the load must be of one size", () => {
  const samples = withSizes(() => [2, 340], "same");
  expect(faults(samples)).toEqual(["answers-differ"]);
  expect(describeVerdict(judge({ samples, baselines: [] })).summary).toContain(
    "api/echo: answers to the load differ: on average 2 bytes from the candidate, 340 bytes from the reference",
  );
  expect(faults(withSizes(() => [340, 340], "same"))).toEqual([]);
});

test("where answers must be the same a difference ends the scenario at once", () => {
  const samples = withAnswers(["[]", "[]"], ["[1,2,3]", "[1,2,3]"], "same");
  expect(faults(samples)).toEqual(["answers-differ"]);
  expect(lostScenarios(samples)).toEqual(new Set(["api/echo"]));
  const verdict = describeVerdict(judge({ samples, baselines: [] }));
  expect(verdict.state).toBe("invalid");
  expect(verdict.summary).toBe(
    "api/echo: answers differ: 2 bytes from the candidate, 7 bytes from the reference; of 3 other gated metrics 2 are shown to be within the limit",
  );
  expect(verdict.next.join()).toMatch(/compare the answers/);
  expect(faults(withAnswers(["a", "a"], ["a", "a"], "same"))).toEqual([]);
});

test("where they must be the same, what cannot be told is no pass", () => {
  expect(faults(withAnswers(["a", "b"], ["a", "b"], "same"))).toEqual(["answers-unsteady"]);
  const unasked = withAnswers([], [], "same");
  expect(faults(unasked)).toEqual(["answers-unsteady"]);
  expect(faults({ ...unasked, run: { ...unasked.run, state: "running" } })).toEqual([]);
});

test("as JSON a difference is told by its path", () => {
  const check = (samples: Samples, kinds: string[], words?: string): void => {
    expect(faults(samples)).toEqual(kinds);
    expect(cautions(samples)).toEqual([]);
    const verdict = describeVerdict(judge({ samples, baselines: [] }));
    if (words === undefined) expect(verdict.state).toBe("pass");
    else expect(verdict.summary).toContain(words);
  };
  check(withJson(["a", "a"], ["a", "a"]), []);
  const at = 'at items.0.price: 1 from the candidate, "1" from the reference';
  check(withJson(["a", "a"], ["b", "b"]), ["answers-differ"], `answers differ ${at}`);
  check(withJson(["a", "b"], ["c", "c"]), ["answers-unsteady"], `the builds' differ first ${at}`);
  const noJson = "the candidate's answer is not JSON";
  check(withJson([null, null], ["a", "a"]), ["answers-not-json"], noJson);
  check(withJson(["a"], ["a"]), ["answers-unsteady"], "differ from launch to launch");
});
