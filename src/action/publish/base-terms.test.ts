import { expect, test } from "vitest";
import { CONFIG, HEAD } from "../../../test/support/action.ts";
import { GitHubError, type GitHubFailure } from "../../github/port.ts";
import { readOwnWaivers } from "./base-terms.ts";

const WAIVED = `${CONFIG}waivers:
  - { metric: p99, scenario: echo, service: api, upTo: 200%, reason: New index, owner: ann, expires: 2099-01-01 }
#`;
const MIB = 2 ** 20;

function waiversOf(file: () => string) {
  const github = { file: async () => new TextEncoder().encode(file()) };
  return readOwnWaivers(github, { head: HEAD, path: "tailgate.yml" });
}

test.each([
  [MIB, 1],
  [MIB + 1, 0],
])("a configuration of %i bytes brings %i waivers", async (bytes, waivers) => {
  expect(await waiversOf(() => WAIVED.padEnd(bytes, "x"))).toHaveLength(waivers);
});

const failing = (reason: GitHubFailure) =>
  waiversOf(() => {
    throw new GitHubError(reason, "no file");
  });

test("a configuration that is too large to be sent brings no waivers", async () => {
  expect(await failing("too-large")).toEqual([]);
});

test.each<GitHubFailure>(["unavailable", "invalid"])(
  "a GitHub that answers %s is an error",
  async (reason) => {
    await expect(failing(reason)).rejects.toThrow("no file");
  },
);
