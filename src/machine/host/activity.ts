// What happens on the machine at this moment: counters read twice, some seconds apart, and what
// their difference means. For `doctor`; a run has the same figures for every slice.
import type { CpuSets, Finding } from "../../core/model/host.ts";
import { bad, good, type HostFiles, type Judgement, note } from "./checks/check.ts";
import { throttleCounts } from "./checks/cpu.ts";
import { busiest, describeInterrupts } from "./checks/interrupt.ts";
import { parseCounters, parseCpuTimesTotal, readThrottled } from "./parse-host.ts";
import { type Interrupt, parseInterrupts } from "./parse-interrupts.ts";
import { type ProcStat, parseProcStat } from "./parse-proc.ts";

/** Counters since boot, or since a process began. */
interface Activity {
  atMs: number;
  stealMs: number;
  /** Time of all CPUs together. */
  cpuMs: number;
  interrupts: Interrupt[];
  /** By process id and start, so that a number used again is another process. */
  processes: ReadonlyMap<string, ProcStat>;
  swappedPages: number;
  throttled: number;
  heatThrottled: number;
  /** Connections that no service accepted in time. */
  unaccepted: number;
}

/** `self`: process ids that are ours, which do not count. */
export function readActivity(files: HostFiles, atMs: number, self: ReadonlySet<number>): Activity {
  const { cpuMs, stealMs } = parseCpuTimesTotal(files.read("/proc/stat") ?? "");
  const vmstat = parseCounters(files.read("/proc/vmstat") ?? "");
  return {
    atMs,
    cpuMs,
    stealMs,
    interrupts: parseInterrupts(files.read("/proc/interrupts") ?? ""),
    processes: readProcesses(files, self),
    swappedPages: (vmstat.get("pswpin") ?? 0) + (vmstat.get("pswpout") ?? 0),
    throttled: readThrottled((path) => files.read(path) ?? ""),
    heatThrottled: throttleCounts(files).reduce((sum, count) => sum + count, 0),
    unaccepted: parseUnaccepted(files.read("/proc/net/netstat") ?? ""),
  };
}

function readProcesses(files: HostFiles, self: ReadonlySet<number>): Map<string, ProcStat> {
  const processes = new Map<string, ProcStat>();
  for (const entry of files.list("/proc")) {
    if (!/^\d+$/.test(entry) || self.has(Number(entry))) continue;
    const found = parseProcStat(files.read(`/proc/${entry}/stat`) ?? "");
    if (found !== null) processes.set(`${entry}@${found.startTicks}`, found);
  }
  return processes;
}

/**
 * ListenOverflows and ListenDrops of /proc/net/netstat: a line of names, and one of figures below
 * it.
 */
function parseUnaccepted(text: string): number {
  const [names = [], figures = []] = text
    .split("\n")
    .filter((line) => line.startsWith("TcpExt:"))
    .map((line) => line.split(" "));
  return ["ListenOverflows", "ListenDrops"].reduce((sum, name) => {
    const figure = Number(figures[names.indexOf(name)] ?? 0);
    return sum + (Number.isFinite(figure) ? figure : 0);
  }, 0);
}

const NOTABLE_STEAL = 0.001;
const BAD_STEAL = 0.01;
/** Of one core, by all other processes together. */
const QUIET_SHARE = 0.02;
const BAD_SHARE = 0.1;
const SHOWN_PROCESSES = 4;

export function describeActivity(
  before: Activity,
  after: Activity,
  sets: CpuSets,
  files: HostFiles,
): Finding[] {
  const seconds = (after.atMs - before.atMs) / 1000;
  const during = `in ${seconds.toFixed(1)} s`;
  const counted = (
    name: "swappedPages" | "throttled" | "heatThrottled" | "unaccepted",
    judge: (n: number) => Judgement,
  ): Judgement | null => {
    const n = after[name] - before[name];
    return n > 0 ? judge(n) : null;
  };
  const meanwhile = sinceThen(before.interrupts, after.interrupts);
  const sources = busiest(meanwhile, sets.service, seconds);
  return Object.entries({
    "steal-now": stealNow(before, after),
    "others-now": othersNow(before, after, seconds),
    "interrupts-now": describeInterrupts(sources, sets, "now", files),
    "swap-now": counted("swappedPages", (n) =>
      bad(`${n} pages swapped ${during}: memory is short`, "sudo swapoff -a"),
    ),
    "quota-now": counted("throttled", (n) =>
      bad(`a CPU quota stopped everything here ${n} times ${during}`),
    ),
    "thermal-now": counted("heatThrottled", (n) =>
      bad(`the CPU slowed itself down for heat ${n} times ${during}`),
    ),
    "backlog-now": counted("unaccepted", (n) =>
      note(`${n} connections were not accepted in time ${during}`),
    ),
  }).flatMap(([id, found]) => (found === null ? [] : [{ id, ...found }]));
}

function stealNow(before: Activity, after: Activity): Judgement {
  const cpuMs = after.cpuMs - before.cpuMs;
  const share = cpuMs > 0 ? (after.stealMs - before.stealMs) / cpuMs : 0;
  const text = `the hypervisor gives ${(share * 100).toFixed(1)} % of CPU time to others now`;
  if (share < NOTABLE_STEAL) return good("the hypervisor takes no CPU time now");
  return share < BAD_STEAL ? note(text) : bad(text);
}

function othersNow(before: Activity, after: Activity, seconds: number): Judgement {
  const busy = [...after.processes]
    .map(([key, { command, cpuMs }]) => ({
      name: command,
      // One that began meanwhile has used what it has used.
      share: (cpuMs - (before.processes.get(key)?.cpuMs ?? 0)) / (seconds * 1000),
    }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share);
  const total = busy.reduce((sum, { share }) => sum + share, 0);
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  if (total < QUIET_SHARE) return good("no other program is at work");
  const named = busy
    .slice(0, SHOWN_PROCESSES)
    .map(({ name, share }) => `${name} ${percent(share)}`)
    .join(", ");
  const text = `other programs use ${percent(total)} of a core now (${named}): what they take, a request waits for`;
  return total < BAD_SHARE ? note(text, "top -o %CPU") : bad(text, "top -o %CPU");
}

function sinceThen(before: readonly Interrupt[], after: readonly Interrupt[]): Interrupt[] {
  const earlier = new Map(before.map((interrupt) => [interrupt.id, interrupt.counts]));
  return after.map((interrupt) => ({
    ...interrupt,
    counts: new Map(
      [...interrupt.counts].map(([cpu, count]) => [
        cpu,
        Math.max(0, count - (earlier.get(interrupt.id)?.get(cpu) ?? 0)),
      ]),
    ),
  }));
}
