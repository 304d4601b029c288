// `explain`: builds both arms as a gate does, and hands launches of one service under the load of
// one scenario to the satellite that profiles them.
import { join } from "node:path";
import { throwIfStopped, UserError } from "../core/base/errors.ts";
import { neededDependencies } from "../core/config/needed-dependencies.ts";
import type { ExplainKernel } from "../core/model/kernels.ts";
import { ARMS } from "../core/model/samples.ts";
import type { Comparison } from "../core/model/verdict.ts";
import type { BuiltArtifact } from "../machine/build/build.ts";
import { LoadedArm, launchArm } from "../machine/run/arm.ts";
import { readProcessTree } from "../machine/run/probe/process-tree.ts";
import { RoundStopped } from "../machine/run/round-context.ts";
import { janitor } from "../machine/sys/janitor.ts";
import { orNull } from "../machine/sys/or-null.ts";
import { spawnGroup } from "../machine/sys/process.ts";
import { chooseScenario } from "./capacity/settings.ts";
import { FILES, type Kept, keepResult, writeReports } from "./documents/reports.ts";
import { readReport } from "./documents/samples.ts";
import { resolveArms, serviceOf, servicesOf, targetsOf } from "./gate/arm-setup.ts";
import { findUnchanged } from "./gate/unchanged.ts";
import {
  beginRun,
  type PreparedRun,
  type RunPlace,
  withMachine,
  withWorkFolder,
} from "./machine/prepared-run.ts";
import type { Project } from "./project/project.ts";
import type { Environment, Explained } from "./settings.ts";

/** `scenario`: null: the service's only one. `seconds`: that profiling may take. */
export async function explain(
  wanted: { service: string; scenario: string | null; seconds: number },
  project: Project,
  environment: Environment,
): Promise<Kept<Explained["result"]>> {
  const { clock, progress, abort } = environment;
  const satellite = await environment.satellites.explain();
  const { service, scenario } = chooseScenario(project.config, wanted);
  const { name } = service;
  const arms = await resolveArms({ project, compare: "base", baselines: [] }, environment);
  const jobs = ARMS.flatMap((arm) =>
    servicesOf(arms[arm] ?? arms.candidate, [name]).map((own) => ({ ...own, arm })),
  );
  const recipes = jobs.map(({ recipe }) => recipe);
  const left = { scenarios: [scenario], needed: neededDependencies(project.config, recipes) };
  const narrow = async (built?: readonly BuiltArtifact[]) => {
    const [same] = await findUnchanged([name], arms, project, built);
    if (same === undefined && jobs.length === ARMS.length) return { ...left, findings: [] };
    const why = same === undefined ? "new" : "unchanged: the same build in both arms";
    throw new UserError(`there is nothing to explain: ${name} is ${why}`);
  };
  await narrow();
  const { tree, objects: env } = arms.candidate.revision;
  const { revision } = serviceOf(arms.reference ?? arms.candidate, name);
  const plain = ["diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv"];
  const diff = await project.git.read([...plain, revision.tree, tree], { env });

  const record = async ({ artifacts }: PreparedRun, roundPlace: RunPlace) => {
    const { cpuSets, secrets, folder } = roundPlace;
    const targets = targetsOf(name, arms, artifacts, roundPlace.dependencies);
    const { errorBudget } = project.config.policy;
    const load = { scheme: "alternate" as const, scenarios: [scenario], errorBudget };
    const shared = { ...roundPlace, ...load, runStartMs: clock.nowMs() };
    const launch: ExplainKernel["launch"] = async (arm, before, onSpawn) => {
      const target = targets[arm];
      if (target === undefined) throw new Error(`${name} was not built`);
      const recipe = { ...target.recipe, run: [...before, ...target.recipe.run] };
      const context = { ...shared, targets: { [arm]: { ...target, recipe } }, onSpawn };
      const place = { name: `${name} (${arm})`, where: "a profiled round", isFirst: true };
      const running = await launchArm(arm, context, place);
      const loaded = new LoadedArm(arm, running, context, place);
      return {
        folder: target.folder,
        pids: () => readProcessTree(running.pid).map(({ pid }) => pid),
        warmUp: () => loaded.warmUp(scenario),
        load: (rateRps, durationMs) =>
          loaded.load({ ...scenario, rateRps, slice: { durationMs, pairs: 1 } }, 0, 0),
        stop: () => loaded.stop(),
      };
    };
    const judged = comparisonsOf(project, artifacts).filter(
      (one) => one.service === name && [null, scenario.id].includes(one.scenario),
    );
    try {
      return await satellite.explain({
        tool: `tailgate ${environment.version}`,
        again: `tailgate explain ${name} --scenario ${scenario.name} --reference ${revision.source.commit}`,
        ...{ ...wanted, seed: beginRun(clock.wallTime(), project.config.seed).seed, diff, launch },
        ...{ rateRps: scenario.rateRps, root: project.root, abort, scratch: folder },
        comparisons: judged,
        folder: join(project.root, service.recipe.dir),
        command: service.recipe.run,
        artifact: targets.candidate?.artifact ?? null,
        nowMs: clock.nowMs,
        sleep: (ms) => clock.sleep(ms, abort),
        status: (line) => progress.status(line),
        guard: (path) => janitor.guardPath(path),
        start: (argv, own, onStdout) => {
          const env = { ...environment.env, ...own };
          return spawnGroup(argv, { env, onStdout, cpus: cpuSets.generator });
        },
      });
    } catch (error) {
      throwIfStopped(abort);
      if (!(error instanceof RoundStopped)) throw error;
      const detail = secrets.mask(error.failure?.detail ?? "");
      throw new UserError(secrets.mask(error.message), { detail });
    }
  };
  const plan = { project, ...left, jobs, arms, narrow };
  const { profiles, ...told } = await withMachine(plan, project, environment, (prepared) =>
    withWorkFolder(prepared, environment, (place) => record(prepared, place)),
  );
  const files = writeReports(project.out, profiles);
  return await keepResult(project.out, "explanation", told, environment, files);
}

/** Of the last gate's report, if it is of these builds. */
function comparisonsOf({ out }: Project, built: readonly BuiltArtifact[]): readonly Comparison[] {
  const report = orNull(() => readReport(join(out, FILES.report)));
  const isOf = built.every(({ facts: { arm, key } }) =>
    report?.artifacts.some((one) => one.arm === arm && one.key === key),
  );
  return (isOf && report?.verdict.comparisons) || [];
}
