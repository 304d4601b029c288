// A service that works in processes of a few milliseconds each, as one that forks for every request
// does.
import { type ChildProcess, spawn } from "node:child_process";
import { expect, test } from "vitest";
import type { CpuSets } from "../../../core/model/host.ts";
import { readHostCounters } from "./host-counters.ts";
import { readMembers, readStat } from "./process-tree.ts";
import { readUsage } from "./service-probe.ts";

/** A leader whose work is done by children that live for milliseconds each. */
function startForking(): ChildProcess {
  const work = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
  const script = `while :; do sh -c '${work}'; done`;
  return spawn("sh", ["-c", script], { detached: true, stdio: "ignore" });
}

test("children that have ended are the service's all the same", async () => {
  const service = startForking();
  const { pid = 0 } = service;
  try {
    const known = { service: [pid], dependencies: [] };
    const sets: CpuSets = { service: [0], generator: [0], disjoint: false };
    const read = () => readHostCounters(sets, known, performance.now()).serviceMs;
    const usage = readUsage(pid);
    let last = read();
    const first = last;
    const deadlineMs = performance.now() + 20_000;
    while (last - first < 300 && performance.now() < deadlineMs) {
      await new Promise((done) => setTimeout(done, 20));
      const next = read();
      expect(next).toBeGreaterThanOrEqual(last);
      last = next;
    }
    const own = (readStat(pid)?.cpuMs ?? 0) * 2;
    expect(last - first).toBeGreaterThan(Math.max(250, own));
    expect(readUsage(pid).cpuMs - usage.cpuMs).toBeGreaterThan(own);
  } finally {
    process.kill(-pid, "SIGKILL");
  }
});

test("a child that has ended counts before anybody waits for it", async () => {
  const work = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
  const service = spawn("sh", ["-c", `sh -c '${work}' & exec sleep 600`], { detached: true });
  const { pid = 0 } = service;
  try {
    const ended = () => readMembers(pid).find(({ state }) => state === "Z");
    await expect.poll(ended, { timeout: 60_000 }).toBeDefined();
    expect(ended()?.cpuMs).toBeGreaterThan(0);
    const { cpuMs, threads } = readUsage(pid);
    expect(cpuMs).toBeGreaterThanOrEqual(ended()?.cpuMs ?? Number.NaN);
    expect(threads).toBe(1);
  } finally {
    process.kill(-pid, "SIGKILL");
  }
});

test("pages that forked processes share count once in PSS, and for each of them in RSS", async () => {
  const worker = "( while :; do sleep 600; done ) &";
  const memory = "x=$(head -c 30000000 /dev/zero | tr '\\0' a)";
  const service = spawn("sh", ["-c", `${memory}; ${worker} ${worker} ${worker} wait`], {
    detached: true,
    stdio: "ignore",
  });
  const { pid = 0 } = service;
  try {
    // The leader, three workers, and what each of them waits for.
    await expect.poll(() => readUsage(pid).processes, { timeout: 60_000 }).toBe(7);
    const { rssBytes, pssBytes } = readUsage(pid);
    expect(rssBytes).toBeGreaterThan(110_000_000);
    expect(pssBytes).toBeLessThan(60_000_000);
    expect(pssBytes).toBeGreaterThan(30_000_000);
  } finally {
    process.kill(-pid, "SIGKILL");
  }
});
