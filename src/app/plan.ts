// `plan`: what a run would do and how long it would take, without starting anything.

import type { Config, Dependency } from "../model/config.ts";
import type { RunnerFacts } from "../model/profile.ts";
import { SETTINGS } from "../run/dependency/postgresql-plan.ts";
import { gatingCount, listHypotheses, requestsPerSlice } from "../verdict/hypotheses.ts";
import { describeExpectations, runnerFactsOf } from "./calibrate-expect.ts";
import { readProfile } from "./calibrate-file.ts";
import { neededDependencies } from "./dependencies.ts";
import { openProject } from "./project.ts";
import type { Environment, MeasureOptions } from "./settings.ts";

export interface PlanValue {
  /** Started once, before the first round. */
  dependencies: { name: string; what: string; settings: Readonly<Record<string, string>> }[];
  scenarios: {
    id: string;
    rateRps: number;
    connections: number;
    slices: string;
    requestsPerArmRound: number;
  }[];
  hypotheses: string[];
  looks: number[];
  /** Load of one turn of the rotation (a round of every service), overheads aside. */
  loadSecondsPerRound: number;
  earliestPassMinutes: number;
  latestEndMinutes: number;
  /** What a calibration of this class of runner lets expect; null: there was none. */
  runner: RunnerFacts | null;
}

/** Launches, warm-up and reading memory, as a share of load: measured on the reference services. */
const OVERHEAD_SHARE = 0.3;

export async function describePlan(
  options: MeasureOptions,
  environment: Environment,
): Promise<{ value: PlanValue; text: string }> {
  const project = await openProject(options, environment);
  const { config } = project;
  const profile = readProfile(project);
  // Plans are made anywhere: whether the machine is the calibrated one is for the run to see.
  const runner = profile === null ? null : runnerFactsOf(profile, config, null);
  const value = planOf(config, runner);
  return { value, text: renderPlan(value, config) };
}

export function planOf(config: Config, runner: RunnerFacts | null = null): PlanValue {
  const hypotheses = listHypotheses(config).filter(({ policy }) => policy.level === "gate");
  const loadSeconds = config.scenarios.reduce(
    (sum, { slice }) => sum + (2 * slice.pairs * slice.durationMs) / 1000,
    0,
  );
  const minutes = (rounds: number): number => (rounds * loadSeconds * (1 + OVERHEAD_SHARE)) / 60;
  const first = config.policy.looks[0] ?? 0;
  const last = config.policy.looks.at(-1) ?? 0;
  return {
    dependencies: neededDependencies(config).map((dependency) => ({
      name: dependency.name,
      what: whatIs(dependency),
      settings: dependency.kind === "postgresql" ? SETTINGS : {},
    })),
    scenarios: config.scenarios.map((scenario) => ({
      id: scenario.id,
      rateRps: scenario.rateRps,
      connections: scenario.connections,
      slices: `${scenario.slice.pairs} × ${scenario.slice.durationMs} ms`,
      requestsPerArmRound: requestsPerSlice(scenario) * scenario.slice.pairs,
    })),
    hypotheses: hypotheses.map(({ id }) => id),
    looks: config.policy.looks,
    loadSecondsPerRound: loadSeconds,
    earliestPassMinutes: minutes(first),
    latestEndMinutes: Math.min(minutes(last), config.policy.timeBudgetMs / 60_000),
    runner,
  };
}

function whatIs(dependency: Dependency): string {
  switch (dependency.kind) {
    case "postgresql":
      return `PostgreSQL, seeded by ${dependency.schema.join(", ") || "nothing"} in ${dependency.dir}`;
    case "redis":
      return "Redis, emptied before each launch";
    case "program":
      return `program in ${dependency.recipe.dir}, of the candidate's commit`;
  }
}

function renderDependencies({ dependencies }: PlanValue): string[] {
  if (dependencies.length === 0) return [];
  const width = Math.max(...dependencies.map(({ name }) => name.length));
  return [
    "Dependencies (started once, before the first round)",
    ...dependencies.flatMap(({ name, what, settings }) => {
      const told = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
      const line = `  ${name.padEnd(width)}  ${what}`;
      return told.length === 0 ? [line] : [line, `  ${" ".repeat(width)}  ${told.join(" ")}`];
    }),
    "",
  ];
}

function renderPlan(plan: PlanValue, config: Config): string {
  const width = Math.max(...plan.scenarios.map(({ id }) => id.length));
  const gating = gatingCount(listHypotheses(config));
  return [
    ...renderDependencies(plan),
    "Scenarios (each loads both arms in turn, for each round)",
    ...plan.scenarios.map(
      (scenario) =>
        `  ${scenario.id.padEnd(width)}  ${scenario.rateRps}/s over ${scenario.connections} connections, ${scenario.slices}, ${scenario.requestsPerArmRound} requests an arm`,
    ),
    "",
    `Gated hypotheses: ${gating}, sharing a false-alarm chance of ${config.policy.alpha * 100} %`,
    ...plan.hypotheses.map((id) => `  ${id}`),
    "",
    `Looks after ${plan.looks.join(", ")} rounds`,
    `One round of everything: ${plan.loadSecondsPerRound.toFixed(0)} s of load`,
    `Builds aside: ${plan.earliestPassMinutes.toFixed(1)} minutes at the earliest look, ${plan.latestEndMinutes.toFixed(0)} at the most`,
    ...describeExpectations(plan.runner),
  ].join("\n");
}
