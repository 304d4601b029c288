// What must be made once only, when GitHub gives no answer before or after it has acted.
import { expect, test } from "vitest";
import { failureOf } from "../../test/fake-github/calls.ts";
import type { Fault, Seed } from "../../test/fake-github/seed.ts";
import { meet, SEED } from "../../test/fake-github/testing.ts";
import type { GitHub } from "./port.ts";

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
