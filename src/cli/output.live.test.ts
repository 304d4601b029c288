// Where the real command writes: a device, a pipe, a link or a file as it is, and nothing half.
import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder, sharedFolder } from "../../test/support/files.ts";
import { makeReport } from "../../test/support/report.ts";
import { makeSamples } from "../../test/support/samples.ts";
import { trendOf } from "../../test/support/trend.ts";
import { folderStore } from "../app/history/folder-store.ts";

const MAIN = resolve(import.meta.dirname, "../entry/cli.ts");
const FOLDER = sharedFolder();
const [REPORT, SAMPLES, HISTORY] = ["report.v1.json", "samples.v1.json", "history"].map((name) =>
  join(FOLDER, name),
) as [string, string, string];
writeFileSync(REPORT, JSON.stringify(makeReport()));
writeFileSync(SAMPLES, JSON.stringify(makeSamples({ rounds: 8, noise: 0.02 })));
await folderStore(HISTORY).append(trendOf({ nights: 3 }));

/** `limit`: blocks of 512 bytes that any file may have, as on a file system that is full. */
function run(
  words: readonly string[],
  {
    cwd = FOLDER,
    stdout = "pipe" as "pipe" | number,
    stderr = "pipe" as "pipe" | number,
    limit = "unlimited",
  } = {},
): SpawnSyncReturns<string> {
  const argv = ["-c", 'ulimit -f "$0"; exec "$@"', limit, process.execPath, MAIN, ...words];
  const env = { ...process.env, GITHUB_ACTIONS: "" };
  return spawnSync("sh", argv, { cwd, env, encoding: "utf8", stdio: ["ignore", stdout, stderr] });
}

const PRINTING: readonly { words: readonly string[] }[] = [
  { words: [] },
  { words: ["--version"] },
  { words: ["help"] },
  { words: ["gate", "--help"] },
  { words: ["report", REPORT] },
  { words: ["report", REPORT, "--format", "html"] },
  { words: ["report", REPORT, "--format", "json"] },
  { words: ["export", REPORT, "--format", "csv"] },
  { words: ["judge", SAMPLES, "--out", "judged"] },
  { words: ["judge", SAMPLES, "--out", "judged", "--json"] },
  { words: ["history", "--history", HISTORY] },
  { words: ["history", "--history", HISTORY, "--html"] },
];

test.each(PRINTING)("a full standard output fails: $words", ({ words }) => {
  const { status, stderr } = run(words, { stdout: openSync("/dev/full", "w") });
  expect(status).toBe(2);
  expect(stderr.match(/^tailgate: cannot write standard output: ENOSPC/gm)).toHaveLength(1);
});

test.each(PRINTING)("a reader that went away changes nothing: $words", async ({ words }) => {
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd: FOLDER,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const usual = run(words);
  expect(await once(child, "close")).toEqual([usual.status, null]);
  expect(said).toBe(usual.stderr);
});

test.each([{ words: ["nonsense"] }, ...PRINTING])(
  "a full standard error changes nothing: $words",
  ({ words }) => {
    const { status, stdout } = run(words);
    expect(run(words, { stderr: openSync("/dev/full", "w") })).toMatchObject({ status, stdout });
  },
);

/** What is written, and by which command. */
const WRITING: Readonly<Record<string, readonly string[]>> = {
  report: ["report", REPORT, "--format", "html"],
  export: ["export", REPORT, "--format", "csv"],
  history: ["history", "--history", HISTORY, "--html"],
};

describe.each(Object.keys(WRITING))("%s --output", (name) => {
  const words = WRITING[name] ?? [];
  const expected = (): string => run(words).stdout;
  const write = (path: string, options = {}) => run([...words, "--output", path], options);

  test("writes through a link, into a file whose mode stays", () => {
    const folder = makeFolder();
    const [link, target] = [join(folder, "link"), join(folder, "target")];
    writeFileSync(target, "before");
    chmodSync(target, 0o600);
    symlinkSync(target, link);
    const { ino } = statSync(target);
    expect(write(link)).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(readFileSync(target, "utf8")).toBe(expected());
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(target)).toMatchObject({ ino, mode: 0o100600 });
  });

  test("writes into a pipe, and into standard output as a device", async () => {
    const pipe = join(makeFolder(), "pipe");
    spawnSync("mkfifo", [pipe]);
    const reader = spawn("cat", [pipe], { stdio: ["ignore", "pipe", "ignore"] });
    let read = "";
    reader.stdout.setEncoding("utf8").on("data", (text: string) => {
      read += text;
    });
    const closed = once(reader, "close");
    const writer = spawn(process.execPath, [MAIN, ...words, "--output", pipe], { cwd: FOLDER });
    expect(await once(writer, "close")).toEqual([0, null]);
    await closed;
    expect(read).toBe(expected());
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    const argv = [process.execPath, MAIN, ...words, "--output", "/dev/stdout"];
    const piped = spawnSync("sh", ["-c", '"$0" "$@" | cat', ...argv], { encoding: "utf8" });
    expect(piped).toMatchObject({ status: 0, stdout: expected(), stderr: "" });
    expect(lstatSync("/dev/stdout").isSymbolicLink()).toBe(true);
  });

  test("fails on a full device, which it leaves", () => {
    const { status, stderr } = write("/dev/full");
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/^tailgate: cannot write \/dev\/full: ENOSPC/),
    });
    expect(lstatSync("/dev/full").isCharacterDevice()).toBe(true);
  });

  test("leaves no part of a file that does not fit", () => {
    const path = join(makeFolder(), "new");
    expect(write(path, { limit: "0" })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`cannot write ${path}: `),
    });
    expect(existsSync(path)).toBe(false);
  });
});

test("init leaves no part of a configuration that does not fit, and takes none away", () => {
  const cwd = makeFolder();
  spawnSync("git", ["init", "--quiet"], { cwd });
  const path = join(cwd, "tailgate.yml");
  expect(run(["init"], { cwd, limit: "0" })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`cannot write ${path}: `),
  });
  expect(existsSync(path)).toBe(false);
  symlinkSync("nowhere", path);
  expect(run(["init"], { cwd }).status).toBe(2);
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
});

test.each([
  ["a file in GitHub's log", "true", "file", "::error::x\n"],
  ["GitHub's log", "true", "pipe", ": :error::x\n"],
  ["another program", "", "pipe", "::error::x\n"],
] as const)("a document gets into %s", (_, GITHUB_ACTIONS, where, expected) => {
  const path = join(makeFolder(), "document");
  const output = JSON.stringify(resolve(import.meta.dirname, "output.ts"));
  const script = `(await import(${output})).printDocument("::error::x\\n")`;
  const file = openSync(path, "w");
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", where === "file" ? file : "pipe", "inherit"],
    env: { ...process.env, GITHUB_ACTIONS },
    encoding: "utf8",
  });
  closeSync(file);
  expect(where === "file" ? readFileSync(path, "utf8") : stdout).toBe(expected);
});
