import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UserError } from "../../core/base/errors.ts";
import { acquireLock } from "./lock.ts";
import { parseProcStat } from "./parse-proc.ts";

let folder = "";
let path = "";
let others: ChildProcess[] = [];
const never = new AbortController().signal;
/** What a container has of its own. */
const CONTAINER = ["--mount", "--pid", "--net", "--ipc", "--uts", "--cgroup", "--mount-proc"];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tailgate-lock-"));
  path = join(folder, "lock");
});
afterEach(async () => {
  for (const other of others) {
    if (other.exitCode === null && other.signalCode === null) {
      other.kill("SIGKILL");
      await once(other, "exit");
    }
  }
  others = [];
  rmSync(folder, { recursive: true });
});

/** Another process that has the lock until its standard input ends. */
async function otherHolder(): Promise<ChildProcess> {
  const program = `
    import { acquireLock } from ${JSON.stringify(join(import.meta.dirname, "lock.ts"))};
    const abort = new AbortController().signal;
    const lock = await acquireLock({ timeoutMs: 5000, abort, path: ${JSON.stringify(path)} });
    process.stdout.write("held\\n");
    process.stdin.resume().on("end", () => lock.release());
  `;
  const other = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  others.push(other);
  if (other.stdout !== null) await once(other.stdout, "data");
  return other;
}

async function failure(timeoutMs: number, abort: AbortSignal = never): Promise<UserError> {
  try {
    await using _lock = await acquireLock({ timeoutMs, abort, path });
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("got the lock");
}

test("a free lock is had at once, released, and had again", async () => {
  for (let i = 0; i < 2; i++) {
    await using _lock = await acquireLock({ timeoutMs: 0, abort: never, path });
    expect(readFileSync(path, "utf8")).toContain(`process ${process.pid} of `);
  }
  expect(readFileSync(path, "utf8")).toBe("");
});

test("where /tmp takes no files, what containers share is enough", async () => {
  const shared = join(folder, "shared");
  writeFileSync(shared, "");
  const nowhere = { timeoutMs: 0, abort: never, path: "/proc/tailgate/lock" };
  await using _lock = await acquireLock({ ...nowhere, shared });
  await expect(acquireLock({ ...nowhere, shared })).rejects.toThrow(/another gate measures/);
  await expect(acquireLock(nowhere)).rejects.toThrow(/cannot make the machine's lock/);
});

test("the second waits, is told for whom, and goes on when the first is done", async () => {
  const other = await otherHolder();
  const told: string[] = [];
  await using _lock = await acquireLock({
    timeoutMs: 20_000,
    abort: never,
    path,
    onWait: (holder) => {
      told.push(holder);
      // Only now: nobody can get the lock before having waited.
      expect(other.exitCode).toBe(null);
      other.stdin?.end();
    },
  });
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(new RegExp(`^process ${other.pid} of \\S+, since \\d{4}-.*, in /`));
});

test("whoever waits is told who has the lock by now", async () => {
  const other = await otherHolder();
  const start = parseProcStat(readFileSync("/proc/self/stat", "utf8"))?.startTicks;
  const told: string[] = [];
  await using _lock = await acquireLock({
    timeoutMs: 20_000,
    abort: never,
    path,
    onWait: (holder) => {
      told.push(holder);
      if (told.length === 2) other.stdin?.end();
      // As the next holder would, had it been quicker than us.
      else writeFileSync(path, `${JSON.stringify({ pid: process.pid, start })}\nthe next\n`);
    },
  });
  expect(told).toEqual([expect.stringContaining(`process ${other.pid} of `), "the next"]);
});

test("a holder that is killed leaves nothing locked", async () => {
  const other = await otherHolder();
  let waited = false;
  await using _lock = await acquireLock({
    timeoutMs: 20_000,
    abort: never,
    path,
    onWait: () => {
      waited = true;
      other.kill("SIGKILL");
    },
  });
  expect(waited).toBe(true);
});

test("waiting has an end, and says who holds the lock", async () => {
  const other = await otherHolder();
  for (const timeoutMs of [0, 200]) {
    const error = await failure(timeoutMs);
    expect(error.kind).toBe("usage");
    expect(error.message).toContain(`process ${other.pid} of `);
    expect(error.next).toContain(path);
  }
});

test("a time-out longer than timers go is no time-out of nothing", async () => {
  const other = await otherHolder();
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 300);
  expect((await failure(1e12, abort.signal)).kind).toBe("interrupted");
  expect(other.exitCode).toBe(null);
});

test("an abort before or during the wait ends it", async () => {
  expect((await failure(1000, AbortSignal.abort())).kind).toBe("interrupted");
});

test("what an earlier holder wrote is not taken for the present one", async () => {
  await otherHolder();
  const stale = { pid: process.pid, start: 1 };
  for (const text of [JSON.stringify(stale), "null", "", "\u001b[31m".repeat(1000)]) {
    writeFileSync(path, `${text}\nprocess 1 of somebody\n`);
    const error = await failure(0);
    expect(error.message).toContain("another process");
    // The file names nobody, so it is not shown.
    expect(error.next).toContain("look at the other containers of this machine.");
    expect(error.next).not.toContain(path);
  }
});

test("gates whose /tmp, processes and network are separate wait for each other", (context) => {
  // A clock of the test's own stands for the machine.
  const machine = ["--time", "--fork", "--kill-child"];
  const container = [...CONTAINER, "--fork", "--kill-child"];
  const holding = `
    const hold = await acquireLock({ ...own, path: ${JSON.stringify(join(folder, "one"))} });
    const { status, stdout, stderr } = spawnSync("unshare", [...${JSON.stringify(container)}, process.execPath, ...process.execArgv.slice(0, 1), "--eval", process.env.OTHER], { encoding: "utf8" });
    console.log(stdout.trim(), status, stderr);
    await hold.release();
    const again = await acquireLock({ ...own, path: ${JSON.stringify(join(folder, "two"))} });
    console.log("then had");
    await again.release();
  `;
  const waiting = `
    await acquireLock({ ...own, path: ${JSON.stringify(join(folder, "two"))} }).then(
      () => console.log("had"),
      (error) => console.log(error.message),
    );
  `;
  const preamble = `
    import { spawnSync } from "node:child_process";
    import { acquireLock } from ${JSON.stringify(join(import.meta.dirname, "lock.ts"))};
    const own = { timeoutMs: 0, abort: new AbortController().signal, shared: "/proc/self/ns/time" };
  `;
  const argv = [...machine, process.execPath, "--input-type=module", "--eval", preamble + holding];
  const can = spawnSync("unshare", [...machine, "unshare", ...container, "true"]);
  if (can.status !== 0) {
    const why = `no namespaces can be made: ${can.stderr ?? can.error?.message}`;
    console.warn(`skipped: ${why}`);
    return context.skip(why);
  }
  const env = { ...process.env, OTHER: preamble + waiting };
  const { stdout, stderr } = spawnSync("unshare", argv, { env, encoding: "utf8" });
  expect(stdout.split("\n"), stderr).toEqual([
    "another gate measures on this machine: waited 0 s for another process, perhaps in another container 0 ",
    "then had",
    "",
  ]);
});

test("a link in place of the lock file is refused, and what it leads to is left alone", async () => {
  const target = join(folder, "precious");
  writeFileSync(target, "precious");
  symlinkSync(target, path);
  expect((await failure(0)).message).toContain("not a regular file");
  expect(readFileSync(target, "utf8")).toBe("precious");
});
