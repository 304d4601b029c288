// The client against the fake GitHub: every operation's permission, the waits, what must be done once only, and what must
// never be said. A clock that never waits stands in for the real one.
import { describe, expect, test } from "vitest";
import type { Fault, Seed } from "../../test/fake-github/seed.ts";
import {
  all,
  FORK_SHA,
  meet,
  READ_TOKEN,
  SEED,
  WRITE_TOKEN,
} from "../../test/fake-github/testing.ts";
import { connectGitHub } from "./client.ts";
import { OPERATIONS, permissionYaml } from "./permission.ts";
import { type GitHub, GitHubError, type GitHubOperation } from "./port.ts";

async function failureOf(work: Promise<unknown>): Promise<GitHubError> {
  try {
    await work;
  } catch (thrown) {
    if (thrown instanceof GitHubError) return thrown;
    throw thrown;
  }
  throw new Error("it did not fail");
}

const STATUS = {
  state: "success",
  context: "tailgate",
  description: "fine",
  targetUrl: null,
} as const;
const SOME_SHA = "a".repeat(40);

/** How to call each operation so that nothing but its permission can be in the way. */
const CALLS: Readonly<Record<GitHubOperation, (github: GitHub) => Promise<unknown>>> = {
  repository: (github) => github.repository(),
  pullRequest: (github) => github.pullRequest(42),
  pullRequestsOf: (github) => github.pullRequestsOf(FORK_SHA),
  workflowRun: (github) => github.workflowRun(9001),
  artifactsOf: (github) => github.artifactsOf(9001),
  downloadArtifact: (github) => github.downloadArtifact(601, { maxBytes: 100 }),
  comments: (github) => all(github.comments(42)),
  createComment: (github) => github.createComment(42, "text"),
  updateComment: (github) => github.updateComment(502, "text"),
  setStatus: (github) => github.setStatus(FORK_SHA, STATUS),
  file: (github) => github.file("tailgate.yml", "main"),
  branch: (github) => github.branch("main"),
  parentsOf: (github) => github.parentsOf(SOME_SHA),
  commitFiles: (github) =>
    github.commitFiles({ parent: SOME_SHA, message: "m", files: new Map([["a", "b"]]) }),
  pushBranch: (github) => github.pushBranch("new", SOME_SHA, { force: false }),
  openPullRequests: (github) => github.openPullRequests({ headBranch: "new", base: "main" }),
  createPullRequest: (github) =>
    github.createPullRequest({ title: "t", body: "b", head: "new", base: "main" }),
  updatePullRequest: (github) => github.updatePullRequest(42, { title: "t" }),
  issues: (github) => all(github.issues({ label: "perf", state: "open" })),
  createIssue: (github) => github.createIssue({ title: "t", body: "b", labels: [] }),
  updateIssue: (github) => github.updateIssue(7, { state: "closed" }),
  whoAmI: (github) => github.whoAmI(),
};
const NAMES = Object.keys(CALLS) as GitHubOperation[];

describe("permissions", () => {
  /** All that the API knows, as a token has them when the operation's own one is lacking. */
  const EVERYTHING = {
    actions: "write",
    contents: "write",
    issues: "write",
    pull_requests: "write",
    statuses: "write",
  } as const;

  for (const name of NAMES) {
    const { needs } = OPERATIONS[name];
    if (needs.length === 0) {
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
      for (const { scope, level } of needs) {
        const key = scope.replace("-", "_");
        if (level === "read") delete permissions[key];
        else permissions[key] = "read";
      }
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
    expect(error.detail).toContain("GitHub would accept:");
  }

  test("each operation of the client is in the tables", async () => {
    await using met = await meet();
    expect(Object.keys(met.github).sort()).toEqual([...NAMES].sort());
    expect(Object.keys(OPERATIONS).sort()).toEqual([...NAMES].sort());
  });

  test("with its permission alone each operation gets past the guard", async () => {
    for (const name of NAMES) {
      const permissions = Object.fromEntries(
        OPERATIONS[name].needs.map(({ scope, level }) => [scope.replace("-", "_"), level]),
      );
      await using met = await meet({
        token: "exact",
        seed: { ...SEED, tokens: { exact: { permissions } } },
      });
      const outcome = await CALLS[name](met.github).then(
        () => null,
        (thrown: GitHubError) => thrown.reason,
      );
      expect([name, outcome]).not.toEqual([name, "permission"]);
      expect([
        name,
        met.fake.log.some(({ status }) => status === 403 && name !== "whoAmI"),
      ]).toEqual([name, false]);
    }
  });

  test("a fork's token is told to publish from another job", async () => {
    await using met = await meet({ token: READ_TOKEN });
    const error = await failureOf(met.github.createComment(42, "text"));
    expect(error.next).toContain("workflow_run");
  });

  test("a token that GitHub does not know", async () => {
    await using met = await meet({ token: "ghs_unknown" });
    const error = await failureOf(met.github.pullRequest(42));
    expect([error.reason, error.message]).toEqual([
      "permission",
      "GitHub refused to read a pull request in acme/app: the token is not valid, or no longer",
    ]);
  });

  test("the setting that keeps GitHub Actions from opening pull requests is named", async () => {
    const tokens = { job: { permissions: "write-all", mayOpenPullRequests: false } } as const;
    await using met = await meet({ token: "job", seed: { ...SEED, tokens } });
    const error = await failureOf(CALLS.createPullRequest(met.github));
    expect(error.reason).toBe("permission");
    expect(error.next).toContain("Allow GitHub Actions to create and approve pull requests");
  });
});

describe("faults", () => {
  interface Case {
    name: string;
    faults: Partial<Fault>[];
    /** The operation succeeds after these waits, or fails for this reason. */
    outcome: { waitsMs: number[] } | { reason: string; requests: number };
    call?: (github: GitHub) => Promise<unknown>;
  }

  const status = (code: number): Fault["do"] => ({
    kind: "status",
    status: code,
    message: "m",
    headers: {},
  });
  const CASES: readonly Case[] = [
    {
      name: "a 502 is tried again",
      faults: [{ do: status(502) }],
      outcome: { waitsMs: [750] },
    },
    {
      name: "five in a row are outlasted",
      faults: [{ do: status(503), times: 5 }],
      outcome: { waitsMs: [750, 1500, 3000, 6000, 12_000] },
    },
    {
      name: "six are not",
      faults: [{ do: status(503), times: 6 }],
      outcome: { reason: "unavailable", requests: 6 },
    },
    {
      name: "a closed connection is tried again",
      faults: [{ do: { kind: "drop" } }],
      outcome: { waitsMs: [750] },
    },
    {
      name: "half an answer is tried again",
      faults: [{ do: { kind: "truncate" } }],
      outcome: { waitsMs: [750] },
    },
    {
      name: "an edit may be made twice",
      faults: [{ do: { kind: "drop-after" } }],
      outcome: { waitsMs: [750] },
      call: CALLS.updateComment,
    },
    {
      name: "so may a status",
      faults: [{ do: { kind: "status-after", status: 502 } }],
      outcome: { waitsMs: [750] },
      call: CALLS.setStatus,
    },
    {
      name: "a secondary limit is waited for as long as GitHub asks",
      faults: [{ do: { kind: "secondary-limit", retryAfterSeconds: 17 } }],
      outcome: { waitsMs: [17_000] },
    },
    {
      name: "without a time, for minutes that double",
      faults: [{ do: { kind: "secondary-limit", retryAfterSeconds: null }, times: 2 }],
      outcome: { waitsMs: [60_000, 120_000] },
    },
    {
      name: "a limit of rate stops a creation before it is made, so it is made after the wait",
      faults: [{ method: "POST", do: { kind: "secondary-limit", retryAfterSeconds: 3 } }],
      outcome: { waitsMs: [3000] },
      call: CALLS.createComment,
    },
    {
      name: "a limit that lasts longer than an operation may is said at once",
      faults: [{ do: { kind: "secondary-limit", retryAfterSeconds: 301 } }],
      outcome: { reason: "rate-limited", requests: 1 },
    },
    {
      name: "so is a primary limit whose reset is far",
      faults: [{ do: { kind: "primary-limit", resetSeconds: 3000 } }],
      outcome: { reason: "rate-limited", requests: 1 },
    },
    {
      name: "limits that never end do",
      faults: [{ do: { kind: "secondary-limit", retryAfterSeconds: 1 }, times: null }],
      outcome: { reason: "rate-limited", requests: 6 },
    },
    {
      name: "409 is told",
      faults: [{ do: status(409) }],
      outcome: { reason: "conflict", requests: 1 },
    },
    {
      name: "413 is told",
      faults: [{ do: status(413) }],
      outcome: { reason: "too-large", requests: 1 },
    },
    {
      name: "422 is told",
      faults: [{ do: status(422) }],
      outcome: { reason: "invalid", requests: 1 },
    },
    {
      name: "a page that is no JSON is no answer",
      faults: [{ do: { kind: "body", status: 200, body: "<html>Sign in</html>" } }],
      outcome: { reason: "unavailable", requests: 1 },
    },
    {
      name: "JSON of another shape is no answer",
      faults: [{ do: { kind: "body", status: 200, body: '{"number": "42"}' } }],
      outcome: { reason: "unavailable", requests: 1 },
    },
  ];

  for (const { name, faults, outcome, call = CALLS.pullRequest } of CASES) {
    test(name, async () => {
      await using met = await meet({ faults });
      if ("waitsMs" in outcome) {
        await call(met.github);
        expect(met.clock.waitsMs).toEqual(outcome.waitsMs);
        expect(met.lines).toHaveLength(outcome.waitsMs.length);
      } else {
        const error = await failureOf(call(met.github));
        expect([error.reason, met.fake.log.length]).toEqual([outcome.reason, outcome.requests]);
      }
    });
  }

  test("a primary limit is waited for until its reset", async () => {
    await using met = await meet({ faults: [{ do: { kind: "primary-limit", resetSeconds: 40 } }] });
    await met.github.pullRequest(42);
    const [waitMs = 0] = met.clock.waitsMs;
    // Reset and date are whole seconds, a second apart at most.
    expect(waitMs).toBeGreaterThanOrEqual(40_000);
    expect(waitMs).toBeLessThanOrEqual(42_000);
  });

  test("an address where nobody listens is told, after all attempts", async () => {
    const met = await meet();
    await met[Symbol.asyncDispose]();
    const error = await failureOf(met.github.createComment(42, "text"));
    expect(error.reason).toBe("unavailable");
    expect(error.detail).toContain("ECONNREFUSED");
    expect(met.clock.waitsMs).toHaveLength(5);
  });

  test("what is sent when nobody answers is cut off in time", async () => {
    await using met = await meet();
    let asked = 0;
    const github = connectGitHub({
      token: WRITE_TOKEN,
      repository: "acme/app",
      apiUrl: met.fake.url,
      clock: met.clock,
      log: () => {},
      fetch: async (_, init) => {
        asked++;
        expect(init?.signal).toBeInstanceOf(AbortSignal);
        throw new DOMException("The operation was aborted due to timeout", "TimeoutError");
      },
    });
    const error = await failureOf(github.pullRequest(42));
    expect([error.reason, asked]).toEqual(["unavailable", 6]);
    expect(error.detail).toContain("no answer within 30 s");
  });
});

describe("once only", () => {
  const LOST: readonly Fault["do"][] = [
    { kind: "drop" },
    { kind: "drop-after" },
    { kind: "status", status: 502, message: "m", headers: {} },
    { kind: "status-after", status: 502 },
    { kind: "truncate" },
  ];
  interface Case {
    what: string;
    path: string;
    create(github: GitHub): Promise<unknown>;
    count(state: Awaited<ReturnType<typeof meet>>["fake"]["world"]): number;
  }
  const CASES: readonly Case[] = [
    {
      what: "a comment",
      path: "/comments$",
      create: (github) => github.createComment(42, "<!-- marker -->\r\nresult\n"),
      count: ({ comments }) => comments.filter(({ body }) => body.includes("result")).length,
    },
    {
      what: "an issue",
      path: "/issues$",
      create: (github) => github.createIssue({ title: "Red", body: "text", labels: ["perf"] }),
      count: ({ issues }) => issues.filter(({ title }) => title === "Red").length,
    },
    {
      what: "a pull request",
      path: "/pulls$",
      create: async (github) => {
        const parent = (await github.branch("main"))?.sha ?? "";
        const files = new Map([["baselines/api.json", "{}"]]);
        const sha = await github.commitFiles({ parent, message: "m", files });
        await github.pushBranch("tailgate/baselines", sha, { force: true });
        const request = { title: "t", body: "b", head: "tailgate/baselines", base: "main" };
        return github.createPullRequest(request);
      },
      count: ({ pullRequests }) =>
        pullRequests.filter(({ head }) => head.ref === "tailgate/baselines").length,
    },
    {
      what: "a branch",
      path: "/git/refs$",
      create: async (github) => {
        const sha = (await github.branch("main"))?.sha ?? "";
        await github.pushBranch("new", sha, { force: false });
        expect(await github.branch("new")).toEqual({ sha });
      },
      count: () => 1,
    },
  ];

  for (const { what, path, create, count } of CASES) {
    for (const fault of LOST) {
      test(`${what} after ${fault.kind}`, async () => {
        await using met = await meet({ faults: [{ method: "POST", path, do: fault }] });
        await create(met.github);
        expect(count(met.fake.world)).toBe(1);
        expect(met.fake.log.filter((one) => one.fault !== null)).toHaveLength(1);
      });
    }
  }

  test("what another has written in the same words is not ours", async () => {
    const seed: Seed = {
      ...SEED,
      comments: [{ issue: 42, body: "same", author: "mallory", createdAt: "2026-11-21T11:59:00Z" }],
    };
    await using met = await meet({
      seed,
      faults: [{ method: "POST", path: "/comments$", do: { kind: "drop" } }],
    });
    const made = await met.github.createComment(42, "same");
    expect(made.author).toBe("github-actions[bot]");
    expect(met.fake.world.comments).toHaveLength(2);
  });

  test("when the look fails too, nothing more is sent and the doubt is told", async () => {
    await using met = await meet({
      faults: [
        { method: "POST", path: "/comments$", do: { kind: "drop-after" } },
        { method: "GET", path: "/comments", times: null, do: { kind: "drop" } },
      ],
    });
    const error = await failureOf(met.github.createComment(42, "text"));
    expect(error.reason).toBe("unavailable");
    expect(error.message).toContain("or it was done");
    expect(error.next).toContain("Look on GitHub");
    const posts = met.fake.log.filter(
      ({ method, path }) => method === "POST" && /comments$/.test(path),
    );
    expect(posts).toHaveLength(1);
  });

  test("a creation that never gets an answer ends, and is looked for each time", async () => {
    await using met = await meet({
      faults: [{ method: "POST", path: "/comments$", times: null, do: { kind: "drop" } }],
    });
    const error = await failureOf(met.github.createComment(42, "text"));
    expect(error.reason).toBe("unavailable");
    const asked = met.fake.log.filter(({ path }) => /comments/.test(path));
    expect(asked.map(({ method }) => method).join(" ")).toBe(
      "POST GET POST GET POST GET POST GET POST GET POST",
    );
  });

  test("a refusal is final and is not looked for", async () => {
    await using met = await meet();
    expect((await failureOf(met.github.createComment(999, "text"))).reason).toBe("not-found");
    expect(met.fake.log).toHaveLength(1);
  });
});

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
    const github = connectGitHub({
      token: WRITE_TOKEN,
      repository: "acme/app",
      apiUrl: met.fake.url,
      clock: met.clock,
      log: () => {},
      fetch: async () => new Response(body()),
    });
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
      { kind: "body", status: 200, body: JSON.stringify({ number: echo }) },
      { kind: "body", status: 200, body: echo },
      { kind: "drop" },
    ];
    for (const fault of kinds) {
      await using met = await meet({ faults: [{ times: null, do: fault }] });
      const error = await failureOf(met.github.pullRequest(42));
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
    const github = connectGitHub({
      token: WRITE_TOKEN,
      repository: "acme/app",
      apiUrl: "https://api.github.com",
      clock: met.clock,
      log: () => {},
      fetch: async () =>
        new Response("[]", { headers: { link: '<https://evil.invalid/x>; rel="next"' } }),
    });
    const error = await failureOf(all(github.comments(42)));
    expect(error.detail).toContain("not at the API's address");
  });
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

test("a fork's pull request is found by its commit among all open ones", async () => {
  const pullRequests = Array.from({ length: 150 }, (_, i) => ({
    number: 100 + i,
    head: { repository: "fork/app", ref: `b${i}`, sha: i === 3 ? FORK_SHA : SOME_SHA },
    base: { sha: SOME_SHA },
  }));
  await using met = await meet({ seed: { ...SEED, pullRequests } });
  const found = await met.github.pullRequestsOf(FORK_SHA);
  expect(found.map(({ number }) => number)).toEqual([103]);
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
