// Texts of /proc as kernels write them, odd names included; and this process as a living example.
import { expect, test } from "vitest";
import {
  cgroupFolders,
  parseCpuTimes,
  parseFields,
  parseProcStat,
  parseRunMs,
  parseThrottled,
} from "./parse-proc.ts";
import { parsePrometheus } from "./parse-prometheus.ts";
import { readProcessTree } from "./process-tree.ts";
import { readUsage } from "./service-probe.ts";

const STAT =
  "4242 (odd) name (x)) S 4200 4242 4242 0 -1 4194560 1117 0 0 0 12 34 5 6 20 0 3 0 6000 300000000 1080 18446744073709551615 1 1 0 0 0 0 0 4096 17642 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0";

test("/proc/PID/stat, with a command name that imitates its fields", () => {
  expect(parseProcStat(STAT)).toEqual({
    pid: 4242,
    command: "odd) name (x)",
    state: "S",
    parent: 4200,
    group: 4242,
    cpuMs: 460,
    endedChildrenCpuMs: 110,
    threads: 3,
    startTicks: 6000,
  });
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

test("the CPU controller's folders, ours and those above, in both versions", () => {
  expect(cgroupFolders("0::/system.slice/runner.service\n")).toEqual([
    "/sys/fs/cgroup",
    "/sys/fs/cgroup/system.slice",
    "/sys/fs/cgroup/system.slice/runner.service",
  ]);
  expect(cgroupFolders("5:cpu,cpuacct:/a\n4:cpuset:/b\n1:name=systemd:/c\n0::/\n")).toEqual([
    "/sys/fs/cgroup/cpu",
    "/sys/fs/cgroup/cpu/a",
    "/sys/fs/cgroup",
  ]);
  expect(cgroupFolders("")).toEqual([]);
});

test("a cgroup without a quota was never throttled", () => {
  expect(parseThrottled("usage_usec 1\nnr_periods 4\nnr_throttled 3\n")).toBe(3);
  expect(parseThrottled("")).toBe(0);
});

test("runtime metrics of a Go service; absent ones stay absent", () => {
  expect(
    parsePrometheus(
      '# HELP x y\ngo_gc_duration_seconds{quantile="1"} 0.00025\ngo_gc_duration_seconds_count 7\ngo_gc_heap_allocs_bytes_total 9.5e+06\nhttp_requests{path="/a b"} 3\nbroken\ngo_memory_classes_heap_objects_bytes NaN\n',
    ),
  ).toEqual({ gcPauseMaxUs: 250, gcCycles: 7, allocatedBytes: 9.5e6 });
  expect(parsePrometheus("")).toEqual({});
});

test("this process is found and has memory", () => {
  const [leader] = readProcessTree(process.pid);
  expect(leader?.pid).toBe(process.pid);
  const usage = readUsage(process.pid);
  expect(usage.rssBytes).toBeGreaterThan(10_000_000);
  expect(usage.peakBytes).toBeGreaterThanOrEqual(usage.rssBytes * 0.9);
  expect(usage.anonBytes).toBeLessThan(usage.rssBytes);
  expect(usage.threads).toBeGreaterThan(1);
  expect(usage.files).toBeGreaterThan(2);
});

test.each([
  ["1500000 20 3", 1.5],
  ["0 0 0", 0],
  ["", null],
])("the time on a CPU of schedstat %j: %s ms", (text, expected) => {
  expect(parseRunMs(text)).toBe(expected);
});
