// Waits for a moment at which the machine has little else to do: a gate that begins in the middle of a build measures the build.
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const SAMPLE_MS = 1000;
/** Of all CPU time, ours included: between two runs this process only waits. */
const MAX_BUSY_SHARE = 0.08;
const MOST_SAMPLES = 30;

/** Ends after half a minute in any case: a machine that is never quiet is told so by the gate, in better words. */
export async function quietMoment(): Promise<void> {
  for (let i = 0; i < MOST_SAMPLES; i++) {
    const before = readCpuTimes();
    await delay(SAMPLE_MS);
    const after = readCpuTimes();
    const total = after.total - before.total;
    if (total > 0 && (after.busy - before.busy) / total <= MAX_BUSY_SHARE) return;
  }
}

/** Clock ticks since boot, over all CPUs; what the hypervisor took counts as busy. */
function readCpuTimes(): { busy: number; total: number } {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n", 1);
  // user, nice, system, idle, iowait, irq, softirq, steal; guests are counted among user and nice.
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const total = ticks.reduce((sum, one) => sum + one, 0);
  const [, , , idle = 0, iowait = 0] = ticks;
  return { busy: total - idle - iowait, total };
}
