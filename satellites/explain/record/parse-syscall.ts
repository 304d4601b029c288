// A line of /proc/PID/task/TID/syscall → what the thread waits in.
import type { WaitKind } from "../model.ts";

/** An event loop that comes back so soon has a timer pending. */
const TIMER_MS = 20;

/** A wait, or which argument of a poll is its timeout in ms. */
type Call = Exclude<WaitKind, "timer"> | 2 | 3;

/** By number: asm/unistd_64.h of x86, and asm-generic/unistd.h, which ARM has. */
const CALLS: Readonly<Record<string, Readonly<Record<number, Call>>>> = {
  x64: { 7: 2, 232: 3, 281: 3, 35: "sleep", 230: "sleep", 202: "lock", 74: "disk", 75: "disk" },
  arm64: { 22: 3, 101: "sleep", 115: "sleep", 98: "lock", 82: "disk", 83: "disk" },
};

/** `architecture`: as Node names it. Null: it runs, or waits for something else, such as a request. */
export function parseSyscall(line: string, architecture: string): WaitKind | null {
  const [number = "", ...given] = line.trim().split(" ");
  const call = CALLS[architecture]?.[/^\d+$/.test(number) ? Number(number) : -1];
  if (call === undefined) return null;
  if (typeof call === "string") return call;
  // An int in a register of 64 bits: forever is -1.
  const timeoutMs = Number(given[call] ?? -1) | 0;
  return timeoutMs > 0 && timeoutMs <= TIMER_MS ? "timer" : null;
}
