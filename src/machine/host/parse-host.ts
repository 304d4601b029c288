// Texts of /proc and /sys to values. Pure; formats as the kernel's Documentation/ describes them. A
// text that says nothing gives null or an empty list, never a guess.
import { MS_PER_TICK } from "./parse-proc.ts";

/** `0-3,6` to 0, 1, 2, 3, 6. Used by most lists of CPUs and of NUMA nodes. */
export function parseCpuList(text: string): number[] {
  return text
    .trim()
    .split(",")
    .flatMap((part) => {
      const match = /^(\d+)(?:-(\d+))?$/.exec(part);
      if (match === null) return [];
      const first = Number(match[1]);
      const last = Number(match[2] ?? first);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
    });
}

/** /proc/cpuinfo. On ARM there is no model name: implementer and part stand in for it. */
export function parseCpuInfo(text: string) {
  const value = (key: string): string | null =>
    new RegExp(`^${key}\\s*:\\s*(.+)$`, "m").exec(text)?.[1]?.trim() ?? null;
  const part = value("CPU part");
  const arm = part === null ? null : `ARM ${value("CPU implementer") ?? ""} ${part}`;
  return {
    model: value("model name") ?? arm ?? "unknown",
    microcode: value("microcode") ?? "unknown",
    /** CPUs listed: those that are online. */
    cpus: text.match(/^processor\s*:/gm)?.length ?? 0,
    /** The flag by which a hypervisor makes itself known. */
    hypervisor: /^flags\s*:.*\bhypervisor\b/m.test(text),
  };
}

/**
 * MemTotal of /proc/meminfo in GiB, to the nearest half: kernels keep a few MiB more or less for
 * themselves.
 */
export function parseMemoryGiB(text: string): number | null {
  const kib = /^MemTotal:\s+(\d+) kB$/m.exec(text)?.[1];
  if (kib === undefined) return null;
  return Math.max(0.5, Math.round((Number(kib) / 1024 ** 2) * 2) / 2);
}

/** Of the first mapping in /proc/self/smaps, which is of no huge page. */
export function parsePageBytes(text: string): number | null {
  const kib = /^KernelPageSize:\s+(\d+) kB$/m.exec(text)?.[1];
  return kib === undefined ? null : Number(kib) * 1024;
}

/** Cpus_allowed_list of /proc/self/status. */
export function parseAllowedCpus(text: string): number[] {
  return parseCpuList(/^Cpus_allowed_list:\s*(\S+)$/m.exec(text)?.[1] ?? "");
}

/** `always [madvise] never` to `madvise`. */
export function parseChoice(text: string): string | null {
  return /\[([^\]]+)\]/.exec(text)?.[1] ?? null;
}

/** All CPUs together, since boot: the `cpu` line of /proc/stat. Zeros where there is none. */
export function parseCpuTimesTotal(text: string): { cpuMs: number; stealMs: number } {
  const fields = /^cpu\s+(.+)$/m.exec(text)?.[1]?.trim().split(/\s+/).map(Number) ?? [];
  // The two guest fields after the eighth are contained in the first two.
  const times = fields.slice(0, 8);
  const ticks = times.reduce((sum, time) => sum + time, 0);
  return { cpuMs: ticks * MS_PER_TICK, stealMs: (times[7] ?? 0) * MS_PER_TICK };
}

/** `some avg10` of a /proc/pressure file, in percent. */
export function parsePressure(text: string): number | null {
  const value = /^some avg10=([\d.]+)/m.exec(text)?.[1];
  return value === undefined ? null : Number(value);
}

/** Swap in use, in KiB, over all lines of /proc/swaps; null: no swap. */
export function parseSwapUsedKib(text: string): number | null {
  const used = text
    .split("\n")
    .slice(1)
    .map((line) => Number(line.trim().split(/\s+/)[3] ?? Number.NaN))
    .filter(Number.isFinite);
  return used.length === 0 ? null : used.reduce((sum, kib) => sum + kib, 0);
}

/** Soft limit of open files in /proc/self/limits; Infinity: unlimited. */
export function parseOpenFilesLimit(text: string): number | null {
  const soft = /^Max open files\s+(\S+)/m.exec(text)?.[1];
  if (soft === undefined) return null;
  return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Connections in TIME_WAIT: `tw` of /proc/net/sockstat. */
export function parseTimeWait(text: string): number | null {
  const count = /^TCP:.*\btw (\d+)/m.exec(text)?.[1];
  return count === undefined ? null : Number(count);
}

/** `32768 60999` to the number of ports. */
export function parsePortCount(text: string): number | null {
  const match = /^\s*(\d+)\s+(\d+)/.exec(text);
  return match === null ? null : Number(match[2]) - Number(match[1]) + 1;
}

/** CPUs that a `cpu.max` of cgroup v2 allows (`200000 100000` is 2); null: no limit. */
export function parseCpuMax(text: string): number | null {
  const match = /^(\d+) (\d+)/.exec(text.trim());
  return match === null ? null : Number(match[1]) / Number(match[2]);
}

/**
 * Of /proc/self/cgroup: the folders of our group and of all above it, whose limits count too, in the
 * unified hierarchy and in that of version 1's controller. In a container they may be the host's.
 */
export function parseCgroupFolders(text: string, controller: "cpu" | "memory") {
  return text.split("\n").flatMap((line) => {
    const [id, controllers = "", ...path] = line.split(":");
    const isUnified = id === "0" && controllers === "";
    if (path.length === 0 || !(isUnified || controllers.split(",").includes(controller))) return [];
    const root = isUnified ? "/sys/fs/cgroup" : `/sys/fs/cgroup/${controller}`;
    return withThoseAbove(path.join(":")).map((group) => ({ folder: root + group, isUnified }));
  });
}

/** `/a/b` to the root, which is empty, `/a` and `/a/b`. */
function withThoseAbove(path: string): string[] {
  const names = path.split("/").filter((name) => name !== "" && name !== "..");
  return ["", ...names].map((_, depth, all) => all.slice(0, depth + 1).join("/"));
}

/**
 * Bytes of a `memory.max` or `memory.limit_in_bytes`; null: no limit. Version 1 writes the largest
 * whole page count for none.
 */
export function parseMemoryLimit(text: string): number | null {
  const bytes = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  return bytes < 2 ** 60 ? bytes : null;
}

/** Counters of /proc/vmstat and of a control group's stat files: `name number` lines. */
export function parseCounters(text: string): Map<string, number> {
  return new Map(
    [...text.matchAll(/^(\S+) (\d+)$/gm)].map(([, name = "", count]) => [name, Number(count)]),
  );
}

/**
 * How many of the CPU's known flaws are mitigated, and how many are left open:
 * /sys/devices/system/cpu/vulnerabilities.
 */
export function summarizeMitigations(states: readonly string[]): string {
  const count = (word: string): number => states.filter((state) => state.startsWith(word)).length;
  return `${count("Mitigation")} mitigated, ${count("Vulnerable")} open`;
}

/**
 * How often a quota stopped our control group or one above it: each stops us, and the service with
 * us. `read`: a file's text, empty where there is none.
 */
export function readThrottled(read: (path: string) => string): number {
  const folders = parseCgroupFolders(read("/proc/self/cgroup"), "cpu");
  const counts = folders.map(({ folder }) => parseCounters(read(`${folder}/cpu.stat`)));
  return counts.reduce((sum, count) => sum + (count.get("nr_throttled") ?? 0), 0);
}
