// What kind of program a service is: how its stacks are walked, and which functions are its own.
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ExplainKernel } from "../../../src/core/model/kernels.ts";
import type { Frame, Own } from "../model.ts";
import { orNull } from "./beside.ts";
import { parseBuildInfo } from "./parse-build-info.ts";

export interface Program {
  own: Own;
  /** `pointers`: compiled with frame pointers, as Go does and V8. */
  stacks: "pointers" | "dwarf";
  /** It tells perf of its code when it is asked to. */
  isNode: boolean;
}

const DWARF_BYTES = 8192;
const ELF = Buffer.from("\x7fELF", "latin1");

export function callGraphOf({ stacks }: Program): string {
  return stacks === "pointers" ? "fp" : `dwarf,${DWARF_BYTES}`;
}

export function findProgram({ artifact, command, folder, root }: ExplainKernel): Program {
  const path = artifact ?? join(folder, command[0] ?? "");
  const file = orNull(() => readFileSync(path));
  const modules = file === null ? null : parseBuildInfo(file);
  if (modules !== null) return { own: { kind: "go", modules }, stacks: "pointers", isNode: false };
  const crates = file?.subarray(0, ELF.length).equals(ELF) ? findCrates(root) : [];
  if (crates.length > 0) return { own: { kind: "rust", crates }, stacks: "dwarf", isNode: false };
  const isNode = command.some((word) => basename(word) === "node");
  const own: Own = { kind: "path", roots: [root] };
  return { own, stacks: isNode ? "pointers" : "dwarf", isNode };
}

const SKIPPED = ["**/target", "**/node_modules", "**/.*"];

/** Names of the packages, libraries and programs of the repository's Cargo.toml files. */
function findCrates(root: string): string[] {
  const names = globSync("**/Cargo.toml", { cwd: root, exclude: SKIPPED }).flatMap((path) => {
    const text = orNull(() => readFileSync(join(root, path), "utf8")) ?? "";
    return text.split(/^(?=\[)/m).flatMap((section) => {
      if (!/^\[(?:package|lib|\[bin\])\]/.test(section)) return [];
      const [, name] = /^name *= *"([\w-]+)"/m.exec(section) ?? [];
      return name ?? [];
    });
  });
  return [...new Set(names)];
}

const SCRIPT = /^(?:JS|Script|Function|Eval|RegExp|Builtin|Stub):(?:[~^*+']*)(\S*) (.+):(\d+):\d+$/;

/**
 * A function of a script, by its name and file: each arm's files lie in a folder of its own, here
 * called by what both have.
 */
export function placedFrame(frame: Frame, laidOut: string, folder: string): Frame {
  const [, name = "", path = "", line] = SCRIPT.exec(frame.name) ?? [];
  if (line === undefined) return frame;
  const bare = path.replace(/^file:\/\//, "");
  const file = bare.startsWith(`${laidOut}/`) ? folder + bare.slice(laidOut.length) : bare;
  return { ...frame, name: `${basename(file)}:${name || "(anonymous)"}`, file, line: Number(line) };
}
