// By what a process is known to be started by us, whoever its parent is by now: a number that it
// inherits.
import { randomInt } from "node:crypto";
import { listOrEmpty, orNull, readOrEmpty } from "./or-null.ts";

/**
 * In the environment of a group's leader and of all that it starts: how it is found when we die
 * before we know its number, and what left its group when it is gone. The same number stands in a
 * limit that the kernel hands down likewise and has not asked for since Linux 2.4, that of file
 * locks: a daemon may clear its environment, and cannot clear that (ADR 35).
 */
export const MARK = "TAILGATE_MARK";
const LIMIT = /^Max file locks +\S+ +(\d+)/m;
const IN_ENVIRONMENT = new RegExp(`${MARK}=(\\d+)`);
/** All have as many, and so add as many bytes to an environment. */
const MARK_DIGITS = 18;
const MOST_RANDOM = 2 ** 48 - 1;

/** At most: a process may start another while we look. */
const LOOKS = 10;

/** Below our own, where we run in a run of ours: nobody but root may raise the limit again. */
export function makeMark(): string {
  const own = LIMIT.exec(readOrEmpty("/proc/self/limits"))?.[1] ?? "";
  const highest = own.length === MARK_DIGITS ? BigInt(own) : 10n ** BigInt(MARK_DIGITS);
  return String(highest - 1n - BigInt(randomInt(MOST_RANDOM)));
}

/** Whatever has one of them, in whichever group. */
export function killMarked(marks: ReadonlySet<string>): void {
  const killed = new Set<string>();
  for (let look = 0; look < LOOKS; look++) {
    const found = listOrEmpty("/proc").filter(
      (name) => /^\d+$/.test(name) && !killed.has(name) && isMarked(name, marks),
    );
    // One may have ended in the middle of a look, and left another.
    if (found.length === 0 && look > 0) return;
    for (const pid of found) {
      killed.add(pid);
      // Gone since it was read, or another user's.
      orNull(() => process.kill(Number(pid), "SIGKILL"));
    }
  }
}

function isMarked(pid: string, marks: ReadonlySet<string>): boolean {
  const inherited = [
    LIMIT.exec(readOrEmpty(`/proc/${pid}/limits`)),
    IN_ENVIRONMENT.exec(readOrEmpty(`/proc/${pid}/environ`)),
  ];
  return inherited.some((match) => marks.has(match?.[1] ?? ""));
}
