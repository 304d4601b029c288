// The same cases over the real client against two GitHubs that know nothing of each other: our
// fake, which answers as the official description demands, and `emulate`, which others have
// written. What both agree on is not our imagination only.
import { createEmulator, type Emulator } from "emulate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectGitHub } from "../../src/github/client.ts";
import { type GitHub, GitHubError, type GitHubFailure } from "../../src/github/port.ts";
import { openRoute } from "../../src/machine/sys/route.ts";
import { type ServedGitHub, startFakeGitHub } from "./server.ts";
import { all, testClock } from "./testing.ts";

const TOKEN = "robots-token";
const REPOSITORY = "robot/app";

interface Case {
  name: string;
  run(github: GitHub): Promise<void>;
  /**
   * Where `emulate` 0.12.2 does otherwise than GitHub: the case must fail there, or this line is
   * out of date.
   */
  emulateDiffers?: string;
}

async function reasonOf(work: Promise<unknown>): Promise<GitHubFailure | "none"> {
  try {
    await work;
    return "none";
  } catch (thrown) {
    if (thrown instanceof GitHubError) return thrown.reason;
    throw thrown;
  }
}

async function mainSha(github: GitHub): Promise<string> {
  const branch = await github.branch("main");
  if (branch === null) throw new Error("no main branch");
  return branch.sha;
}

/** A branch with one commit on main. */
async function pushed(github: GitHub, branch: string, files: [string, string | null][]) {
  const parent = await mainSha(github);
  const sha = await github.commitFiles({ parent, message: branch, files: new Map(files) });
  await github.pushBranch(branch, sha, { force: false });
  return sha;
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString("utf8");
}

const CASES: readonly Case[] = [
  {
    name: "the repository names its default branch",
    async run(github) {
      expect(await github.repository()).toEqual({ defaultBranch: "main" });
    },
  },
  {
    name: "the token's owner has a login",
    async run(github) {
      expect(await github.whoAmI()).toBe("robot");
    },
  },
  {
    name: "a branch that is not there is null",
    async run(github) {
      expect(await github.branch("none/such")).toBeNull();
    },
  },
  {
    name: "a file is read at a branch and at a commit; none is null",
    async run(github) {
      const sha = await mainSha(github);
      expect(textOf(await github.file("README.md", "main"))).toContain("app");
      expect(textOf(await github.file("README.md", sha))).toContain("app");
      expect(await github.file("absent.yml", "main")).toBeNull();
    },
  },
  {
    name: "a file of a ref that is not there is an error, not null",
    async run(github) {
      expect(await reasonOf(github.file("README.md", "none"))).toBe("not-found");
      expect(await reasonOf(github.file("absent.yml", "none"))).toBe("not-found");
    },
  },
  {
    name: "a commit adds, changes and deletes",
    async run(github) {
      await pushed(github, "changes/one", [
        ["deep/er/new ünïcode.json", '{"é": 1}\n'],
        ["README.md", null],
      ]);
      expect(textOf(await github.file("deep/er/new ünïcode.json", "changes/one"))).toBe(
        '{"é": 1}\n',
      );
      expect(await github.file("README.md", "changes/one")).toBeNull();
      expect(textOf(await github.file("README.md", "main"))).toContain("app");
    },
  },
  {
    name: "a commit names its parents, the first has none, and what is no commit is null",
    async run(github) {
      const main = await mainSha(github);
      const sha = await pushed(github, "changes/child", [["child", "x"]]);
      expect(await github.parentsOf(sha)).toEqual([main]);
      expect(await github.parentsOf(main)).toEqual([]);
      expect(await github.parentsOf("f".repeat(40))).toBeNull();
    },
  },
  {
    name: "a directory is no file",
    async run(github) {
      await pushed(github, "changes/directory", [["folder/file", "x"]]);
      expect(await github.file("folder", "changes/directory")).toBeNull();
    },
  },
  {
    name: "a branch moves forward, and elsewhere only by force",
    async run(github) {
      const first = await pushed(github, "moves", [["a", "1"]]);
      const next = await github.commitFiles({
        parent: first,
        message: "on",
        files: new Map([["a", "2"]]),
      });
      await github.pushBranch("moves", next, { force: false });
      expect(await github.branch("moves")).toEqual({ sha: next });
      await github.pushBranch("moves", next, { force: false });
      const aside = await github.commitFiles({
        parent: await mainSha(github),
        message: "aside",
        files: new Map([["a", "3"]]),
      });
      expect(await reasonOf(github.pushBranch("moves", aside, { force: false }))).toBe("conflict");
      await github.pushBranch("moves", aside, { force: true });
      expect(await github.branch("moves")).toEqual({ sha: aside });
    },
  },
  {
    name: "a folder's files are listed by their paths in it",
    async run(github) {
      const sha = await pushed(github, "folders", [
        ["deep/er/x", "1"],
        ["deep/er/in/y", "2"],
        ["deep/other", "3"],
        ["er/z", "4"],
      ]);
      const paths = async (folder: string) =>
        (await github.tree(sha, folder)).map(({ path }) => path).sort();
      expect(await paths("deep/er")).toEqual(["in/y", "x"]);
      expect(await paths("er")).toEqual(["z"]);
      expect(await github.tree(sha, ".")).toEqual(await github.tree(sha));
      for (const none of ["no", "deep/no", "deep/other"]) expect(await paths(none)).toEqual([]);
    },
  },
  {
    name: "a ref moves from where it is thought to be, forward or not, or stays",
    emulateDiffers: "has no mutations",
    async run(github) {
      const first = await pushed(github, "swaps", [["a", "1"]]);
      const alone = await github.commitFiles({
        parent: first,
        rootless: true,
        message: "alone",
        files: new Map(),
      });
      expect(await github.parentsOf(alone)).toEqual([]);
      expect(await github.tree(alone)).toEqual(await github.tree(first));
      for (const name of ["swaps", "refs/tailgate/swaps"]) {
        if (name !== "swaps") await github.swapBranch(name, { from: null, to: first });
        await github.swapBranch(name, { from: first, to: alone });
        expect(await github.branch(name)).toEqual({ sha: alone });
        for (const from of [first, null]) {
          const late = github.swapBranch(name, { from, to: await mainSha(github) });
          expect(await reasonOf(late)).toBe("conflict");
        }
        expect(await github.branch(name)).toEqual({ sha: alone });
      }
    },
  },
  {
    name: "outside branches a move without force goes anywhere",
    emulateDiffers: "looks whether it is forward",
    async run(github) {
      const here = await pushed(github, "refs/tailgate/anywhere", [["a", "1"]]);
      const main = await mainSha(github);
      await github.pushBranch("refs/tailgate/anywhere", main, { force: false });
      expect(await github.branch("refs/tailgate/anywhere")).toEqual({ sha: main });
      expect(here).not.toBe(main);
    },
  },
  {
    name: "a pull request is opened, found by its branches, and edited",
    async run(github) {
      const sha = await pushed(github, "pull/one", [["b", "1"]]);
      const which = { repository: REPOSITORY, branch: "pull/one", base: "main" };
      expect(await github.openPullRequests(which)).toEqual([]);
      const made = await github.createPullRequest({
        title: "One",
        body: "text",
        head: "pull/one",
        base: "main",
      });
      expect(made).toMatchObject({
        title: "One",
        state: "open",
        head: { sha, ref: "pull/one", repository: REPOSITORY },
        base: { ref: "main", repository: REPOSITORY },
      });
      expect(await github.openPullRequests(which)).toEqual([made]);
      expect(await github.pullRequest(made.number)).toEqual(made);
      expect(await github.openPullRequests({ ...which, base: "other" })).toEqual([]);
      const changed = await github.updatePullRequest(made.number, { title: "Two" });
      expect(changed.title).toBe("Two");
      expect(await github.openPullRequests(which)).toEqual([changed]);
    },
  },
  {
    name: "a pull request's head is where its branch is now",
    emulateDiffers: "keeps the commit of the pull request's making",
    async run(github) {
      await pushed(github, "pull/moved", [["c", "1"]]);
      const made = await github.createPullRequest({
        title: "Moved",
        body: "",
        head: "pull/moved",
        base: "main",
      });
      const parent = await mainSha(github);
      const files = new Map([["c", "2"]]);
      const sha = await github.commitFiles({ parent, message: "again", files });
      await github.pushBranch("pull/moved", sha, { force: true });
      const which = { repository: REPOSITORY, branch: "pull/moved" };
      expect(await github.openPullRequests(which)).toMatchObject([
        { number: made.number, head: { sha } },
      ]);
    },
  },
  {
    name: "a second open pull request of a branch is refused",
    emulateDiffers: "opens another",
    async run(github) {
      await pushed(github, "pull/twice", [["d", "1"]]);
      const request = { title: "Twice", body: "", head: "pull/twice", base: "main" };
      await github.createPullRequest(request);
      expect(await reasonOf(github.createPullRequest(request))).toBe("conflict");
    },
  },
  {
    name: "a pull request from a branch that is not there is refused",
    emulateDiffers: "opens one from the base's commit",
    async run(github) {
      const request = { title: "None", body: "", head: "none", base: "main" };
      expect(await reasonOf(github.createPullRequest(request))).toBe("invalid");
    },
  },
  {
    name: "the owner may write, and who is nobody here may not",
    async run(github) {
      expect(await github.mayWrite("robot")).toBe(true);
      expect(await github.mayWrite("nobody")).toBe(false);
      expect(await github.mayWrite("robot[bot]")).toBe(false);
    },
  },
  {
    name: "a branch and a commit are compared: what the one names, and where the other left it",
    async run(github) {
      const main = await mainSha(github);
      const [ours, theirs] = [
        await pushed(github, "compared/ours", [["f", "1"]]),
        await pushed(github, "compared/theirs", [["g", "1"]]),
      ];
      expect(await github.compare("compared/ours", theirs)).toEqual({
        base: ours,
        mergeBase: main,
      });
      expect(await github.compare(main, theirs)).toEqual({ base: main, mergeBase: main });
      expect(await github.compare("compared/none", theirs)).toBeNull();
      expect(await github.compare("main", "f".repeat(40))).toBeNull();
    },
  },
  {
    name: "what is not there is not found",
    async run(github) {
      expect(await reasonOf(github.pullRequest(9999))).toBe("not-found");
      expect(await reasonOf(github.createComment(9999, "text"))).toBe("not-found");
      expect(await reasonOf(github.updateComment(999_999, "text"))).toBe("not-found");
      expect(await reasonOf(github.workflowRun(9999))).toBe("not-found");
      expect(await reasonOf(github.downloadArtifact(9999, { maxBytes: 10 }))).toBe("not-found");
      expect(await reasonOf(all(github.comments(9999)))).toBe("not-found");
    },
  },
  {
    name: "comments are written, edited, and listed over pages, oldest first",
    async run(github) {
      const { number } = await github.createIssue({ title: "Talk", body: "", labels: [] });
      const first = await github.createComment(number, "first");
      for (let i = 2; i <= 103; i++) await github.createComment(number, `comment ${i}`);
      const edited = await github.updateComment(first.id, "edited, with ünïcode and\nlines");
      expect(edited).toMatchObject({ id: first.id, author: "robot" });
      const bodies = (await all(github.comments(number))).map(({ body }) => body);
      expect(bodies).toHaveLength(103);
      expect(bodies[0]).toBe("edited, with ünïcode and\nlines");
      expect(bodies.slice(1)).toEqual(Array.from({ length: 102 }, (_, i) => `comment ${i + 2}`));
      await github.deleteComment(first.id);
      await github.deleteComment(first.id);
      expect((await all(github.comments(number)))[0]?.body).toBe("comment 2");
    },
  },
  {
    name: "issues are opened, found by label without pull requests, edited and closed",
    async run(github) {
      await pushed(github, "pull/beside", [["e", "1"]]);
      await github.createPullRequest({ title: "P", body: "", head: "pull/beside", base: "main" });
      const one = await github.createIssue({ title: "One", body: "b", labels: ["nightly"] });
      const two = await github.createIssue({ title: "Two", body: "b", labels: ["nightly"] });
      await github.createIssue({ title: "Other", body: "b", labels: ["other"] });
      expect(await all(github.issues({ label: "nightly", state: "open" }))).toEqual([one, two]);
      const closed = await github.updateIssue(one.number, { state: "closed", body: "done" });
      expect(closed).toMatchObject({ state: "closed", title: "One", body: "done" });
      expect(await all(github.issues({ label: "nightly", state: "open" }))).toEqual([two]);
      expect(await all(github.issues({ label: "nightly", state: "closed" }))).toEqual([closed]);
      expect(await all(github.issues({ label: "nightly", state: "all" }))).toHaveLength(2);
    },
  },
  {
    name: "a commit status is set",
    emulateDiffers: "has no statuses",
    async run(github) {
      await github.setStatus(await mainSha(github), {
        state: "success",
        context: "tailgate",
        description: "no regression",
        targetUrl: "https://example.invalid/run",
      });
    },
  },
];

describe("the fake GitHub", () => {
  let fake: ServedGitHub;
  beforeAll(async () => {
    fake = await startFakeGitHub({
      seed: {
        repository: REPOSITORY,
        branches: { main: { "README.md": "# app\n" } },
        tokens: { [TOKEN]: { login: "robot", permissions: "write-all" } },
        collaborators: { robot: "admin" },
      },
    });
  });
  afterAll(() => fake.close());

  for (const { name, run } of CASES) test(name, () => run(connect(fake.url)));

  test("every request and answer was as GitHub's description has it", () => {
    expect(fake.log.length).toBeGreaterThan(100);
    expect(fake.problems()).toEqual([]);
  });

  test("GraphQL knows the owner where /user is closed, as it is to the job's own token", async () => {
    fake.world.tokens.set("job", {
      login: "github-actions[bot]",
      permissions: {},
      mayOpenPullRequests: true,
    });
    expect(await connect(fake.url, "job").whoAmI()).toBe("github-actions[bot]");
  });
});

describe("emulate", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await createEmulator({
      service: "github",
      port: 0,
      seed: {
        tokens: { [TOKEN]: { login: "robot", scopes: ["repo"] } },
        github: {
          users: [{ login: "robot" }],
          repos: [{ owner: "robot", name: "app", auto_init: true }],
        },
      },
    });
  });
  afterAll(() => emulator.close());

  for (const { name, run, emulateDiffers } of CASES) {
    if (emulateDiffers === undefined) test(name, () => run(connect(emulator.url)));
    else {
      test(`differs: ${name} (${emulateDiffers})`, async () => {
        await expect(run(connect(emulator.url))).rejects.toThrow();
      });
    }
  }
});

function connect(apiUrl: string, token = TOKEN): GitHub {
  const clock = testClock();
  const route = openRoute(apiUrl, {});
  return connectGitHub({ token, repository: REPOSITORY, apiUrl, route, clock, log: () => {} });
}
