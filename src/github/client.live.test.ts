// The client against the fake GitHub: artifacts, sizes, pages, and what must never be said.
import { describe, expect, test } from "vitest";
import { failureOf, SOME_SHA, STATUS } from "../../test/fake-github/calls.ts";
import type { Fault } from "../../test/fake-github/seed.ts";
import { all, FORK_SHA, meet, SEED, WRITE_TOKEN } from "../../test/fake-github/testing.ts";
import { openRoute } from "../machine/sys/route.ts";
import { connectGitHub } from "./client.ts";
import { GitHubError } from "./port.ts";

describe("artifacts", () => {
  test("the bytes come from behind the redirect, and the token stays before it", async () => {
    await using met = await meet();
    const bytes = await met.github.downloadArtifact(601, { maxBytes: 5 });
    expect(Buffer.from(bytes).toString()).toBe("a zip");
    expect(met.fake.log.map(({ path, hasToken }) => [path, hasToken])).toEqual([
      ["/repos/acme/app/actions/artifacts/601/zip", true],
      ["/_blob/601?sig=secret", false],
    ]);
  });

  test("reading stops at the limit", async () => {
    await using met = await meet();
    const error = await failureOf(met.github.downloadArtifact(601, { maxBytes: 4 }));
    expect(error.reason).toBe("too-large");
  });

  test("reading stops at the limit when the length is not said", async () => {
    await using met = await meet();
    let pulled = 0;
    const body = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          pulled++;
          if (pulled > 50) controller.close();
          else controller.enqueue(new Uint8Array(1000));
        },
      });
    const github = met.connect({ fetch: async () => new Response(body()) });
    const error = await failureOf(github.downloadArtifact(601, { maxBytes: 10_000 }));
    expect(error.reason).toBe("too-large");
    expect(pulled).toBeLessThan(15);
  });

  test("a store that fails is asked again from the start", async () => {
    await using met = await meet({ faults: [{ path: "^/_blob/", do: { kind: "truncate" } }] });
    const bytes = await met.github.downloadArtifact(601, { maxBytes: 100 });
    expect(bytes).toHaveLength(5);
    expect(met.fake.log).toHaveLength(4);
  });

  test("one that has expired is gone", async () => {
    await using met = await meet();
    const error = await failureOf(met.github.downloadArtifact(602, { maxBytes: 100 }));
    expect([error.reason, error.next]).toEqual([
      "not-found",
      "It is gone for good: expired, deleted, or switched off.",
    ]);
  });
});

describe("secrets", () => {
  test("neither the token nor a signed address is in any message or line", async () => {
    const echo = `you sent ${WRITE_TOKEN}`;
    const kinds: Fault["do"][] = [
      { kind: "status", status: 403, message: echo, headers: {} },
      { kind: "status", status: 422, message: echo, headers: {} },
      { kind: "status", status: 500, message: echo, headers: {} },
      { kind: "body", status: 200, body: JSON.stringify({ id: echo }) },
      { kind: "body", status: 200, body: echo },
      { kind: "drop" },
    ];
    for (const fault of kinds) {
      await using met = await meet({ faults: [{ times: null, do: fault }] });
      const error = await failureOf(met.github.workflowRun(9001));
      const said = [error.message, error.detail, error.next, error.stack, ...met.lines].join("\n");
      expect(said).not.toContain(WRITE_TOKEN);
    }
    await using met = await meet({
      faults: [{ path: "^/_blob/", times: null, do: { kind: "drop" } }],
    });
    const error = await failureOf(met.github.downloadArtifact(601, { maxBytes: 100 }));
    expect([error.message, error.detail, ...met.lines].join("\n")).not.toContain("sig=");
  });

  const WRONG: readonly [name: string, given: Partial<Parameters<typeof connectGitHub>[0]>][] = [
    ["an empty token", { token: "" }],
    ["a token with a line end", { token: "ghs_secret\nx" }],
    ["a repository without an owner", { repository: "app" }],
    ["a repository that leads elsewhere", { repository: "../../user" }],
    ["an address of another kind", { apiUrl: "file:///etc/passwd" }],
  ];
  for (const [name, given] of WRONG) {
    test(`${name} is refused before anything is sent`, () => {
      const options = {
        token: WRITE_TOKEN,
        repository: "acme/app",
        apiUrl: "https://api.github.com",
        route: openRoute("https://api.github.com", {}),
        clock: { nowMs: () => 0, wallTime: () => "", sleep: async () => {} },
        log: () => {},
        fetch: () => Promise.reject(new Error("sent")),
        ...given,
      };
      expect(() => connectGitHub(options)).toThrow(GitHubError);
      expect(() => connectGitHub(options)).not.toThrow(/ghs_/);
    });
  }

  test("a next page elsewhere is not fetched", async () => {
    await using met = await meet();
    const github = met.connect({
      apiUrl: "https://api.github.com",
      fetch: async () =>
        new Response("[]", { headers: { link: '<https://evil.invalid/x>; rel="next"' } }),
    });
    const error = await failureOf(all(github.comments(42)));
    expect(error.detail).toContain("not at the API's address");
  });
});

test("commits are compared although GitHub cannot make their diff", async () => {
  await using met = await meet();
  const message = "Server Error: Sorry, this diff is taking too long to generate.";
  const github = met.connect({
    fetch: async (url, init) =>
      new URL(String(url)).searchParams.get("page") === "2"
        ? await fetch(url, init)
        : Response.json({ message }, { status: 500 }),
  });
  const main = (await met.github.branch("main"))?.sha;
  expect(await github.compare("main", "main")).toEqual({ base: main, mergeBase: main });
});

test("a tree has its files and, by their commits, its submodules", async () => {
  await using met = await meet();
  const tree = [
    { path: "api", type: "tree", sha: "1".repeat(40) },
    { path: "api/server.mjs", type: "blob", sha: "2".repeat(40) },
    { path: "api/vendored", type: "commit", sha: "3".repeat(40) },
  ];
  const github = met.connect({ fetch: async () => Response.json({ tree, truncated: false }) });
  const found = await github.tree("main");
  expect(found.map(({ path }) => path)).toEqual(["api/server.mjs", "api/vendored"]);
});

test("nothing longer than GitHub takes is sent", async () => {
  await using met = await meet();
  const long = "x".repeat(65_537);
  const works = [
    met.github.createComment(42, long),
    met.github.updateComment(502, long),
    met.github.createIssue({ title: "t", body: long, labels: [] }),
    met.github.updateIssue(7, { title: "x".repeat(257) }),
    met.github.createPullRequest({ title: "t", body: long, head: "a", base: "main" }),
    met.github.updatePullRequest(42, { body: long }),
    met.github.setStatus(FORK_SHA, { ...STATUS, description: "x".repeat(141) }),
  ];
  for (const work of works) expect((await failureOf(work)).reason).toBe("too-large");
  expect(met.fake.log).toEqual([]);
});

test("a GitHub Enterprise Server has REST at /api/v3, and GraphQL beside it", async () => {
  await using met = await meet();
  const asked: string[] = [];
  const github = met.connect({
    apiUrl: "https://github.invalid/api/v3",
    fetch: (url, init) => {
      asked.push(String(url));
      return fetch(String(url).replace(/^.*\/api(\/v3)?/, met.fake.url), init);
    },
  });
  await github.whoAmI();
  await github.repository();
  expect(asked).toEqual([
    "https://github.invalid/api/graphql",
    "https://github.invalid/api/v3/repos/acme/app",
  ]);
});

test("a fork's pull request is found by its branch, in one request however many are open", async () => {
  const pullRequests = Array.from({ length: 150 }, (_, i) => ({
    number: 100 + i,
    head: { repository: "fork/app", ref: `b${i}`, sha: SOME_SHA },
    base: { sha: SOME_SHA },
  }));
  await using met = await meet({ seed: { ...SEED, pullRequests } });
  const found = await met.github.openPullRequests({ repository: "fork/app", branch: "b3" });
  expect(found.map(({ number }) => number)).toEqual([103]);
  expect(met.fake.log).toHaveLength(1);
});

test("the workflow's path is told without its ref, and another file does not pass for it", async () => {
  const paths: [string, string][] = [
    [".github/workflows/gate.yml", ".github/workflows/gate.yml"],
    [".github/workflows/gate.yml@refs/heads/main", ".github/workflows/gate.yml"],
    [".github/workflows/gate.yml@other.yml", ".github/workflows/gate.yml@other.yml"],
    [".github/workflows/gate.yml@other.yml@main", ".github/workflows/gate.yml@other.yml"],
  ];
  for (const [path, expected] of paths) {
    const run = { id: 1, path, headSha: FORK_SHA, headBranch: null, headRepository: null };
    await using met = await meet({ seed: { ...SEED, runs: [run] } });
    expect((await met.github.workflowRun(1)).path).toBe(expected);
  }
});

test("all of a run's artifacts are listed, over pages", async () => {
  const artifacts = Array.from({ length: 130 }, (_, i) => ({
    id: i + 1,
    run: 9001,
    name: `a${i}`,
  }));
  await using met = await meet({ seed: { ...SEED, artifacts } });
  expect(await met.github.artifactsOf(9001)).toHaveLength(130);
});

test("a file of more than 1 MB comes whole", async () => {
  const text = "0123456789abcdef\n".repeat(100_000);
  await using met = await meet({ seed: { ...SEED, branches: { main: { "big.json": text } } } });
  const bytes = await met.github.file("big.json", "main");
  expect(Buffer.from(bytes ?? []).toString()).toBe(text);
});
