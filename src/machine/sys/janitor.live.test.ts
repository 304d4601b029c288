import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isRunning, leaveDaemon, until } from "../../../test/support/processes.ts";
import { Janitor } from "./janitor.ts";

vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  return { ...real, rmSync: vi.fn(real.rmSync) };
});

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tailgate test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/**
 * A process of ours with a running group, one with a grandchild, one that left a daemon, one that
 * is stopped, and folders.
 */
const OWNER = `
const { spawnGroup } = await import(process.env.SYS + "process.ts");
const { janitor } = await import(process.env.SYS + "janitor.ts");
const { makeTemporaryFolder } = await import(process.env.SYS + "files.ts");
if (process.argv[2] === "clean-up") process.on("SIGTERM", () => { janitor.cleanUp(); process.exit(0); });
const { mkdirSync, writeFileSync, chmodSync } = await import("node:fs");
const wait = "setInterval(() => {}, 1000)";
const plain = spawnGroup([process.execPath, "--eval", wait]);
const pids = [plain.pid];
let waitingFor = 4;
const stubborn = "process.on('SIGTERM', () => {}); process.on('SIGHUP', () => {});";
const parent = spawnGroup(
  [process.execPath, "--eval", stubborn + "const c = require('node:child_process').spawn(process.execPath, ['--eval', '" + wait + "']); console.log(c.pid);" + wait],
  { onStdoutLine: (line) => { pids.push(parent.pid, Number(line)); ready(); } },
);
const leaving = spawnGroup(
  [process.execPath, "--eval", "const c = require('node:child_process').spawn('setsid', ['sh', '-c', 'sleep 1000 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'inherit'] }); c.stdout.pipe(process.stdout);" + wait],
  { endsAll: "with it", onStdoutLine: (line) => { pids.push(leaving.pid, Number(line)); ready(); } },
);
// As a build that leaves a compile server, which knows nothing of us.
const left = spawnGroup([process.execPath, "--eval", ${JSON.stringify(leaveDaemon())}], {
  endsAll: "with us",
  onStdoutLine: (line) => { pids.push(Number(line)); void left.exited.then(ready); },
});
const stopped = spawnGroup([process.execPath, "--eval", wait]);
stopped.signal("SIGSTOP");
pids.push(stopped.pid);
const folder = makeTemporaryFolder(process.argv[1]);
mkdirSync(folder + "/deep/er", { recursive: true });
writeFileSync(folder + "/deep/er/file", "");
chmodSync(folder + "/deep/er", 0o500);
const kept = makeTemporaryFolder(process.argv[1]);
const later = process.argv[1] + "/made later";
janitor.guardPath(later);
const released = makeTemporaryFolder(process.argv[1]);
janitor.removePath(released);
mkdirSync(released);
mkdirSync(later);
const done = spawnGroup([process.execPath, "--eval", ""]);
await done.exited;
ready();
function ready() {
  waitingFor -= 1;
  if (waitingFor === 0) console.log(JSON.stringify({ pids, gone: [folder, kept, later], stays: [released] }));
}
setInterval(() => {}, 1000);
`;

interface Owned {
  pids: number[];
  gone: string[];
  stays: string[];
}

function startOwner(mode: string): { child: ChildProcess; owned: Promise<Owned> } {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", OWNER, folder, mode], {
    env: { ...process.env, SYS: new URL("./", import.meta.url).href },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const owned = new Promise<Owned>((resolve) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.endsWith("\n")) resolve(JSON.parse(text) as Owned);
    });
  });
  return { child, owned };
}

describe("whatever was guarded is gone", () => {
  const ENDS: [string, NodeJS.Signals, string][] = [
    ["after SIGKILL", "SIGKILL", "none"],
    ["after a SIGTERM that nobody handles", "SIGTERM", "none"],
    ["after SIGINT", "SIGINT", "none"],
    ["after an orderly end", "SIGTERM", "clean-up"],
  ];
  test.each(ENDS)("%s", async (_, signal, mode) => {
    const { child, owned } = startOwner(mode);
    const { pids, gone, stays } = await owned;
    expect(pids).toHaveLength(7);
    expect(pids.every(isRunning)).toBe(true);
    expect(gone.every((path) => existsSync(path))).toBe(true);
    child.kill(signal);
    expect(await until(() => !pids.some(isRunning))).toBe(true);
    expect(await until(() => !gone.some((path) => existsSync(path)))).toBe(true);
    expect(stays.every((path) => existsSync(path))).toBe(true);
  });
});

/**
 * Killed between the fork and the guard: what it started has a mark, and no number that anybody
 * knows. Of the three marks one is expected, one is expected no more, one never was.
 */
const OWNER_CUT_SHORT = `
const { spawn } = await import("node:child_process");
const { janitor } = await import(process.env.SYS + "janitor.ts");
const { MARK } = await import(process.env.SYS + "mark.ts");
const marks = [janitor.expectGroup(), janitor.expectGroup(), "0".repeat(32)];
janitor.expectNoMore(marks[1]);
const pids = marks.map((mark) => spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], {
  detached: true, stdio: "ignore", env: { ...process.env, [MARK]: mark },
}).pid);
(await import("node:fs")).writeSync(1, JSON.stringify(pids));
process.kill(process.pid, "SIGKILL");
`;

test("a group whose leader was started and not yet guarded is gone after SIGKILL; a group that is not expected stays", async () => {
  const owner = spawn(process.execPath, ["--input-type=module", "--eval", OWNER_CUT_SHORT], {
    env: { ...process.env, SYS: new URL("./", import.meta.url).href },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  owner.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  await new Promise((resolve) => owner.on("close", resolve));
  const [expected, noMore, never] = JSON.parse(text) as [number, number, number];
  try {
    expect(await until(() => !isRunning(expected))).toBe(true);
    expect([noMore, never].every(isRunning)).toBe(true);
  } finally {
    for (const pid of [noMore, never]) process.kill(-pid, "SIGKILL");
  }
});

test("one path that cannot be removed does not save the others", () => {
  const janitor = new Janitor();
  const bad = join(folder, "file");
  writeFileSync(bad, "");
  const good = join(folder, "good");
  mkdirSync(good);
  // Below a file nothing can be: removing it fails with ENOTDIR.
  janitor.guardPath(join(bad, "below"));
  janitor.guardPath(good);
  janitor.cleanUp();
  expect(existsSync(good)).toBe(false);
  janitor.cleanUp();
});

test("what cannot be removed at once, as where a folder is read-only, goes when we end", () => {
  const janitor = new Janitor();
  const path = join(folder, "read-only");
  mkdirSync(path);
  janitor.guardPath(path);
  vi.mocked(rmSync).mockImplementationOnce(() => {
    throw new Error("EACCES: permission denied");
  });
  janitor.removePath(path);
  expect(existsSync(path)).toBe(true);
  janitor.cleanUp();
  expect(existsSync(path)).toBe(false);
});

test("a path with a line break is refused: it would be read as two orders", () => {
  expect(() => new Janitor().guardPath("/tmp/a\n+path\t/")).toThrow(/line break/);
});
