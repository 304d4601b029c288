// Counters of the machine, read before and after a slice: who used the measured CPUs besides those who should.
import type { CpuSets } from "../../model/host.ts";
import type { Slice } from "../../model/samples.ts";
import { parseChildrenCpuMs, parseCpuTimes, parseThrottled } from "./parse-proc.ts";
import { readOrEmpty, readProcessTree } from "./process-tree.ts";

export interface HostCounters {
  atMs: number;
  busyMs: number;
  stealMs: number;
  /** Our children that have ended: the load generator's. */
  childrenMs: number;
  ownMs: number;
  serviceMs: number;
  throttled: number;
}

/** `nowMs` is monotonic. */
export function readHostCounters(cpuSets: CpuSets, service: number, nowMs: number): HostCounters {
  const times = parseCpuTimes(readOrEmpty("/proc/stat"));
  const measured = [...new Set([...cpuSets.service, ...cpuSets.generator])];
  const own = process.cpuUsage();
  return {
    atMs: nowMs,
    busyMs: measured.reduce((sum, cpu) => sum + (times.get(cpu)?.busyMs ?? 0), 0),
    stealMs: measured.reduce((sum, cpu) => sum + (times.get(cpu)?.stealMs ?? 0), 0),
    childrenMs: parseChildrenCpuMs(readOrEmpty("/proc/self/stat")),
    ownMs: (own.user + own.system) / 1000,
    serviceMs: readProcessTree(service).reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    throttled: parseThrottled(readOrEmpty("/sys/fs/cgroup/cpu.stat")),
  };
}

/** Shares between two readings. Each counter is known to 10 ms, so small shares are rounded to nothing. */
export function hostShares(
  before: HostCounters,
  after: HostCounters,
  cpuSets: CpuSets,
): Slice["host"] {
  const wallMs = Math.max(1, after.atMs - before.atMs);
  const cpus = new Set([...cpuSets.service, ...cpuSets.generator]).size;
  const generatorMs = after.childrenMs - before.childrenMs;
  const serviceMs = after.serviceMs - before.serviceMs;
  const ownMs = after.ownMs - before.ownMs;
  const foreignMs = after.busyMs - before.busyMs - generatorMs - serviceMs - ownMs;
  return {
    steal: share((after.stealMs - before.stealMs) / (wallMs * cpus)),
    foreign: share(foreignMs / (wallMs * cpus)),
    generator: share(generatorMs / (wallMs * cpuSets.generator.length)),
    service: share(serviceMs / (wallMs * cpuSets.service.length)),
    throttled: Math.max(0, after.throttled - before.throttled),
  };
}

function share(value: number): number {
  return Math.max(0, Math.round(value * 1000) / 1000);
}
