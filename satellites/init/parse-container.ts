// Dockerfiles and compose files: what a container starts, on which port, with which variables and
// beside what. Pure, and forgiving.
import { checkArgv, parseCommand } from "../../src/core/base/argv.ts";
import { isOfOthers } from "./parse-port.ts";
import { listOf, parseLeniently, recordOf } from "./parse-samples.ts";
import { folderOf, isUnder, joined } from "./paths.ts";
import type { Program } from "./proposal.ts";

export interface Container {
  seenIn: string;
  /** Words; empty: none are given, or they need a shell. */
  entrypoint: readonly string[];
  command: readonly string[];
  /** What a shell runs before them, such as migrations, in order. */
  before: readonly string[];
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
const SHELL = /(?:^|\/)(?:ba|da|a)?sh$/;
/** One command after another, outside quotes. */
const THEN = /\s*(?:&&|;)\s*(?=(?:[^"']|"[^"]*"|'[^']*')*$)/;

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
    ...commandsOf(all("ENTRYPOINT").at(-1), all("CMD").at(-1)),
    port: ports.sort((a, b) => USUAL_PORTS.indexOf(b) - USUAL_PORTS.indexOf(a))[0] ?? null,
    environment: all("ENV").flatMap((rest) => {
      const [, name = "", value = ""] = /^(\w+)\s+([^=\s].*)$/.exec(rest) ?? [];
      if (name !== "") return [[name, value] as const];
      const pairs = rest.matchAll(/\b(\w+)=(?:"([^"]*)"|'([^']*)'|(\S*))/g);
      return [...pairs].map(([, key = "", a, b, c]) => [key, a ?? b ?? c ?? ""] as const);
    }),
    beside: [],
  };
}

/**
 * The service that is built from the program's folder, or the only one that is built and has that
 * folder in it. Of several with one image, most only work or migrate: requests go to what has ports.
 */
export function parseCompose(
  text: string,
  seenIn: string,
  { name, home }: Pick<Program, "name" | "home">,
): Container | null {
  if (text.length > MOST_CHARS) return null;
  const services = recordOf(recordOf(parseLeniently(text)).services);
  const built = Object.entries(services)
    .map(([key, value]) => ({ key, service: recordOf(value) }))
    .filter(({ service }) => service.build !== undefined)
    .map((one) => ({ ...one, context: joined(folderOf(seenIn), contextOf(one.service.build)) }));
  const here = built.filter(({ context }) => context === home);
  const around = built.filter(({ context }) => context !== null && isUnder(home, context));
  const possible = here.length > 0 || built.length > 1 ? here : around;
  const open = possible.filter(({ service: { ports } }) => listOf(ports).length > 0);
  const likely = open.length > 0 ? open : possible;
  const own = likely.find(({ key }) => key === name) ?? likely[0];
  if (own === undefined) return null;
  const { entrypoint, command, ports, environment, depends_on: needed } = own.service;
  return {
    seenIn,
    ...commandsOf(entrypoint, command),
    port: portOf(recordOf(listOf(ports)[0]).target ?? listOf(ports)[0]),
    environment: environmentOf(environment),
    beside: [...listOf(needed), ...Object.keys(recordOf(needed))].map((one) => {
      const { image } = recordOf(services[String(one)]);
      return typeof image === "string" ? image : String(one);
    }),
  };
}

/** What a shell runs before what is started in the end; null: nothing. */
export function preparedBy(
  containers: readonly Container[],
): { steps: readonly string[]; seenIn: string } | null {
  const last = containers.findLast((one) => [...one.entrypoint, ...one.command].length > 0);
  return last === undefined || last.before.length === 0
    ? null
    : { steps: last.before, seenIn: last.seenIn };
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
  const name = (flag || previous).replace("=", "");
  const isPort = Number(number) === port || /^-.*(?:port|listen|addr|bind)|^-p$/i.test(name);
  if (number === "" || !isPort || isOfOthers(name)) return word;
  return `${flag}${host === "" ? "" : "127.0.0.1:"}{port}`;
}

function commandsOf(entrypoint: unknown, command: unknown) {
  const [first, second] = [entrypoint, command].map(stepsOf);
  return {
    entrypoint: first?.words ?? [],
    command: second?.words ?? [],
    before: [...(first?.before ?? []), ...(second?.before ?? [])],
  };
}

/** Of a list or a line, as YAML or a Dockerfile has it. The last that a shell runs is what stays. */
function stepsOf(value: unknown): { words: readonly string[]; before: readonly string[] } {
  const list = typeof value === "string" && /^\s*\[/.test(value) ? parseLeniently(value) : value;
  const before = typeof list === "string" ? list.trim().split(THEN) : [];
  const parsed =
    typeof list === "string"
      ? parseCommand(before.pop() ?? "")
      : checkArgv(listOf(list).map(String));
  const words = parsed.ok ? parsed.argv : [];
  const [shell = "", flag = "", script, ...more] = words;
  if (SHELL.test(shell) && /^-\w*c$/.test(flag) && script !== undefined && more.length === 0) {
    const within = stepsOf(script);
    return { ...within, before: [...before, ...within.before] };
  }
  // Braces would stand for something in a configuration.
  const isPlain = words.every((word) => /^[ -#%-z|~]+$/.test(word));
  return { words: isPlain ? words : [], before };
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
