// What every command that measures does around its own loop: the lock about all of it; tools, machine and builds before it; the
// dependencies and a folder beside it; and nothing left behind, however it ends. Knows nothing of what is measured.
import { type BuildJob, type BuiltArtifact, buildArtifacts } from "../build/build.ts";
import { ensureOha } from "../build/oha-tool.ts";
import type { Revision } from "../build/source.ts";
import type { Dependency, Generator, Scenario } from "../model/config.ts";
import type { CpuSets, Finding, Host } from "../model/host.ts";
import type { Arm } from "../model/samples.ts";
import { planCpuSets } from "../plan/cpu-sets.ts";
import type { RunningDependencies } from "../run/dependency/running-dependencies.ts";
import { assertConnectionsFit } from "../run/host/connection-limits.ts";
import { readHost } from "../run/host/host.ts";
import { keepAwake } from "../run/host/keep-awake.ts";
import { generatorOf } from "../run/load/generator.ts";
import type { LoadGenerator } from "../run/load/load-generator.ts";
import { createOha } from "../run/load/oha.ts";
import { createWrk2 } from "../run/load/wrk2.ts";
import { describeWrk2Floor, probeWrk2Floor } from "../run/load/wrk2-floor.ts";
import { requireWrk2 } from "../run/load/wrk2-tool.ts";
import { measuredCpus, readHostCounters } from "../run/probe/host-counters.ts";
import { makeTemporaryFolder, memoryFolder } from "../sys/files.ts";
import { janitor } from "../sys/janitor.ts";
import { stopIfAborted } from "./begin-run.ts";
import {
  type ArmFiles,
  assertServersInstalled,
  dependencyJobs,
  startDependencies,
} from "./dependencies.ts";
import { type LockWishes, underLock } from "./machine-lock.ts";
import { placeBodies } from "./place-bodies.ts";
import type { Project } from "./project.ts";
import type { Environment } from "./settings.ts";

export interface RunPlan {
  project: Project;
  scenarios: readonly Scenario[];
  /** Dependencies that are started. */
  needed: readonly Dependency[];
  /** Services that are built. */
  jobs: readonly BuildJob[];
  /** What dependencies are built from. */
  candidate: Revision;
}

export interface PreparedRun extends RunPlan {
  host: Host;
  cpuSets: CpuSets;
  generator: LoadGenerator;
  /** Knows what keeps the CPUs awake, which is no disturbance. */
  readCounters: typeof readHostCounters;
  /** Of the jobs, in their order. */
  artifacts: BuiltArtifact[];
  /** Of the dependencies that are built. */
  programs: BuiltArtifact[];
}

/**
 * Prepares a run and does `work`, alone on this machine: a build, the installation of a generator or its probe would spoil the
 * slices of whoever measures meanwhile.
 */
export async function withMachine<T>(
  plan: RunPlan,
  wishes: LockWishes,
  environment: Environment,
  work: (prepared: PreparedRun) => Promise<T>,
): Promise<T> {
  // What can be known to be missing is told before anything is waited for.
  assertConnectionsFit(plan.scenarios);
  assertServersInstalled(plan.needed, environment.env.PATH);
  return await underLock(wishes, environment, async () => {
    const prepared = await prepareRun(plan, environment);
    const { fingerprint, findings } = prepared.host;
    // Where nobody said: on virtual machines, whose idle CPUs may come back late.
    const isWanted = plan.project.config.runner.keepAwake ?? fingerprint.virtual;
    if (!isWanted) return await work(prepared);
    const hasQuota = findings.some(({ id }) => id === "quota");
    const awake = await keepAwake(measuredCpus(prepared.cpuSets), { hasQuota });
    if ("level" in awake) return await work(withFinding(prepared, awake));
    try {
      const host = { ...prepared.host, fingerprint: { ...fingerprint, keptAwake: awake.kept } };
      const readCounters: typeof readHostCounters = (sets, known, nowMs) =>
        readHostCounters(sets, known, nowMs, awake.occupants);
      return await work({ ...prepared, host, readCounters });
    } finally {
      awake.release();
    }
  });
}

/** In the place of what was found of the same before it was tried. */
function withFinding(prepared: PreparedRun, finding: Finding): PreparedRun {
  const { host } = prepared;
  const others = host.findings.filter(({ id }) => id !== finding.id);
  return { ...prepared, host: { ...host, findings: [...others, finding] } };
}

async function prepareRun(plan: RunPlan, environment: Environment): Promise<PreparedRun> {
  const { project, scenarios, needed, jobs, candidate } = plan;
  const { progress, clock, abort, cache, env } = environment;
  const generators = await prepareGenerators(scenarios, environment);
  const generator = generatorOf(generators);
  const host = readHost({ generator: generator.name });
  const cpuSets = planCpuSets(host, project.config.runner.cpus, {
    dependencies: needed.length > 0,
  });

  progress.stage("build");
  const built = await buildArtifacts([...jobs, ...dependencyJobs(needed, candidate)], {
    git: project.git,
    cache,
    env,
    abort,
    progress,
    clock,
  });
  const floor = await floorFindings(generators.wrk2, cpuSets, abort);
  stopIfAborted(abort);
  return {
    ...plan,
    host: { ...host, findings: [...host.findings, ...floor] },
    cpuSets,
    generator,
    readCounters: readHostCounters,
    artifacts: built.slice(0, jobs.length),
    programs: built.slice(jobs.length),
  };
}

/** What the scenarios ask for, and nothing else. */
async function prepareGenerators(
  scenarios: readonly Scenario[],
  environment: Environment,
): Promise<Partial<Record<Generator, LoadGenerator>>> {
  const wanted = new Set(scenarios.map(({ generator }) => generator));
  return {
    ...(wanted.has("oha") ? { oha: createOha(await ensureOha(environment)) } : {}),
    ...(wanted.has("wrk2") ? { wrk2: createWrk2(await requireWrk2(environment.env.PATH)) } : {}),
  };
}

/** wrk2's floor on this machine, where wrk2 is used. */
async function floorFindings(
  wrk2: LoadGenerator | undefined,
  cpuSets: CpuSets,
  abort: AbortSignal,
): Promise<Finding[]> {
  if (wrk2 === undefined) return [];
  const floor = await probeWrk2Floor(wrk2, { cpus: cpuSets.generator, abort });
  return floor === null ? [] : [describeWrk2Floor(wrk2.name, floor)];
}

/** What the loop is given beside what was prepared. */
export interface RunPlace {
  dependencies: RunningDependencies;
  /** For the generator's files. */
  folder: string;
}

/** Does `work` beside what the services need. */
export async function withPlace<T>(
  prepared: PreparedRun,
  arms: Partial<Record<Arm, ArmFiles>>,
  environment: Environment,
  work: (place: RunPlace) => Promise<T>,
): Promise<T> {
  const { project, scenarios, needed, cpuSets, programs } = prepared;
  const { progress, clock, abort } = environment;
  const dependencies = await startDependencies({
    needed,
    arms,
    git: project.git,
    built: programs,
    start: { cpus: cpuSets.dependencies ?? cpuSets.service, clock, abort, progress },
  });
  progress.stage("measure");
  const folder = makeTemporaryFolder(memoryFolder());
  try {
    placeBodies(scenarios, project.root, folder);
    return await work({ dependencies, folder });
  } finally {
    await dependencies.stop();
    janitor.removePath(folder);
  }
}
