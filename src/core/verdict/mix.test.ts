// A mix is judged as a whole and by its parts: what a part does is seen where the whole hides it.
import { describe, expect, test } from "vitest";
import { beBusy, makeSamples } from "../../../test/support/samples.ts";
import type { Scenario } from "../model/config.ts";
import { allSlices } from "../model/parts.ts";
import type { Samples, ScenarioRound } from "../model/samples.ts";
import { implausible } from "../untrusted/implausible.ts";
import { assembleReport } from "./assemble-report.ts";
import { judge, openQuestions } from "./judge.ts";
import { lostScenarios } from "./validity.ts";

/** A tenth of 2,000/s has 400 requests in it. */
const SLICE = { durationMs: 2000, pairs: 4 };

/** `api/echo` as a mix, whose part `buy` is slower in the candidate by `ratio`. */
function mixed(ratio: number, { seed = 1, noise = 0.05, answers = {} } = {}): Samples {
  const samples = makeSamples({ rounds: 16, noise, seed, p99Ratio: { "api/hello": ratio } });
  const [echo] = samples.config.scenarios;
  if (echo === undefined) throw new Error("no scenario");
  const part = { request: echo.request, expectStatus: 200 };
  const mix: Scenario["mix"] = [
    { name: "browse", weight: 9, ...part },
    { name: "buy", weight: 1, ...part, ...answers },
  ];
  return {
    ...samples,
    config: { ...samples.config, scenarios: [{ ...echo, mix, slice: SLICE }] },
    rounds: samples.rounds.map((round) => ({
      ...round,
      scenarios: round.scenarios.flatMap((entry) =>
        entry.scenario === "api/hello"
          ? [{ ...entry, scenario: "api/echo[buy]" }]
          : [joined(entry), { ...entry, scenario: "api/echo[browse]" }],
      ),
    })),
  };
}

/** With the answers of two that are alike. */
function joined(entry: ScenarioRound): ScenarioRound {
  const slices = entry.slices.map((slice) => ({
    ...slice,
    scheduled: 2 * slice.scheduled,
    statuses: { "200": 2 * slice.scheduled },
  }));
  return { ...entry, slices };
}

test("a regression of one part fails the gate, and is told by its name", () => {
  const verdict = judge({ samples: mixed(1.3), baselines: [] });
  expect(verdict.state).toBe("regressed");
  expect(verdict.causes.map(({ comparison }) => comparison)).toEqual(["api/echo[buy] p99 typical"]);
  const states = new Map(verdict.comparisons.map(({ id, state }) => [id, state]));
  expect(states.get("api/echo p99 typical")).toBe("pass");
});

test("while a part is open, its whole is measured", () => {
  const samples = mixed(1.1, { noise: 0.3 });
  const open = openQuestions({ samples, baselines: [] });
  expect(open.hypotheses).toContain("api/echo[buy] p99 typical");
  expect(open.scenarios).toEqual(new Set(["api/echo"]));
});

test("builds that answer one part otherwise are not compared in any", () => {
  const samples = mixed(1, { answers: { answers: "same" } });
  for (const { scenarios } of samples.rounds.slice(0, 2)) {
    const buy = scenarios.find(({ scenario }) => scenario === "api/echo[buy]");
    const answer = { status: 200, contentType: null, bytes: 2, sha256: "a".repeat(64) };
    if (buy !== undefined) {
      buy.answers = { candidate: answer, reference: { ...answer, bytes: 9 } };
    }
  }
  const verdict = judge({ samples, baselines: [] });
  expect(verdict.faults).toMatchObject([{ kind: "answers-differ", scenario: "api/echo[buy]" }]);
  const ofScenarios = verdict.comparisons.filter(({ scenario }) => scenario !== null);
  expect(new Set(ofScenarios.map(({ state }) => state))).toEqual(new Set(["invalid"]));
  expect(lostScenarios(samples)).toEqual(new Set(["api/echo"]));
});

test("the slices of a mix are counted once, and its parts have curves", () => {
  const samples = mixed(1);
  beBusy(samples, 16);
  expect(allSlices(samples.rounds)).toHaveLength(16 * 8);
  const { scenarios, run } = assembleReport(samples);
  expect(run).toMatchObject({ slices: 16 * 8, disturbedByRule: { "foreign-cpu": 16 * 8 } });
  expect(scenarios.map(({ id, rounds }) => [id, rounds])).toEqual([
    ["api/echo", 16],
    ["api/echo[browse]", 16],
    ["api/echo[buy]", 16],
  ]);
});

describe("samples that somebody hands over", () => {
  test("may have parts of the mixes that are configured, and no others", () => {
    // The two entries that hold the same numbers here.
    const samples = mixed(1);
    expect(implausible(samples)).toBeNull();
    const [first] = samples.rounds;
    const strange = { ...first, scenarios: [{ ...first?.scenarios[0], scenario: "api/echo[x]" }] };
    const rounds = [strange as Samples["rounds"][number]];
    expect(implausible({ ...samples, rounds })).toMatch(/which is not configured/);
    const [echo] = samples.config.scenarios;
    const odd = { ...echo, name: "a[b]", id: "api/a[b]" } as Scenario;
    const config = { ...samples.config, scenarios: [odd] };
    expect(implausible({ ...samples, config, rounds: [] })).toMatch(/has brackets in its name/);
  });
});

test("19 of 20 gates find a part of a tenth that is a quarter slower", () => {
  const seeds = Array.from({ length: 40 }, (_, i) => i + 1);
  const found = seeds.filter(
    (seed) => judge({ samples: mixed(1.25, { seed }), baselines: [] }).state === "regressed",
  );
  expect(found.length).toBeGreaterThanOrEqual(38);
});
