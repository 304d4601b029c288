// Real processes of the lowest rank, on a CPU that nobody else is told of.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readHostCounters } from "../run/probe/host-counters.ts";
import { readStat } from "../run/probe/process-tree.ts";
import { findChrt, occupyIdle } from "./keep-awake.ts";
import { parseAllowedCpus } from "./parse-host.ts";

const CHRT = findChrt() ?? "/usr/bin/chrt";
const CPU = parseAllowedCpus(readFileSync("/proc/self/status", "utf8"))[0] ?? 0;
/** Field of /proc/PID/stat, and its value, as sched(7) numbers it. */
const POLICY = 41;
const SCHED_IDLE = 5;

/**
 * What is of the lowest rank does nothing on a busy machine, its own end included, until it is let.
 */
const PATIENT = { timeout: 100_000 };

test("a CPU is occupied by a process of the lowest class and rank, until it is released", async () => {
  const occupation = await occupyIdle([CPU], CHRT);
  const [pid = -1] = occupation?.pids ?? [];
  const [, stat = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  expect(Number(stat.split(" ")[POLICY - 3])).toBe(SCHED_IDLE);
  // It has told that it works.
  expect(occupation?.slow).toMatchObject([{ cpu: CPU, lost: 0 }]);
  expect(parseAllowedCpus(readFileSync(`/proc/${pid}/status`, "utf8"))).toEqual([CPU]);
  occupation?.release();
  await expect.poll(() => readStat(pid), PATIENT).toBe(null);
});

test("its time is idle time", async () => {
  const occupation = await occupyIdle([CPU], CHRT);
  const sets = { service: [CPU], generator: [CPU], disjoint: false };
  const idleMs = (pids: readonly number[]): number =>
    readHostCounters(sets, { service: [], dependencies: [] }, performance.now(), { pids }).idleMs;
  const pids = occupation?.pids ?? [];
  const before = { all: idleMs(pids), without: idleMs([]) };
  // Whatever else runs here goes before it, for as long as that takes.
  await expect.poll(() => idleMs(pids) - before.all, PATIENT).toBeGreaterThan(20);
  // The CPU itself has not been idle since: the counter's own tick apart.
  expect(idleMs([]) - before.without).toBeLessThanOrEqual(10);
  occupation?.release();
});

test("a CPU that is not there, or no chrt: nothing is occupied, nothing is left", async () => {
  expect(await occupyIdle([CPU, 9999], CHRT)).toBe(null);
  expect(await occupyIdle([CPU], "/nowhere/chrt")).toBe(null);
});
