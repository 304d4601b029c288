// What a machine lacks is told by name, and the page of runners has the same table.
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder, readText } from "../../../test/support/files.ts";
import { failureIn } from "../../core/base/errors.ts";
import { assertPrograms, LOCK_PROGRAMS, PROGRAMS } from "./programs.ts";

/** A PATH with all but these. */
function pathWithout(...names: string[]): string {
  const folder = makeFolder();
  for (const { name } of PROGRAMS) {
    if (names.includes(name)) continue;
    writeFileSync(join(folder, name), "");
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

test("docs/runner.md has the same table", () => {
  const page = readText(join(import.meta.dirname, "../../../docs/runner.md"));
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.*) \| `([\w-]+)` \|$/gm)];
  expect(rows.map(([, name, does, from]) => ({ name, does, package: from }))).toEqual(PROGRAMS);
});

test("what is missing is named, with what it is for and how to install it", async () => {
  const lackOn = (path?: string) => failureIn(async () => assertPrograms(path));
  expect(await lackOn(pathWithout())).toBeNull();
  expect(await lackOn(pathWithout("taskset"))).toMatchObject({
    message: "taskset is not on PATH: it keeps services and load on their own CPUs",
    next: "apk add util-linux || apt-get install util-linux",
  });
  const more = await lackOn(pathWithout("taskset", "flock", "grep"));
  expect(more?.message).toMatch(/^taskset is .*; flock is .*; grep is /);
  expect(more?.next).toBe("apk add util-linux grep || apt-get install util-linux grep");
  expect((await lackOn())?.message).toContain("git is not on PATH");
  const toWait = async (path: string) => failureIn(async () => assertPrograms(path, LOCK_PROGRAMS));
  expect(await toWait(pathWithout("git", "taskset"))).toBeNull();
  expect((await toWait(pathWithout("git", "flock")))?.message).toMatch(/^flock is [^;]*$/);
});
