// Every operation of the client with and without its permission, and what is said when it is
// refused.
import { expect, test } from "vitest";
import { CALLS, failureOf } from "../../test/fake-github/calls.ts";
import { meet, READ_TOKEN, SEED } from "../../test/fake-github/testing.ts";
import { OPERATIONS, permissionYaml } from "./permission.ts";
import type { GitHub, GitHubError, GitHubOperation } from "./port.ts";

const NAMES = Object.keys(CALLS) as GitHubOperation[];

/** All that the API knows, as a token has them when the operation's own one is lacking. */
const EVERYTHING = {
  actions: "write",
  contents: "write",
  issues: "write",
  pull_requests: "write",
  statuses: "write",
} as const;

/** `pull-requests: read` as the API has it. */
function granted(permission: string): [key: string, level: "read" | "write"] {
  const [scope = "", level] = permission.split(": ");
  return [scope.replace("-", "_"), level === "write" ? "write" : "read"];
}

for (const name of NAMES) {
  const { needs } = OPERATIONS[name];
  if (needs === null) {
    test(`${name} needs none`, async () => {
      await using met = await meet({
        token: "bare",
        seed: { ...SEED, tokens: { bare: { permissions: {} } } },
      });
      await CALLS[name](met.github);
    });
    continue;
  }
  test(`${name} without its permission names it and the YAML that grants it`, async () => {
    const permissions: Record<string, "read" | "write"> = { ...EVERYTHING };
    const [key, level] = granted(needs);
    if (level === "read") delete permissions[key];
    else permissions[key] = "read";
    await using met = await meet({
      token: "lacking",
      seed: { ...SEED, tokens: { lacking: { permissions } } },
    });
    if (name === "commitFiles" || name === "pushBranch") {
      await expectRefusal(CALLS_ON_MAIN[name](met.github), name);
    } else await expectRefusal(CALLS[name](met.github), name);
  });
}

/** These read before they write, and what they read must be there. */
const CALLS_ON_MAIN = {
  commitFiles: async (github: GitHub) => {
    const parent = (await github.branch("main"))?.sha ?? "";
    return github.commitFiles({ parent, message: "m", files: new Map([["a", "b"]]) });
  },
  pushBranch: async (github: GitHub) => {
    const sha = (await github.branch("main"))?.sha ?? "";
    return github.pushBranch("new", sha, { force: false });
  },
};

async function expectRefusal(work: Promise<unknown>, name: GitHubOperation): Promise<void> {
  const error = await failureOf(work);
  expect(error.reason).toBe("permission");
  const yaml = permissionYaml(name) ?? "";
  expect(yaml).toMatch(/^permissions:\n {2}[a-z-]+: (read|write)$/);
  expect(error.next).toContain(yaml.replaceAll("\n", "\n    "));
  expect(error.detail).toContain("Resource not accessible by integration");
  // GraphQL does not say what would have done.
  if (name !== "swapBranch") expect(error.detail).toContain("GitHub would accept:");
}

test("each operation of the client is in the tables", async () => {
  await using met = await meet();
  expect(Object.keys(met.github).sort()).toEqual([...NAMES].sort());
  expect(Object.keys(OPERATIONS).sort()).toEqual([...NAMES].sort());
});

test("with its permission alone each operation gets past the guard", async () => {
  for (const name of NAMES) {
    const permissions = Object.fromEntries([OPERATIONS[name].needs ?? []].flat().map(granted));
    await using met = await meet({
      token: "exact",
      seed: { ...SEED, tokens: { exact: { permissions } } },
    });
    const outcome = await CALLS[name](met.github).then(
      () => null,
      (thrown: GitHubError) => thrown.reason,
    );
    expect([name, outcome]).not.toEqual([name, "permission"]);
    expect([name, met.fake.log.some(({ status }) => status === 403 && name !== "whoAmI")]).toEqual([
      name,
      false,
    ]);
  }
});

test("what is to be granted does not take the place of what a job has", async () => {
  await using met = await meet({ token: READ_TOKEN });
  const error = await failureOf(met.github.createComment(42, "text"));
  expect(error.next).toMatch(/^Add it to the job's others .*:\n {4}permissions:\n/);
});

test("a fork's token is told to publish from another job", async () => {
  await using met = await meet({ token: READ_TOKEN });
  const error = await failureOf(met.github.createComment(42, "text"));
  expect(error.next).toContain("workflow_run");
});

test("a token that GitHub does not know", async () => {
  await using met = await meet({ token: "ghs_unknown" });
  const error = await failureOf(met.github.workflowRun(9001));
  expect([error.reason, error.message]).toEqual([
    "permission",
    "GitHub refused to read a workflow run in acme/app: the token is not valid, or no longer",
  ]);
});

test("the setting that keeps GitHub Actions from opening pull requests is named", async () => {
  const tokens = { job: { permissions: "write-all", mayOpenPullRequests: false } } as const;
  await using met = await meet({ token: "job", seed: { ...SEED, tokens } });
  const error = await failureOf(CALLS.createPullRequest(met.github));
  expect(error.reason).toBe("permission");
  expect(error.next).toContain("Allow GitHub Actions to create and approve pull requests");
});
