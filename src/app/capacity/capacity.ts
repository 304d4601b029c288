// `capacity`: the highest rate that a service sustains within a latency objective, measured or from
// a file of samples, and the files it is kept in. Launches of one service, one after another, whose
// samples are written after every slice.

import { resolve } from "node:path";
import { createPrng } from "../../core/base/prng.ts";
import type {
  CapacityLaunch,
  CapacityResult,
  CapacitySamples,
  CapacitySettings,
} from "../../core/capacity/model.ts";
import { summarizeCapacity } from "../../core/capacity/result.ts";
import { neededDependencies } from "../../core/config/needed-dependencies.ts";
import type { CostParameters } from "../../core/model/config.ts";
import { type Kept, keepResult, placeFor, setAside } from "../documents/reports.ts";
import { readCapacitySamples, writeSamples } from "../documents/samples.ts";
import { targetOf } from "../machine/dependencies.ts";
import { beginRun, type RunPlan, withMachine, withWorkFolder } from "../machine/prepared-run.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";
import { type LaunchContext, runLaunch } from "./launch.ts";
import { continuedCapacity, readEarlierCapacity } from "./resume.ts";
import { type CapacityOptions, chooseScenario, costOf, settingsOf } from "./settings.ts";

const SAMPLES_FILE = "capacity.samples.v1.json";

export async function measureCapacity(
  options: CapacityOptions,
  project: Project,
  environment: Environment,
): Promise<Kept<CapacityResult>> {
  // If it is missing, that is said before anything is measured.
  const { tellCapacity } = await environment.satellites.sheets();
  const { samples, path } = await measureLaunches(options, project, environment);
  const told = tellCapacity(summarizeCapacity(samples));
  return await keepResult(project.out, "capacity", told, environment, [path]);
}

/** The result of a samples file, again: with the same cost parameters, to the byte. */
export async function capacityFromFile(
  request: { samples: string; cost: Partial<CostParameters>; out: string | null },
  environment: Environment,
): Promise<Kept<CapacityResult>> {
  const samples = readCapacitySamples(resolve(environment.workingFolder, request.samples));
  const cost = { ...samples.cost, ...request.cost };
  const { tellCapacity } = await environment.satellites.sheets();
  const told = tellCapacity(summarizeCapacity({ ...samples, cost }));
  return await keepResult(request.out, "capacity", told, environment);
}

async function measureLaunches(
  options: CapacityOptions,
  project: Project,
  environment: Environment,
): Promise<{ samples: CapacitySamples; path: string }> {
  const { progress, clock } = environment;
  const chosen = chooseScenario(project.config, options);
  const { service } = chosen;
  // A search tells the service's waits from the generator's, for which it needs every request's
  // release.
  const scenario = { ...chosen.scenario, generator: "oha" as const };
  const settings = settingsOf(options, project.config, scenario);
  progress.stage("prepare");
  const path = placeFor(SAMPLES_FILE, project);
  const earlier = project.resume === "always" ? readEarlierCapacity(path) : null;
  const revision = await project.candidate();
  const { recipe } = service;
  const plan: RunPlan = {
    project,
    scenarios: [scenario],
    needed: neededDependencies({ ...project.config, services: [service] }),
    jobs: [{ arm: "candidate", service: service.name, revision, recipe }],
    arms: { candidate: { revision } },
  };
  return await withMachine(plan, project, environment, async (prepared) => {
    const { host, cpuSets } = prepared;
    const [built] = prepared.artifacts;
    if (built === undefined) throw new Error("nothing was built");
    const fresh: CapacitySamples = {
      schema: "tailgate.capacity-samples.v1",
      tool: `tailgate ${environment.version}`,
      run: beginRun(clock.wallTime(), project.config.seed),
      host,
      cpuSets,
      scenario,
      source: revision.source,
      artifact: built.facts,
      settings,
      cost: costOf(options, project.config),
      launches: [],
    };
    if (earlier === null) setAside(path, progress);
    // As it is now that nobody else measures.
    let samples = (earlier && continuedCapacity(readEarlierCapacity(path), fresh, path)) ?? fresh;

    return await withWorkFolder(prepared, environment, async (place) => {
      const runStartMs = clock.nowMs() - samples.run.measuredMs;
      const elapsedMs = (): number => clock.nowMs() - runStartMs;
      const keep = (
        launches: CapacityLaunch[],
        run: Partial<CapacitySamples["run"]> = {},
      ): void => {
        const measuredMs = Math.round(elapsedMs());
        samples = { ...samples, launches, run: { ...samples.run, measuredMs, ...run } };
        writeSamples(path, samples);
      };
      let finished = samples.launches;
      const context: LaunchContext = {
        ...place,
        targets: { candidate: targetOf(recipe, built, place.dependencies) },
        scheme: "alternate",
        scenarios: [scenario],
        errorBudget: settings.errorBudget,
        scenario,
        settings,
        runStartMs,
        overTime: () => elapsedMs() >= settings.timeBudgetMs,
        onSlice: (launch) => keep([...finished, launch]),
      };
      const ended = await runLaunches(context, samples, (launch) => {
        finished = [...finished, launch];
        keep(finished);
        progress.note(describeLaunch(launch, settings));
      });
      keep(finished, ended);
      return { samples, path };
    });
  });
}

/** A service that fails this often before any launch came to its end will fail again. */
const MAX_FAILURES = 3;

/** Those that `begun` has are not measured again. */
async function runLaunches(
  context: LaunchContext,
  { run, launches: begun }: CapacitySamples,
  onLaunch: (launch: CapacityLaunch) => void,
): Promise<Pick<CapacitySamples["run"], "state" | "ended">> {
  const { settings, abort } = context;
  const prng = createPrng(run.seed);
  let failures = begun.filter(({ failure }) => failure !== null).length;
  for (let index = 0; index < settings.launches; index++) {
    // Launches begin at rates that differ by up to the precision: else all would try the same
    // rates, and share their rounding.
    const startRps = settings.startRps * (1 + settings.precision) ** prng.next();
    if (index < begun.length) continue;
    const launch = await runLaunch({ index, startRps }, context);
    onLaunch(launch);
    if (abort.aborted) return { state: "interrupted", ended: "interrupted" };
    if (context.overTime()) return { state: "complete", ended: "out-of-time" };
    if (launch.failure !== null) failures++;
    if (failures === MAX_FAILURES && failures === index + 1) {
      return { state: "failed", ended: "failed" };
    }
  }
  return { state: "complete", ended: "launches" };
}

function describeLaunch(launch: CapacityLaunch, { launches }: CapacitySettings): string {
  const name = `launch ${launch.index + 1} of ${launches}`;
  if (launch.failure !== null) return `${name}: ${launch.failure.text}`;
  const sustained = launch.slices.filter(({ verdict }) => verdict.kind === "sustained");
  const best = Math.max(0, ...sustained.map(({ rateRps }) => rateRps));
  return `${name}: ${launch.slices.length} tries, up to ${Math.round(best)}/s sustained`;
}
