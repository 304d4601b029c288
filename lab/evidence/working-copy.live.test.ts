import { execFileSync } from "node:child_process";
import { afterAll, expect, test } from "vitest";
import { janitor } from "../../src/machine/sys/janitor.ts";
import { editInto, SERVICES } from "../edit.ts";
import { plantEdit } from "../plants/plants.ts";
import { cloneHead, restoreTree } from "./working-copy.ts";

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
