// Shares of the measured CPUs, from counters with known truth.
import { expect, test } from "vitest";
import type { CpuSets } from "../../../core/model/host.ts";
import type { Slice } from "../../../core/model/samples.ts";
import { type HostCounters, hostShares, neededShare, readHostCounters } from "./host-counters.ts";

const SETS: CpuSets = { service: [1, 2], generator: [0], disjoint: true };
const START: HostCounters = {
  atMs: 5000,
  idleMs: 9000,
  stealMs: 70,
  childrenMs: 400,
  ownMs: 300,
  serviceMs: 200,
  dependencyMs: 0,
  throttled: 3,
};

function check(change: Partial<HostCounters>, expected: Partial<Slice["host"]>): void {
  // One second on three CPUs: the generator has 200 ms, the service 500, we 20; the rest is idle.
  const after: HostCounters = {
    atMs: 6000,
    idleMs: 9000 + 3000 - 720,
    stealMs: 70,
    childrenMs: 600,
    ownMs: 320,
    serviceMs: 700,
    dependencyMs: 0,
    throttled: 3,
    ...change,
  };
  const quiet = { steal: 0, foreign: 0, generator: 0.2, service: 0.25, throttled: 0 };
  expect(hostShares(START, after, SETS)).toEqual({ ...quiet, ...expected });
}

test("CPU time of unknown processes is foreign; steal is not", () => {
  check({}, {});
  check({ idleMs: 9000 + 3000 - 720 - 150 }, { foreign: 0.05 });
  check({ idleMs: 9000 + 3000 - 720 - 150, stealMs: 220 }, { steal: 0.05 });
  // More idle time than there can have been: clocks of 10 ms.
  check({ idleMs: 9000 + 3000 - 700 }, { foreign: 0 });
  check({ throttled: 5 }, { throttled: 2 });
});

test("dependencies do not count as foreign, and their core is measured too", () => {
  const busy = { dependencyMs: 300, idleMs: 9000 + 3000 - 720 - 300 };
  check(busy, {});
  const sets = { ...SETS, dependencies: [3] };
  const after = { ...START, ...busy, atMs: 6000, idleMs: 9000 + 4000 - 300 - 400 };
  expect(hostShares(START, after, sets).foreign).toBe(0.1);
});

test("what the rate needs follows from the CPU time of each answer, however long they took", () => {
  // 500 ms for 250 answers: 1,000 of them a second would take both CPUs of the service.
  const after = { ...START, serviceMs: 700, atMs: 60_000 };
  const need = (answered: number, rateRps: number) =>
    neededShare(START, after, SETS, { answered, rateRps });
  expect(need(250, 1000)).toEqual({ needed: 1 });
  expect(need(500, 1000)).toEqual({ needed: 0.5 });
  expect(need(0, 1000)).toEqual({});
});

test("readings without elapsed time have no shares", () => {
  expect(hostShares(START, START, SETS)).toEqual({
    steal: 0,
    foreign: 0,
    generator: 0,
    service: 0,
    throttled: 0,
  });
});

test("this machine's counters run", async () => {
  const sets: CpuSets = { service: [0], generator: [0], disjoint: false };
  const read = () =>
    readHostCounters(sets, { service: [process.pid], dependencies: [] }, performance.now());
  const before = read();
  const spent = () => process.cpuUsage().user + process.cpuUsage().system;
  for (const start = spent(); spent() < start + 50_000; );
  const after = read();
  expect(before.idleMs).toBeGreaterThan(0);
  expect(after.ownMs - before.ownMs).toBeGreaterThan(20);
  expect(after.serviceMs).toBeGreaterThanOrEqual(before.serviceMs);
});
