import { describe, expect, test } from "vitest";
import type { CpuSets, Finding } from "../../core/model/host.ts";
import { describeActivity, readActivity } from "./activity.ts";
import type { HostFiles } from "./checks/check.ts";

type Tree = Readonly<Record<string, string>>;
const SETS: CpuSets = { service: [1], generator: [0], disjoint: true };

function filesOf(tree: Tree): HostFiles {
  return {
    read: (path) => tree[path] ?? null,
    list: (path) => [
      ...new Set(
        Object.keys(tree)
          .filter((file) => file.startsWith(`${path}/`))
          .map((file) => file.slice(path.length + 1).split("/")[0] ?? ""),
      ),
    ],
  };
}

/** A process as /proc shows it: user and system time in hundredths of a second, and its start. */
const stat = (name: string, ticks: number, start = 7) =>
  `1 (${name}) S 1 1 1 0 -1 0 0 0 0 0 ${ticks} 0 0 0 20 0 1 0 ${start} 0 0`;

const BEFORE: Tree = {
  "/proc/stat": "cpu  1000 0 1000 8000 0 0 0 100 0 0",
  "/proc/vmstat": "pswpin 5\npswpout 5",
  "/proc/interrupts": "     CPU0 CPU1\n 36: 10 1000 PCI eth0\nLOC: 5 5 Local",
  "/proc/net/netstat": "TcpExt: A ListenOverflows ListenDrops\nTcpExt: 1 2 3",
  "/proc/self/cgroup": "0::/job",
  "/sys/fs/cgroup/job/cpu.stat": "usage_usec 1\nnr_throttled 4",
  "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "3",
  "/proc/20/stat": stat("database", 100),
  "/proc/30/stat": stat("ours", 100),
};

/** Two seconds later, with these files changed. */
function after(changes: Tree): Finding[] {
  const self = new Set([30]);
  const tree = { ...BEFORE, ...changes };
  const before = readActivity(filesOf(BEFORE), 1000, self);
  return describeActivity(before, readActivity(filesOf(tree), 3000, self), SETS, filesOf(tree));
}

const cases: [string, Tree, string, Finding["level"], string][] = [
  ["nothing", {}, "steal-now", "good", "takes no CPU time"],
  ["nothing", {}, "others-now", "good", "no other program"],
  ["nothing", {}, "interrupts-now", "good", "0 device interrupts/s on CPU 1 now"],
  // 4 of 400 ticks.
  ["steal", { "/proc/stat": "cpu  1198 0 1198 8000 0 0 0 104" }, "steal-now", "bad", "1.0 %"],
  [
    "little steal",
    { "/proc/stat": "cpu  1999 0 1000 8000 0 0 0 101" },
    "steal-now",
    "note",
    "0.1 %",
  ],
  ["a program", { "/proc/20/stat": stat("database", 110) }, "others-now", "note", "database 5 %"],
  [
    "a busy one",
    { "/proc/20/stat": stat("database", 300) },
    "others-now",
    "bad",
    "100 % of a core",
  ],
  ["a new one", { "/proc/21/stat": stat("apt", 40) }, "others-now", "bad", "apt 20 %"],
  [
    "its number used again",
    { "/proc/20/stat": stat("new", 30, 9) },
    "others-now",
    "bad",
    "new 15 %",
  ],
  ["ourselves", { "/proc/30/stat": stat("ours", 300) }, "others-now", "good", "no other program"],
  [
    "interrupts",
    { "/proc/interrupts": "     CPU0 CPU1\n 36: 10 1500 PCI eth0\nLOC: 5 90000 Local" },
    "interrupts-now",
    "note",
    "250 device interrupts/s",
  ],
  ["swapping", { "/proc/vmstat": "pswpin 7\npswpout 6" }, "swap-now", "bad", "3 pages"],
  [
    "a quota",
    { "/sys/fs/cgroup/job/cpu.stat": "nr_throttled 9" },
    "quota-now",
    "bad",
    "5 times in 2.0 s",
  ],
  [
    "heat",
    { "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "4" },
    "thermal-now",
    "bad",
    "1 times",
  ],
  [
    "a full queue",
    { "/proc/net/netstat": "TcpExt: A ListenOverflows ListenDrops\nTcpExt: 1 2 8" },
    "backlog-now",
    "note",
    "5 connections",
  ],
];
test.each(cases)("%s: %j", (_, changes, id, level, words) => {
  const found = after(changes).filter((finding) => finding.id === id);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ level, text: expect.stringContaining(words) });
});

describe("a quiet machine", () => {
  test("has nothing bad to say, and nothing of what did not happen", () => {
    expect(after({}).map(({ id, level }) => `${id} ${level}`)).toEqual([
      "steal-now good",
      "others-now good",
      "interrupts-now good",
    ]);
  });

  test("that shows nothing has no finding that is not good", () => {
    const nothing = readActivity(filesOf({}), 0, new Set());
    const found = describeActivity(nothing, { ...nothing, atMs: 2000 }, SETS, filesOf({}));
    expect(found.every(({ level }) => level === "good")).toBe(true);
  });
});
