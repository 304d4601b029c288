// Texts of /proc to numbers. Formats: proc(5) and the kernel's Documentation/filesystems/proc.rst.

/** The kernel's USER_HZ, 100 on every Linux platform that runs Node. */
const TICKS_PER_SECOND = 100;
export const MS_PER_TICK = 1000 / TICKS_PER_SECOND;
/** PF_EXITING of the kernel's include/linux/sched.h, in the flags of /proc/PID/stat. */
const EXITING = 0x4;

export interface ProcStat {
  pid: number;
  /** What it calls itself, at most 15 bytes (64 of a kernel thread): foreign text. */
  command: string;
  /** `R`, `S`, `T` (stopped), `Z`, … */
  state: string;
  /** It is on its way out, or a zombie; what it held, such as its sockets, may be closed already. */
  isEnding: boolean;
  parent: number;
  group: number;
  /** User and system time, milliseconds, known to 10 ms. */
  cpuMs: number;
  /** The same of its children that have ended and been waited for, and of theirs. */
  endedChildrenCpuMs: number;
  threads: number;
  /** Ticks from boot to its start, which tell it from an earlier process of the same number. */
  startTicks: number;
}

/**
 * /proc/PID/stat. The command name is in parentheses and may hold anything, so fields count from
 * the last one.
 */
export function parseProcStat(text: string): ProcStat | null {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  const fields = text.slice(close + 2).split(" ");
  const number = (field: number): number => Number(fields[field - 3]);
  const pid = Number.parseInt(text, 10);
  const state = fields[0];
  if (close === -1 || state === undefined || fields.length < 18 || Number.isNaN(pid)) return null;
  return {
    pid,
    command: text.slice(open + 1, close),
    state,
    isEnding: (number(9) & EXITING) !== 0 || state === "Z" || state === "X",
    parent: number(4),
    group: number(5),
    cpuMs: (number(14) + number(15)) * MS_PER_TICK,
    endedChildrenCpuMs: (number(16) + number(17)) * MS_PER_TICK,
    threads: number(20),
    startTicks: number(22),
  };
}

/** Where a socket listens. */
export interface Listening {
  /** As a URL has it: `127.0.0.1`, `[::1]`. */
  host: string;
  port: number;
}

/** Listening sockets by inode (/proc/PID/net/tcp and tcp6). */
export function parseListening(text: string): Map<string, Listening> {
  const rows = text.split("\n").map((line) => line.trim().split(/\s+/));
  return new Map(
    rows
      .filter(([, , , state]) => state === "0A")
      .map((fields) => {
        const [host = "", port = ""] = (fields[1] ?? "").split(":");
        return [fields[9] ?? "", { host: hostOf(host), port: Number.parseInt(port, 16) }];
      }),
  );
}

/** As a URL has it. The kernel writes each 32 bits with the last byte first. */
function hostOf(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).reverse());
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join(".");
  const groups = Array.from({ length: 8 }, (_, i) => `${bytes[2 * i]}${bytes[2 * i + 1]}`);
  return new URL(`http://[${groups.join(":")}]`).hostname;
}

/**
 * Time on a CPU so far, milliseconds (the first field of /proc/PID/schedstat, nanoseconds); null:
 * the kernel keeps none.
 */
export function parseRunMs(text: string): number | null {
  const ns = Number.parseInt(text, 10);
  return Number.isNaN(ns) ? null : ns / 1e6;
}

/** `Name:   123 kB` lines as bytes, other numbers as they are. */
export function parseFields(text: string): Map<string, number> {
  const fields = new Map<string, number>();
  for (const line of text.split("\n")) {
    const match = /^(\w+):\s+(\d+)( kB)?$/.exec(line);
    if (match === null) continue;
    fields.set(match[1] ?? "", Number(match[2]) * (match[3] === undefined ? 1 : 1024));
  }
  return fields;
}

interface CpuTimes {
  /**
   * Milliseconds since boot in which nothing ran, waiting for IO included. A tickless kernel
   * measures these; busy time it samples.
   */
  idleMs: number;
  stealMs: number;
}

/** The `cpuN` lines of /proc/stat, by CPU number. */
export function parseCpuTimes(text: string): Map<number, CpuTimes> {
  const times = new Map<number, CpuTimes>();
  for (const line of text.split("\n")) {
    const match = /^cpu(\d+) (.+)$/.exec(line);
    if (match === null) continue;
    const [, , , idle = 0, iowait = 0, , , steal = 0] = (match[2] ?? "").split(" ").map(Number);
    times.set(Number(match[1]), {
      idleMs: (idle + iowait) * MS_PER_TICK,
      stealMs: steal * MS_PER_TICK,
    });
  }
  return times;
}
