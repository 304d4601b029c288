// A line of /proc/PID/task/TID/syscall → what the thread waits in.
import type { WaitKind } from "../model.ts";

/** An event loop that comes back so soon has a timer pending. */
const TIMER_MS = 20;

type Call =
  | { kind: Exclude<WaitKind, "timer"> }
  /** Which of its arguments is the timeout, in ms. */
  | { kind: "poll"; timeout: number };

const POLL_ONE = { kind: "poll", timeout: 2 } as const;
const POLL_MANY = { kind: "poll", timeout: 3 } as const;
const SLEEP = { kind: "sleep" } as const;
const LOCK = { kind: "lock" } as const;
const DISK = { kind: "disk" } as const;

/** By number: asm/unistd_64.h of x86, and asm-generic/unistd.h, which ARM has. */
const CALLS: Readonly<Record<string, Readonly<Record<number, Call>>>> = {
  x64: {
    ...{ 7: POLL_ONE, 232: POLL_MANY, 281: POLL_MANY, 35: SLEEP, 230: SLEEP, 202: LOCK },
    ...{ 74: DISK, 75: DISK },
  },
  arm64: { 22: POLL_MANY, 101: SLEEP, 115: SLEEP, 98: LOCK, 82: DISK, 83: DISK },
};

/** `architecture`: as Node names it. Null: it runs, or waits for something else, such as a request. */
export function parseSyscall(line: string, architecture: string): WaitKind | null {
  const [number = "", ...given] = line.trim().split(" ");
  const call = CALLS[architecture]?.[/^\d+$/.test(number) ? Number(number) : -1];
  if (call === undefined) return null;
  if (call.kind !== "poll") return call.kind;
  // An int in a register of 64 bits: forever is -1.
  const timeoutMs = Number(given[call.timeout] ?? -1) | 0;
  return timeoutMs > 0 && timeoutMs <= TIMER_MS ? "timer" : null;
}
