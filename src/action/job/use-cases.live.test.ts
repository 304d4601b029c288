// A token that a checkout keeps, as each version of actions/checkout does.
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeTestFolder, makeTestRepository } from "../../../test/support/build.ts";
import type { Project } from "../../app/project/project.ts";
import { useCases } from "./use-cases.ts";

test.each<[string, boolean]>([
  ["nothing", false],
  ["in its own configuration", true],
  ["in a file that its configuration includes", true],
])("%s", async (where, holds) => {
  using repository = makeTestRepository();
  using elsewhere = makeTestFolder();
  const header = "http.https://github.com/.extraheader";
  const value = "AUTHORIZATION: basic eA==";
  if (where.endsWith("own configuration")) repository.git("config", header, value);
  if (where.endsWith("includes")) {
    const file = join(elsewhere.path, "git-credentials.config");
    repository.git("config", "--file", file, header, value);
    repository.git("config", `includeIf.gitdir:${repository.path}/.git.path`, file);
  }
  const git = await repository.open();
  expect(await useCases.keepsToken({ git } as unknown as Project)).toBe(holds);
});
