// Databases that run while a service is built, as for queries that are checked at compile time.
// Started only when something is built, and gone when all is.

import { UserError } from "../../core/base/errors.ts";
import type { Dependency } from "../../core/model/config.ts";
import type { BuildJob } from "../../machine/build/build.ts";
import { objectAt } from "../../machine/build/source.ts";
import type { RunningDependencies } from "../../machine/run/dependency/running-dependencies.ts";
import { type DependencyParts, startDependencies } from "./dependencies.ts";

type BuildDependencyParts = Omit<DependencyParts, "needed" | "built"> & {
  dependencies: readonly Dependency[];
};

/** Does `work` with the jobs, each of which knows how to start what it needs. */
export async function withBuildDependencies<T>(
  jobs: readonly BuildJob[],
  parts: BuildDependencyParts,
  work: (jobs: BuildJob[]) => Promise<T>,
): Promise<T> {
  const names = new Set(jobs.flatMap(({ recipe }) => recipe.buildBeside?.needs ?? []));
  const needed = parts.dependencies
    .filter(({ name }) => names.has(name))
    .map((one): Dependency => (one.kind === "program" ? one : { ...one, isolation: "separate" }));
  let running: Promise<RunningDependencies> | null = null;
  const start = (): Promise<RunningDependencies> => {
    running ??= startDependencies({ ...parts, needed, built: [] });
    return running;
  };
  try {
    return await work(await Promise.all(jobs.map((job) => withBeside(job, parts, start))));
  } finally {
    await (running as Promise<RunningDependencies> | null)?.then(
      (started) => started.stop(),
      () => {},
    );
  }
}

async function withBeside(
  job: BuildJob,
  { dependencies, arms, checkout }: BuildDependencyParts,
  start: () => Promise<RunningDependencies>,
): Promise<BuildJob> {
  const { recipe, arm, revision } = job;
  const { buildBeside } = recipe;
  if (buildBeside === undefined) return job;
  const found = await Promise.all(
    buildBeside.needs.map(async (name) => {
      const defined = (arms[arm]?.dependencies ?? dependencies).find((one) => one.name === name);
      const dir = defined === undefined || defined.kind === "program" ? "." : (defined.dir ?? ".");
      return [defined, await objectAt(checkout.git, revision, dir)];
    }),
  );
  return {
    ...job,
    beside: {
      identity: `beside ${JSON.stringify([buildBeside, found])}`,
      start: async () => {
        const running = await start();
        // What an earlier build of the arm wrote is gone.
        const unready = await running.reset(arm);
        if (unready !== null) throw new UserError(unready.text, { detail: unready.detail });
        return running.fill(buildBeside.env, arm);
      },
    },
  };
}
