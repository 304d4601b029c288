// One launch of one arm: profiled from its first instruction, under load at the scenario's rate.
import { rmSync } from "node:fs";
import { UserError } from "../../../src/core/base/errors.ts";
import type { ExplainKernel, LoadedService } from "../../../src/core/model/kernels.ts";
import { total } from "../../../src/core/model/parts.ts";
import { mean } from "../fold.ts";
import type { Frame, Profiled, WaitKind } from "../model.ts";
import type { PerfStacks } from "../parse-perf.ts";
import { orNull, readOrEmpty, waitFor } from "./beside.ts";
import { attachPerf, type Perf, type Recording } from "./perf.ts";
import { cpuMsSince, readMappings, readTimes, waitsDuring } from "./proc.ts";
import { type Program, placedFrame } from "./program.ts";

export interface Profiler {
  kernel: ExplainKernel;
  program: Program;
  /** Null: refused. */
  perf: Perf | null;
}

/** The process that will be the service waits until it is told to go on. */
const HOLD = `kill -s STOP $$; exec "$@"`;
const TELL_CODE = `NODE_OPTIONS="--perf-basic-prof $NODE_OPTIONS"; export NODE_OPTIONS; `;
const HOLD_MS = 2000;
const LOAD_MS = 800;

const NO_STACKS: PerfStacks = { stacks: [], start: [], faults: [] };
const ALL_WAITS: readonly WaitKind[] = ["timer", "sleep", "lock", "disk"];
/** Its scheduler parks threads in futexes, and its monitor sleeps, whatever the program waits for. */
const GO_WAITS: readonly WaitKind[] = ["timer", "disk"];

/** When the process was let go. */
interface Begun {
  atMs: number;
  cpuMs: number;
  recording: Recording | null;
}

/** A text says why the load does not count, as where the generator was too busy. */
export async function profileLaunch(
  { arm, round }: Pick<Profiled, "arm" | "round">,
  profiler: Profiler,
): Promise<Profiled | string> {
  const { kernel, program, perf } = profiler;
  const starts: Promise<Begun>[] = [];
  // Only there does perf look for what a runtime says of its code.
  const mapOf = (pid: number): string => `/tmp/perf-${pid}.map`;
  const onSpawn = (pid: number): void => {
    if (program.isNode) kernel.guard(mapOf(pid));
    const start = begin(pid, profiler);
    // It is awaited once the service is ready.
    start.catch(() => {});
    starts.push(start);
  };
  const before = ["/bin/sh", "-c", (program.isNode ? TELL_CODE : "") + HOLD, "sh"];
  let service: LoadedService | null = null;
  let pids: readonly number[] = [];
  try {
    service = await kernel.launch(arm, before, onSpawn);
    const readyMs = kernel.nowMs();
    pids = service.pids();
    const startMs = cpuMsSince(new Map(), readTimes(pids));
    const begun = await starts.at(-1);
    if (begun === undefined) throw new Error("no process was seen");
    await service.warmUp();
    const fromMs = kernel.nowMs();
    const loaded = await loadOf(service, profiler);
    const toMs = kernel.nowMs();
    pids = service.pids();
    await begun.recording?.stop();
    await service.stop();
    if (typeof loaded === "string") return loaded;
    const { folder } = service;
    const place = (frame: Frame): Frame => placedFrame(frame, folder, kernel.folder);
    // When nothing of the service runs that it could disturb.
    const read = await begun.recording?.read({ readyMs, fromMs, toMs }, place);
    const { stacks, faults, start } = read ?? NO_STACKS;
    return {
      ...{ arm, round, ...loaded, halves: perf?.halves ?? "both", stacks, faults },
      start: { ms: readyMs - begun.atMs, cpuMs: startMs - begun.cpuMs, stacks: start },
    };
  } finally {
    await service?.stop();
    for (const start of starts) await (await start.catch(() => null))?.recording?.remove();
    for (const pid of program.isNode ? pids : []) rmSync(mapOf(pid), { force: true });
  }
}

/** Attaches perf to the process that waits, and lets it go. */
async function begin(pid: number, { kernel, perf }: Profiler): Promise<Begun> {
  const isHeld = (): boolean => /^State:\s+T/m.test(readOrEmpty(`/proc/${pid}/status`));
  try {
    await waitFor(isHeld, null, kernel, HOLD_MS);
    const recording = perf === null ? null : await attachPerf(kernel, perf, pid);
    const cpuMs = cpuMsSince(new Map(), readTimes([pid]));
    return { atMs: kernel.nowMs(), cpuMs, recording };
  } finally {
    // It may be gone, of which the kernel tells.
    orNull(() => process.kill(pid, "SIGCONT"));
  }
}

type Loaded = Pick<Profiled, "requests" | "cpuMs" | "mappings" | "waits" | "latencyMs">;

async function loadOf(
  service: LoadedService,
  { kernel, program }: Profiler,
): Promise<Loaded | string> {
  const pids = service.pids();
  const before = readTimes(pids);
  const counted = program.own.kind === "go" ? GO_WAITS : ALL_WAITS;
  const load = service.load(kernel.rateRps, LOAD_MS);
  const waits = await waitsDuring(load, pids, counted, kernel);
  const { slice, latencies, failure } = await load;
  const after = service.pids();
  const cpuMs = cpuMsSince(before, readTimes(after));
  const mappings = readMappings(after);
  if (failure !== null) throw new UserError(failure.text, { detail: failure.detail });
  if (slice.void !== null || slice.latency === null)
    return `the ${slice.arm}: ${slice.void?.detail ?? "nothing was answered"}`;
  const meanMs = mean([...latencies]) / 1000;
  const latencyMs = { p99: slice.latency.p99 / 1000, mean: meanMs };
  return { requests: total(slice.statuses), cpuMs, mappings, waits, latencyMs };
}
