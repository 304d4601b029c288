// What every command that measures does around its own loop: the lock about all of it; tools,
// machine and builds before it; the dependencies and a folder beside it; and nothing left behind,
// however it ends. Knows nothing of what is measured.

import { throwIfStopped } from "../../core/base/errors.ts";
import type { Config, Dependency, Scenario } from "../../core/model/config.ts";
import type { CpuSets, Finding, Host } from "../../core/model/host.ts";
import type { Samples } from "../../core/model/samples.ts";
import { planCpuSets } from "../../core/plan/cpu-sets.ts";
import type { LoadGenerator } from "../../core/slice/load.ts";
import { Secrets } from "../../core/text/secrets.ts";
import type { BuildJob, BuiltArtifact } from "../../machine/build/build.ts";
import { ensureOha } from "../../machine/build/oha-tool.ts";
import { assertConnectionsFit } from "../../machine/host/connection-limits.ts";
import { readHost } from "../../machine/host/host.ts";
import { keepAwake } from "../../machine/host/keep-awake.ts";
import { acquireLock } from "../../machine/host/lock.ts";
import type { RunningDependencies } from "../../machine/run/dependency/running-dependencies.ts";
import { generatorOf } from "../../machine/run/load/generator.ts";
import { masked } from "../../machine/run/load/masked.ts";
import { createOha } from "../../machine/run/load/oha/oha.ts";
import { describeWrk2Floor, probeWrk2Floor } from "../../machine/run/load/wrk2/floor.ts";
import { requireWrk2 } from "../../machine/run/load/wrk2/tool.ts";
import { createWrk2 } from "../../machine/run/load/wrk2/wrk2.ts";
import { measuredCpus, readHostCounters } from "../../machine/run/probe/host-counters.ts";
import type { RoundContext } from "../../machine/run/round-context.ts";
import { makeTemporaryFolder, memoryFolder } from "../../machine/sys/files.ts";
import { janitor } from "../../machine/sys/janitor.ts";
import { assertPrograms, type Program } from "../../machine/sys/programs.ts";
import { copyBodies } from "../config/body-file.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";
import { buildBeside } from "./build-dependencies.ts";
import type { ArmsFiles } from "./dependencies.ts";
import { assertServersInstalled, dependencyJobs, startDependencies } from "./dependencies.ts";

export interface RunPlan {
  project: Pick<Project, "git" | "root" | "config">;
  scenarios: readonly Scenario[];
  /** Dependencies that are started. */
  needed: readonly Dependency[];
  /** Services that are built. */
  jobs: readonly BuildJob[];
  /** What dependencies are made from. */
  arms: ArmsFiles;
  /**
   * What is left to measure once the services are built; without scenarios: nothing. Absent: all.
   */
  narrow?(artifacts: readonly BuiltArtifact[]): Promise<Narrowed>;
}

interface Narrowed extends Pick<RunPlan, "scenarios" | "needed"> {
  /** About the builds. */
  findings: Finding[];
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

/** Prepares a run and does `work`, alone on this machine. */
export async function withMachine<T>(
  plan: RunPlan,
  lock: LockRequest,
  environment: Environment,
  work: (prepared: PreparedRun) => Promise<T>,
): Promise<T> {
  assertRunnable(plan, environment);
  return await underLock(lock, environment, () => withPrepared(plan, environment, work));
}

/** What can be known to be missing is told before anything is waited for. */
export function assertRunnable({ scenarios, needed }: RunPlan, { env }: Environment): void {
  assertConnectionsFit(scenarios);
  assertServersInstalled(needed, env.PATH);
}

/**
 * Prepares a run and does `work`. The caller has the machine's lock: a build, the installation of a
 * generator or its probe would spoil the slices of whoever measures meanwhile.
 */
export async function withPrepared<T>(
  plan: RunPlan,
  environment: Environment,
  work: (prepared: PreparedRun) => Promise<T>,
): Promise<T> {
  const prepared = await prepareRun(plan, environment);
  const { fingerprint, findings } = prepared.host;
  // Where nobody said: on virtual machines, whose idle CPUs may come back late.
  const isWanted = plan.project.config.runner.keepAwake ?? fingerprint.virtual;
  if (!isWanted || prepared.scenarios.length === 0) return await work(prepared);
  const hasQuota = findings.some(({ id }) => id === "quota");
  const awake = await keepAwake(measuredCpus(prepared.cpuSets), { hasQuota });
  if ("level" in awake) {
    // In the place of what was found of the same before it was tried.
    const others = findings.filter(({ id }) => id !== awake.id);
    return await work({ ...prepared, host: { ...prepared.host, findings: [...others, awake] } });
  }
  try {
    const host = { ...prepared.host, fingerprint: { ...fingerprint, keptAwake: awake.kept } };
    const readCounters: typeof readHostCounters = (sets, known, nowMs) =>
      readHostCounters(sets, known, nowMs, awake);
    return await work({ ...prepared, host, readCounters });
  } finally {
    awake.release();
  }
}

async function prepareRun(plan: RunPlan, environment: Environment): Promise<PreparedRun> {
  const { env, abort } = environment;
  const isWrk2 = ({ generator }: Scenario): boolean => generator === "wrk2";
  const known = plan.scenarios.some(isWrk2) && createWrk2(await requireWrk2(env.PATH));

  const { built, oha, findings, ...left } = await buildAll(plan, environment);
  // What the scenarios ask for, and nothing else.
  const wrk2 = left.scenarios.some(isWrk2) && known;
  const generator = generatorOf({ ...(oha && { oha: createOha(oha) }), ...(wrk2 && { wrk2 }) });
  const { host, cpuSets } = lookAtMachine(plan.project.config, generator.name, left.needed);
  const floor = wrk2 && (await probeWrk2Floor(wrk2, { cpus: cpuSets.generator, abort }));
  const ofWrk2 = wrk2 && floor ? [describeWrk2Floor(wrk2.name, floor)] : [];
  throwIfStopped(abort);
  return {
    ...plan,
    ...left,
    host: { ...host, findings: [...host.findings, ...findings, ...ofWrk2] },
    cpuSets,
    generator,
    readCounters: readHostCounters,
    artifacts: built.slice(0, plan.jobs.length),
    programs: built.slice(plan.jobs.length),
  };
}

/** Oha beside the builds: where it has to be compiled, that takes as long as they do. */
async function buildAll(plan: RunPlan, environment: Environment) {
  const { scenarios, needed, jobs, arms, project } = plan;
  const { git, config } = project;
  const isOha = ({ generator }: Scenario): boolean => generator === "oha";
  const unneeded = new AbortController();
  const abort = AbortSignal.any([environment.abort, unneeded.signal]);
  environment.progress.stage("build");
  const oha = scenarios.some(isOha) ? ensureOha({ ...environment, abort }) : null;
  const settled = oha?.catch(() => {});
  try {
    const ports = { ...environment, git, arms, dependencies: config.dependencies };
    const built = await buildBeside([...jobs, ...dependencyJobs(needed, arms, jobs)], ports);
    const narrowed = await plan.narrow?.(built.slice(0, jobs.length));
    const left = narrowed ?? { scenarios, needed, findings: [] };
    return { ...left, built, oha: left.scenarios.some(isOha) ? await oha : null };
  } finally {
    // A build failed, or left nothing for it to load. Nothing is probed before it has ended.
    unneeded.abort();
    await settled;
  }
}

/** `generator`: its name; empty: nothing is loaded. */
export function lookAtMachine(
  { runner }: Config,
  generator: string,
  needed: readonly Dependency[],
): { host: Host; cpuSets: CpuSets } {
  const host = readHost({ generator });
  const cpuSets = planCpuSets(host, runner.cpus, { dependencies: needed.length > 0 });
  const fingerprint = { ...host.fingerprint, serviceCpus: cpuSets.service.length };
  return { host: { ...host, fingerprint }, cpuSets };
}

/** What every launch of a run is given alike. */
export interface RunPlace
  extends Pick<PreparedRun, "cpuSets" | "readCounters" | "generator">,
    Pick<RoundContext, "clock" | "abort" | "folder" | "onSecret" | "onProgress"> {
  dependencies: RunningDependencies;
  secrets: Secrets;
}

/** Does `work` beside what the services need. */
export async function withWorkFolder<T>(
  prepared: PreparedRun,
  environment: Environment,
  work: (place: RunPlace) => Promise<T>,
  secrets = new Secrets(),
): Promise<T> {
  const { project, scenarios, needed, cpuSets, artifacts, programs, arms } = prepared;
  const { progress, clock, abort } = environment;
  const dependencies = await startDependencies({
    needed,
    arms,
    checkout: { ...environment, git: project.git },
    built: [...programs, ...artifacts],
    env: environment.env,
    start: { ...environment, cpus: cpuSets.dependencies ?? cpuSets.service },
  });
  const folder = makeTemporaryFolder(memoryFolder());
  try {
    copyBodies(scenarios, project.root, folder);
    progress.stage("measure");
    return await work({
      cpuSets,
      readCounters: prepared.readCounters,
      generator: masked(prepared.generator, secrets),
      clock,
      abort,
      folder,
      dependencies,
      secrets,
      onSecret: (value) => progress.secret(value),
      onProgress: (line) => progress.status(line),
    });
  } finally {
    await dependencies.stop();
    janitor.removePath(folder);
  }
}

export interface LockRequest {
  /** How long to wait for another gate. */
  lockTimeoutMs: number;
  /** What the work needs on the PATH. Default: all that a run needs. */
  programs?: readonly Program[];
}

/** Does `work` alone on this machine. TAILGATE_LOCK: a lock file of a test's own, which measures nothing. */
export async function underLock<T>(
  { lockTimeoutMs, programs }: LockRequest,
  { progress, abort, env }: Environment,
  work: () => Promise<T>,
): Promise<T> {
  assertPrograms(env.PATH, programs);
  await using _lock = await acquireLock({
    timeoutMs: lockTimeoutMs,
    abort,
    onWait: (holder) => progress.status(`waiting for another gate on this machine (${holder})`),
    path: env.TAILGATE_LOCK,
  });
  throwIfStopped(abort);
  return await work();
}

/**
 * Of a run that has measured nothing yet. Without a seed a fresh one is drawn; it is shown, and can
 * be given.
 */
export function beginRun(
  startedAt: string,
  wanted: number | null,
): Omit<Samples["run"], "compare"> {
  // It only has to differ from run to run.
  const seed = wanted ?? (Date.parse(startedAt) ^ (process.pid << 16)) >>> 0;
  const id = `${startedAt.replaceAll(/[-:]|\.\d+/g, "")}-${seed.toString(16).padStart(8, "0")}`;
  return { id, startedAt, seed, measuredMs: 0, state: "running", ended: "running" };
}
