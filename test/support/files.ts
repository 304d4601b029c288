// Files of tests, and folders that are gone after them.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

export function readText(path: string): string {
  return readFileSync(path, "utf8");
}

/** New, and gone with the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** New, and gone after the tests of the file that asks for it. */
export function sharedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-tests-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
