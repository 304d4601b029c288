// `doctor --builds`: builds every service twice from equal sources, and tells what keeps the two
// artifacts from being equal. Nothing comes from a cache: each build starts from nothing, in a folder
// of its own, under another commit and at another time.
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { Service } from "../core/model/config.ts";
import type { BuildExamination } from "../core/model/reproducibility.ts";
import { compareBuilds, type OnceBuilt } from "../core/reproducible/compare-builds.ts";
import { buildArtifacts } from "../machine/build/build.ts";
import { commitBesides, type Revision } from "../machine/build/source.ts";
import { makeCacheFolder, makeTemporaryFolder } from "../machine/sys/files.ts";
import { janitor } from "../machine/sys/janitor.ts";
import { withBuildDependencies } from "./machine/build-dependencies.ts";
import { underLock } from "./machine/machine-lock.ts";
import type { Project } from "./project/project.ts";
import type { Environment } from "./settings.ts";

/** So that the two builds have no second in common. */
const BETWEEN_MS = 2100;

export async function examineBuilds(
  project: Project,
  environment: Environment,
): Promise<BuildExamination[]> {
  const { git, config } = project;
  const candidate = await project.candidate();
  const other = await commitBesides(git, candidate);
  if (other === null) {
    environment.progress.note(
      "there is no other commit here: whether an artifact holds its commit cannot be seen",
    );
  }
  return await underLock(project, environment, async () => {
    const found: BuildExamination[] = [];
    for (const service of config.services) {
      found.push(await examine(service, [candidate, other ?? candidate], project, environment));
    }
    return found;
  });
}

async function examine(
  { name, recipe }: Service,
  [one, other]: readonly [Revision, Revision],
  project: Project,
  environment: Environment,
): Promise<BuildExamination> {
  if (recipe.artifact === null) {
    return { service: name, tool: null, isEqual: true, differences: [], sections: [] };
  }
  const first = await buildOnce({ name, recipe }, one, project, environment);
  await environment.clock.sleep(BETWEEN_MS, environment.abort);
  const second = await buildOnce({ name, recipe }, other, project, environment);
  return { service: name, ...compareBuilds(first, second) };
}

async function buildOnce(
  { name, recipe }: Pick<Service, "name" | "recipe">,
  revision: Revision,
  { git, config }: Project,
  { cache, env, abort, progress, clock }: Environment,
): Promise<OnceBuilt> {
  makeCacheFolder(cache);
  const own = makeTemporaryFolder(cache);
  try {
    const beganMs = Date.parse(clock.wallTime());
    const ports = { git, cache: own, env, abort, progress, clock };
    const [built] = await withBuildDependencies(
      [{ arm: "candidate", service: name, recipe, revision }],
      {
        dependencies: config.dependencies,
        arms: { candidate: { revision } },
        checkout: ports,
        env,
        start: { clock, abort, progress },
      },
      (jobs) => buildArtifacts(jobs, ports),
    );
    const endedMs = Date.parse(clock.wallTime());
    if (built?.path == null) throw new Error(`${name} was not built`);
    return {
      bytes: readFileSync(built.path),
      root: resolve(built.folder, relative(recipe.dir, ".")),
      commit: revision.source.commit,
      beganMs,
      endedMs,
    };
  } finally {
    janitor.removePath(own);
  }
}
