// Whether a program can be started, asked before it is: the kernel's own words name neither what is
// missing nor where it was looked for.
import { constants, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { mayAccess, readHead } from "./files.ts";
import { orNull } from "./or-null.ts";

interface MissingProgram {
  /** `there is no cargo on PATH` */
  why: string;
  /** Where it was looked for; empty where the command says it itself. */
  detail: string;
  /** Where something else than the command is to be corrected. */
  next?: string;
}

export const RUN_ELSEWHERE =
  "A file system mounted noexec runs nothing: set TAILGATE_CACHE to a folder of another.";

/**
 * Null when `program` is there, and what its `#!` names: on `path`, the PATH of the environment that
 * it would run in, or, with a slash, at its place seen from `folder`.
 */
export function missingProgram(
  program: string,
  folder: string,
  path: string | undefined,
): MissingProgram | null {
  if (program.includes("/")) {
    const place = resolve(folder, program);
    if (!existsSync(place)) return { why: `there is no ${place}`, detail: "" };
    if (isExecutable(place) || !isNoexec(dirname(place))) return missingInterpreter(place, folder);
    return { why: `${place} is where no program may run`, detail: "", next: RUN_ELSEWHERE };
  }
  const found = tryFindProgram(program, path ?? "", folder);
  if (found !== null) return missingInterpreter(found, folder);
  return { why: `there is no ${program} on PATH`, detail: describePath(path) };
}

/** Of a script: the kernel says of it that the script is not there. */
function missingInterpreter(script: string, folder: string): MissingProgram | null {
  const start = orNull(() => readHead(script, 256)) ?? "";
  const [, interpreter] = /^#![ \t]*([^ \t\n\0]+)/.exec(start) ?? [];
  if (interpreter === undefined || existsSync(resolve(folder, interpreter))) return null;
  return { why: `there is no ${interpreter}, which runs ${script}`, detail: "" };
}

/** `searched PATH=/usr/bin:/bin` */
function describePath(path: string | undefined): string {
  return path === undefined ? "searched nothing: PATH is not set" : `searched PATH=${path}`;
}

/** Path of a program on the PATH; null when there is none. `from`: see findPrograms. */
export function tryFindProgram(
  name: string,
  path = process.env.PATH ?? "",
  from = "",
): string | null {
  return findPrograms(name, path, from)[0] ?? null;
}

/**
 * All of that name on the PATH, in its order. `from`: where its relative folders are seen from;
 * default: they give relative paths.
 */
export function findPrograms(name: string, path = "", from = ""): string[] {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  const places = folders.map((folder) => join(isAbsolute(folder) ? "" : from, folder, name));
  return places.filter(isExecutable);
}

/** Whether no program in `folder` can be run; false where that cannot be tried. */
export function isNoexec(folder: string): boolean {
  const probe = join(folder, `.tailgate-probe-${process.pid}`);
  try {
    writeFileSync(probe, "", { flag: "wx", mode: 0o700 });
    return !isExecutable(probe);
  } catch {
    return false;
  } finally {
    rmSync(probe, { force: true });
  }
}

/** A folder may be entered, which the kernel calls the same. */
export const isExecutable = (path: string): boolean =>
  mayAccess(path, constants.X_OK) && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
