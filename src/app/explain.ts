// `explain`: launches of one service of both builds, under the load of one scenario, for the satellite
// that profiles them: by itself, or after a red verdict.
import { join } from "node:path";
import { messageOf, throwIfStopped, UserError } from "../core/base/errors.ts";
import type { ExplainKernel } from "../core/model/kernels.ts";
import type { Report } from "../core/model/report.ts";
import { ARMS } from "../core/model/samples.ts";
import { LoadedArm, launchArm } from "../machine/run/arm.ts";
import { readProcessTree } from "../machine/run/probe/process-tree.ts";
import { RoundStopped, Unshared } from "../machine/run/round-context.ts";
import { janitor } from "../machine/sys/janitor.ts";
import { orNull } from "../machine/sys/or-null.ts";
import { spawnGroup } from "../machine/sys/process.ts";
import { chooseScenario } from "./capacity/settings.ts";
import { FILES, type Kept, keepResult, writeReports } from "./documents/reports.ts";
import { readReport } from "./documents/samples.ts";
import { ownScenarios, serviceOf, targetsOf } from "./gate/arm-setup.ts";
import { type Bench, planRun } from "./gate/measure.ts";
import { beginRun, withMachine, withWorkFolder } from "./machine/prepared-run.ts";
import type { Project } from "./project/project.ts";
import type { Environment, Explained } from "./settings.ts";

/** `scenario`: null: the service's only one. `seconds`: that profiling may take. */
interface Wanted {
  service: string;
  scenario: string | null;
  seconds: number;
}

export type Explanation = Kept<Explained["result"]> & Pick<Explained, "brief">;

export async function explain(wanted: Wanted, project: Project, environment: Environment) {
  const { service, scenario } = chooseScenario(project.config, wanted);
  const config = { ...project.config, services: [service], scenarios: [scenario] };
  const plan = { kind: "rounds", rounds: 0, reference: "base" } as const;
  const own = { ...project, config, measureUnchanged: false };
  const request = { project: own, baselines: [], path: "", earlier: null, plan };
  const { arms, plan: run } = await planRun(request, environment);
  return await withMachine(run, project, environment, async (prepared) => {
    const { artifacts, scenarios } = prepared;
    if (scenarios.length === 0 || artifacts.length < ARMS.length) {
      const why = "is unchanged, or new: there are no two builds of it";
      throw new UserError(`there is nothing to explain: ${service.name} ${why}`);
    }
    return await withWorkFolder(prepared, environment, (place) =>
      profileBoth(wanted, { arms, artifacts, place }, project, environment),
    );
  });
}

/** That a person waits for it; and of those for profiles, when what they need is there. */
const MOST_MS = 75_000;
const SECONDS = 68;

/** Whatever becomes of it, the verdict stands, and the files that were written. */
export async function explainRed(
  report: Report,
  bench: Bench,
  project: Project,
  environment: Environment,
  keep: (explained: Explanation) => Promise<void>,
): Promise<void> {
  const { progress, abort, satellites } = environment;
  if (report.verdict.state !== "regressed" || project.config.runner.explain === false) return;
  const late = AbortSignal.any([abort, AbortSignal.timeout(MOST_MS)]);
  try {
    const red = (await satellites.explain()).chooseRed(report);
    if (red === null || abort.aborted) return;
    progress.stage("explain");
    progress.note("explaining why, at most 75 s; Ctrl-C keeps the verdict");
    const limited = { ...environment, abort: late };
    await keep(await profileBoth({ ...red, seconds: SECONDS }, bench, project, limited));
  } catch (thrown) {
    const why = late.aborted ? "it was stopped, or took too long" : messageOf(thrown);
    progress.note(`not explained: ${why}`);
  }
}

async function profileBoth(
  wanted: Wanted,
  { arms, artifacts, place, rounds = [] }: Bench,
  project: Project,
  environment: Environment,
): Promise<Explanation> {
  const { clock, progress, abort } = environment;
  const satellite = await environment.satellites.explain();
  const { service, scenario } = chooseScenario(project.config, wanted);
  const { name, recipe } = service;
  const { cpuSets, secrets, folder } = place;
  const targets = targetsOf(name, arms, artifacts, place.dependencies);
  const { tree, objects: env } = arms.candidate.revision;
  const { revision } = serviceOf(arms.reference ?? arms.candidate, name);
  const plain = ["diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv"];
  const diff = await project.git.read([...plain, revision.tree, tree], { env });
  const { errorBudget } = project.config.policy;
  const unshared = new Unshared(ownScenarios(arms), rounds);
  const load = { scheme: "alternate" as const, scenarios: [scenario], unshared, errorBudget };
  const shared = { ...place, ...load, abort, runStartMs: clock.nowMs() };
  const launch: ExplainKernel["launch"] = async (arm, before, onSpawn) => {
    const target = targets[arm];
    if (target === undefined) throw new Error(`${name} was not built`);
    const prefixed = { ...target.recipe, run: [...before, ...target.recipe.run] };
    const context = { ...shared, targets: { [arm]: { ...target, recipe: prefixed } }, onSpawn };
    const where = { name: `${name} (${arm})`, where: "a profiled round", isFirst: true };
    const running = await launchArm(arm, context, where);
    const loaded = new LoadedArm(arm, running, context, where);
    return {
      folder: target.folder,
      pids: () => readProcessTree(running.pid).map(({ pid }) => pid),
      warmUp: async () => {
        // Where no gate has found it out: who answers wrongly is asked its own request.
        const isOther = loaded.unshared?.has(scenario.id) === true;
        if (isOther && (await loaded.ask(scenario)).wrong !== null) unshared.turnFrom(scenario.id);
        await loaded.warmUp(scenario);
      },
      load: (rateRps, durationMs) =>
        loaded.load({ ...scenario, rateRps, slice: { durationMs, pairs: 1 } }, 0, 0),
      stop: () => loaded.stop(),
    };
  };
  try {
    const { profiles, brief, ...told } = await satellite.explain({
      tool: `tailgate ${environment.version}`,
      again: `tailgate explain ${name} --scenario ${scenario.name} --reference ${revision.source.commit}`,
      ...{ seconds: wanted.seconds, seed: beginRun(clock.wallTime(), project.config.seed).seed },
      ...{ diff, launch, scenario: scenario.id, rateRps: scenario.rateRps, root: project.root },
      ...{ abort, scratch: folder, keys: artifacts.map(({ facts }) => facts.key) },
      report: orNull(() => readReport(join(project.out, FILES.report))),
      ...{ folder: join(project.root, recipe.dir), command: recipe.run },
      ...{ artifact: targets.candidate?.artifact ?? null, nowMs: clock.nowMs },
      sleep: (ms) => clock.sleep(ms, abort),
      status: (line) => progress.status(line),
      guard: (path) => janitor.guardPath(path),
      start: (argv, own, onStdout) => {
        const env = { ...environment.env, ...own };
        return spawnGroup(argv, { env, onStdout, cpus: cpuSets.generator });
      },
    });
    const files = writeReports(project.out, profiles);
    return { brief, ...(await keepResult(project.out, "explanation", told, environment, files)) };
  } catch (error) {
    throwIfStopped(abort);
    if (!(error instanceof RoundStopped)) throw error;
    const detail = secrets.mask(error.failure?.detail ?? "");
    throw new UserError(secrets.mask(error.message), { detail });
  }
}
