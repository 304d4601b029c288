// Which services are the same in both arms, so that there is nothing to measure. A service that is
// skipped although something that reaches its process differs would be a change that nobody sees:
// what cannot be told counts as different.
import { createHash } from "node:crypto";
import { relative } from "node:path";
import {
  type Dependency,
  filesOf,
  type Recipe,
  type Request,
  type Scenario,
} from "../../core/model/config.ts";
import { ARMS, type Arm, type Unchanged } from "../../core/model/samples.ts";
import type { BuiltArtifact } from "../../machine/build/build.ts";
import type { Git } from "../../machine/build/git.ts";
import { inputMatcher } from "../../machine/build/input-patterns.ts";
import {
  findInputs,
  foldersAbove,
  type Inputs,
  inputsId,
  leadsOut,
} from "../../machine/build/inputs.ts";
import { type Entry, listEntries, objectAt, type Revision } from "../../machine/build/source.ts";
import type { Project } from "../project/project.ts";
import { type ArmSetup, type ArmSetups, serviceOf } from "./arm-setup.ts";

/** All that reaches the process of a service, in one arm. */
export interface Identity {
  recipe: Recipe;
  /** With the content of body files; limits reach nobody. */
  scenarios: unknown[];
  /** What it needs, with the content of schemas and programs. */
  dependencies: unknown[];
  /** Hash of the built file; null: not built, so that what it is built of counts instead. */
  artifact: string | null;
  /** Mode, hash and path of what the process or its build can open. */
  files: string[];
}

export function keyOf({ recipe, scenarios, dependencies, artifact, files }: Identity): string {
  const text = JSON.stringify([1, recipe, scenarios, dependencies, artifact, files]);
  return createHash("sha256").update(text).digest("hex");
}

type Place = Pick<Project, "git" | "root" | "configPath">;

/** What counts of it is in the identity. */
function isConfiguration({ path }: Entry, { root, configPath }: Place): boolean {
  return path === relative(root, configPath);
}

/** About a repository, and by these names read by people alone; `security.js` is code. */
const ABOUT =
  /^\.github\/|(^|\/)(README|CHANGELOG|CONTRIBUTING|CODE_OF_CONDUCT|SECURITY|LICENSE)(\.(md|markdown|rst|adoc|txt))?$/i;
/** What compilers alone read: it is in the artifact's bytes, or in no process. */
const COMPILED = /\.(go|rs|c|cc|cpp|h|hpp|java|kt|swift|zig)$/;

/** Which files are a service's own, by their paths alone; a build may reach others too. */
export function ownSources({ dir, inputs }: Recipe): (path: string) => boolean {
  const isIn =
    inputs === undefined
      ? (path: string) => dir === "." || path.startsWith(`${dir}/`)
      : inputMatcher(inputs);
  return (path) => !ABOUT.test(path) && isIn(path);
}

/**
 * Before the builds, or with what they `built`. Nothing where there is one arm, or where identical
 * arms are asked for.
 */
export async function findUnchanged(
  services: readonly string[],
  { candidate, reference }: ArmSetups,
  ports: Place,
  built?: readonly BuiltArtifact[],
): Promise<Unchanged[]> {
  if (reference === undefined || candidate === reference) return [];
  const found: Unchanged[] = [];
  for (const service of services.filter((name) => name in reference.services)) {
    const [held, was] = [candidate, reference].map((setup) => serviceOf(setup, service).maxima);
    // Whoever sets a limit, or lowers it, asks whether it is kept.
    if (was && [...(held ?? [])].some(([id, max]) => max < (was.get(id) ?? Infinity))) continue;
    const identity = (arm: Arm, setup: ArmSetup): Promise<Identity | null> =>
      identityOf(service, setup, ports, artifactOf(service, arm, built));
    const own = await identity("candidate", candidate);
    const other = await identity("reference", reference);
    if (own === null || other === null || own.scenarios.length === 0) continue;
    // Where it has no configuration of its own it is asked as the candidate is.
    const scenarios = other.scenarios.length === 0 ? own.scenarios : other.scenarios;
    if (keyOf(own) !== keyOf({ ...other, scenarios })) continue;
    found.push({ service, by: own.artifact === null ? "sources" : "artifact", key: keyOf(own) });
  }
  return found;
}

/** Services whose artifacts differ although what they were built of does not. */
export async function findIrreproducible(
  services: readonly string[],
  { candidate, reference }: ArmSetups,
  ports: Place,
  built: readonly BuiltArtifact[],
): Promise<string[]> {
  if (reference === undefined) return [];
  const found: string[] = [];
  for (const service of services.filter((name) => name in reference.services)) {
    const sources = [candidate, reference].map(async (setup) => {
      const { recipe, revision } = serviceOf(setup, service);
      const inputs = await findInputs(ports.git, revision, recipe);
      const files = await filesFor(revision, inputs, [ABOUT], ports);
      const beside = recipe.buildBeside;
      const found = await contentsOf(beside?.needs ?? [], setup, ports);
      return JSON.stringify([files, recipe.dir, recipe.build, beside, found, recipe.artifact]);
    });
    const [own, other] = await Promise.all(sources);
    const [mine, theirs] = ARMS.map((arm) => artifactOf(service, arm, built));
    if (own === other && mine !== theirs) found.push(service);
  }
  return found;
}

function artifactOf(service: string, arm: Arm, built: readonly BuiltArtifact[] = []) {
  const one = built.find(({ facts }) => facts.service === service && facts.arm === arm);
  return one?.path == null ? null : one.facts.sha256;
}

/** Null: it cannot be told. */
export async function identityOf(
  service: string,
  setup: ArmSetup,
  ports: Place,
  artifact: string | null,
): Promise<Identity | null> {
  const { git } = ports;
  const { recipe, revision, scenarios: own } = serviceOf(setup, service);
  const names = new Set([...recipe.needs, ...(recipe.buildBeside?.needs ?? [])]);
  const dependencies = await contentsOf([...names], setup, ports);
  if (dependencies.includes(null)) return null;
  const inputs = await findInputs(git, revision, recipe);
  // A path to above the folder leads anywhere, but not to what was never laid out.
  const leaves = JSON.stringify([recipe.run, recipe.env, recipe.before]).includes("..");
  const seen = leaves && inputs.listed === null ? { ...inputs, path: "." } : inputs;
  // Sources speak for a build only where nothing of them is left out; a service without a build is
  // its files.
  const ignored = artifact !== null ? [ABOUT, COMPILED] : recipe.artifact === null ? [ABOUT] : [];
  const files = await filesFor(revision, seen, ignored, ports);
  const scenarios = await Promise.all(own.map((scenario) => workloadOf(scenario, revision, git)));
  return { recipe, scenarios, dependencies, artifact, files };
}

async function workloadOf(scenario: Scenario, revision: Revision, git: Git): Promise<unknown> {
  const sentOf = async <T extends { request: Request }>(one: T): Promise<unknown> => {
    const files = filesOf(one.request);
    if (files.length === 0) return one;
    const contents = files.map(async ({ path, repeat, lines, sha256 }) => {
      // A file that git does not have is known by what was read, which one arm alone was.
      const content = (await objectAt(git, revision, path)) ?? sha256;
      return { path, repeat, lines, content };
    });
    const { paths: _, body, ...request } = one.request;
    const text = typeof body === "string" ? body : null;
    return { ...one, request: { ...request, text, files: await Promise.all(contents) } };
  };
  const { mix, ...own } = scenario;
  const whole = (await sentOf({ ...own, metrics: [] })) as object;
  return mix === undefined ? whole : { ...whole, mix: await Promise.all(mix.map(sentOf)) };
}

/** Each with its content; null where it cannot be told. */
function contentsOf(
  names: readonly string[],
  { dependencies, revision }: Pick<ArmSetup, "dependencies" | "revision">,
  ports: Place,
): Promise<unknown[]> {
  return Promise.all(
    names.map(async (name) => {
      const needed = dependencies.find((one) => one.name === name);
      if (needed === undefined) return null;
      const content = await contentOf(needed, revision, ports);
      return content === null ? null : [needed, content];
    }),
  );
}

/** Null: there is no such folder. */
async function contentOf(needed: Dependency, revision: Revision, ports: Place): Promise<unknown> {
  if (needed.kind === "program") {
    return inputsId(ports.git, revision, await findInputs(ports.git, revision, needed.recipe));
  }
  const hasSchema = needed.kind === "postgresql" && needed.schema.length > 0;
  // What a service fills is the service's affair.
  if (!hasSchema && needed.seed?.kind !== "command") return "";
  return readFrom(needed.dir ?? ".", needed, revision, ports);
}

/** All that a schema or a seed may read: a link, a file or a command may lead out of the folder. */
async function readFrom(
  dir: string,
  needed: Extract<Dependency, { kind: "postgresql" | "redis" }>,
  revision: Revision,
  ports: Place,
): Promise<string[] | null> {
  if ((await objectAt(ports.git, revision, dir)) === null) return null;
  const command = needed.seed?.kind === "command" ? needed.seed.command : [];
  const leaves = (await leadsOut(ports.git, revision, dir, command)) !== null;
  if (leaves) return readFrom(".", needed, revision, ports);
  const isRead = (file: Entry) => !ABOUT.test(file.path) && !isConfiguration(file, ports);
  return (await listEntries(ports.git, revision, dir, "all")).filter(isRead).map(lineOf);
}

/** What is listed; else all below the path, and what lies above it, where tools look for settings. */
async function filesFor(
  revision: Revision,
  { path, listed }: Pick<Inputs, "path" | "listed">,
  ignored: readonly RegExp[],
  ports: Place,
): Promise<string[]> {
  const below = listed ?? (await listEntries(ports.git, revision, path, "all"));
  const above: Entry[] = [];
  for (const folder of listed === null ? foldersAbove(path) : []) {
    above.push(...(await listEntries(ports.git, revision, folder, "files")));
  }
  const counted = [
    ...below.filter((file) => !ignored.some((pattern) => pattern.test(file.path))),
    ...above.filter((file) => !ABOUT.test(file.path)),
  ];
  return counted.filter((file) => !isConfiguration(file, ports)).map(lineOf);
}

function lineOf({ mode, id, path }: Entry): string {
  return `${mode} ${id} ${path}`;
}
