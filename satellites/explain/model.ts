// What a recorder hands over and the analysis reads: fresh launches of both arms, each profiled
// under the same load, and exact counts of system calls beside them.

import type { Arm } from "../../src/core/model/samples.ts";

/** Of a stack; foreign text that was made inert. */
export interface Frame {
  /** Demangled, without hashes; `[NAME]` of the module where it has no symbol. */
  name: string;
  /** Base name of the file that was mapped; `[kernel]` for the kernel. */
  module: string;
  /** Of scripts alone, else null. The line is where the function begins. */
  file: string | null;
  line: number | null;
}

/** Frames, the leaf first, and how often they were seen: samples, or page faults. */
export interface Stack {
  frames: readonly Frame[];
  weight: number;
}

/** Kinds of mapping, whatever programs are called. */
export type MappingKind =
  | "anonymous"
  | "heap"
  | "stack"
  | "program-text"
  | "program-data"
  | "libraries"
  | "other";

/** What a thread was found waiting in. An event loop with a timeout of at most 20 ms: a timer. */
export type WaitKind = "timer" | "sleep" | "lock" | "disk";

/** One launch of one arm. Both arms of a round were launched together and loaded in random order. */
export interface Profiled {
  arm: Arm;
  /** From 0. */
  round: number;
  /** Answered while it was profiled. */
  requests: number;
  /** User and kernel half, by schedstat, over the time of the stacks. */
  cpuMs: number;
  /** What samples see: `user` where the kernel does not permit its own half. */
  halves: "both" | "user";
  /** Of `cpu-clock`, while requests were answered. */
  stacks: readonly Stack[];
  /** Minor page faults from the launch to the end; the weight is in pages. Empty: not recorded. */
  faults: readonly Stack[];
  /** From the launch to the first answer of `ready`. */
  start: { ms: number; cpuMs: number; stacks: readonly Stack[] };
  /** Resident bytes after the load. */
  mappings: Readonly<Partial<Record<MappingKind, number>>>;
  /** Of looks at each thread during the load, the share that found it so: 0 to 1, summed over threads. */
  waits: Readonly<Partial<Record<WaitKind, number>>>;
  latencyMs: { p99: number; mean: number };
}

/** System calls of one arm under `strace -f -c`, whose times mean nothing and whose counts are exact. */
export interface SyscallCounts {
  requests: number;
  calls: Readonly<Record<string, number>>;
}

/** Which functions are the repository's own. */
export type Own =
  | { kind: "go"; modules: readonly string[] }
  | { kind: "rust"; crates: readonly string[] }
  | { kind: "path"; roots: readonly string[] };

/** A change that the gate measured and `explain` is to account for. Values are per launch or request. */
export interface GateChange {
  /** In this order µs, µs of CPU a request, bytes, ms. */
  kind: "latency" | "cpu" | "memory" | "start";
  reference: number;
  candidate: number;
  /** Proven worse: what made the verdict red. */
  red: boolean;
}

/** All that is known when an explanation is sought. */
export interface Session {
  /** Both arms of each round; a round without one of them is left out. */
  launches: readonly Profiled[];
  /** Null: they could not be counted. */
  syscalls: Readonly<Record<Arm, SyscallCounts>> | null;
  own: Own;
  /** Empty where there was no gate. */
  gate: readonly GateChange[];
  /** `git diff --unified=0 REFERENCE CANDIDATE`; empty where it is unknown. */
  diff: string;
}
