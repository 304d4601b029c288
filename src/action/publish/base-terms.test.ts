import { expect, test } from "vitest";
import { CONFIG, HEAD } from "../../../test/support/action.ts";
import { profileOfSpreads } from "../../../test/support/calibration.ts";
import { configFromText } from "../../app/config/load.ts";
import { profilePath } from "../../app/documents/profile.ts";
import { GitHubError, type GitHubFailure } from "../../github/port.ts";
import { readBaseTerms, readOwnWaivers } from "./base-terms.ts";

const WAIVED = `${CONFIG}waivers:
  - { metric: p99, scenario: echo, service: api, upTo: 200%, reason: New index, owner: ann, expires: 2099-01-01 }
#`;
const MOST_BYTES = 2 ** 18;

function waiversOf(file: () => string) {
  const github = { file: async () => new TextEncoder().encode(file()) };
  return readOwnWaivers(github, { head: HEAD, path: "tailgate.yml" });
}

test.each([
  [MOST_BYTES, 1],
  [MOST_BYTES + 1, 0],
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

test.each(["auto", "10%"])(
  "with a margin of %s the base branch's profile is read only if it is asked",
  async (margin) => {
    const text = `${CONFIG}metrics: { p99: { margin: ${margin} } }\n`;
    const config = configFromText(text, "tailgate.yml");
    const profile = profileOfSpreads(config);
    const files: Record<string, string> = {
      "tailgate.yml": text,
      [profilePath({ root: "", config })]: JSON.stringify(profile),
    };
    const terms = (known: Record<string, string>) => {
      const file = async (path: string, commit: string) => {
        expect(commit).toBe(HEAD);
        const found = known[path];
        return found === undefined ? null : new TextEncoder().encode(found);
      };
      return readBaseTerms({ file, tree: async () => [] }, { commit: HEAD, path: "tailgate.yml" });
    };
    expect((await terms(files)).profile).toEqual(margin === "auto" ? profile : null);
    expect((await terms({ "tailgate.yml": text })).profile).toBeNull();
    const broken = terms({ ...files, [profilePath({ root: "", config })]: "{" });
    if (margin === "auto") await expect(broken).rejects.toThrow("_profile.json");
  },
);
