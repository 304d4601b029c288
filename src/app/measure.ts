// `measure`: both arms of every service, then the rotation. Writes the samples file as rounds end.
import type { Baseline } from "../model/baseline.ts";
import type { Config } from "../model/config.ts";
import type { Profile } from "../model/profile.ts";
import { ARMS, type Samples } from "../model/samples.ts";
import { runRound } from "../run/round.ts";
import {
  type ArmSetups,
  candidateOf,
  filesOf,
  recipeOf,
  resolveArms,
  targetsOf,
} from "./arm-setup.ts";
import { beginRun } from "./begin-run.ts";
import { runnerFactsOf } from "./calibrate-expect.ts";
import { neededDependencies } from "./dependencies.ts";
import { type PreparedRun, type RunPlan, withMachine, withPlace } from "./prepared-run.ts";
import type { Project } from "./project.ts";
import { continued, readEarlier, withDependencies } from "./resume.ts";
import { rotate, type ScreenLimits } from "./rotation.ts";
import { writeSamples } from "./samples-file.ts";
import type { Environment, MeasureOptions } from "./settings.ts";
import { describeTurn } from "./turn.ts";

export interface MeasureRequest {
  project: Project;
  baselines: readonly Baseline[];
  options: MeasureOptions;
  compare: Samples["run"]["compare"];
  /** The samples file. */
  path: string;
  /** What is known of this runner; its expectations go into the samples. */
  profile?: Profile | null;
  /** `same`: identical arms. */
  arms?: "same";
  /** So many rounds of everything, whatever they show. Absent: until every question is answered. */
  rounds?: number;
  /** The run is a screen. */
  screen?: ScreenLimits;
  /** Of the time budget, spent before on a screen of the same change; default 0. */
  spentMs?: number;
}

export async function measure(request: MeasureRequest, environment: Environment): Promise<Samples> {
  const { project, options } = request;
  const { progress, clock, abort } = environment;

  progress.stage("prepare");
  const earlier = options.resume ? readEarlier(request.path) : null;
  const arms = await resolveArms(request, environment);
  const { scenarios, services } = project.config;
  const plan: RunPlan = {
    project,
    scenarios,
    needed: neededDependencies(
      project.config,
      Object.values(arms).flatMap(({ recipes }) => Object.values(recipes)),
    ),
    jobs: ARMS.flatMap((arm) => {
      const setup = arms[arm];
      if (setup === undefined) return [];
      return services.map(({ name }) => ({
        arm,
        service: name,
        revision: setup.revision,
        recipe: recipeOf(setup, name),
      }));
    }),
    candidate: candidateOf(arms).revision,
  };
  const { lockTimeoutMs } = options;
  return await withMachine(plan, { lockTimeoutMs }, environment, async (prepared) => {
    const { artifacts, cpuSets, generator } = prepared;
    const fresh = freshSamples({ request, environment, arms, prepared });
    const begun = earlier === null ? fresh : continued(earlier, fresh, request.path);
    const files = filesOf(arms, artifacts);
    return await withPlace(prepared, files, environment, async ({ dependencies, folder }) => {
      const samples = withDependencies(begun, dependencies.facts(), request.path);
      const startedMs = clock.nowMs() - begun.run.measuredMs;
      return await rotate({
        samples,
        baselines: request.baselines,
        abort,
        elapsedMs: () => clock.nowMs() - startedMs,
        keep: (current) => writeSamples(request.path, current),
        ...(request.rounds === undefined ? {} : { wantedRounds: request.rounds }),
        ...(request.screen === undefined ? {} : { screen: request.screen }),
        onTurn: (state) =>
          progress.note(describeTurn(state, clock.nowMs() - startedMs, request.rounds)),
        runOne: (plan, open) =>
          runRound(plan, {
            targets: targetsOf(plan.service, arms, artifacts, dependencies),
            dependencies,
            scheme: schemeOf(project.config, plan.service),
            scenarios: [...open],
            cpuSets,
            readCounters: prepared.readCounters,
            generator,
            clock,
            errorBudget: project.config.policy.errorBudget,
            runStartMs: startedMs,
            folder,
            abort,
            onProgress: (line) => progress.status(line),
          }),
      });
    });
  });
}

function freshSamples(input: {
  request: MeasureRequest;
  environment: Environment;
  arms: ArmSetups;
  prepared: PreparedRun;
}): Samples {
  const { request, environment, arms, prepared } = input;
  const { config } = request.project;
  const candidate = candidateOf(arms).revision.source;
  return {
    schema: "tailgate.samples.v1",
    tool: `tailgate ${environment.version}`,
    run: {
      ...beginRun(environment.clock.wallTime(), request.options.seed ?? config.seed),
      compare: request.compare,
      measuredMs: request.spentMs ?? 0,
    },
    host: prepared.host,
    cpuSets: prepared.cpuSets,
    config,
    sources: { candidate, reference: arms.reference?.revision.source ?? null },
    artifacts: prepared.artifacts.map(({ facts }) => facts),
    ...(request.profile == null
      ? {}
      : { runner: runnerFactsOf(request.profile, config, prepared.host.fingerprint) }),
    rounds: [],
  };
}

function schemeOf(config: Config, service: string): "sliced" | "alternate" {
  return config.services.find(({ name }) => name === service)?.scheme ?? "sliced";
}
