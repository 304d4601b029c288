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
    : tryFindProgram(program, env.PATH ?? "", cwd) !== null;
  return isThere ? [...limiter(mark), ...argv] : [...argv];
}

/** What is put before a program so that it has the mark in its limit. */
type Way = (mark: string) => string[];

/** BusyBox has no prlimit, and a shell that can set it. (That sets PWD, too.) */
const byShell: Way = (mark) => ["/bin/sh", "-c", 'ulimit -x "$0" 2>/dev/null; exec "$@"', mark];
/** Not to be had: by other shells, or where a sandbox does not let anybody. */
const NONE: Way = () => [];
/** Prints its own limits. */
const TRIAL = ["/bin/sh", "-c", 'while read -r line; do echo "$line"; done < /proc/self/limits'];
/** Undefined: not looked for yet. */
let way: Way | undefined;

function findWay(mark: string): Way {
  const prlimit = tryFindProgram("prlimit");
  const found: Way =
    prlimit === null ? byShell : (mark) => [prlimit, `--locks=${mark}:${mark}`, "--"];
  const [program = "", ...args] = [...found(mark), ...TRIAL];
  const { stdout } = spawnSync(program, args, { encoding: "utf8" });
  return stdout?.includes(mark) ? found : NONE;
}

function limiter(mark: string): string[] {
  way ??= findWay(mark);
  return way(mark);
}
