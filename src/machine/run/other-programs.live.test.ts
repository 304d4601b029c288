// Whose processes are others': a stranger's are, ours and the service's are not.
import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { readOtherPrograms, usedBetween } from "./other-programs-watch.ts";
import { readStat } from "./probe/process-tree.ts";

const SPIN = "while :; do :; done";
const NOBODY = { service: [], dependencies: [] };

/** Adopted by init, as its parent ends at once. The number of the process. */
async function spinAlone(): Promise<number> {
  const shell = spawn("setsid", ["sh", "-c", `sh -c '${SPIN}' >/dev/null 2>&1 & echo $!`]);
  const pid = await new Promise<number>((done) =>
    shell.stdout.once("data", (text) => done(Number(text))),
  );
  if (shell.exitCode === null) await new Promise((done) => shell.once("exit", done));
  return pid;
}

test("a stranger is one, until its group is known", async () => {
  const pid = await spinAlone();
  try {
    const before = readOtherPrograms(NOBODY);
    const stranger = before.get(pid);
    expect(stranger).toBeDefined();
    const group = stranger?.group ?? 0;
    expect(readOtherPrograms({ service: [group], dependencies: [] }).has(pid)).toBe(false);
    expect(readOtherPrograms({ service: [], dependencies: [group] }).has(pid)).toBe(false);
    const used = (): number =>
      usedBetween(before, readOtherPrograms(NOBODY)).get(stranger?.command ?? "") ?? 0;
    await expect.poll(used, { timeout: 60_000 }).toBeGreaterThan(0);
  } finally {
    process.kill(pid, "SIGKILL");
  }
});

test("we and our children are none, and no thread of the kernel is", () => {
  const child = spawn("sleep", ["60"]);
  try {
    const others = readOtherPrograms(NOBODY);
    expect(readStat(child.pid ?? 0)?.command).toBeDefined();
    expect(others.has(child.pid ?? 0)).toBe(false);
    expect(others.has(process.pid)).toBe(false);
    expect([...others.values()].filter(({ parent }) => parent === 2)).toEqual([]);
  } finally {
    child.kill("SIGKILL");
  }
});
