// From a checkout and a recipe to the artifact that is measured: out of the cache, or built and put
// there, and copied for the run. Both arms go through the same steps, in folders of equal path
// length, with the same environment.
import { randomUUID } from "node:crypto";
import { realpathSync, rmSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { assertInvariant, messageOf, UserError } from "../../core/base/errors.ts";
import type { Recipe } from "../../core/model/config.ts";
import type { Arm, ArtifactFacts } from "../../core/model/samples.ts";
import type { Clock } from "../sys/clock.ts";
import { makeTemporaryFolder } from "../sys/files.ts";
import { isNoexec, RUN_ELSEWHERE, tryFindProgram } from "../sys/find-program.ts";
import { janitor } from "../sys/janitor.ts";
import {
  type CommandOptions,
  describeExit,
  type Exit,
  runCommand,
  runToEnd,
} from "../sys/process.ts";
import {
  ARCHIVE,
  ArtifactCache,
  artifactKey,
  type CacheEntry,
  type KeyParts,
  type Lookup,
} from "./artifact-cache.ts";
import { assertArtifact, strippedSize } from "./artifact-file.ts";
import { type Checkout, checkOut, type Lack, oneAtATime } from "./checkout.ts";
import { buildEnvironment, outputShapingVariables } from "./environment.ts";
import type { Git } from "./git.ts";
import { findInputs, type Inputs, inputsId } from "./inputs.ts";
import { type BuiltPlace, layOutFolder, packFolder } from "./kept-folder.ts";
import { giveKeptTarget, takeKeptTarget, targetFolderOf } from "./kept-target.ts";
import { copyForRun } from "./run-copies.ts";
import { dropMixedSessions } from "./sessions.ts";
import type { Entry, Revision } from "./source.ts";
import { ASKED, readToolchain, runTool, type Toolchain } from "./toolchain.ts";

export interface BuildJob {
  arm: Arm;
  service: string;
  /** The arm's own: a recipe belongs to its commit. */
  recipe: Recipe;
  revision: Revision;
  /** Absent: it needs nothing beside it. */
  beside?: BuildBeside;
}

/** What runs beside a build. */
interface BuildBeside {
  /** Equal where a build finds the same. */
  identity: string;
  /** Starts it when a build is about to run; variables that tell where it is. */
  start(): Promise<Record<string, string>>;
}

export interface BuildPorts {
  git: Git;
  /** The cache folder. */
  cache: string;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  abort: AbortSignal;
  progress: Readonly<Record<"note" | "status", (line: string) => void>>;
  /** Default: what the machine has. */
  cores?: number;
}

export interface BuiltArtifact {
  facts: ArtifactFacts;
  /**
   * The artifact, the run's own copy, which stands until the janitor cleans up; null when the
   * recipe has none.
   */
  path: string | null;
  /**
   * The service's folder as its revision has it, and as the build left it. Stands until the janitor
   * cleans up.
   */
  folder: string;
}

/** Lines of the tool's own words in an error. */
const DETAIL_LINES = 20;
/** From here on two builds at once are faster than one after the other. */
const CORES_FOR_TWO = 4;

/** What is built in place leads to them, and runs by them. */
const INTERPRETERS = ["node", "python3", "python"] as const;
/** What commands say that install what a lock file names, and nothing else. */
const LOCKED = /(npm ci|--(frozen-lockfile|immutable|locked|frozen|require-hashes))(?![\w-])/;
/** What fetches packages, with a lock file or without. */
const INSTALLS = /\b(install|add|sync|npx|pip[x3]?|npm (ci|i)|dlx|uvx|curl|wget)\b/;
const UNBUILT: MadeFacts = { buildMs: 0, toolchain: "none" };

const LACKS: Readonly<Record<Lack, string>> = {
  "git-lfs=pointers":
    "LFS files are pointers in both versions, as in this checkout; `lfs: true` of actions/checkout fetches them",
  "submodules=empty":
    "submodules that are empty in this checkout are empty in both versions; `submodules: true` of actions/checkout fetches them",
};

/** Lanes run at the same time, the jobs of a lane one after another. */
export function planBuilds(jobs: readonly BuildJob[], cores: number): BuildJob[][] {
  if (cores < CORES_FOR_TWO) return [[...jobs]];
  return [...Map.groupBy(jobs, ({ arm }) => arm).values()];
}

/**
 * Builds all jobs; the results are in the order of `jobs`. The first failure stops the others and
 * is thrown.
 */
export async function buildArtifacts(
  jobs: readonly BuildJob[],
  ports: BuildPorts,
): Promise<BuiltArtifact[]> {
  const stop = new AbortController();
  const shared: Session = {
    id: randomUUID(),
    entries: new Map(),
    ports: { ...ports, abort: AbortSignal.any([ports.abort, stop.signal]) },
  };
  const lanes = planBuilds(jobs, ports.cores ?? availableParallelism());
  const forEachJob = async <T>(work: (job: BuildJob) => Promise<T>): Promise<Map<BuildJob, T>> => {
    const results = new Map<BuildJob, T>();
    const failures: unknown[] = [];
    const runLane = async (lane: readonly BuildJob[]): Promise<void> => {
      try {
        for (const job of lane) results.set(job, await work(job));
      } catch (error) {
        failures.push(error);
        stop.abort();
      }
    };
    await Promise.all(lanes.map(runLane));
    if (failures.length > 0) throw failures[0];
    return results;
  };

  // The services of an arm share a checkout, but for those that list their inputs or keep what is
  // built in it; the arms never do, even when they are the same commit.
  const checkouts = {
    candidate: new Map<Revision, Checkout>(),
    reference: new Map<Revision, Checkout>(),
  };
  const placeFor = async (job: BuildJob, { listed }: Inputs): Promise<Checkout> => {
    if (listed !== null) assertListed(job, listed);
    if (listed !== null || isBuiltInPlace(job.recipe)) return checkOut(job.revision, ports, listed);
    const own = checkouts[job.arm];
    const checkout = own.get(job.revision) ?? (await checkOut(job.revision, ports));
    own.set(job.revision, checkout);
    return checkout;
  };
  const builds = await forEachJob(async (job) => {
    const inputs = await findInputs(ports.git, job.revision, job.recipe);
    return await readyBuild(job, inputs, await placeFor(job, inputs), shared);
  });
  for (const lack of new Set([...builds.values()].flatMap(({ lacks }) => lacks))) {
    ports.progress.note(LACKS[lack]);
  }
  await dropIncomparable([...builds.values()], shared);
  const built = await forEachJob((job) => runOrFetch(resultOf(job, builds)));
  const paths = [...built.values()].flatMap(({ facts: { key }, path }) =>
    path === null ? [] : [[key, path] as const],
  );
  const copies = copyForRun(new Map(paths), ports.cache);
  return jobs.map((job) => {
    const result = resultOf(job, built);
    return { ...result, path: copies.get(result.facts.key) ?? null };
  });
}

function isBuiltInPlace({ artifact, build }: Recipe): boolean {
  return artifact === null && build.length > 0;
}

/** What they say where they would run, which a version manager may choose, and which files they are. */
async function interpretersFor(options: CommandOptions): Promise<string[]> {
  const found = INTERPRETERS.flatMap((name) => tryFindProgram(name, options.env?.PATH) ?? []);
  const described = found.map(async (path) => {
    const { stdout } = await runCommand([path, "--version"], { ...options, ...ASKED });
    const { size, mtimeMs } = statSync(path);
    return `${realpathSync(path)} ${size} ${mtimeMs} ${stdout}`;
  });
  return Promise.all(described);
}

/** Each command of a script that installs anything must say that it takes it from a lock file. */
function isLocked(build: readonly string[]): boolean {
  const commands = build.join(" ").split(/[\n;&|]+/);
  const installing = commands.filter((one) => INSTALLS.test(one));
  return installing.length > 0 && installing.every((one) => LOCKED.test(one));
}

function resultOf<T extends object>(job: BuildJob, results: ReadonlyMap<BuildJob, T>): T {
  const result = results.get(job);
  assertInvariant(result !== undefined, "a build job without a result");
  return result;
}

/** What the builds of one call have in common. */
interface Session {
  id: string;
  /** What is used, by key, whatever becomes of the cache; null: it is built now. */
  entries: Map<string, CacheEntry | null>;
  ports: BuildPorts;
}

/** Two versions that different compilers made, or of other packages, would differ by that. */
async function dropIncomparable(
  builds: readonly Build[],
  { ports, entries }: Session,
): Promise<void> {
  const opaque = builds.filter(({ toolchain, job: { recipe } }) =>
    isBuiltInPlace(recipe) ? !isLocked(recipe.build) : toolchain.opaque,
  );
  if (opaque.length === 0) return;
  const dropped = await dropMixedSessions(
    opaque.map((build) => ({
      service: build.job.service,
      key: build.key,
      onLookup: (found: Lookup) => noteDamage(build, found),
    })),
    new ArtifactCache(ports.cache, ports.clock),
    entries,
  );
  for (const service of dropped) {
    ports.progress.note(
      `${service}: its packages or compilers may be newer than at the last build, so both versions are built now`,
    );
  }
}

function noteDamage({ job, session }: Build, found: Lookup): void {
  if (found.state !== "damaged") return;
  session.ports.progress.note(
    `${nameOf(job)}: the cached build cannot be trusted (${found.reason}); building it again`,
  );
}

/** The folder that a build runs in must be there, and is there by one of its files. */
function assertListed(job: BuildJob, listed: readonly Entry[]): void {
  const { dir } = job.recipe;
  if (listed.some(({ path }) => dir === "." || path.startsWith(`${dir}/`))) return;
  throw new UserError(`none of the inputs of ${nameOf(job)} is a file in its folder ${dir}`, {
    next: "Correct the service's `inputs`: paths from the repository's root.",
  });
}

async function readyBuild(job: BuildJob, inputs: Inputs, checkout: Checkout, session: Session) {
  const { ports } = session;
  const { recipe, revision } = job;
  const folder = join(checkout.root, recipe.dir);
  const env = buildEnvironment(ports.env);

  // What is built in place may hold what a link, a setting or a source above its folder brought in.
  const read = isBuiltInPlace(recipe) ? { ...inputs, path: "." } : inputs;
  const tree = await inputsId(ports.git, revision, read);
  if (tree === null || statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UserError(`${nameOf(job)} has no folder ${recipe.dir}`, {
      next: "Correct the service's `dir`.",
    });
  }
  const options = { cwd: folder, env, abort: ports.abort };
  const wanted = `the build of ${nameOf(job)}`;
  const toolchain = await readToolchain(recipe.build, { wanted, ...options });
  const parts: KeyParts = {
    tree,
    dir: recipe.dir,
    build: recipe.build,
    artifact: recipe.artifact,
    toolchain: toolchain.identity,
    variables: [
      ...outputShapingVariables(env),
      ...checkout.lacks,
      ...(job.beside === undefined ? [] : [job.beside.identity]),
      ...(isBuiltInPlace(recipe) ? await interpretersFor(options) : []),
    ],
    platform: `${process.platform}-${process.arch}`,
  };
  const key = artifactKey(parts);
  return { job, session, inputs, ...checkout, folder, env, parts, key, toolchain };
}

async function runOrFetch(build: Build): Promise<BuiltArtifact> {
  const { artifact, build: command } = build.job.recipe;
  if (artifact === null && command.length === 0) return outcomeOf(build, UNBUILT, null, false);

  // Equal builds wait for each other, and the second finds the first's result.
  return oneAtATime(build.key, () => fetchOrBuild(build, artifact));
}

/** What the steps of one build share. */
interface Build extends Checkout {
  job: BuildJob;
  session: Session;
  inputs: Inputs;
  /** The service's, in the checkout. */
  folder: string;
  env: Record<string, string>;
  parts: KeyParts;
  key: string;
  toolchain: Toolchain;
}

/** Of a file, or of the folder itself, which is run where it lies. */
type MadeFacts = Pick<ArtifactFacts, "buildMs" | "toolchain"> &
  Partial<Pick<ArtifactFacts, "sha256" | "binaryBytes" | "strippedBytes">>;

function outcomeOf(
  { job, key, folder }: Build,
  { sha256 = key, binaryBytes = null, strippedBytes = null, buildMs, toolchain }: MadeFacts,
  path: string | null,
  cached: boolean,
): BuiltArtifact {
  const { arm, service } = job;
  const made = { sha256, binaryBytes, strippedBytes, buildMs, cached, toolchain };
  return { facts: { arm, service, key, ...made }, path, folder };
}

async function fetchOrBuild(build: Build, artifact: string | null): Promise<BuiltArtifact> {
  const { job, key } = build;
  const { ports, entries } = build.session;
  const cache = new ArtifactCache(ports.cache, ports.clock);
  let entry = entries.get(key);
  if (entry === undefined) {
    const found = await cache.find(key);
    noteDamage(build, found);
    entry = found.state === "hit" ? found.entry : null;
  }
  if (entry !== null && artifact === null && !(await layOutFolder(entry, placeOf(build)))) {
    entry = null;
  }
  if (entry !== null) ports.progress.note(`${nameOf(job)}: built before, taken from the cache`);
  if (artifact === null) {
    const { buildMs, toolchain } = entry?.facts ?? (await buildInPlace(build, cache));
    return outcomeOf(build, { buildMs, toolchain }, null, entry !== null);
  }
  const made = entry ?? (await buildAndStore(build, artifact, cache));
  entries.set(key, made);
  return outcomeOf(build, made.facts, made.path, entry !== null);
}

/** The outcome is kept as an archive of the folder, and laid out of it in each arm: ADR 14 says why. */
async function buildInPlace(build: Build, cache: ArtifactCache): Promise<MadeFacts> {
  const { ports, entries, id: session } = build.session;
  const facts = { buildMs: await runBuild(build), toolchain: build.toolchain.version };
  const packed = makeTemporaryFolder(join(ports.cache, "build"));
  const archive = join(packed, ARCHIVE);
  const place = placeOf(build);
  try {
    if (await packFolder(place, archive)) {
      cache.drop(build.key);
      const more = { file: ARCHIVE, strippedBytes: null, session, root: place.root };
      const entry = await cache.store(build.key, archive, { ...facts, ...more });
      entries.set(build.key, entry);
      // What cannot be exchanged stays as it was built.
      await layOutFolder(entry, place);
    }
  } catch (error) {
    ports.progress.note(`${nameOf(build.job)} is built again next time: ${messageOf(error)}`);
  }
  janitor.removePath(packed);
  return facts;
}

function placeOf({ root, folder, inputs, session }: Build): BuiltPlace {
  return { ...session.ports, root, folder, path: inputs.path };
}

async function buildAndStore(build: Build, artifact: string, cache: ArtifactCache) {
  const { folder, job } = build;
  const { ports } = build.session;
  const path = join(folder, artifact);
  const targetFolder = targetFolderOf(job.recipe);
  const target = targetFolder === null ? null : resolve(folder, targetFolder);
  // A place in a repository, whatever its content: that the folder is kept from one content to the
  // next is its point.
  const place = target === null ? "" : relative(build.root, target);
  const tree = ports.git.commonFolder;
  const targetId = artifactKey({ ...build.parts, tree, dir: place, build: [], artifact: null });
  if (target !== null && takeKeptTarget(targetId, target, build.root, ports)) {
    // What an earlier build left there must not be taken for this one's.
    rmSync(path, { force: true });
  }
  const keep = (): void => {
    if (target !== null) giveKeptTarget(targetId, target, ports);
  };
  const buildMs = await runBuild(build, keep);
  assertArtifact(path, { name: nameOf(job), dir: job.recipe.dir, folder, root: build.root });
  const entry = await cache.store(build.key, path, {
    file: basename(path),
    strippedBytes: await strippedSize(path, ports.abort),
    buildMs,
    toolchain: build.toolchain.version,
    session: build.session.id,
  });
  keep();
  return entry;
}

/** Milliseconds of wall time. `onRefused`: it ended by itself with an error, so that what it compiled is whole. */
async function runBuild(build: Build, onRefused = (): void => {}): Promise<number> {
  const { job } = build;
  const { ports } = build.session;
  const argv = job.recipe.build;
  const { note, status } = ports.progress;
  const env = { ...build.env, ...(await job.beside?.start()) };
  note(`${nameOf(job)}: building`);
  const beganMs = ports.clock.nowMs();
  const onLine = (line: string): void => {
    const took = seconds(ports.clock.nowMs() - beganMs);
    status(`${job.service} (${job.arm}): ${took}: ${line.trim()}`.replace(/: $/, ""));
  };
  const result = await runTool(runToEnd, argv, {
    wanted: `the build of ${nameOf(job)}`,
    cwd: build.folder,
    env,
    abort: ports.abort,
    endsAll: "with us",
    onStdoutLine: onLine,
    onStderrLine: onLine,
  });
  const buildMs = ports.clock.nowMs() - beganMs;
  if (result.code !== 0) {
    if (result.signal === null) onRefused();
    throw new UserError(
      `build of ${nameOf(job)} failed after ${seconds(buildMs)}: ${howItEnded(argv, result)}`,
      { detail: result.tail.slice(-DETAIL_LINES).join("\n"), next: whatToDo(build, result.signal) },
    );
  }
  note(`${nameOf(job)}: built in ${seconds(buildMs)}`);
  return buildMs;
}

function howItEnded(argv: readonly string[], exit: Exit): string {
  const command = argv.slice(0, argv[1]?.startsWith("-") === false ? 2 : 1).join(" ");
  return `${command} ${describeExit(exit)}`;
}

function whatToDo({ job, root }: Build, signal: NodeJS.Signals | null): string {
  if (isNoexec(root)) return RUN_ELSEWHERE;
  if (signal === "SIGKILL") return "The machine may have run out of memory: `dmesg` tells.";
  const command = `cd ${job.recipe.dir} && ${job.recipe.build.join(" ")}`;
  return job.arm === "candidate"
    ? `Run it by hand: ${command}`
    : `Choose a reference that builds, or find out why this one does not: git checkout ${job.revision.source.commit.slice(0, 12)} && ${command}`;
}

/** `gin-api (candidate, 1a2b3c4 with uncommitted changes)` */
function nameOf(job: BuildJob): string {
  const { commit, dirty } = job.revision.source;
  const changes = dirty ? " with uncommitted changes" : "";
  return `${job.service} (${job.arm}, ${commit.slice(0, 7)}${changes})`;
}

function seconds(ms: number): string {
  return ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}
