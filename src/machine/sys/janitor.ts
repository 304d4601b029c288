// The one place that makes sure nothing outlives us: process groups, temporary folders and the
// records of git worktrees are guarded from before they exist. A small shell process holds a copy
// of the list; when our end of its pipe closes, however we died (SIGKILL included), it kills and
// removes what is still on the list.
import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { killMarked, makeMark } from "./mark.ts";
import { orNull } from "./or-null.ts";

/**
 * Lines of `op TAB value`. At end of input: SIGKILL (which ends stopped processes too) to each
 * group left, to whatever has a mark, then, when they are gone and cannot write any more (at most a
 * second: where nobody reaps, the dead stay visible), the paths. Folders that a build made read-only
 * are opened first. `kill -s KILL`: after `-KILL` dash takes `--` for a process.
 *
 * Marks are looked for several times: input ends only when nobody holds our end of the pipe, and a
 * child lets go of it when it becomes its program: from then on its environment is there, or will be
 * in moments.
 */
const WATCH = `
trap '' INT TERM HUP
tab='\t'
groups=
marks=
while IFS="$tab" read -r op value; do
  case $op in
    +group) groups="$groups $value" ;;
    -group) kept=; for g in $groups; do [ "$g" = "$value" ] || kept="$kept $g"; done; groups=$kept ;;
    +mark) marks="$marks $value" ;;
    -mark) kept=; for m in $marks; do [ "$m" = "$value" ] || kept="$kept $m"; done; marks=$kept ;;
    +path) set -- "$@" "$value" ;;
    -path) n=$#; while [ "$n" -gt 0 ]; do p=$1; shift; [ "$p" = "$value" ] || set -- "$@" "$p"; n=$((n - 1)); done ;;
  esac
done
for g in $groups; do kill -s KILL -- "-$g" 2>/dev/null; done
patterns=
for m in $marks; do patterns="$patterns -e $m"; done
n=10
while [ -n "$patterns" ] && [ "$n" -gt 0 ]; do
  for f in $(grep -lsF $patterns /proc/[0-9]*/environ /proc/[0-9]*/limits); do
    f=\${f#/proc/}; p=\${f%/*}; kill -s KILL -- "-$p" 2>/dev/null; kill -s KILL "$p" 2>/dev/null; groups="$groups $p"
  done
  sleep 0.05
  n=$((n - 1))
done
n=20
for g in $groups; do
  while [ "$n" -gt 0 ] && kill -s 0 -- "-$g" 2>/dev/null; do sleep 0.05; n=$((n - 1)); done
done
for p in "$@"; do
  rm -rf -- "$p" 2>/dev/null || { chmod -R u+rwX -- "$p" 2>/dev/null; rm -rf -- "$p" 2>/dev/null; }
done
exit 0
`;

/** Retried: a process that is being killed may write one more file into a folder as it goes. */
const REMOVE = { recursive: true, force: true, maxRetries: 5, retryDelay: 20 } as const;

export class Janitor {
  readonly #groups = new Set<number>();
  readonly #marks = new Set<string>();
  readonly #paths = new Set<string>();
  #watcher: ChildProcess | null = null;
  #onFirst: () => void = () => {};

  /** Calls once there is something to clean up, and before it exists. */
  whenNeeded(listen: () => void): void {
    this.#onFirst = listen;
  }

  /** A mark for a leader that is about to be started: whoever has it dies with us. */
  expectGroup(): string {
    const mark = makeMark();
    this.#marks.add(mark);
    this.#tell("+mark", mark);
    return mark;
  }

  /** The leader is guarded by its number, was never started, or is gone with all that it started. */
  expectNoMore(mark: string): void {
    this.#marks.delete(mark);
    this.#tell("-mark", mark);
  }

  /** Ends whatever has the mark, in whichever group. */
  endMarked(mark: string): void {
    killMarked(new Set([mark]));
    this.expectNoMore(mark);
  }

  /** `pgid` is a process group that we made. */
  guardGroup(pgid: number): void {
    this.#groups.add(pgid);
    this.#tell("+group", String(pgid));
  }

  /** The group's leader was reaped: its number may belong to somebody else from now on. */
  releaseGroup(pgid: number): void {
    this.#groups.delete(pgid);
    this.#tell("-group", String(pgid));
  }

  /** An absolute path that is ours to remove; it need not exist yet. */
  guardPath(path: string): void {
    this.#paths.add(path);
    this.#tell("+path", path);
  }

  /** Removes the path now; what cannot be, when we end: the watcher has more means. */
  removePath(path: string): void {
    if (orNull(() => rmSync(path, REMOVE)) === null) return;
    this.#paths.delete(path);
    this.#tell("-path", path);
  }

  /** Ends every guarded group and removes every guarded path; safe to call twice. */
  cleanUp(): void {
    for (const pgid of this.#groups) {
      // Gone already: that is what was wanted.
      orNull(() => process.kill(-pgid, "SIGKILL"));
    }
    this.#groups.clear();
    if (this.#marks.size > 0) killMarked(this.#marks);
    for (const mark of this.#marks) this.expectNoMore(mark);
    for (const path of this.#paths) {
      // The watcher still has it on its list, and more means; the other paths must go now.
      orNull(() => rmSync(path, REMOVE));
    }
    this.#paths.clear();
    this.#watcher?.stdin?.end();
    this.#watcher = null;
  }

  #tell(op: string, value: string): void {
    if (value.includes("\n")) throw new Error(`a guarded path with a line break: ${value}`);
    if (this.#watcher === null) this.#onFirst();
    this.#watcher ??= this.#watch();
    this.#watcher.stdin?.write(`${op}\t${value}\n`);
  }

  #watch(): ChildProcess {
    // Its own session: a Ctrl-C in the terminal must not reach it before it has done its work.
    const watcher = spawn("/bin/sh", ["-c", WATCH], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    watcher.stdin?.on("error", () => {});
    watcher.on("error", () => {});
    watcher.unref();
    (watcher.stdin as unknown as { unref?: () => void } | null)?.unref?.();
    return watcher;
  }
}

/** One for the process: whatever starts something tells it. */
export const janitor = new Janitor();
