// One service as written -> the recipe that is carried out. Pure.
import { checkArgv, parseCommand } from "../../base/argv.ts";
import { nearest } from "../../base/nearest.ts";
import { showValue } from "../../base/show-value.ts";
import type { Recipe, Service } from "../../model/config.ts";
import { isRegularExpression } from "../path-pattern.ts";
import { noSuch, type Report, within } from "../problem.ts";
import { pathInside, relativePath } from "../relative-path.ts";
import { DEFAULT_RUN, type ServiceSource } from "../source/program.ts";
import { checkHeaders, resolveOneRequest } from "./request.ts";

const PLACEHOLDER = /\{([A-Za-z]+)\}/g;
const RUN_PLACEHOLDERS = ["artifact", "dir", "port"];
const ENV_PLACEHOLDERS = ["port"];
/** Of both; whether the service has one is asked apart. */
const SOCKET_PLACEHOLDER = "socket";
/** `{postgres.url}` in env. */
const DEPENDENCY_PLACEHOLDER = /\{([A-Za-z0-9][A-Za-z0-9._-]*)\.([A-Za-z]+)\}/g;

/** Of each dependency, what `{name.…}` may say of it. */
type PlacesByName = ReadonlyMap<string, readonly string[]>;

/** What can be known of the repository while resolving. */
export interface Folders {
  isFolder(path: string): boolean;
}

/** Problems go to `report`; the value returned counts only when there were none. */
export function resolveService(
  name: string,
  source: ServiceSource,
  { folders, places }: { folders: Folders; places: PlacesByName },
  report: Report,
): Service {
  const own = within(report, "services", name);
  const { scheme, memory } = source;
  const { command, beside } = resolveBuild(source.build, places, own);
  const recipe: Recipe = {
    ...resolveProgram({ ...source, build: command }, folders, own),
    buildBeside: beside,
    prometheus: source.prometheus ?? null,
    port: source.port ?? null,
    transport: resolveTransport(source, own),
    before: resolveBefore(source, within(own, "before")),
    needs: resolveNeeds(source.needs, places, within(own, "needs")),
  };
  checkReferences("service", recipe, places, within(own, "env"));
  const isOnSocket = recipe.transport?.socket === true;
  checkSocket(recipe, own);
  if (recipe.port !== null && scheme === "sliced") {
    own(
      ["port"],
      `both versions run at once and cannot share port ${recipe.port}; tell the service its port by {port} in run or env, or set scheme: alternate, which is noisier`,
    );
  }
  if (recipe.port === null && !isOnSocket && !isToldIts("port", recipe)) {
    own(
      [],
      "nothing tells the service its port; expected {port} in run or env, or a fixed port with scheme: alternate",
      "key",
    );
  }
  return { name, recipe, scheme, memory };
}

/** A dependency of the kind `program`; `own` reports under its name. */
export function resolveDependencyProgram(
  source: ProgramSource,
  folders: Folders,
  own: Report,
): Recipe {
  const program = resolveProgram(source, folders, own);
  const recipe = { ...program, prometheus: null, port: null, needs: [] };
  if (!isToldIts("port", recipe)) {
    own([], "nothing tells the program its port; expected {port} in run or env", "key");
  }
  return recipe;
}

function isToldIts(place: "port" | "socket", { run, env }: Pick<Recipe, "run" | "env">): boolean {
  return [...run, ...Object.values(env)].some((text) => text.includes(`{${place}}`));
}

/** Undefined where the service is spoken to as most are. */
function resolveTransport({ protocol, tls, socket }: ServiceSource, own: Report) {
  if (protocol === "h2" && tls === undefined) {
    own(
      ["protocol"],
      "h2 is HTTP/2 over TLS, and there is no tls; expected tls: { ca: <file> }, or protocol: h2c",
    );
  }
  if (protocol === "h2c" && tls !== undefined) {
    own(
      ["protocol"],
      "h2c is HTTP/2 without TLS, and there is a tls; expected protocol: h2, or no tls",
    );
  }
  if (socket && tls !== undefined) {
    own(["socket"], "oha speaks no TLS over a unix socket; leave out socket or tls");
  }
  if (protocol === "http1" && tls === undefined && !socket) return undefined;
  if (tls === undefined) return { protocol, socket, tls: null };
  return { protocol, socket, tls: { ...tls, ca: resolveFile(tls.ca, within(own, "tls", "ca")) } };
}

function checkSocket(recipe: Recipe, own: Report): void {
  const isTold = isToldIts("socket", recipe);
  if (recipe.transport?.socket !== true) {
    if (isTold) {
      own([], "{socket} in run or env is the path of a unix socket; add socket: true", "key");
    }
    return;
  }
  if (!isTold) {
    own(["socket"], "nothing tells the service its path; expected {socket} in run or env");
  }
  if (recipe.port !== null) {
    own(["port"], "a service with socket: true is reached by its socket; leave port out", "key");
  }
}

/** Whatever a build needs beside it runs with the service, too, where that needs it as well. */
function resolveBuild(
  source: ServiceSource["build"],
  places: PlacesByName,
  own: Report,
): { command: ProgramSource["build"]; beside?: Recipe["buildBeside"] } {
  if (source === undefined || typeof source === "string" || Array.isArray(source)) {
    return { command: source };
  }
  const { command, env } = source;
  const needs = resolveNeeds(source.needs, places, within(own, "build", "needs"));
  checkEnv(env, [], within(own, "build", "env"));
  checkReferences("build", { env, needs }, places, within(own, "build", "env"));
  return { command, beside: { needs, env } };
}

type ProgramSource = Pick<
  ServiceSource,
  "dir" | "inputs" | "artifact" | "run" | "env" | "ready" | "stop"
> & { build?: string | string[] };

function resolveProgram(source: ProgramSource, folders: Folders, own: Report) {
  const { build, inputs, artifact, env, stop } = source;
  checkEnv(env, ENV_PLACEHOLDERS, within(own, "env"));
  return {
    dir: resolveDir(source.dir, folders, own),
    build: build === undefined ? [] : resolveCommand(build, within(own, "build")),
    inputs: inputs === undefined ? undefined : resolveInputs(inputs, within(own, "inputs")),
    artifact: artifact === undefined ? null : resolveFile(artifact, within(own, "artifact")),
    run: resolveRun(source, within(own, "run")),
    env,
    ready: resolveReady(source.ready, within(own, "ready")),
    stop: { signal: stop.signal, graceMs: stop.grace },
  };
}

function resolveNeeds(needs: string[] = [], places: PlacesByName, own: Report): string[] {
  for (const [i, name] of needs.entries()) {
    if (!places.has(name)) own([i], noSuch("dependency", name, [...places.keys()]));
  }
  return needs;
}

/**
 * A reference to a dependency that is not started, or to nothing it has, would reach the service as
 * it stands.
 */
function checkReferences(
  owner: "service" | "build",
  { env, needs }: Pick<Recipe, "env" | "needs">,
  places: PlacesByName,
  own: Report,
): void {
  const dependencies = [...places.keys()];
  for (const [variable, text] of Object.entries(env)) {
    for (const [written, name = "", place = ""] of text.matchAll(DEPENDENCY_PLACEHOLDER)) {
      const has = places.get(name);
      const refuse = (why: string): void => own([variable], `${written} is not replaced${why}`);
      if (has === undefined) {
        // In a configuration without dependencies, braces are the service's own affair.
        if (![...places.values()].some((all) => all.includes(place))) continue;
        const meant = nearest(name, dependencies);
        const hint =
          meant === null
            ? `dependencies are: ${dependencies.join(", ")}`
            : `did you mean {${meant}.${place}}?`;
        refuse(`; ${hint}`);
      } else if (!has.includes(place)) {
        refuse(`; ${name} has ${has.join(", ")}`);
      } else if (!needs.includes(name)) {
        refuse(`, because ${name} is not in the ${owner}'s needs`);
      }
    }
  }
}

export function resolveDir(text: string, folders: Folders, own: Report): string {
  const dir = pathInside("the repository", "folder", text, within(own, "dir"));
  if (dir === null) return ".";
  if (!folders.isFolder(dir))
    own(["dir"], `there is no folder ${showValue(dir)}; a sparse checkout must have it too`);
  return dir;
}

function resolveFile(text: string, own: Report): string {
  return pathInside("the service's dir", "file", text, own) ?? text;
}

/** Patterns in the order given; see `machine/build/input-patterns.ts` for what they mean. */
function resolveInputs(source: readonly string[], own: Report): string[] {
  if (source[0]?.startsWith("!") !== false) {
    own([], "the first one must take files in, such as src or **");
  }
  return source.map((text, i) => {
    const mark = text.startsWith("!") ? "!" : "";
    const path = relativePath(text.slice(mark.length));
    if (path === null || /[[\]{}]/.test(path) || /[^/]\*\*|\*\*[^/]/.test(path)) {
      own(
        [i],
        `got ${showValue(text)}, expected a path inside the repository; * and ? stand for parts of a name, ** for folders`,
      );
    }
    return `${mark}${path === "." ? "**" : (path ?? "")}`;
  });
}

type Command = string | readonly string[];

export function resolveCommand(source: Command, own: Report): string[] {
  const command = typeof source === "string" ? parseCommand(source) : checkArgv(source);
  if (command.ok) return command.argv;
  own([], `got ${showValue(source)}: ${command.why}`);
  return [];
}

function resolveRun({ run, artifact }: ProgramSource, own: Report): string[] {
  if (run !== undefined) return resolveLaunched(run, artifact, own);
  if (artifact === undefined) own([], "missing, expected a command", "key");
  return [DEFAULT_RUN];
}

/** A command that runs beside the artifact. */
function resolveLaunched(source: Command, artifact: string | undefined, own: Report): string[] {
  const argv = resolveCommand(source, own);
  const words = argv.join(" ");
  checkPlaceholders(words, RUN_PLACEHOLDERS, own);
  if (artifact === undefined && words.includes("{artifact}")) {
    own([], "{artifact} stands for the artifact, but the service names none");
  }
  return argv;
}

function resolveBefore({ before, artifact, socket }: ServiceSource, own: Report): Recipe["before"] {
  if (before === undefined) return undefined;
  if (typeof before === "object" && !Array.isArray(before)) {
    const request = resolveOneRequest(before.request, within(own, "request"));
    return { request, values: before.values };
  }
  const argv = resolveLaunched(before, artifact, own);
  if (!socket && argv.some((word) => word.includes("{socket}"))) {
    own([], "{socket} is the path of a unix socket, and the service has no socket: true");
  }
  return argv;
}

function checkEnv(env: ServiceSource["env"], placeholders: readonly string[], own: Report): void {
  for (const [name, text] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      own([name], `${showValue(name)} is not the name of a variable`, "key");
    }
    if (text.includes("\0")) own([name], "it holds a NUL character");
    checkPlaceholders(text, placeholders, within(own, name));
  }
}

/**
 * Braces may mean something to the service; only what looks like a placeholder of ours is
 * questioned.
 */
function checkPlaceholders(text: string, known: readonly string[], own: Report): void {
  for (const [written, word = ""] of text.matchAll(PLACEHOLDER)) {
    if (known.includes(word) || word === SOCKET_PLACEHOLDER) continue;
    if (RUN_PLACEHOLDERS.includes(word)) {
      const replaced = known.map((name) => `{${name}}`).join(", ");
      own([], `${written} is not replaced here; replaced are: ${replaced}`);
      continue;
    }
    const meant = nearest(word, known);
    if (meant !== null) own([], `${written} is not replaced; did you mean {${meant}}?`);
  }
}

function resolveReady(source: ServiceSource["ready"], own: Report): Recipe["ready"] {
  const { timeout: timeoutMs, headers, ...ways } = source;
  const { http, log } = ways;
  const given = Object.keys(ways);
  if (given.length !== 1) {
    const got = given.length === 0 ? "missing" : `got ${showValue(given)}`;
    own([], `${got}, expected one of http, tcp, log`, "key");
  }
  if (headers !== undefined) {
    if (http === undefined) own(["headers"], "they are sent with http, and there is none", "key");
    checkHeaders(headers, within(own, "headers"));
  }
  if (http !== undefined) return { kind: "http", path: http, headers, timeoutMs };
  if (log === undefined) return { kind: "tcp", timeoutMs };
  if (!isRegularExpression(log)) {
    own(["log"], `got ${showValue(log)}, expected a regular expression`);
  }
  return { kind: "log", pattern: log, timeoutMs };
}
