// That a build was answered once is remembered, and nobody else's word for it is taken.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeEnvironment } from "../../../test/support/environment.ts";
import { makeFolder } from "../../../test/support/files.ts";
import { makeConfig } from "../../../test/support/samples.ts";
import { askUnchanged } from "./ask-unchanged.ts";

/** By whoever made it; as another user may where everybody may write. */
function asked(mode: number) {
  const cache = makeFolder();
  const answered = join(cache, "answered");
  mkdirSync(answered);
  writeFileSync(join(answered, "a-key"), "");
  chmodSync(answered, mode);
  const project = { root: cache, config: makeConfig(), lockTimeoutMs: 0 };
  const unchanged = [{ service: "api", by: "sources" as const, key: "a-key" }];
  return askUnchanged(project, unchanged, makeEnvironment(cache));
}

test("a service that was answered once is not started again", async () => {
  await asked(0o755);
});

test.each(["777", "1777"])("an answer in a folder of mode %s counts for nothing", async (mode) => {
  await expect(asked(Number.parseInt(mode, 8))).rejects.toThrow(/answered is not used/);
});
