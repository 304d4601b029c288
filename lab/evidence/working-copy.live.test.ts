import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeTemporaryFolder } from "../../src/machine/sys/files.ts";
import { janitor } from "../../src/machine/sys/janitor.ts";
import { editInto, SERVICES } from "../edit.ts";
import { plantEdit } from "../plants/plants.ts";
import { cloneHead, restoreTree, runProgram } from "./working-copy.ts";

afterAll(() => janitor.cleanUp());

test("an edit is in the working tree alone, new files too, until it is restored", () => {
  const clone = cloneHead();
  const status = () =>
    execFileSync("git", ["status", "--porcelain"], { cwd: clone, encoding: "utf8" });
  for (const service of SERVICES) editInto(clone, plantEdit("leak-2KB", service));
  expect(status()).toContain(" M services/axum-api/src/lib.rs");
  expect(status()).toContain("?? services/axum-api/src/seen.rs");
  expect(status()).toContain("?? services/gin-api/internal/server/seen.go");
  restoreTree(clone);
  expect(status()).toBe("");
});

test("a program is stopped as a signal would stop it, and what it printed is there", async () => {
  const folder = makeTemporaryFolder();
  const script = join(folder, "waits.mjs");
  writeFileSync(
    script,
    `import { writeFileSync } from "node:fs";
process.on("SIGTERM", () => process.exit(7));
setInterval(() => {}, 1000);
process.stdout.write("{}", () => writeFileSync("begun", ""));
`,
  );
  const stopping = new AbortController();
  const running = runProgram(folder, [script], stopping.signal);
  await expect.poll(() => existsSync(join(folder, "begun")), { timeout: 20_000 }).toBe(true);
  stopping.abort();
  expect(await running).toMatchObject({ exitCode: 7, stdout: "{}", tail: ["{}"] });
});
