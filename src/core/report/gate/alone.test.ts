// Reports of runs in which one scenario failed alone, as they are judged from samples.
import { expect, test } from "vitest";
import { checkGolden } from "../../../../test/support/golden.ts";
import { makeSamples } from "../../../../test/support/samples.ts";
import type { Report } from "../../model/report.ts";
import type { Samples, ScenarioRound } from "../../model/samples.ts";
import { judge } from "../../verdict/judge.ts";
import { describeRun } from "../words/verdict.ts";
import { renderMarkdown } from "./markdown.ts";
import { renderTerminal } from "./terminal.ts";

/** `/echo` is measured in the first rounds alone, and `spoil` says how it fails there. */
function failing(
  rounds: number,
  spoil: (entry: ScenarioRound) => void,
  p99Ratio: Record<string, number> = {},
): Samples {
  const samples = makeSamples({ rounds: 40, noise: 0.02, p99Ratio, state: "failed" });
  samples.run.ended = "failed";
  for (const { index, scenarios } of samples.rounds) {
    const at = scenarios.findIndex(({ scenario }) => scenario === "api/echo");
    const entry = scenarios[at];
    if (entry === undefined) continue;
    if (index < rounds) spoil(entry);
    else scenarios.splice(at, 1);
  }
  return samples;
}

function saturate({ arms, slices }: ScenarioRound): void {
  for (const arm of [arms.candidate, arms.reference]) if (arm !== null) arm.saturated = true;
  for (const slice of slices) {
    slice.host.service = 0.97;
    if (slice.latency !== null) slice.latency.max = 320_000;
  }
}

/** Other programs have two thirds of the CPUs, and the rate needs half as much again as all. */
function saturateBesideOthers(entry: ScenarioRound): void {
  saturate(entry);
  for (const { host } of entry.slices) {
    Object.assign(host, { service: 0.34, foreign: 0.6, needed: 1.5 });
  }
}

function refuse({ arms, slices }: ScenarioRound): void {
  arms.candidate.pooled = null;
  for (const slice of slices) {
    if (slice.arm !== "candidate") continue;
    slice.statuses = { "200": 940, "503": 60 };
    slice.void = {
      rule: "status",
      detail: "60 of 1000 answers were not 200 (60 × 503), 0 allowed",
    };
  }
}

function crashed(p99Ratio: Record<string, number> = {}): Samples {
  const samples = failing(1, ({ arms }) => (arms.candidate.pooled = null), p99Ratio);
  const [first] = samples.rounds;
  if (first === undefined) throw new Error("no round");
  first.launches = null;
  first.failure = {
    kind: "crash",
    arm: "candidate",
    scenario: "api/echo",
    text: "api (candidate) exited with code 70 in round 1, during api/echo",
    detail: "thread 'main' panicked at src/echo.rs:12:5:\nindex out of bounds",
  };
  return samples;
}

function candidateSaturated(): Samples {
  const samples = failing(
    40,
    (entry) => {
      saturate(entry);
      if (entry.arms.reference !== null) entry.arms.reference.saturated = false;
    },
    { "api/echo": 40 },
  );
  samples.run = { ...samples.run, state: "complete", ended: "regressed" };
  return samples;
}

const CASES: Readonly<Record<string, () => Samples>> = {
  "alone-beyond-capacity": () => failing(4, saturate),
  "alone-beyond-capacity-busy": () => failing(4, saturateBesideOthers),
  "alone-wrong-answers": () => failing(4, refuse),
  "alone-crash": () => crashed(),
  "alone-crash-and-regression": () => crashed({ "api/hello": 2 }),
  "candidate-beyond-capacity": candidateSaturated,
};

function reportOf(name: string): Report {
  const samples = CASES[name]?.();
  if (samples === undefined) throw new Error(`no case ${name}`);
  return describeRun(samples, judge({ samples, baselines: [] }));
}

test.each(Object.keys(CASES))("%s", async (name) => {
  await checkGolden(`report/${name}.md`, renderMarkdown(reportOf(name)));
});

test("what is said below a reason goes on in as many lines as a terminal needs", () => {
  const text = renderTerminal(reportOf("alone-wrong-answers"), { width: 80, color: "never" });
  expect(text).toMatch(
    /\n {4}\| Such measurements are repeated, .*\n {4}\| {3}\S.*nothing of the service\.\n/,
  );
});
