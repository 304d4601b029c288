// `measure`: sources, builds, machine, dependencies, then the rotation. Writes the samples file as rounds end.
import { type BuiltArtifact, buildArtifacts } from "../build/build.ts";
import { ensureOha } from "../build/oha-tool.ts";
import type { Baseline } from "../model/baseline.ts";
import type { Config } from "../model/config.ts";
import type { CpuSets, Host } from "../model/host.ts";
import { ARMS, type Samples } from "../model/samples.ts";
import { planCpuSets } from "../plan/cpu-sets.ts";
import { assertConnectionsFit } from "../run/host/connection-limits.ts";
import { readHost } from "../run/host/host.ts";
import { acquireLock } from "../run/host/lock.ts";
import { createOha } from "../run/load/oha.ts";
import { runRound } from "../run/round.ts";
import { makeTemporaryFolder, memoryFolder } from "../sys/files.ts";
import { janitor } from "../sys/janitor.ts";
import {
  type ArmSetups,
  candidateOf,
  filesOf,
  recipeOf,
  resolveArms,
  targetsOf,
} from "./arm-setup.ts";
import { beginRun, stopIfAborted } from "./begin-run.ts";
import {
  assertServersInstalled,
  dependencyJobs,
  neededDependencies,
  startDependencies,
} from "./dependencies.ts";
import { placeBodies } from "./place-bodies.ts";
import type { Project } from "./project.ts";
import { continued, readEarlier, withDependencies } from "./resume.ts";
import { rotate } from "./rotation.ts";
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
}

export async function measure(request: MeasureRequest, environment: Environment): Promise<Samples> {
  const { project, options } = request;
  const { progress, clock, abort } = environment;

  progress.stage("prepare");
  assertConnectionsFit(project.config.scenarios);
  const earlier = options.resume ? readEarlier(request.path) : null;
  const arms = await resolveArms(request, environment);
  const needed = neededDependencies(
    project.config,
    Object.values(arms).flatMap(({ recipes }) => Object.values(recipes)),
  );
  assertServersInstalled(needed, environment.env.PATH);
  const oha = await ensureOha(environment);
  const host = readHost({ generator: `oha ${oha.version}` });
  const cpuSets = planCpuSets(host, project.config.runner.cpus, {
    dependencies: needed.length > 0,
  });

  progress.stage("build");
  const jobs = ARMS.flatMap((arm) => {
    const setup = arms[arm];
    if (setup === undefined) return [];
    return project.config.services.map(({ name }) => ({
      arm,
      service: name,
      revision: setup.revision,
      recipe: recipeOf(setup, name),
    }));
  });
  const programs = dependencyJobs(needed, candidateOf(arms).revision);
  const built = await buildArtifacts([...jobs, ...programs], {
    git: project.git,
    cache: environment.cache,
    env: environment.env,
    abort,
    progress,
    clock,
  });
  stopIfAborted(abort);
  const artifacts = built.slice(0, jobs.length);

  const fresh = freshSamples({ request, environment, arms, host, cpuSets, artifacts });
  const begun = earlier === null ? fresh : continued(earlier, fresh, request.path);

  await using lock = await acquireLock({
    timeoutMs: options.lockTimeoutMs,
    abort,
    onWait: (holder) => progress.status(`waiting for another gate on this machine (${holder})`),
  });
  stopIfAborted(abort);
  void lock;

  const dependencies = await startDependencies({
    needed,
    arms: filesOf(arms, artifacts),
    git: project.git,
    built: built.slice(jobs.length),
    start: { cpus: cpuSets.dependencies ?? cpuSets.service, clock, abort, progress },
  });

  progress.stage("measure");
  const folder = makeTemporaryFolder(memoryFolder());
  const startedMs = clock.nowMs() - begun.run.measuredMs;
  const generator = createOha(oha);
  try {
    placeBodies(project.config.scenarios, project.root, folder);
    const samples = withDependencies(begun, dependencies.facts(), request.path);
    return await rotate({
      samples,
      baselines: request.baselines,
      abort,
      elapsedMs: () => clock.nowMs() - startedMs,
      keep: (current) => writeSamples(request.path, current),
      onTurn: (state) => progress.note(describeTurn(state, clock.nowMs() - startedMs)),
      runOne: (plan, scenarios) =>
        runRound(plan, {
          targets: targetsOf(plan.service, arms, artifacts, dependencies),
          dependencies,
          scheme: schemeOf(project.config, plan.service),
          scenarios: [...scenarios],
          cpuSets,
          generator,
          clock,
          errorBudget: project.config.policy.errorBudget,
          runStartMs: startedMs,
          folder,
          abort,
          onProgress: (line) => progress.status(line),
        }),
    });
  } finally {
    await dependencies.stop();
    janitor.removePath(folder);
  }
}

function freshSamples(input: {
  request: MeasureRequest;
  environment: Environment;
  arms: ArmSetups;
  host: Host;
  cpuSets: CpuSets;
  artifacts: readonly BuiltArtifact[];
}): Samples {
  const { request, environment, arms } = input;
  const { config } = request.project;
  const candidate = candidateOf(arms).revision.source;
  return {
    schema: "tailgate.samples.v1",
    tool: `tailgate ${environment.version}`,
    run: {
      ...beginRun(environment.clock.wallTime(), request.options.seed ?? config.seed),
      compare: request.compare,
    },
    host: input.host,
    cpuSets: input.cpuSets,
    config,
    sources: { candidate, reference: arms.reference?.revision.source ?? null },
    artifacts: input.artifacts.map(({ facts }) => facts),
    rounds: [],
  };
}

function schemeOf(config: Config, service: string): "sliced" | "alternate" {
  return config.services.find(({ name }) => name === service)?.scheme ?? "sliced";
}
