// Databases that run while a service is built, as for queries that are checked at compile time.
// Started only when something is built, and gone when all is.

import type { Dependency } from "../../core/model/config.ts";
import {
  type BuildJob,
  type BuildPorts,
  type BuiltArtifact,
  buildArtifacts,
} from "../../machine/build/build.ts";
import { objectAt } from "../../machine/build/source.ts";
import type { RunningDependencies } from "../../machine/run/dependency/running-dependencies.ts";
import { type ArmsFiles, startDependencies } from "./dependencies.ts";

interface BuildsBeside extends BuildPorts {
  arms: ArmsFiles;
  /** All that the candidate's configuration defines. */
  dependencies: readonly Dependency[];
}

/** Builds all jobs, each of which knows how to start what it needs. */
export async function buildBeside(
  jobs: readonly BuildJob[],
  ports: BuildsBeside,
): Promise<BuiltArtifact[]> {
  const names = new Set(jobs.flatMap(({ recipe }) => recipe.buildBeside?.needs ?? []));
  const needed = ports.dependencies
    .filter(({ name }) => names.has(name))
    .map((one): Dependency => (one.kind === "program" ? one : { ...one, isolation: "separate" }));
  let running: Promise<RunningDependencies> | undefined;
  const start = (): Promise<RunningDependencies> => {
    running ??= startDependencies({ ...ports, needed, built: [], checkout: ports, start: ports });
    return running;
  };
  try {
    const all = await Promise.all(jobs.map((job) => withBeside(job, ports, start)));
    return await buildArtifacts(all, ports);
  } finally {
    const started = await running?.catch(() => null);
    await started?.stop();
  }
}

async function withBeside(
  job: BuildJob,
  { dependencies, arms, git }: BuildsBeside,
  start: () => Promise<RunningDependencies>,
): Promise<BuildJob> {
  const { recipe, arm, revision } = job;
  const { buildBeside } = recipe;
  if (buildBeside === undefined) return job;
  const found = await Promise.all(
    buildBeside.needs.map(async (name) => {
      const defined = (arms[arm]?.dependencies ?? dependencies).find((one) => one.name === name);
      const dir = defined === undefined || defined.kind === "program" ? "." : (defined.dir ?? ".");
      return [defined, await objectAt(git, revision, dir)];
    }),
  );
  return {
    ...job,
    beside: {
      identity: `beside ${JSON.stringify([buildBeside, found])}`,
      start: async () => {
        const running = await start();
        // What an earlier build of the arm wrote is gone.
        await running.begin(arm);
        return running.fill(buildBeside.env, arm);
      },
    },
  };
}
