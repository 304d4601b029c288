// Counters of CPUs and processes to values. Pure.

/** Linux shows these times in hundredths of a second on every architecture. */
const MS_PER_TICK = 10;

/** All CPUs together, since boot: the `cpu` line of /proc/stat. Zeros where there is none. */
export function parseCpuTimesTotal(text: string): { cpuMs: number; stealMs: number } {
  const fields = /^cpu +(.+)$/m.exec(text)?.[1]?.split(" ").map(Number) ?? [];
  // The two guest fields after the eighth are contained in the first two.
  const times = fields.slice(0, 8);
  const ticks = times.reduce((sum, time) => sum + time, 0);
  return { cpuMs: ticks * MS_PER_TICK, stealMs: (times[7] ?? 0) * MS_PER_TICK };
}

export interface ProcessTime {
  /** What it calls itself, which may be anything. */
  name: string;
  cpuMs: number;
}

/** /proc/<pid>/stat; null where that is none. */
export function parseProcessTime(text: string): ProcessTime | null {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  if (open < 0 || close < open) return null;
  const fields = text.slice(close + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isFinite(ticks)
    ? { name: text.slice(open + 1, close), cpuMs: ticks * MS_PER_TICK }
    : null;
}
