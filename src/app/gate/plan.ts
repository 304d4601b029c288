// `plan`: what a run would do and how long it would take, without starting anything.

import { join } from "node:path";
import { tryJson } from "../../core/base/try-json.ts";
import { withAutoMargins } from "../../core/calibration/auto-margin.ts";
import { runnerFactsOf } from "../../core/calibration/expect.ts";
import { neededDependencies } from "../../core/config/needed-dependencies.ts";
import type { Recipe } from "../../core/model/config.ts";
import { withParts } from "../../core/model/mix.ts";
import type { PlanFacts } from "../../core/model/plan.ts";
import type { OneArm } from "../../core/model/samples.ts";
import { fullName } from "../../core/report/words/names.ts";
import { median } from "../../core/stats/dispersion.ts";
import { listQuestions, requestsPerSlice } from "../../core/verdict/hypotheses.ts";
import { SETTINGS } from "../../machine/run/dependency/postgresql-plan.ts";
import { orNull, readOrEmpty } from "../../machine/sys/or-null.ts";
import { readProfile } from "../documents/profile.ts";
import { FILES } from "../documents/reports.ts";
import { readSamples } from "../documents/samples.ts";
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

/**
 * Throws where a gate would: the time budget has no room for an answer. `tell`: what a person is
 * told.
 */
export function describePlan<Told extends { text: string }>(
  project: Project,
  tell: (facts: PlanFacts) => Told,
  own: OneArm = oneArmOf({}),
): Told {
  const profile = readProfile(project);
  // Plans are made anywhere: whether the machine is the calibrated one is for the run to see.
  const config = withAutoMargins(project.config, profile, null);
  const [fresh, questions] = [new Set(own.new), listQuestions(config)];
  const told = tell({
    config,
    dependencies: neededDependencies(config),
    postgresqlSettings: SETTINGS,
    scenarios: withParts(config.scenarios).map((scenario) => ({
      ...scenario,
      requestsPerArmRound: requestsPerSlice(scenario) * scenario.slice.pairs,
    })),
    oneArm: own,
    names: new Map(questions.map((one) => [one.id, fullName({ ...one, ...one.policy })])),
    hypotheses: blockingOf(config, fresh, questions).map(({ id }) => id),
    started: new Map(config.services.map(({ name, recipe }) => [name, startedBy(recipe, project)])),
    earliest: timeToAnswer(config, { fresh, waitMs: startsIn(project.out) }),
    runner: profile === null ? null : runnerFactsOf(profile, config, null),
  });
  refuseTooLittleTime(project.config, { detail: told.text });
  return told;
}

/** How long a service took to start in the last run there; 0: none did. */
function startsIn(out: string): (service: string) => number {
  const rounds = orNull(() => readSamples(join(out, FILES.samples)).rounds) ?? [];
  return (wanted) => {
    const own = rounds.filter(({ service }) => service === wanted);
    return median(own.flatMap(({ launches }) => launches?.candidate.values.startup ?? [])) || 0;
  };
}

/** With the script before it, of those that have one. */
function startedBy({ run, dir }: Recipe, { root }: Pick<Project, "root">): string {
  const [program = "", ...words] = run;
  const name = words.find((word) => word !== "run" && !word.startsWith("-"));
  if (!/^(npm|pnpm|yarn|bun)$/.test(program) || name === undefined) return run.join(" ");
  const file = tryJson(readOrEmpty(join(root, dir, "package.json")));
  const scripts = (file as { scripts?: Record<string, string> | null } | null)?.scripts ?? {};
  return [scripts[`pre${name}`], scripts[name]].filter((it) => it !== undefined).join(" && ");
}
