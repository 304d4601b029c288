// One gate measures at a time on a machine, whoever runs it, and in whichever container. The kernel
// keeps the lock (flock on a file that everybody may open) for a small child process: it ends with
// us, however we end, and no file is ever left behind locked.
import { addAbortListener } from "node:events";
import * as fs from "node:fs";
import { userInfo } from "node:os";
import { messageOf, UserError } from "../../core/base/errors.ts";
import { systemClock } from "../sys/clock.ts";
import { mayAccess, opened, readHead } from "../sys/files.ts";
import { orNull, readOrEmpty } from "../sys/or-null.ts";
import { spawnGroup } from "../sys/process.ts";
import { parseProcStat } from "./parse-proc.ts";

interface LockOptions {
  /** How long to wait for another holder; 0: not at all. */
  timeoutMs: number;
  abort: AbortSignal;
  /** Called if there is something to wait for; `holder` says who measures, for people. Again for each next. */
  onWait?: (holder: string) => void;
  /** Another lock file; for tests. */
  path?: string;
  /** Locked in its place where it can be opened; default: what containers share, but not with tests. */
  shared?: string;
}

interface Lock extends AsyncDisposable {
  /** Safe to call twice. */
  release(): Promise<void>;
}

/** Not TMPDIR: that differs between users, who share the machine all the same. */
const LOCK_PATH = "/tmp/tailgate.lock";
/**
 * Containers have a /tmp, a network and processes of their own, but hardly ever a clock: whoever opens
 * this opens the same object of the kernel, which anybody may read, and so may lock.
 */
const SHARED = "/proc/self/ns/time";
const MAX_HOLDER_BYTES = 1024;
/** Longer ones would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** How soon whoever waits is told that another has the lock by now. */
const WATCH_MS = 500;
const UNKNOWN_HOLDER = "another process, perhaps in another container";

/**
 * Opens a file without creating it: some kernels refuse that for one of somebody else in /tmp.
 * `command` lets the shell go on where it cannot. Tells when it must wait and when it has the lock,
 * then sleeps; flock's lock stays with descriptor 9, which the sleeper inherits. BusyBox knows short
 * options alone.
 */
const HOLD = `
command exec 9<"$2" || exec 9<"$1" || exit 1
flock -n 9 || { echo busy; flock 9 || exit 1; }
echo held
exec sleep 2147483647
`;

export async function acquireLock({
  timeoutMs,
  abort,
  onWait = () => {},
  path = LOCK_PATH,
  shared = path === LOCK_PATH ? SHARED : "",
}: LockOptions): Promise<Lock> {
  makeLockFile(path, shared);
  if (abort.aborted) throw interrupted();
  const held = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  let watch: NodeJS.Timeout | undefined;
  const wait = (): void => {
    const giveUp = (): void => held.reject(timedOut(path, timeoutMs));
    timer = setTimeout(giveUp, Math.min(timeoutMs, LONGEST_TIMER_MS));
    let named = describeHolder(path);
    onWait(named);
    watch = setInterval(() => {
      const holder = describeHolder(path);
      // Between two of them nobody is named.
      if (holder === named || holder === UNKNOWN_HOLDER) return;
      named = holder;
      onWait(named);
    }, WATCH_MS);
  };
  const child = spawnGroup(["/bin/sh", "-c", HOLD, "sh", path, shared], {
    onStdoutLine: (line) => {
      if (line === "held") held.resolve();
      if (line === "busy") wait();
    },
  });
  using _stopping = addAbortListener(abort, () => held.reject(interrupted()));
  void child.exited.then(() => held.reject(cannotLock(path, child.tail())));
  try {
    await held.promise;
  } catch (error) {
    child.signal("SIGKILL");
    throw error;
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
  }
  writeHolder(path, describeOurselves);
  const release = async (): Promise<void> => {
    if (child.exit() === null) writeHolder(path, () => "");
    child.signal("SIGKILL");
    await child.exited;
  };
  return { release, [Symbol.asyncDispose]: release };
}

/**
 * Never removed: somebody may be waiting on it. Open to all users, whatever the creator's umask. Where
 * `shared` is locked in its place it only names the holder, and may be missing.
 */
function makeLockFile(path: string, shared: string): void {
  const { O_CREAT, O_EXCL, O_RDWR, R_OK } = fs.constants;
  try {
    using made = opened(path, O_CREAT | O_EXCL | O_RDWR, 0o666);
    fs.fchmodSync(made.file, 0o666);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" && !mayAccess(shared, R_OK)) {
      throw new UserError(`cannot make the machine's lock ${path}: ${messageOf(error)}`);
    }
  }
  if (fs.lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw new UserError(`the machine's lock ${path} is not a regular file`, {
      next: `Find out who put it there, then remove it: sudo rm ${path}`,
    });
  }
}

/**
 * For people only, so a failure is silent: the lock is held all the same. The file may be anybody's:
 * not through links, and never created here.
 */
function writeHolder(path: string, describe: () => string): void {
  orNull(() => {
    const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    using it = opened(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    const facts = fs.fstatSync(it.file);
    if (!facts.isFile() || facts.nlink !== 1) return;
    fs.ftruncateSync(it.file);
    fs.writeSync(it.file, describe(), 0);
  });
}

function describeOurselves(): string {
  const facts = { pid: process.pid, start: startTicks(process.pid) };
  return `${JSON.stringify(facts)}\nprocess ${facts.pid} of ${userName()}, since ${systemClock.wallTime()}, in ${process.cwd()}\n`;
}

/**
 * What the holder wrote, if that process is still the same one; numbers of processes are used
 * again.
 */
function describeHolder(path: string): string {
  const holder = orNull(() => {
    const [facts = "", text = ""] = readHead(path, MAX_HOLDER_BYTES).split("\n");
    const { pid, start } = JSON.parse(facts) as { pid: unknown; start: unknown };
    const isAlive = typeof pid === "number" && start !== null && startTicks(pid) === start;
    return isAlive ? text : null;
  });
  return holder?.replace(/[^\x20-\x7e]/g, "?") ?? UNKNOWN_HOLDER;
}

function startTicks(pid: number): number | null {
  return parseProcStat(readOrEmpty(`/proc/${pid}/stat`))?.startTicks ?? null;
}

/** A container may run as a number without a name. */
const userName = (): string => orNull(() => userInfo().username) ?? String(process.getuid?.());

function timedOut(path: string, timeoutMs: number): UserError {
  const holder = describeHolder(path);
  const look = holder === UNKNOWN_HOLDER ? "at the other containers of this machine" : `at ${path}`;
  return new UserError(
    `another gate measures on this machine: waited ${Math.round(timeoutMs / 1000)} s for ${holder}`,
    { next: `Wait until it is done. To see what it is, look ${look}.` },
  );
}

function cannotLock(path: string, tail: readonly string[]): UserError {
  return new UserError(`cannot take the machine's lock ${path}`, {
    detail: tail.join("\n"),
    next: "Let every user of the machine read the file.",
  });
}

function interrupted(): UserError {
  return new UserError("interrupted before measuring", {}, "interrupted");
}
