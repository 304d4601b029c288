// Which programs there are, as the kernel would find them.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { makeFolder } from "../../../test/support/files.ts";
import { findPrograms, missingProgram } from "./find-program.ts";

let folder = "";
beforeEach(() => {
  folder = makeFolder();
  for (const name of ["bin", "later", "bin/tool"]) mkdirSync(join(folder, name));
  for (const name of ["bin/own", "later/tool"]) {
    writeFileSync(join(folder, name), "");
    chmodSync(join(folder, name), 0o755);
  }
});

test("a folder of a program's name is none", () => {
  const path = `${join(folder, "bin")}:${join(folder, "later")}`;
  expect(findPrograms("tool", path)).toEqual([join(folder, "later/tool")]);
  expect(findPrograms("tool", join(folder, "bin"))).toEqual([]);
});

test.each<[string, string, string | null]>([
  ["own", "bin", null],
  ["own", "./bin:/nowhere", null],
  ["own", "../bin", "there is no own on PATH"],
  ["own", "", "there is no own on PATH"],
  ["bin/own", "", null],
  ["bin/other", "", "/bin/other"],
])("%s on the PATH '%s' is looked for from its own folder", (program, path, why) => {
  const missing = missingProgram(program, folder, path);
  if (why === null) expect(missing).toBeNull();
  else expect(missing?.why).toContain(why);
});
