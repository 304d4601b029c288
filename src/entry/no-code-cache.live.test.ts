// Compiled code that lies in a folder for all users may be anybody's: none is kept, and none is run.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../test/support/files.ts";

test.each([
  ["cli.ts", "--help", 0],
  ["action.ts", "", 1],
])(
  "%s %s leaves nothing in the temporary folder, and looks for nothing there",
  (entry, word, code) => {
    const folder = makeFolder();
    const { status } = spawnSync(process.execPath, [resolve(import.meta.dirname, entry), word], {
      env: { PATH: process.env.PATH, TMPDIR: folder, INPUT_COMPARE: "nothing" },
    });
    expect(status).toBe(code);
    expect(readdirSync(folder)).toEqual([]);
  },
);
