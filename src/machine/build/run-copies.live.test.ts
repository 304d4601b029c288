import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeTestFolder, type TestFolder } from "../../../test/support/build.ts";
import { janitor } from "../sys/janitor.ts";
import { spawnGroup } from "../sys/process.ts";
import { copyForRun } from "./run-copies.ts";

/** Files as the cache has them, by their keys. */
function store(folder: TestFolder, files: Record<string, string>): Map<string, string> {
  const written = Object.entries(files).map(
    ([key, text]) => [key, folder.write(`artifacts/${key}/api`, text, { mode: 0o755 })] as const,
  );
  return new Map(written);
}

test("each artifact is copied once, whole, executable, to paths of equal length that the janitor removes", () => {
  using folder = makeTestFolder();
  const long = "0123456789".repeat(20_000);
  const files = store(folder, { aaaa: long, bbbb: "" });
  const copies = copyForRun(files, folder.path);
  expect([...copies.keys()]).toEqual(["aaaa", "bbbb"]);
  const [first = "", second = ""] = copies.values();
  expect(readFileSync(first, "utf8")).toBe(long);
  expect(readFileSync(second, "utf8")).toBe("");
  expect(statSync(first).mode & 0o777).toBe(statSync(files.get("aaaa") ?? "").mode & 0o777);
  expect(first).not.toBe(second);
  expect(first.length).toBe(second.length);
  expect(first.startsWith(join(folder.path, "build", "tailgate-"))).toBe(true);
  janitor.cleanUp();
  expect(statSync(first, { throwIfNoEntry: false })).toBeUndefined();
});

test("no artifact, no folder", () => {
  using folder = makeTestFolder();
  expect(copyForRun(new Map(), folder.path).size).toBe(0);
  expect(statSync(join(folder.path, "build"), { throwIfNoEntry: false })).toBeUndefined();
});

test("an artifact that is gone is an error that says what to do", () => {
  using folder = makeTestFolder();
  const files = new Map([["aaaa", join(folder.path, "artifacts/aaaa/api")]]);
  expect(() => copyForRun(files, folder.path)).toThrow(
    /^cannot copy the artifacts for this run: ENOENT/,
  );
});

/** KiB of files that a fresh process of the program has mapped. */
async function mappedFileKib(program: string): Promise<number> {
  return await new Promise((resolve) => {
    const child = spawnGroup(
      [program, "--eval", "console.log('up'); setInterval(() => {}, 1000)"],
      {
        onStdoutLine: () => {
          const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
          child.signal("SIGKILL");
          const kib = Number(/^RssFile:\s+(\d+) kB$/m.exec(status)?.[1]);
          void child.exited.then(() => resolve(kib));
        },
      },
    );
  });
}

// Of the files themselves one maps 35 MiB and the other 62 where the file system keeps large folios
// (ext4 here); where it does not, they are alike anyway.
test("the same bytes map as much, however they came into the page cache", async () => {
  using folder = makeTestFolder();
  const bytes = readFileSync(process.execPath);
  const files = store(folder, { aaaa: "", bbbb: "" });
  const [small = "", large = ""] = files.values();
  for (let at = 0; at < bytes.length; at += 4096) {
    writeFileSync(small, bytes.subarray(at, at + 4096), { flag: "a" });
  }
  writeFileSync(large, bytes);
  for (const path of [small, large]) chmodSync(path, 0o755);
  const [a = "", b = ""] = copyForRun(files, folder.path).values();
  const ofSmall = await mappedFileKib(a);
  const ofLarge = await mappedFileKib(b);
  expect(Math.abs(ofLarge / ofSmall - 1)).toBeLessThan(0.02);
});
