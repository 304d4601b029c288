// What a gate sees of the host where its load is a fake: nothing, however busy it is.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import type { CpuSets } from "../../../src/core/model/host.ts";
import { hostShares, readHostCounters } from "../../../src/machine/run/probe/host-counters.ts";
import { quietHost } from "../project.ts";

const CPU_SETS: CpuSets = { service: [0], generator: [1], disjoint: true };
const BUSY = "for (let i = 0; i < 3e8; i++);";

const read = () => readHostCounters(CPU_SETS, { service: [], dependencies: [] }, performance.now());

/** Of a while in which a child of ours takes some CPU time. */
function sharesOfBusyChild() {
  const before = read();
  execFileSync(process.execPath, ["-e", BUSY]);
  return hostShares(before, read(), CPU_SETS);
}

test("a busy host and a busy generator are not seen", () => {
  expect(sharesOfBusyChild().generator).toBeGreaterThan(0);
  quietHost();
  const unseen = { steal: 0, foreign: 0, generator: 0, throttled: 0 };
  expect(sharesOfBusyChild()).toMatchObject(unseen);
});
