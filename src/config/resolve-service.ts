// One service as written -> the recipe that is carried out. Pure.
import { nearest } from "../base/nearest.ts";
import type { Recipe, Service } from "../model/config.ts";
import { checkArgv, parseCommand } from "./argv.ts";
import { READY_TIMEOUT_MS, STOP_GRACE_MS } from "./defaults.ts";
import type { Report } from "./problem.ts";
import { showValue } from "./problem.ts";
import { relativePath } from "./relative-path.ts";
import type { ServiceSource } from "./source.ts";

const PLACEHOLDER = /\{([A-Za-z]+)\}/g;
const RUN_PLACEHOLDERS = ["artifact", "dir", "port"];
const ENV_PLACEHOLDERS = ["port"];

/** What can be known of the repository while resolving. */
export interface Folders {
  isFolder(path: string): boolean;
}

/** Problems go to `report`; the value returned counts only when there were none. */
export function resolveService(
  name: string,
  source: ServiceSource,
  folders: Folders,
  report: Report,
): Service {
  const own: Report = (path, text, at) => report(["services", name, ...path], text, at);
  const scheme = source.scheme ?? "sliced";
  const recipe: Recipe = {
    dir: resolveDir(source.dir ?? ".", folders, own),
    build: source.build === undefined ? [] : resolveCommand(source.build, ["build"], own),
    artifact: resolveArtifact(source.artifact, own),
    run: resolveRun(source, own),
    env: resolveEnv(source.env ?? {}, own),
    ready: resolveReady(source.ready, own),
    stop: {
      signal: source.stop?.signal ?? "SIGTERM",
      graceMs: source.stop?.grace ?? STOP_GRACE_MS,
    },
    prometheus: source.prometheus ?? null,
    port: source.port ?? null,
  };
  const toldPort = [...recipe.run, ...Object.values(recipe.env)].some((text) =>
    text.includes("{port}"),
  );
  if (recipe.port !== null && scheme === "sliced") {
    own(
      ["port"],
      `both versions run at once and cannot share port ${recipe.port}; tell the service its port by {port} in run or env, or set scheme: alternate, which is noisier`,
    );
  }
  if (recipe.port === null && !toldPort) {
    own(
      [],
      "nothing tells the service its port; expected {port} in run or env, or a fixed port with scheme: alternate",
      "key",
    );
  }
  return { name, recipe, scheme };
}

function resolveDir(text: string, folders: Folders, own: Report): string {
  const dir = relativePath(text);
  if (dir === null) {
    own(["dir"], `got ${showValue(text)}, expected a folder inside the repository`);
    return ".";
  }
  if (!folders.isFolder(dir)) own(["dir"], `there is no folder ${showValue(dir)}`);
  return dir;
}

function resolveArtifact(text: string | undefined, own: Report): string | null {
  if (text === undefined) return null;
  const artifact = relativePath(text);
  if (artifact === null || artifact === ".") {
    own(["artifact"], `got ${showValue(text)}, expected a file inside the service's dir`);
  }
  return artifact;
}

function resolveCommand(
  source: string | readonly string[],
  path: readonly string[],
  own: Report,
): string[] {
  const command = typeof source === "string" ? parseCommand(source) : checkArgv(source);
  if (command.ok) return command.argv;
  own(path, `got ${showValue(source)}: ${command.why}`);
  return [];
}

function resolveRun(source: ServiceSource, own: Report): string[] {
  if (source.run === undefined) {
    if (source.artifact === undefined) own(["run"], "missing, expected a command", "key");
    return ["{artifact}"];
  }
  const argv = resolveCommand(source.run, ["run"], own);
  checkPlaceholders(argv.join(" "), ["run"], RUN_PLACEHOLDERS, own);
  if (source.artifact === undefined && argv.some((word) => word.includes("{artifact}"))) {
    own(["run"], "{artifact} stands for the artifact, but the service names none");
  }
  return argv;
}

function resolveEnv(
  source: Readonly<Record<string, string | number | boolean>>,
  own: Report,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    const text = String(value);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      own(["env", name], `${showValue(name)} is not the name of a variable`, "key");
    }
    if (text.includes("\0")) own(["env", name], "it holds a NUL character");
    checkPlaceholders(text, ["env", name], ENV_PLACEHOLDERS, own);
    env[name] = text;
  }
  return env;
}

/** Braces may mean something to the service; only what looks like a placeholder of ours is questioned. */
function checkPlaceholders(
  text: string,
  path: readonly string[],
  known: readonly string[],
  own: Report,
): void {
  for (const [written, word = ""] of text.matchAll(PLACEHOLDER)) {
    if (known.includes(word)) continue;
    if (RUN_PLACEHOLDERS.includes(word)) {
      own(path, `${written} is not replaced here; replaced are: ${braced(known)}`);
      continue;
    }
    const meant = nearest(word, known);
    if (meant !== null) own(path, `${written} is not replaced; did you mean {${meant}}?`);
  }
}

function braced(names: readonly string[]): string {
  return names.map((name) => `{${name}}`).join(", ");
}

function resolveReady(source: ServiceSource["ready"], own: Report): Recipe["ready"] {
  if (source === undefined) return { kind: "tcp", timeoutMs: READY_TIMEOUT_MS };
  if (typeof source === "string") {
    return { kind: "http", path: source, timeoutMs: READY_TIMEOUT_MS };
  }
  const { http, tcp, log } = source;
  const timeoutMs = source.timeout ?? READY_TIMEOUT_MS;
  if ([http, tcp, log].filter((way) => way !== undefined).length !== 1) {
    own(["ready"], `got ${showValue(Object.keys(source))}, expected one of http, tcp, log`, "key");
  }
  if (http !== undefined) return { kind: "http", path: http, timeoutMs };
  if (log === undefined) return { kind: "tcp", timeoutMs };
  if (!isRegularExpression(log)) {
    own(["ready", "log"], `got ${showValue(log)}, expected a regular expression`);
  }
  return { kind: "log", pattern: log, timeoutMs };
}

function isRegularExpression(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
