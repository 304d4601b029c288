// What kind of program a service is: how its stacks are walked, and which functions are its own.
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ExplainKernel } from "../../../src/core/model/kernels.ts";
import type { Frame, Own } from "../model.ts";
import { orNull } from "./beside.ts";
import { parseBuildInfo } from "./parse-build-info.ts";

export interface Program {
  own: Own;
  /** As perf takes it: Go and V8 compile with frame pointers. */
  callGraph: "fp" | "dwarf,8192";
  /** It tells perf of its code when it is asked to. */
  isNode: boolean;
}

const ELF = Buffer.from("\x7fELF", "latin1");

export function findProgram({ artifact, command, folder, root }: ExplainKernel): Program {
  const file = orNull(() => readFileSync(artifact ?? join(folder, command[0] ?? "")));
  const modules = file && parseBuildInfo(file);
  if (modules !== null) return { own: { kind: "go", modules }, callGraph: "fp", isNode: false };
  const crates = file?.subarray(0, ELF.length).equals(ELF) ? findCrates(root) : [];
  const isNode = crates.length === 0 && command.some((word) => basename(word) === "node");
  const own: Own = crates.length > 0 ? { kind: "rust", crates } : { kind: "path", roots: [root] };
  return { own, callGraph: isNode ? "fp" : "dwarf,8192", isNode };
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
