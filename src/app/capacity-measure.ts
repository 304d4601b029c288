// Measures a capacity: source, build, machine, then launches one after another. Writes the samples file after every slice.
import { existsSync } from "node:fs";
import { UserError } from "../base/errors.ts";
import { createPrng } from "../base/prng.ts";
import { buildArtifacts } from "../build/build.ts";
import { ensureOha } from "../build/oha-tool.ts";
import { resolveCandidate } from "../build/source.ts";
import type { CapacityLaunch, CapacitySamples, CapacitySettings } from "../model/capacity.ts";
import type { Scenario, Service } from "../model/config.ts";
import { planCpuSets } from "../plan/cpu-sets.ts";
import { assertConnectionsFit } from "../run/host/connection-limits.ts";
import { readHost } from "../run/host/host.ts";
import { acquireLock } from "../run/host/lock.ts";
import { createOha } from "../run/load/oha.ts";
import { makeTemporaryFolder, memoryFolder, writeFileAtomic } from "../sys/files.ts";
import { janitor } from "../sys/janitor.ts";
import { type LaunchContext, runLaunch } from "./capacity-launch.ts";
import { type CapacityOptions, COST } from "./capacity-settings.ts";
import {
  assertServersInstalled,
  dependencyJobs,
  neededDependencies,
  startDependencies,
} from "./dependencies.ts";
import { placeBodies } from "./place-bodies.ts";
import type { Project } from "./project.ts";
import type { Environment } from "./settings.ts";

export interface CapacityRequest {
  project: Project;
  service: Service;
  scenario: Scenario;
  settings: CapacitySettings;
  options: CapacityOptions;
  /** The samples file. */
  path: string;
}

export async function measureLaunches(
  { project, service, scenario, settings, options, path }: CapacityRequest,
  environment: Environment,
): Promise<CapacitySamples> {
  const { progress, clock, abort } = environment;
  progress.stage("prepare");
  if (existsSync(path)) {
    progress.note(`${path} is of an earlier search and will be replaced`);
  }
  assertConnectionsFit([scenario]);
  const revision = await resolveCandidate(project.git);
  const needed = neededDependencies({ ...project.config, services: [service] });
  assertServersInstalled(needed, environment.env.PATH);
  const oha = await ensureOha(environment);
  const host = readHost({ generator: `oha ${oha.version}` });
  const cpuSets = planCpuSets(host, project.config.runner.cpus);

  progress.stage("build");
  const { recipe } = service;
  const [built, ...programs] = await buildArtifacts(
    [
      { arm: "candidate", service: service.name, revision, recipe },
      ...dependencyJobs(needed, revision),
    ],
    { git: project.git, cache: environment.cache, env: environment.env, abort, progress, clock },
  );
  if (built === undefined) throw new Error("bug in tailgate: nothing was built");
  stopIfAborted(abort);

  const startedAt = clock.wallTime();
  const seed = options.seed ?? project.config.seed ?? freshSeed(startedAt);
  let samples: CapacitySamples = {
    schema: "tailgate.capacity-samples.v1",
    tool: `tailgate ${environment.version}`,
    run: {
      id: `${startedAt.replaceAll(/[-:]|\.\d+/g, "")}-${seed.toString(16).padStart(8, "0")}`,
      startedAt,
      seed,
      measuredMs: 0,
      state: "running",
      ended: "",
    },
    host,
    cpuSets,
    scenario,
    source: revision.source,
    artifact: built.facts,
    settings,
    cost: { ...COST, ...options.cost },
    launches: [],
  };
  await using lock = await acquireLock({
    timeoutMs: options.lockTimeoutMs,
    abort,
    onWait: (holder) => progress.status(`waiting for another gate on this machine (${holder})`),
  });
  void lock;
  stopIfAborted(abort);

  const dependencies = await startDependencies({
    needed,
    arms: { candidate: { revision, root: built.root } },
    git: project.git,
    built: programs,
    start: { cpus: cpuSets.service, clock, abort, progress },
  });

  progress.stage("measure");
  const runStartMs = clock.nowMs();
  const elapsedMs = (): number => clock.nowMs() - runStartMs;
  const folder = makeTemporaryFolder(memoryFolder());
  const keep = (launches: CapacityLaunch[], run: Partial<CapacitySamples["run"]> = {}): void => {
    const measuredMs = Math.round(elapsedMs());
    samples = { ...samples, launches, run: { ...samples.run, measuredMs, ...run } };
    writeFileAtomic(path, `${JSON.stringify(samples)}\n`);
  };
  let finished: CapacityLaunch[] = [];
  const context: LaunchContext = {
    target: {
      recipe: { ...recipe, env: dependencies.fill(recipe.env, "candidate") },
      folder: built.folder,
      artifact: built.path,
    },
    dependencies,
    scenario,
    settings,
    cpuSets,
    generator: createOha(oha),
    clock,
    runStartMs,
    folder,
    abort,
    overTime: () => elapsedMs() >= settings.timeBudgetMs,
    onSlice: (launch) => keep([...finished, launch]),
    onProgress: (line) => progress.status(line),
  };
  try {
    placeBodies([scenario], project.root, folder);
    const ended = await runLaunches(context, seed, (launch) => {
      finished = [...finished, launch];
      keep(finished);
      progress.note(describeLaunch(launch, settings));
    });
    keep(finished, ended);
    return samples;
  } finally {
    await dependencies.stop();
    janitor.removePath(folder);
  }
}

/** A service that fails this often before any launch came to its end will fail again. */
const MAX_FAILURES = 3;

async function runLaunches(
  context: LaunchContext,
  seed: number,
  onLaunch: (launch: CapacityLaunch) => void,
): Promise<Pick<CapacitySamples["run"], "state" | "ended">> {
  const { settings, abort } = context;
  const prng = createPrng(seed);
  let failures = 0;
  for (let index = 0; index < settings.launches; index++) {
    // Launches begin at rates that differ by up to the precision: else all would try the same rates, and share their rounding.
    const startRps = settings.startRps * (1 + settings.precision) ** prng.next();
    const launch = await runLaunch({ index, startRps }, context);
    onLaunch(launch);
    if (abort.aborted) return { state: "interrupted", ended: "stopped by a signal" };
    if (context.overTime()) return { state: "complete", ended: "the time budget is used up" };
    if (launch.failure !== null) failures++;
    if (failures === MAX_FAILURES && failures === index + 1) {
      return { state: "failed", ended: launch.failure?.text ?? "" };
    }
  }
  return { state: "complete", ended: "all launches are measured" };
}

function describeLaunch(launch: CapacityLaunch, { launches }: CapacitySettings): string {
  const name = `launch ${launch.index + 1} of ${launches}`;
  if (launch.failure !== null) return `${name}: ${launch.failure.text}`;
  const sustained = launch.slices.filter(({ verdict }) => verdict.kind === "sustained");
  const best = Math.max(0, ...sustained.map(({ rateRps }) => rateRps));
  return `${name}: ${launch.slices.length} slices, up to ${Math.round(best)}/s sustained`;
}

function stopIfAborted(abort: AbortSignal): void {
  if (abort.aborted) {
    throw new UserError("stopped by a signal before anything was measured", {}, "interrupted");
  }
}

/** The seed only has to differ from run to run; it is shown, and can be given. */
function freshSeed(startedAt: string): number {
  return (Date.parse(startedAt) ^ (process.pid << 16)) >>> 0;
}
