// Checks of memory: what a control group allows, and how the kernel gives it out and takes it back.

import {
  parseCgroupFolders,
  parseChoice,
  parseMemoryGiB,
  parseMemoryLimit,
} from "../parse-host.ts";
import { bad, type Checks, good, note, writeTo } from "./check.ts";

const MIB = 1024 ** 2;
/** Less than this leaves a database and two services little. */
const TIGHT_BYTES = 2048 * MIB;
/** Nearer to the limit than this, the kernel takes pages back while requests wait. */
const FULL_SHARE = 0.8;

/** Names of the limit's file and of that of what is used. */
const UNIFIED = ["memory.max", "memory.current"] as const;
const VERSION_1 = ["memory.limit_in_bytes", "memory.usage_in_bytes"] as const;

export const MEMORY_CHECKS: Checks = {
  /** The tightest on the way up counts. */
  "memory-limit": (files) => {
    const folders = parseCgroupFolders(files.read("/proc/self/cgroup") ?? "", "memory");
    const limits = folders.flatMap(({ folder, isUnified }) => {
      const [file, use] = isUnified ? UNIFIED : VERSION_1;
      const bytes = parseMemoryLimit(files.read(`${folder}/${file}`) ?? "");
      if (bytes === null) return [];
      const used = Number(files.read(`${folder}/${use}`) ?? Number.NaN);
      return [{ folder, file, bytes, usedBytes: Number.isFinite(used) ? used : null }];
    });
    const [first, ...others] = limits;
    if (first === undefined) return null;
    const tightest = others.reduce((a, b) => (b.bytes < a.bytes ? b : a), first);
    const machineGiB = parseMemoryGiB(files.read("/proc/meminfo") ?? "");
    if (machineGiB !== null && tightest.bytes >= machineGiB * 1024 * MIB) return null;
    const { folder, file, bytes, usedBytes } = tightest;
    const allowed = `a control group allows ${Math.round(bytes / MIB)} MiB of memory`;
    const share = usedBytes === null ? 0 : usedBytes / bytes;
    if (share > FULL_SHARE) {
      return bad(
        `${allowed}, and ${Math.round(share * 100)} % of it is used: the kernel takes pages back while requests wait, and ends the service when nothing is left`,
        lift(folder, file),
      );
    }
    return bytes < TIGHT_BYTES
      ? note(
          `${allowed}: services and what they depend on share it, and page cache counts`,
          lift(folder, file),
        )
      : good(`${allowed}, enough for most services`);
  },

  "huge-page-defrag": (files) => {
    const path = "/sys/kernel/mm/transparent_hugepage/defrag";
    const enabled = parseChoice(files.read("/sys/kernel/mm/transparent_hugepage/enabled") ?? "");
    return enabled !== "never" && parseChoice(files.read(path) ?? "") === "always"
      ? bad(
          "memory is defragmented whenever a huge page is wanted: the request that touches it waits for milliseconds",
          writeTo("madvise", path),
        )
      : null;
  },

  swappiness: (files) => {
    const hasSwap = (files.read("/proc/swaps") ?? "").split("\n").length > 1;
    const value = files.read("/proc/sys/vm/swappiness");
    return hasSwap && value !== null && Number(value) > 10
      ? note(
          `swappiness ${value}: idle pages of a frozen build are swapped out readily`,
          "sudo sysctl vm.swappiness=1",
        )
      : null;
  },
};

/**
 * Whoever makes a control group names it: a name that a shell could take for more than a name gets
 * no command.
 */
function lift(folder: string, file: string): string | null {
  return /^[\w./@:-]+$/.test(folder)
    ? writeTo(file === "memory.max" ? "max" : "-1", `${folder}/${file}`)
    : null;
}
