// The processes of a service: its group, and descendants that have left it.
import { type ProcStat, parseProcStat } from "../../host/parse-proc.ts";
import { listOrEmpty, readOrEmpty } from "../../sys/or-null.ts";

/**
 * Living members, the leader first: its group, further groups known to be the service's, and all
 * their descendants. Empty when all are gone; zombies are gone.
 */
export function readProcessTree(
  leader: number,
  furtherGroups: ReadonlySet<number> = new Set(),
): ProcStat[] {
  return readMembers(leader, furtherGroups)
    .filter(({ state }) => state !== "Z")
    .sort((a, b) => Number(b.pid === leader) - Number(a.pid === leader));
}

/** Zombies included: what they have used is in no other account until somebody waits for them. */
export function readMembers(
  leader: number,
  furtherGroups: ReadonlySet<number> = new Set(),
): ProcStat[] {
  const all = readProcesses();
  const members = membersOf(all, leader, new Set([leader, ...furtherGroups]));
  return all.filter(({ pid }) => members.has(pid));
}

/** All that can be seen, zombies included. */
export function readProcesses(): ProcStat[] {
  return listOrEmpty("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? [])
    .filter(({ state }) => state !== "X");
}

/** Whose descendants alone are asked for. */
export const NO_GROUP: ReadonlySet<number> = new Set();

/** Process ids of a leader, its groups (by default the one that it leads), and all descendants. */
export function membersOf(
  all: readonly ProcStat[],
  leader: number,
  groups: ReadonlySet<number> = new Set([leader]),
): ReadonlySet<number> {
  const members = new Set([leader]);
  // Parents may come after their children in /proc: repeat until nothing is added.
  for (let before = -1; before !== members.size; ) {
    before = members.size;
    for (const { pid, parent, group } of all) {
      if (groups.has(group) || members.has(parent)) members.add(pid);
    }
  }
  return members;
}

/**
 * CPU time of these processGroupIds' processes, milliseconds, those that have ended included: it
 * does not go back while processes come and go, since what a process has used passes to the one
 * that waits for its end. (Of children that nobody waits for the kernel keeps no account.) One walk
 * for all.
 */
export function readCpuMsOfTrees(processGroupIds: readonly number[]): number {
  const [first, ...others] = processGroupIds;
  if (first === undefined) return 0;
  return readMembers(first, new Set(others)).reduce(
    (sum, { cpuMs, endedChildrenCpuMs }) => sum + cpuMs + endedChildrenCpuMs,
    0,
  );
}

export function readStat(pid: number): ProcStat | null {
  return parseProcStat(readOrEmpty(`/proc/${pid}/stat`));
}
