// Dockerfiles and compose files: what a container starts, on which port, with which variables and
// beside what. Pure, and forgiving.
import { checkArgv, parseCommand } from "../../src/core/base/argv.ts";
import { listOf, parseLeniently, recordOf } from "./parse-samples.ts";

export interface Container {
  seenIn: string;
  /** Words; empty: none are given, or they need a shell. */
  entrypoint: readonly string[];
  command: readonly string[];
  /** The first that it listens on; null: none is named. */
  port: number | null;
  environment: readonly (readonly [string, string | null])[];
  /** Images of what it is started beside; where that is built, its name. */
  beside: readonly string[];
}

/** Longer than any that a person wrote. */
const MOST_CHARS = 32_768;
/** What only passes signals on, or sets something up before it. */
const WRAPPER = /(?:^|\/)(?:tini|dumb-init|exec|[\w.-]+\.sh)$|^--?\w?$/;

/** Of several, those that requests are usually sent to; the likeliest last. */
const USUAL_PORTS = [3000, 8000, 80, 8080];

/** Of the last stage. */
export function parseDockerfile(text: string, seenIn: string): Container {
  const lines = text
    .slice(0, MOST_CHARS)
    .replace(/^[ \t]*#.*\n/gm, "")
    .replace(/\\[ \t\r]*\n/g, " ");
  const stage = lines.split(/^[ \t]*FROM\b/im).at(-1) ?? "";
  const all = (word: string): string[] =>
    [...stage.matchAll(new RegExp(`^[ \\t]*${word}[ \\t]+(.*)$`, "gim"))].map(
      ([, rest = ""]) => rest,
    );
  const ports = all("EXPOSE").flatMap((rest) => portOf(rest) ?? []);
  return {
    seenIn,
    entrypoint: wordsOf(all("ENTRYPOINT").at(-1)),
    command: wordsOf(all("CMD").at(-1)),
    port: ports.sort((a, b) => USUAL_PORTS.indexOf(b) - USUAL_PORTS.indexOf(a))[0] ?? null,
    environment: all("ENV").flatMap((rest) => {
      const [, name = "", value = ""] = /^(\w+)\s+([^=\s].*)$/.exec(rest) ?? [];
      if (name !== "") return [[name, value] as const];
      const pairs = rest.matchAll(/(\w+)=(?:"([^"]*)"|'([^']*)'|(\S*))/g);
      return [...pairs].map(([, key = "", a, b, c]) => [key, a ?? b ?? c ?? ""] as const);
    }),
    beside: [],
  };
}

/** The services that are built from this folder, or the only one that is built. */
export function parseCompose(
  text: string,
  seenIn: string,
  isBuiltHere: (context: string) => boolean,
): Container[] {
  if (text.length > MOST_CHARS) return [];
  const services = recordOf(recordOf(parseLeniently(text)).services);
  const built = Object.values(services)
    .map(recordOf)
    .filter(({ build }) => build !== undefined);
  const here = built.filter(({ build }) => isBuiltHere(contextOf(build)));
  const own = here.length > 0 || built.length > 1 ? here : built;
  return own.map(({ entrypoint, command, ports, environment, depends_on: needed }) => ({
    seenIn,
    entrypoint: wordsOf(entrypoint),
    command: wordsOf(command),
    port: portOf(recordOf(listOf(ports)[0]).target ?? listOf(ports)[0]),
    environment: environmentOf(environment),
    beside: [...listOf(needed), ...Object.keys(recordOf(needed))].map((name) => {
      const { image } = recordOf(services[String(name)]);
      return typeof image === "string" ? image : String(name);
    }),
  }));
}

/** What is started in the end. `containers`: what overrides stands behind the others. */
export function startedBy(containers: readonly Container[]): string[] {
  const last = (what: "entrypoint" | "command"): readonly string[] =>
    containers.map((one) => one[what]).findLast((words) => words.length > 0) ?? [];
  const words = [...last("entrypoint"), ...last("command")];
  const port = containers.map((one) => one.port).findLast((one) => one !== null) ?? null;
  const first = words.findIndex((word) => !WRAPPER.test(word));
  const own = words.slice(first === -1 ? words.length : first);
  return own.map((word, i) => withPort(word, own[i - 1], port));
}

/** `8080` of what is exposed or behind `--port`, `0.0.0.0:8080`, `--listen=:8080` */
function withPort(word: string, previous = "", port: number | null): string {
  const [, flag = "", host = "", number = ""] =
    /^(-[\w-]+=)?([\w.[\]:]*:)?(\d{2,5})$/.exec(word) ?? [];
  const isPort =
    Number(number) === port || /^-.*(?:port|listen|addr|bind)|^-p$/i.test(flag || previous);
  if (number === "" || !isPort) return word;
  return `${flag}${host === "" ? "" : "127.0.0.1:"}{port}`;
}

/** Of a list or a line, as YAML or a Dockerfile has it. */
function wordsOf(value: unknown): string[] {
  const list = typeof value === "string" && /^\s*\[/.test(value) ? parseLeniently(value) : value;
  const words = typeof list === "string" ? parseCommand(list) : checkArgv(listOf(list).map(String));
  // Braces would stand for something in a configuration.
  return words.ok && words.argv.every((word) => /^[ -#%-z|~]+$/.test(word)) ? words.argv : [];
}

/** `8080/tcp`, `127.0.0.1:80:8080` */
function portOf(value: unknown): number | null {
  const number = /(?:^|:)(\d{2,5})(?:\/tcp)?(?:\s|$)/.exec(String(value))?.[1];
  return number === undefined ? null : Number(number);
}

function contextOf(build: unknown): string {
  const context = typeof build === "string" ? build : recordOf(build).context;
  return typeof context === "string" ? context : ".";
}

/** A list of `NAME=value`, or a mapping. */
function environmentOf(value: unknown): [string, string | null][] {
  const mapped = Object.entries(recordOf(value)).map(([name, one]) =>
    one === null ? name : `${name}=${one}`,
  );
  return [...listOf(value).map(String), ...mapped].flatMap((line): [string, string | null][] => {
    const [, name, rest = null] = /^([A-Z][A-Z0-9_]*)(?:=(.*))?$/s.exec(line) ?? [];
    return name === undefined ? [] : [[name, rest]];
  });
}
