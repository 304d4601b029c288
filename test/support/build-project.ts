// For tests: a repository whose candidate and reference differ as the test wants, with what builds
// need.
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import type { UserError } from "../../src/core/base/errors.ts";
import type { Recipe } from "../../src/core/model/config.ts";
import type { Arm } from "../../src/core/model/samples.ts";
import { type BuildJob, type BuildPorts, buildArtifacts } from "../../src/machine/build/build.ts";
import {
  type Revision,
  resolveCandidate,
  resolveReference,
} from "../../src/machine/build/source.ts";
import {
  makePorts,
  makeRecipe,
  makeTestFolder,
  makeTestRepository,
  type TestFolder,
  type TestPorts,
  type TestRepository,
} from "./build.ts";

export interface Project extends Disposable {
  repository: TestRepository;
  cache: TestFolder;
  candidate: Revision;
  reference: Revision;
  ports: TestPorts;
}

/** The service says "one" on main and what `change` makes of it in the working tree. */
export async function makeProject(
  change: (repository: TestRepository) => void,
  parts: Partial<BuildPorts> = {},
): Promise<Project> {
  const repository = makeTestRepository();
  const cache = makeTestFolder();
  repository.write("service/source.txt", "one");
  repository.write("other/source.txt", "other");
  repository.commit("first");
  change(repository);
  const git = await repository.open();
  const candidate = await resolveCandidate(git);
  return {
    repository,
    cache,
    candidate,
    reference: await resolveReference(git, null, candidate),
    ports: makePorts(git, cache.path, { cores: 2, ...parts }),
    [Symbol.dispose]() {
      repository[Symbol.dispose]();
      cache[Symbol.dispose]();
    },
  };
}

export const edit = (repository: TestRepository): void =>
  void repository.write("service/source.txt", "two");
export const leave = (): void => {};

export function jobOf(
  project: Project,
  arm: Arm,
  recipe: Partial<Recipe> = {},
  service = "api",
): BuildJob {
  return { arm, service, recipe: makeRecipe(recipe), revision: project[arm] };
}

export const bothArms = (project: Project, recipe: Partial<Recipe> = {}): BuildJob[] => [
  jobOf(project, "candidate", recipe),
  jobOf(project, "reference", recipe),
];

/** What a build that must fail throws. */
export async function failureOf(promise: Promise<unknown>): Promise<UserError> {
  return promise.then(
    () => expect.unreachable(),
    (thrown: UserError) => thrown,
  );
}

/** What its build throws, by default the candidate's. */
export function failedBuild(
  project: Project,
  recipe: Partial<Recipe>,
  arm: Arm = "candidate",
): Promise<UserError> {
  return failureOf(buildArtifacts([jobOf(project, arm, recipe)], project.ports));
}

export function configure(repository: TestRepository, values: Record<string, string>): void {
  for (const [name, value] of Object.entries(values)) repository.git("config", name, value);
}

interface Circumstances {
  place?: string | undefined;
  patienceMs?: number | undefined;
}

/** What the artifacts of the two versions say, and what was noted of all. */
export async function builtFrom(
  repository: TestRepository,
  { place = ".", patienceMs, ...recipeParts }: Circumstances & Partial<Recipe> = {},
): Promise<{ says: Record<string, string>; notes: string[] }> {
  using cache = makeTestFolder();
  const git = await repository.open(place, patienceMs);
  const ports = makePorts(git, cache.path);
  const candidate = await resolveCandidate(git);
  const reference = await resolveReference(git, null, candidate);
  const recipe = makeRecipe(recipeParts);
  const built = await buildArtifacts(
    [
      { arm: "candidate", service: "api", recipe, revision: candidate },
      { arm: "reference", service: "api", recipe, revision: reference },
    ],
    ports,
  );
  const says = built.map(({ facts: { arm }, path }) => [arm, readFileSync(path ?? "", "utf8")]);
  return { says: Object.fromEntries(says), notes: ports.notes };
}
