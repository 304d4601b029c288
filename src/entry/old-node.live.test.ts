// An older Node is told what to do, by a program that asks nothing of it.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const OLD = `data:text/javascript,${encodeURIComponent('Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.19.0"}})')}`;

test("Node 20 is refused with a way out that works anywhere", () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", OLD, resolve(import.meta.dirname, "cli.ts"), "gate"],
    { encoding: "utf8" },
  );
  expect(status).toBe(2);
  expect(stderr).toContain("needs Node 24 or newer, and this is 20.19.0");
  expect(stderr).toMatch(/nodejs\.org.*PATH/);
  // It gates Tailgate itself, and stands in its repository only.
  expect(stderr).not.toContain("scripts/gate");
});
