// `plan`: what a run would do and how long it would take, without starting anything.

import { withAutoMargins } from "../../core/calibration/auto-margin.ts";
import { runnerFactsOf } from "../../core/calibration/expect.ts";
import { neededDependencies } from "../../core/config/needed-dependencies.ts";
import type { Config, Dependency, Transport } from "../../core/model/config.ts";
import { withParts } from "../../core/model/mix.ts";
import type { RunnerFacts } from "../../core/model/profile.ts";
import type { OneArm } from "../../core/model/samples.ts";
import { autoMargins, describeExpectations } from "../../core/report/words/expectations.ts";
import { fullName } from "../../core/report/words/names.ts";
import { describeOneArm } from "../../core/report/words/verdict.ts";
import { listQuestions, requestsPerSlice } from "../../core/verdict/hypotheses.ts";
import { SETTINGS } from "../../machine/run/dependency/postgresql-plan.ts";
import { readProfile } from "../documents/profile.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";
import { oneArmOf } from "./arm-setup.ts";
import { resolveAlongside } from "./gate.ts";
import { blockingOf, refuseTooLittleTime, timeToAnswer } from "./time-to-answer.ts";

/** What only the candidate or only the reference has; nothing where there is no reference yet. */
export async function besideReference(project: Project, environment: Environment): Promise<OneArm> {
  const isAlone = project.config.compare === "stored";
  const found = isAlone ? null : await resolveAlongside(project, environment);
  return oneArmOf(found?.arms ?? {});
}

/** Throws where the time budget has no room for an answer. */
export function describePlan(
  project: Project,
  own: OneArm = oneArmOf({}),
): { value: PlanValue; text: string } {
  const profile = readProfile(project);
  // Plans are made anywhere: whether the machine is the calibrated one is for the run to see.
  const config = withAutoMargins(project.config, profile, null);
  const runner = profile === null ? null : runnerFactsOf(profile, config, null);
  const value = planOf(config, runner, own);
  const text = renderPlan(value, config);
  refuseTooLittleTime(config, { detail: text, fresh: new Set(own.new) });
  return { value, text };
}

type PlanValue = ReturnType<typeof planOf>;

/** `runner`: what a calibration of this class of runner lets expect; null: there was none. */
function planOf(config: Config, runner: RunnerFacts | null, oneArm: OneArm) {
  const fresh = new Set(oneArm.new);
  const spokenTo = (wanted: string): string | null =>
    transportWords(config.services.find(({ name }) => name === wanted)?.recipe.transport);
  return {
    /** Started once, before the first round. */
    dependencies: neededDependencies(config).map((dependency) => ({
      name: dependency.name,
      what: whatIs(dependency),
      settings: (dependency.kind === "postgresql" ? SETTINGS : {}) as Record<string, string>,
    })),
    scenarios: withParts(config.scenarios).map((scenario) => ({
      id: scenario.id,
      rateRps: scenario.rateRps,
      connections: scenario.connections,
      /** Null: HTTP/1.1 over TCP, without TLS. */
      transport: spokenTo(scenario.service),
      slices: `${scenario.slice.pairs} × ${scenario.slice.durationMs} ms`,
      requestsPerArmRound: requestsPerSlice(scenario) * scenario.slice.pairs,
    })),
    /** What one version alone has, or has otherwise. */
    oneArm,
    hypotheses: blockingOf(config, fresh, listQuestions(config)).map(({ id }) => id),
    /** Null: nothing is gated. */
    earliest: timeToAnswer(config, { fresh }),
    latestEndMinutes: config.policy.timeBudgetMs / 60_000,
    runner,
  };
}

/** `HTTP/2 over TLS`, `HTTP/1.1 over a unix socket`. */
function transportWords(transport: Transport | undefined): string | null {
  if (transport === undefined) return null;
  const { protocol, socket, tls } = transport;
  const over = socket ? " over a unix socket" : tls === null ? "" : " over TLS";
  return `${protocol === "http1" ? "HTTP/1.1" : "HTTP/2"}${over}`;
}

function whatIs(dependency: Dependency): string {
  switch (dependency.kind) {
    case "postgresql": {
      const { schema, dir, isolation = "separate" } = dependency;
      const by = [...schema, ...seedOf(dependency)].join(", ") || "nothing";
      return `PostgreSQL, seeded by ${by} in ${dir}; ${isolation}`;
    }
    case "redis": {
      const by = seedOf(dependency).join("");
      if (dependency.isolation === "shared") return `Redis, seeded by ${by || "nothing"}; shared`;
      return by === ""
        ? "Redis, emptied before each launch"
        : `Redis, seeded by ${by} before each launch`;
    }
    case "program":
      return `program in ${dependency.recipe.dir}, of the candidate's commit`;
  }
}

function seedOf({ seed }: Extract<Dependency, { kind: "postgresql" | "redis" }>): string[] {
  if (seed === undefined) return [];
  return [seed.kind === "service" ? seed.service : seed.command.join(" ")];
}

function renderDependencies({ dependencies }: PlanValue): string[] {
  if (dependencies.length === 0) return [];
  const width = Math.max(...dependencies.map(({ name }) => name.length));
  return [
    "Dependencies (started once, before the first round)",
    ...dependencies.flatMap(({ name, what, settings }) => {
      const shown = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
      const line = `  ${name.padEnd(width)}  ${what}`;
      return shown.length === 0 ? [line] : [line, `  ${" ".repeat(width)}  ${shown.join(" ")}`];
    }),
    "",
  ];
}

const BESIDE =
  "  (what the reference does not answer is loaded alone; what changed is asked for as each commit has it)";

function renderPlan(plan: PlanValue, config: Config): string {
  const width = Math.max(...plan.scenarios.map(({ id }) => id.length));
  const names = new Map(
    listQuestions(config).map((one) => [one.id, fullName({ ...one, ...one.policy })]),
  );
  const margins = autoMargins(config);
  const nameOf = (id: string): string => names.get(id) ?? id;
  const beside = describeOneArm(plan.oneArm);
  return [
    ...renderDependencies(plan),
    "Scenarios (each loads both arms in turn, for each round)",
    ...plan.scenarios.map(
      (scenario) =>
        `  ${scenario.id.padEnd(width)}  ${scenario.rateRps}/s over ${scenario.connections} connections${scenario.transport === null ? "" : ` (${scenario.transport})`}, ${scenario.slices}, ${scenario.requestsPerArmRound} requests an arm`,
    ),
    "",
    ...(beside === "" ? [] : [`Beside the reference: ${beside}`, BESIDE, ""]),
    `Gated hypotheses: ${plan.hypotheses.length}, sharing a false-alarm chance of ${config.policy.alpha * 100} %`,
    ...plan.hypotheses.map((id) => `  ${margins.get(id) ?? nameOf(id)}`),
    "",
    ...renderTime(plan),
    ...describeExpectations(plan.runner, nameOf),
  ].join("\n");
}

function renderTime({ earliest, latestEndMinutes }: PlanValue): string[] {
  const most = `At most: ${latestEndMinutes.toFixed(0)} minutes`;
  if (earliest === null) return [most];
  const { rounds, turn, minutes } = earliest;
  const seconds = (ms: number): string => (ms / 1000).toFixed(1);
  return [
    `One round of everything: ${seconds(turn.loadMs)} s of load, ${seconds(turn.otherMs)} s beside it`,
    `Earliest pass: ${rounds.pass} rounds, ${minutes.pass.toFixed(1)} minutes (builds and slow starts aside)`,
    `Earliest regression: ${rounds.regress} rounds, ${minutes.regress.toFixed(1)} minutes`,
    most,
  ];
}
