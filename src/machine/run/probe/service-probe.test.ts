// What a service says of itself, and what the kernel says of this process and of a child.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { parsePrometheus } from "./parse-prometheus.ts";
import { readProcessTree } from "./process-tree.ts";
import { readUsage } from "./service-probe.ts";

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

test("CPU time is known finer than the kernel's tick of 10 ms", async () => {
  const work = "i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done";
  const child = spawn("sh", ["-c", `while read -r _; do ${work}; echo done; done`], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  try {
    const cpuMs = (): number => readUsage(child.pid ?? 0).cpuMs;
    let before = cpuMs();
    for (let i = 0; i < 5; i++) {
      child.stdin.write("\n");
      await once(child.stdout, "data");
      // The kernel counts a thread's time at a tick and when it leaves the CPU.
      await expect.poll(cpuMs).toBeGreaterThan(before);
      const after = cpuMs();
      expect(after - before).toBeLessThan(10);
      before = after;
    }
  } finally {
    child.kill("SIGKILL");
  }
});
