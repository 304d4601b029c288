// Texts of /proc as kernels write them, odd names included.
import { expect, test } from "vitest";
import {
  parseCpuTimes,
  parseFields,
  parsePolicy,
  parseProcStat,
  parseRunMs,
} from "./parse-proc.ts";

const STAT =
  "4242 (odd) name (x)) S 4200 4242 4242 0 -1 4194560 1117 0 0 0 12 34 5 6 20 0 3 0 6000 300000000 1080 18446744073709551615 1 1 0 0 0 0 0 4096 17642 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0";

test("/proc/PID/stat, with a command name that imitates its fields", () => {
  expect(parseProcStat(STAT)).toEqual({
    pid: 4242,
    command: "odd) name (x)",
    state: "S",
    isEnding: false,
    parent: 4200,
    group: 4242,
    cpuMs: 460,
    endedChildrenCpuMs: 110,
    threads: 3,
    startTicks: 6000,
  });
  expect(parseProcStat(STAT.replace("4194560", "4194564"))?.isEnding).toBe(true);
  expect(parseProcStat(STAT.replace(") S ", ") Z "))?.isEnding).toBe(true);
  expect(parsePolicy(STAT)).toBe(0);
  expect(parsePolicy("12 (short) S 1")).toBeNull();
  expect(parseProcStat("")).toBeNull();
  expect(parseProcStat("12 (short) S 1")).toBeNull();
});

test("kB fields become bytes, others stay", () => {
  const fields = parseFields("Name:\tsleep\nRss:      1234 kB\nThreads:\t3\nPss_Anon:  10 kB\n");
  expect([...fields]).toEqual([
    ["Rss", 1234 * 1024],
    ["Threads", 3],
    ["Pss_Anon", 10 * 1024],
  ]);
});

test("/proc/stat: idle with iowait, and steal, of each CPU", () => {
  const times = parseCpuTimes(
    "cpu  1 1 1 1 1 1 1 1 1 1\ncpu0 100 20 30 5000 40 5 6 7 8 9\ncpu11 1 0 0 0 0 0 0 0 0 0\nintr 5\n",
  );
  expect(times.get(0)).toEqual({ idleMs: 50_400, stealMs: 70 });
  expect([...times.keys()]).toEqual([0, 11]);
});

test.each([
  ["1500000 20 3", 1.5],
  ["0 0 0", 0],
  ["", null],
])("the time on a CPU of schedstat %j: %s ms", (text, expected) => {
  expect(parseRunMs(text)).toBe(expected);
});
