// What satellites that start programs of the machine are given of the kernel: `explain`, which profiles
// both builds, and `oha`, which brings the load generator. Others have theirs where their values are.
import type { Report } from "./report.ts";
import type { Arm, RoundFailure, Slice } from "./samples.ts";

/** A program of the machine, on the CPUs of the load generator, ended with us. */
export interface ProgramBeside {
  /** Code 127: there is none of the name. */
  readonly exited: Promise<{ code: number | null }>;
  /** Null: it runs. */
  exit(): object | null;
  /** The last lines printed. */
  tail(): string[];
  signal(signal: "SIGINT" | "SIGKILL"): void;
}

/** A service that has just become ready; whoever launched it stops it. */
export interface LoadedService {
  /** Absolute: where it was laid out, as its revision has it. */
  folder: string;
  /** Of its living processes. */
  pids(): number[];
  warmUp(): Promise<void>;
  /** Latencies in µs, none where the slice is void. A failure is a crash, or the generator's. */
  load(
    rateRps: number,
    durationMs: number,
  ): Promise<{ slice: Slice; latencies: Float64Array; failure: RoundFailure | null }>;
  stop(): Promise<void>;
}

type Env = Readonly<Record<string, string>>;

/** Launches of both builds, load on them, and programs beside. */
export interface ExplainKernel {
  /** `tailgate 0.1.0` */
  tool: string;
  /** The command that explains it again. */
  again: string;
  /** Fixes every random choice. */
  seed: number;
  /** How long it may take in all. */
  seconds: number;
  /** Its id. */
  scenario: string;
  rateRps: number;
  /** Absolute folders of the repository, and of the service in it. */
  root: string;
  folder: string;
  /** The service's command, and what it was built to; null: nothing is built. */
  command: readonly string[];
  artifact: string | null;
  /** `git diff --unified=0` of both builds. */
  diff: string;
  /** Of the builds, as reports have them; and the report of the last gate, whatever it was of. */
  keys: readonly string[];
  report: Report | null;
  /** Temporary folder: in memory where there is some. */
  scratch: string;
  abort: AbortSignal;
  /** CLOCK_MONOTONIC. */
  nowMs(): number;
  /** Ends early by a signal. */
  sleep(ms: number): Promise<void>;
  status(line: string): void;
  /** A path that is removed however we end. */
  guard(path: string): void;
  /** `env`: beside ours. */
  start(argv: readonly string[], env: Env, onStdout?: (text: string) => void): ProgramBeside;
  /** A fresh launch, with words before those of its command. What goes wrong is thrown, in words. */
  launch(arm: Arm, before: string[], onSpawn?: (pid: number) => void): Promise<LoadedService>;
}

export interface OhaKernel {
  version: string;
  /** `linux-x64` */
  machine: string;
  /** Absolute, and empty: `bin/oha` must be in it in the end. */
  folder: string;
  clock: { nowMs(): number };
  progress: Readonly<Record<"note" | "status", (line: string) => void>>;
  /** One request, by the way that the environment names; a UserError says why there is no answer. */
  fetch(url: string, maxBytes: number, timeoutMs: number): Promise<Uint8Array>;
  /** A program in the folder, which ends with us. `env`: beside what a build is given. */
  run(
    argv: readonly string[],
    env: Env,
    onStderrLine: (line: string) => void,
  ): Promise<{ trouble: string | null; isMissing: boolean; tail: string[] }>;
}
