// Child processes: always their own process group, always guarded by the janitor, never through a
// shell.
import { type ChildProcess, spawn } from "node:child_process";
import { addAbortListener } from "node:events";
import type { Readable } from "node:stream";
import { janitor } from "./janitor.ts";
import { MARK } from "./mark.ts";
import { orNull } from "./or-null.ts";
import { marked, pinned } from "./started-by.ts";

interface SpawnOptions {
  cwd?: string;
  /** Whom it runs as, without further groups; default: as we do. */
  uid?: number;
  gid?: number;
  /** The child's whole environment; default: ours. */
  env?: NodeJS.ProcessEnv;
  /** It has our own standard output and error. */
  inherits?: true;
  /**
   * When all that it started ends, daemons of any group, session and environment too; "with us": so
   * that a build may leave a compile server to the next. Default: its group with it, and no other.
   */
  endsAll?: "with it" | "with us";
  /** CPU numbers to pin to (taskset); default: not pinned. */
  cpus?: readonly number[];
  /** Of what it prints; default: UTF-8. */
  encoding?: BufferEncoding;
  /** Called with each line of standard output, without its line break. */
  onStdoutLine?: (line: string) => void;
  onStderrLine?: (line: string) => void;
  /** Called with each piece of standard output and error exactly as it comes. */
  onStdout?: (text: string) => void;
  onStderr?: (text: string) => void;
}

export interface Exit {
  /** Exit code; null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  /** The program could not be started at all: ENOENT, EACCES, … Null otherwise. */
  startError: NodeJS.ErrnoException | null;
  /** It printed more than can be held, and was ended; absent: no. */
  saidTooMuch?: boolean;
}

/** In words, after its name. */
export function describeExit({ code, signal, startError, saidTooMuch }: Exit): string {
  if (saidTooMuch === true) return `printed more than ${MAX_HELD_CHARS / 1024 ** 2} MiB`;
  if (startError !== null) return `could not be started: ${startError.message}`;
  return signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
}

export interface ChildGroup {
  /** Process id of the leader and of its group. Undefined when it could not be started. */
  readonly pid: number | undefined;
  /** Settles when the leader is gone and its output is read; never rejects. */
  readonly exited: Promise<Exit>;
  /** Null while it runs. */
  exit(): Exit | null;
  /** The last lines printed, standard output and error together. */
  tail(): string[];
  /** Signals the whole group; silent when it is gone. */
  signal(signal: NodeJS.Signals): void;
}

const TAIL_LINES = 40;
const MAX_LINE_CHARS = 2000;
/** Of a result that is needed whole: git lists a million files in less. */
const MAX_HELD_CHARS = 256 * 1024 ** 2;

/**
 * How long output may keep coming after its program has ended: a process that left the group can
 * hold the pipe open.
 */
const DRAIN_MS = 1000;

/**
 * Splits a stream into lines; a long line is cut, so that a chatty child cannot exhaust our memory.
 */
function lineSplitter(onLine: (line: string) => void): { push(chunk: string): void; end(): void } {
  let rest = "";
  return {
    push(chunk) {
      const parts = (rest + chunk).split("\n");
      rest = (parts.pop() ?? "").slice(0, MAX_LINE_CHARS);
      for (const part of parts) onLine(part.slice(0, MAX_LINE_CHARS));
    },
    end() {
      if (rest !== "") onLine(rest);
      rest = "";
    },
  };
}

/**
 * Starts a program as the leader of a group of its own. Never throws: a program that cannot be
 * started is an exit with `startError`.
 */
export function spawnGroup(argv: readonly string[], options: SpawnOptions = {}): ChildGroup {
  const output = options.inherits === true ? "inherit" : "pipe";
  // A group is guarded before it has a number: killed right after the fork, we would leave it to
  // nobody. The mark adds the same number of bytes to every environment, whose size can change how
  // fast a program is.
  const mark = janitor.expectGroup();
  const onCpus = pinned(argv, options.cpus);
  const [program = "", ...args] =
    options.endsAll === undefined ? onCpus : marked(onCpus, mark, options);
  let child: ChildProcess;
  let pid: number | undefined;
  try {
    child = spawn(program, args, {
      cwd: options.cwd,
      uid: options.uid,
      gid: options.gid,
      env: { ...(options.env ?? process.env), [MARK]: mark },
      detached: true,
      stdio: ["ignore", output, output],
    });
    pid = child.pid;
    if (pid !== undefined) janitor.guardGroup(pid);
  } catch (error) {
    // Some failures are thrown (E2BIG, ENOTDIR, an empty name), the others come as an event.
    return neverStarted(error as NodeJS.ErrnoException);
  } finally {
    if (pid === undefined || options.endsAll === undefined) janitor.expectNoMore(mark);
  }

  const tail: string[] = [];
  const keep = (line: string): void => {
    tail.push(line);
    if (tail.length > TAIL_LINES) tail.shift();
  };
  const attach = (
    stream: Readable | null,
    onLine: ((line: string) => void) | undefined,
    onText: ((text: string) => void) | undefined,
  ): (() => void) => {
    const splitter = lineSplitter((line) => {
      keep(line);
      onLine?.(line);
    });
    stream?.setEncoding(options.encoding ?? "utf8").on("data", (chunk: string) => {
      splitter.push(chunk);
      onText?.(chunk);
    });
    return () => splitter.end();
  };
  const endStdout = attach(child.stdout, options.onStdoutLine, options.onStdout);
  const endStderr = attach(child.stderr, options.onStderrLine, options.onStderr);

  let exit: Exit | null = null;
  const exited = new Promise<Exit>((resolve) => {
    const settle = (value: Exit): void => {
      if (exit !== null) return;
      exit = value;
      if (pid !== undefined) janitor.releaseGroup(pid);
      child.stdout?.destroy();
      child.stderr?.destroy();
      endStdout();
      endStderr();
      resolve(value);
    };
    child.on("error", (error) => {
      if (pid === undefined) settle({ code: null, signal: null, startError: error });
    });
    child.on("exit", (code, signal) => {
      const value: Exit = { code, signal, startError: null };
      // A leader that is gone may leave members of its group behind: they go with it, and let go of
      // the pipes.
      if (pid !== undefined) signalGroup(pid, "SIGKILL");
      if (options.endsAll === "with it") janitor.endMarked(mark);
      // What was printed last may still be in the pipes: `close` comes when they are read.
      // setImmediate: after one more read.
      const drained = setTimeout(() => setImmediate(() => settle(value)), DRAIN_MS);
      child.on("close", () => {
        clearTimeout(drained);
        settle(value);
      });
    });
  });

  return {
    pid,
    exited,
    exit: () => exit,
    tail: () => [...tail],
    signal: (signal) => {
      if (pid !== undefined && exit === null) signalGroup(pid, signal);
    },
  };
}

function neverStarted(startError: NodeJS.ErrnoException): ChildGroup {
  const exit: Exit = { code: null, signal: null, startError };
  const silent = { tail: () => [], signal: () => {} };
  return { pid: undefined, exited: Promise.resolve(exit), exit: () => exit, ...silent };
}

/** Signals every member of a process group; silent when it is gone. */
export function signalGroup(pgid: number, signal: NodeJS.Signals): void {
  orNull(() => process.kill(-pgid, signal));
}

/** Runs a program to its end with our own standard output and error. Never rejects. */
export async function runInherited(
  argv: readonly string[],
  { env, abort }: { env: NodeJS.ProcessEnv; abort: AbortSignal },
): Promise<Exit> {
  const child = spawnGroup(argv, { env, inherits: true });
  using _stopping = addAbortListener(abort, () => child.signal("SIGTERM"));
  return await child.exited;
}

export interface CommandOptions extends SpawnOptions {
  /** Killed after this long; default: no limit. */
  timeoutMs?: number;
  /** Aborting kills the command. */
  abort?: AbortSignal;
  /** Called with its process id, which is its group's too, once it is started. */
  onStart?: (pid: number) => void;
}

/** How a command ended, and what it said last, however much it was. */
export interface CommandEnd extends Exit {
  timedOut: boolean;
  /** Last lines of both streams, long lines cut. */
  tail: string[];
}

export interface CommandResult extends CommandEnd {
  /** Everything printed, without the last line break. */
  stdout: string;
  stderr: string;
}

/** Runs a program to its end. Never rejects. */
export async function runToEnd(
  argv: readonly string[],
  options: CommandOptions = {},
): Promise<CommandEnd> {
  const child = spawnGroup(argv, options);
  if (child.pid !== undefined) options.onStart?.(child.pid);
  let timedOut = false;
  const kill = (): void => child.signal("SIGKILL");
  const late = (): void => {
    timedOut = true;
    kill();
  };
  const { timeoutMs, abort } = options;
  const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
  using _stopping = abort && addAbortListener(abort, kill);
  const exit = await child.exited;
  clearTimeout(timer);
  return { ...exit, timedOut, tail: child.tail() };
}

/**
 * The same, with all that it prints. A part would be taken for the whole: one that prints more than
 * we hold is ended, and has failed.
 */
export async function runCommand(
  argv: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const held = { onStdout: [] as string[], onStderr: [] as string[] };
  let chars = 0;
  const full = new AbortController();
  const hold = (stream: keyof typeof held) => (text: string) => {
    chars += text.length;
    if (chars > MAX_HELD_CHARS) full.abort();
    else held[stream].push(text);
    options[stream]?.(text);
  };
  const end = await runToEnd(argv, {
    ...options,
    abort: AbortSignal.any([full.signal, ...(options.abort ? [options.abort] : [])]),
    onStdout: hold("onStdout"),
    onStderr: hold("onStderr"),
  });
  return {
    ...end,
    ...(full.signal.aborted && { code: null, saidTooMuch: true }),
    stdout: held.onStdout.join("").replace(/\n$/, ""),
    stderr: held.onStderr.join("").replace(/\n$/, ""),
  };
}
