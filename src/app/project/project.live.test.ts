// What is refused of a configuration's place, and what is said of its content, before anything is
// built.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeEnvironment } from "../../../test/support/environment.ts";
import { silentProgress } from "../progress.ts";
import { openProject } from "./project.ts";

const CONFIGURATION = `version: 1
services:
  api: { run: [node, server.cjs, "{port}"], ready: /healthz }
scenarios:
  hello: { request: GET /, rate: 500/s }
`;

function repository(configuration: string): { folder: string; root: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tailgate-outside-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, "repository");
  mkdirSync(root);
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  for (const path of [folder, root]) writeFileSync(join(path, "tailgate.yml"), configuration);
  return { folder, root };
}

test("a configuration outside the repository is refused by its path", async () => {
  const { folder, root } = repository(CONFIGURATION);
  const open = (config: string) =>
    openProject({ config }, makeEnvironment(root, { cache: folder }));
  await expect(open("../tailgate.yml")).rejects.toThrow(
    `--config: ${join(folder, "tailgate.yml")} is not in the repository ${root}`,
  );
  expect((await open("tailgate.yml")).config.services).toHaveLength(1);
});

test.each([
  ["", []],
  [
    "policy: { looks: [8, 16] }\n",
    ["`policy.looks` is no longer used: remove it from tailgate.yml"],
  ],
])("a key that has no effect is pointed out: %j", async (more, said) => {
  const { folder, root } = repository(CONFIGURATION + more);
  const notes: string[] = [];
  const progress = { ...silentProgress, note: (line: string) => void notes.push(line) };
  await openProject({}, makeEnvironment(root, { cache: folder, progress }));
  expect(notes).toEqual(said);
});
