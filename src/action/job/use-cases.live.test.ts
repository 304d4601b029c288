// What a checkout keeps to log in with, as actions/checkout does and as people do.
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeTestFolder, makeTestRepository } from "../../../test/support/build.ts";
import type { Project } from "../../app/project/project.ts";
import { useCases } from "./use-cases.ts";

const HEADER = ["http.https://github.com/.extraheader", "AUTHORIZATION: basic eA=="] as const;

test.each<[string, string, string, boolean]>([
  ["a token for GitHub", ...HEADER, true],
  ["a token for any server", "http.extraheader", HEADER[1], true],
  ["a token in an address", "remote.origin.url", "https://x:ghs_x@github.com/a/b", true],
  ["a token in place of a name", "remote.origin.url", "https://ghp_x@github.com/a/b", true],
  ["a token by which addresses are replaced", "url.https://x:y@github.com/.insteadOf", "gh:", true],
  ["a key", "core.sshCommand", '"/usr/bin/ssh" -i "$RUNNER_TEMP/a" -o IdentitiesOnly=yes', true],
  ["a way to start ssh", "core.sshCommand", "ssh -o BatchMode=yes", false],
  ["an address", "remote.origin.url", "https://github.com/a/b", false],
  ["an address with a name", "remote.origin.url", "ssh://git@github.com:22/a/b", false],
  ["another's name", "remote.origin.url", "https://ann@example.com/a/b", false],
])("%s in its configuration", async (_, name, value, holds) => {
  using repository = makeTestRepository();
  repository.git("config", name, value);
  const git = await repository.open();
  expect(await useCases.keepsToken({ git } as unknown as Project)).toBe(holds);
});

test.each([true, false])("in a file that its configuration includes: %s", async (holds) => {
  using repository = makeTestRepository();
  using elsewhere = makeTestFolder();
  if (holds) {
    const file = join(elsewhere.path, "git-credentials.config");
    repository.git("config", "--file", file, ...HEADER);
    repository.git("config", `includeIf.gitdir:${repository.path}/.git.path`, file);
  }
  const git = await repository.open();
  expect(await useCases.keepsToken({ git } as unknown as Project)).toBe(holds);
});
