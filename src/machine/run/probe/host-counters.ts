// Counters of the machine, read before and after a slice: who used the measured CPUs besides those
// who should.
import type { CpuSets } from "../../../core/model/host.ts";
import type { Slice } from "../../../core/model/samples.ts";
import { type Occupants, type SlowStretch, shareLost } from "../../host/core-speed.ts";
import { readThrottled } from "../../host/parse-host.ts";
import { parseCpuTimes, parseRunMs } from "../../host/parse-proc.ts";
import { readOrEmpty } from "../../sys/or-null.ts";
import { readCpuMsOfTrees, readStat } from "./process-tree.ts";

export interface HostCounters {
  atMs: number;
  /** Of all measured CPUs together, like stealMs. */
  idleMs: number;
  stealMs: number;
  /** Our children that have ended: the load generator's. */
  childrenMs: number;
  ownMs: number;
  serviceMs: number;
  /** Of what the service depends on. */
  dependencyMs: number;
  throttled: number;
  /** Clock of the service's CPUs at this moment, mean; absent: not shown. */
  mhz?: number | undefined;
  /** Of the run so far; absent: not known. */
  slow?: readonly SlowStretch[] | undefined;
}

/**
 * Those whose CPU time is expected: processGroupIds of processes that come and go, as a server's
 * workers do, one for each connection with some.
 */
export interface KnownUsers {
  service: readonly number[];
  dependencies: readonly number[];
}

/** `nowMs` is monotonic. */
export function readHostCounters(
  cpuSets: CpuSets,
  known: KnownUsers,
  nowMs: number,
  { pids, slow }: Occupants = { pids: [] },
): HostCounters {
  const times = parseCpuTimes(readOrEmpty("/proc/stat"));
  const measured = measuredCpus(cpuSets);
  const own = process.cpuUsage();
  return {
    atMs: nowMs,
    idleMs:
      measured.reduce((sum, cpu) => sum + (times.get(cpu)?.idleMs ?? 0), 0) +
      pids.reduce((sum, pid) => sum + readRunMs(pid), 0),
    stealMs: measured.reduce((sum, cpu) => sum + (times.get(cpu)?.stealMs ?? 0), 0),
    childrenMs: readStat(process.pid)?.endedChildrenCpuMs ?? 0,
    ownMs: (own.user + own.system) / 1000,
    serviceMs: readCpuMsOfTrees(known.service),
    dependencyMs: readCpuMsOfTrees(known.dependencies),
    throttled: readThrottled(readOrEmpty),
    // The generator does the same for both arms; where a service fills its CPU nobody can tell.
    slow: slow?.filter(({ cpu }) => cpuSets.generator.includes(cpu)),
    mhz: readClock(cpuSets.service),
  };
}

/** Drivers without frequency scaling, virtual machines among them, show none. */
function readClock(cpus: readonly number[]): number | undefined {
  const khz = cpus.map((cpu) =>
    Number(readOrEmpty(`/sys/devices/system/cpu/cpu${cpu}/cpufreq/scaling_cur_freq`)),
  );
  const mean = khz.reduce((sum, value) => sum + value, 0) / khz.length;
  return khz.every((value) => value > 0) ? Math.round(mean / 1000) : undefined;
}

/** Of its main thread, which does all. Finer than /proc/PID/stat, which some kernels have alone. */
function readRunMs(pid: number): number {
  return parseRunMs(readOrEmpty(`/proc/${pid}/schedstat`)) ?? readStat(pid)?.cpuMs ?? 0;
}

export function measuredCpus({ service, generator, dependencies = [] }: CpuSets): number[] {
  return [...new Set([...service, ...generator, ...dependencies])];
}

/**
 * Shares between two readings. Each counter is known to 10 ms. Foreign time is what is left when
 * idle time and the known users are taken out: busy time itself is sampled at timer ticks, and load
 * that follows timers is counted too low by that (by 3 % of all CPU time at the median of our
 * slices, up to 10 %; with idle time the same slices came to -1 to +3 %).
 */
export function hostShares(
  before: HostCounters,
  after: HostCounters,
  cpuSets: CpuSets,
): Slice["host"] {
  const wallMs = after.atMs - before.atMs;
  const cpus = measuredCpus(cpuSets).length;
  const cpuMs = wallMs * cpus;
  const since = (key: Exclude<keyof HostCounters, "mhz" | "slow">): number =>
    after[key] - before[key];
  const busyMs = cpuMs - since("idleMs") - since("stealMs");
  const [generatorMs, serviceMs] = [since("childrenMs"), since("serviceMs")];
  const knownMs = generatorMs + serviceMs + since("dependencyMs") + since("ownMs");
  return {
    steal: share(since("stealMs"), cpuMs),
    foreign: share(busyMs - knownMs, cpuMs),
    generator: share(generatorMs, wallMs * cpuSets.generator.length),
    service: share(serviceMs, wallMs * cpuSets.service.length),
    throttled: Math.max(0, since("throttled")),
    mhz: after.mhz,
    slowed: after.slow && shareLost(after.slow, before.atMs, after.atMs),
  };
}

/** What the service would take of its CPUs at `rateRps`: see the model's `needed`. */
export function neededShare(
  before: HostCounters,
  after: HostCounters,
  { service }: CpuSets,
  { answered, rateRps }: { answered: number; rateRps: number },
): Pick<Slice["host"], "needed"> {
  if (answered === 0) return {};
  const scheduleMs = (1000 * answered) / rateRps;
  return { needed: share(after.serviceMs - before.serviceMs, scheduleMs * service.length) };
}

function share(partMs: number, wholeMs: number): number {
  return wholeMs <= 0 ? 0 : Math.max(0, Math.round((partMs / wholeMs) * 1000) / 1000);
}
