// Who used how much between two readings, with processes that come and go.
import { expect, test } from "vitest";
import { CulpritSchema } from "../../core/model/samples.ts";
import type { ProcStat } from "../host/parse-proc.ts";
import {
  culpritsOf,
  type OtherPrograms,
  programName,
  usedBetween,
} from "./other-programs-watch.ts";

/** pid, parent, command, its CPU time and that of its ended children, milliseconds; its start. */
type Row = [number, number, string, number, number, number?];

const reading = (...rows: Row[]): OtherPrograms =>
  new Map(
    rows.map(([pid, parent, command, cpuMs, endedChildrenCpuMs, startTicks = pid]) => [
      pid,
      {
        ...{ pid, parent, command, cpuMs, endedChildrenCpuMs, startTicks },
        ...{ state: "R", isEnding: false, group: pid, threads: 1 },
      } satisfies ProcStat,
    ]),
  );

function check(before: Row[], after: Row[], used: Record<string, number>): void {
  const found = usedBetween(reading(...before), reading(...after), ({ command }) => command);
  expect(Object.fromEntries(found)).toEqual(used);
}

test("CPU time between the readings, by command", () => {
  check(
    [
      [10, 1, "make", 100, 0],
      [11, 10, "rustc", 500, 0],
      [12, 10, "rustc", 0, 0],
    ],
    [
      [10, 1, "make", 100, 0],
      [11, 10, "rustc", 900, 0],
      [12, 10, "rustc", 300, 0],
    ],
    { rustc: 700 },
  );
});

test("a process started between the readings counts in full", () => {
  check([], [[20, 1, "apt", 400, 50]], { apt: 450 });
  // The same number, and another process.
  check([[20, 1, "old", 9000, 0, 1]], [[20, 1, "apt", 400, 0, 2]], { apt: 400 });
});

test("a process that started and ended between the readings counts for its parent", () => {
  check([[10, 1, "cargo", 100, 1000]], [[10, 1, "cargo", 110, 1800]], { cargo: 810 });
});

test("what an ended process had used before is not counted again with its parent", () => {
  check(
    [
      [10, 1, "cargo", 100, 0],
      [11, 10, "sh", 0, 0],
      [12, 11, "rustc", 5000, 0],
    ],
    // 12 used 200 more, and was waited for by 11, which used none and was waited for by 10.
    [[10, 1, "cargo", 100, 5200]],
    { cargo: 200 },
  );
  // Nobody waited for it.
  check([[11, 1, "rustc", 5000, 0]], [[1, 0, "init", 40, 7]], { init: 47 });
});

test("a process is called as its program, unless it is called as a file that it runs", () => {
  const check = (command: string, cmdline: string[], name: string): void => {
    expect(programName(command, cmdline.map((word) => `${word}\0`).join(""))).toBe(name);
  };
  check("rustc", ["/usr/bin/rustc", "--edition=2024"], "rustc");
  check("MainThread", ["node", "/srv/node_modules/.bin/vitest"], "node");
  check("MainThread", ["node (test src/machine/a.test.ts)"], "node");
  check("npm exec build ", ["npm exec build --watch"], "npm exec build ");
  check("backup.sh", ["/bin/sh", "/opt/backup.sh"], "backup.sh");
  check("postgres", ["postgres: checkpointer"], "postgres");
  check("a-very-long-nam", ["/opt/a-very-long-name-of-a-program"], "a-very-long-nam");
  check("bash", ["-bash"], "-bash");
  // Ended meanwhile, or not ours to look at.
  check("cc1", [], "cc1");
});

/** As a key: what has no name. */
const HIDDEN = "null";

const used = (...ms: [string, number][]): ReadonlyMap<string, number> => new Map(ms);

test("the busiest are named, as shares of the measured CPUs' time", () => {
  const check = (
    ms: [string, number][],
    foreign: number,
    expected: Record<string, number>,
  ): void => {
    const culprits = culpritsOf(used(...ms), { cpuMs: 10_000, foreign, hasHidden: false });
    const shares = culprits.map(({ command, share }) => [command, share]);
    expect(Object.fromEntries(shares)).toEqual(expected);
  };
  check([["rustc", 3000]], 0.3, { rustc: 0.3 });
  check([["rustc", 3000]], 0.4, { rustc: 0.3 });
  // Half of it on CPUs that are not measured.
  check(
    [
      ["rustc", 3000],
      ["cc1", 1000],
    ],
    0.2,
    { rustc: 0.15, cc1: 0.05 },
  );
  check([["rustc", 3000]], 0, {});
  check([["cron", 190]], 0.5, {});
  check(
    [
      ["a", 400],
      ["b", 900],
      ["c", 500],
      ["d", 800],
    ],
    1,
    { b: 0.09, d: 0.08, c: 0.05 },
  );
  check([], 0.5, {});
});

test.each<[string, [string, number][], number, Record<string, number>]>([
  ["all of it", [], 0.4, { [HIDDEN]: 0.4 }],
  ["what is left", [["rustc", 1000]], 0.4, { rustc: 0.1, [HIDDEN]: 0.3 }],
  ["nothing", [["rustc", 4000]], 0.4, { rustc: 0.4 }],
  ["what disturbs nobody", [], 0.01, {}],
])("in a container, what nobody there has used was used outside: %s", (_, ms, foreign, shares) => {
  const culprits = culpritsOf(used(...ms), { cpuMs: 10_000, foreign, hasHidden: true });
  expect(Object.fromEntries(culprits.map(({ command, share }) => [command, share]))).toEqual(
    shares,
  );
});

test("no elapsed time, no shares", () => {
  for (const hasHidden of [false, true]) {
    expect(culpritsOf(used(["rustc", 300]), { cpuMs: 0, foreign: 1, hasHidden })).toEqual([]);
  }
});

test("any process name fits the schema", () => {
  for (const name of ["", "x".repeat(300), "\u0000\u001b[31m"]) {
    const time = { cpuMs: 10_000, foreign: 0.5, hasHidden: false };
    const [culprit] = culpritsOf(used([name, 5000]), time);
    expect(CulpritSchema.safeParse(culprit).success, JSON.stringify(name)).toBe(true);
  }
});
