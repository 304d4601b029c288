// A snapshot file that no test compares with is left over: a run of all tests fails on it, and with
// -u removes it.
import { readdirSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { TestProject } from "vitest/node";

const GOLDEN = resolve(import.meta.dirname, "../golden");
/** Folders that the unit tests leave to others. */
const ELSEWHERE = ["act", "evidence"];

let project: TestProject;

export function setup(started: TestProject): void {
  project = started;
}

export async function teardown(): Promise<void> {
  const { vitest } = project;
  const modules = vitest.state.getTestModules().filter((one) => one.project === project);
  const { testFiles } = await project.globTestFiles();
  const partly =
    vitest.getGlobalTestNamePattern() !== undefined ||
    modules.length < testFiles.length ||
    modules.some((one) => one.state() !== "passed");
  if (partly) return;
  const claimed = new Set(
    modules.flatMap(({ children }) =>
      [...children.allTests()].flatMap((test) => test.meta().snapshots ?? []),
    ),
  );
  const orphans = snapshotFiles().filter((file) => !claimed.has(file));
  if (orphans.length === 0) return;
  const list = orphans.map((file) => `  ${relative(process.cwd(), file)}`).join("\n");
  if (vitest.config.snapshotOptions.updateSnapshot === "all") {
    for (const file of orphans) rmSync(file);
    console.log(`removed, as no test compares with them:\n${list}`);
    return;
  }
  console.error(`FAILED: no test compares with these snapshots; -u removes them:\n${list}`);
  process.exitCode = 1;
}

function snapshotFiles(): string[] {
  return readdirSync(GOLDEN, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !ELSEWHERE.includes(relative(GOLDEN, file).split("/")[0] ?? ""));
}
