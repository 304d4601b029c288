import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { makeFolder } from "../../../test/support/files.ts";
import { UserError } from "../../core/base/errors.ts";
import {
  cacheFolder,
  makeCacheFolder,
  makeTemporaryFolder,
  removeOlder,
  writeFileAtomic,
} from "./files.ts";
import { janitor } from "./janitor.ts";

vi.mock("node:os", async (original) => {
  const real = await original<typeof import("node:os")>();
  return { ...real, homedir: vi.fn(real.homedir) };
});

let folder = "";
beforeEach(() => {
  folder = makeFolder();
});

describe("writeFileAtomic", () => {
  test("replaces a file and makes the folders it needs", () => {
    const path = join(folder, "a", "b", "file.json");
    writeFileAtomic(path, "old");
    writeFileAtomic(path, "new: é");
    expect(readFileSync(path, "utf8")).toBe("new: é");
    expect(readdirSync(join(folder, "a", "b"))).toEqual(["file.json"]);
  });

  test("keeps the old file and leaves nothing behind when the disk is full", () => {
    const path = join(folder, "samples.json");
    writeFileSync(path, "old");
    // A limit on file size fails a write half way, as a full disk does. It counts 1024-byte blocks.
    const result = spawnSync(
      "/bin/bash",
      [
        "-c",
        'ulimit -f 64; exec "$0" "$@"',
        process.execPath,
        "--input-type=module",
        "--eval",
        WRITE,
        path,
      ],
      {
        encoding: "utf8",
        env: { ...process.env, FILES: new URL("./files.ts", import.meta.url).href },
      },
    );
    expect(result.stdout).toMatch(/^UserError: cannot write .*samples\.json: EFBIG/);
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(folder)).toEqual(["samples.json"]);
  });

  test("names the file that cannot be written", () => {
    const blocker = join(folder, "file");
    writeFileSync(blocker, "");
    expect(() => writeFileAtomic(join(blocker, "x.json"), "text")).toThrow(UserError);
    expect(() => writeFileAtomic(join(blocker, "x.json"), "text")).toThrow(
      /cannot write .*x\.json/,
    );
  });

  test("a folder that may not be written is a failure of the same kind", (context) => {
    if (process.getuid?.() === 0) {
      console.warn("skipped: root may write everywhere");
      context.skip("root may write everywhere");
    }
    chmodSync(folder, 0o500);
    expect(() => writeFileAtomic(join(folder, "x.json"), "text")).toThrow(UserError);
  });
});

const WRITE = `
const { writeFileAtomic } = await import(process.env.FILES);
try {
  writeFileAtomic(process.argv[1], "n".repeat(1_000_000));
} catch (error) {
  console.log(error.name + ": " + error.message);
}`;

// The kernel makes none there, for nobody.
test.each<[string, () => void, string, string]>([
  [
    "a temporary folder",
    () => makeTemporaryFolder("/proc/tailgate"),
    "cannot make a folder in /proc/tailgate",
    "TAILGATE_CACHE",
  ],
  [
    "a folder of the cache",
    () => makeCacheFolder("/proc/tailgate/a"),
    "cannot write /proc/tailgate/a",
    "TAILGATE_CACHE",
  ],
  [
    "a file",
    () => writeFileAtomic("/proc/tailgate/a.json", ""),
    "cannot write /proc/tailgate/a.json",
    "--out",
  ],
])("%s that cannot be made is told, with why and what to set", (_, make, what, next) => {
  expect(make).toThrow(UserError);
  expect(make).toThrow(`${what}: the file system of /proc takes no new files`);
  expect(make).toThrow(expect.objectContaining({ next: expect.stringContaining(next) }));
});

test("cacheFolder is absolute whatever it is told", () => {
  const cases: [NodeJS.ProcessEnv, RegExp][] = [
    [{ TAILGATE_CACHE: "/c", XDG_CACHE_HOME: "/x" }, /^\/c$/],
    [{ TAILGATE_CACHE: "rel" }, new RegExp(`^${process.cwd()}/rel$`)],
    [{ TAILGATE_CACHE: "", XDG_CACHE_HOME: "/x" }, /^\/x\/tailgate$/],
    [{ XDG_CACHE_HOME: "" }, /^\/.*\/\.cache\/tailgate$/],
  ];
  for (const [env, expected] of cases) expect(cacheFolder(env)).toMatch(expected);
});

test("without a home folder a cache is asked for", () => {
  const next = expect.stringContaining("TAILGATE_CACHE");
  for (const home of [
    () => "",
    () => {
      throw new Error("uv_os_homedir returned ENOENT");
    },
  ]) {
    vi.mocked(homedir).mockImplementation(home);
    onTestFinished(() => void vi.mocked(homedir).mockRestore());
    expect(() => cacheFolder({})).toThrow(UserError);
    expect(() => cacheFolder({})).toThrow(expect.objectContaining({ next }));
    expect(cacheFolder({ XDG_CACHE_HOME: "/x" })).toBe("/x/tailgate");
    makeCacheFolder(join(folder, "cache"));
  }
});

test("what is old and cannot be removed stays", () => {
  // The kernel lets nobody remove it.
  removeOlder("/proc/sys/kernel", Number.POSITIVE_INFINITY, "ostype");
  expect(existsSync("/proc/sys/kernel/ostype")).toBe(true);
});

test("a temporary folder is absolute, whatever TMPDIR says", () => {
  const path = makeTemporaryFolder(relative(process.cwd(), folder));
  expect(path).toMatch(new RegExp(`^${folder}/tailgate-`));
});

test("a temporary folder is new, below its parent, and removed by the janitor", () => {
  const parent = join(folder, "not", "there");
  const first = makeTemporaryFolder(parent);
  const second = makeTemporaryFolder(parent);
  expect(first).not.toBe(second);
  expect(first.length).toBe(second.length);
  writeFileSync(join(first, "file"), "");
  janitor.removePath(first);
  janitor.removePath(second);
  expect(existsSync(first)).toBe(false);
  expect(readdirSync(parent)).toEqual([]);
});
