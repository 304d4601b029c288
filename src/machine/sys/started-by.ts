// What a program is started by: small programs that set something which is inherited, and replace
// themselves with it. The pid is the program's. They are ours: the PATH of the program's environment
// may not lead to them.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { isExecutable, tryFindProgram } from "./find-program.ts";

/** `argv` as it runs on the given CPUs. */
export function pinned(argv: readonly string[], cpus: readonly number[] | undefined): string[] {
  if (cpus === undefined) return [...argv];
  return [tryFindProgram("taskset") ?? "taskset", "-c", cpus.join(","), ...argv];
}

/**
 * `argv` as it runs with the mark in its limit. As it is where it cannot be started: the kernel says
 * why better than a program between would.
 */
export function marked(
  argv: readonly string[],
  mark: string,
  { cwd = ".", env = process.env }: { cwd?: string; env?: NodeJS.ProcessEnv },
): string[] {
  const [program = ""] = argv;
  const isThere = program.includes("/")
    ? isExecutable(resolve(cwd, program))
    : tryFindProgram(program, env.PATH ?? "") !== null;
  return isThere ? [...limiter(mark), ...argv] : [...argv];
}

/** BusyBox has no prlimit, and a shell that can set it. (That sets PWD, too.) */
const BY_SHELL = 'ulimit -x "$0" 2>/dev/null; exec "$@"';
/** Null: there is none, or a sandbox does not let it. Undefined: not looked for yet. */
let prlimit: string | null | undefined;

function limiter(mark: string): string[] {
  const own = [`--locks=${mark}:${mark}`, "--"];
  if (prlimit === undefined) {
    prlimit = tryFindProgram("prlimit");
    const tried = prlimit && spawnSync(prlimit, [...own, "/bin/sh", "-c", ":"]);
    if (tried && tried.status !== 0) prlimit = null;
  }
  return prlimit === null ? ["/bin/sh", "-c", BY_SHELL, mark] : [prlimit, ...own];
}
