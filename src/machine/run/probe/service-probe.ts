// What a launch uses, summed over its process tree. Reading walks page tables: never while load
// runs.
import { writeFileSync } from "node:fs";
import { parseFields, parseRunMs } from "../../host/parse-proc.ts";
import { listOrEmpty, orNull, readOrEmpty } from "../../sys/or-null.ts";
import { readMembers, readProcessTree } from "./process-tree.ts";

const NOTHING = {
  /** Living ones. */
  processes: 0,
  /** Shared pages count once for each process. */
  rssBytes: 0,
  pssBytes: 0,
  /** Anonymous and shared memory, by share: what page cache and shared text cannot move. */
  anonBytes: 0,
  /** Highest RSS since resetPeak. */
  peakBytes: 0,
  /**
   * Of what has ended too, known to 10 ms: threads, and children that were waited for or will be. Of
   * children that nobody waits for the kernel keeps no account.
   */
  cpuMs: 0,
  voluntarySwitches: 0,
  involuntarySwitches: 0,
  threads: 0,
  files: 0,
};
export type Usage = typeof NOTHING;

export function readUsage(leader: number): Usage {
  const usage = { ...NOTHING };
  for (const { pid, state, cpuMs, endedChildrenCpuMs, threads } of readMembers(leader)) {
    const memory = parseFields(readOrEmpty(`/proc/${pid}/smaps_rollup`));
    const status = parseFields(readOrEmpty(`/proc/${pid}/status`));
    const bytes = (name: string): number => memory.get(name) ?? 0;
    usage.rssBytes += bytes("Rss");
    usage.pssBytes += bytes("Pss");
    usage.anonBytes += bytes("Pss_Anon") + bytes("Pss_Shmem");
    usage.peakBytes += status.get("VmHWM") ?? 0;
    usage.processes += state === "Z" ? 0 : 1;
    usage.threads += state === "Z" ? 0 : threads;
    usage.files += listOrEmpty(`/proc/${pid}/fd`).length;
    let threadsMs = 0;
    for (const task of listOrEmpty(`/proc/${pid}/task`)) {
      const folder = `/proc/${pid}/task/${task}`;
      threadsMs += parseRunMs(readOrEmpty(`${folder}/schedstat`)) ?? 0;
      const switches = parseFields(readOrEmpty(`${folder}/status`));
      usage.voluntarySwitches += switches.get("voluntary_ctxt_switches") ?? 0;
      usage.involuntarySwitches += switches.get("nonvoluntary_ctxt_switches") ?? 0;
    }
    // Threads are counted in nanoseconds, but one that has ended is counted no more. The process
    // keeps those, cut to 10 ms: a light service takes no more for a thousand requests.
    usage.cpuMs += Math.max(cpuMs, threadsMs) + endedChildrenCpuMs;
  }
  return usage;
}

/** Starts the peak anew (Linux 4.0; proc(5), clear_refs). */
export function resetPeak(leader: number): void {
  for (const { pid } of readProcessTree(leader)) {
    // Another user's process, or gone: the peak then counts from its start.
    orNull(() => writeFileSync(`/proc/${pid}/clear_refs`, "5"));
  }
}
