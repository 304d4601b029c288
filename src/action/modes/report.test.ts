// A whole step with `mode: report` against a GitHub in memory: what is published, for whom, and
// what happens when it cannot be.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { expect, onTestFinished, test, vi } from "vitest";
import type { PullRequest, Run } from "../../../test/fake-github/world.ts";
import {
  BASE,
  CONFIG,
  FakeGitHub,
  FORK,
  freshForEach,
  github,
  HEAD,
  MERGE,
  REGRESSED,
  runStep,
  type Step,
  sampled,
  urlOf,
} from "../../../test/support/action.ts";
import { makeArtifact } from "../../../test/support/artifact.ts";
import { checkHarmless } from "../../../test/support/harmless.ts";
import { hostileArtifact } from "../../../test/support/hostile-artifact.ts";
import { HOSTILE_TEXTS } from "../../../test/support/hostile-text.ts";
import { configFromText } from "../../app/config/load.ts";
import { recordBaseline } from "../../core/baseline/record.ts";
import * as markdown from "../../core/report/gate/markdown.ts";
import * as comment from "../../core/report/pull-request/comment.ts";
import * as untrusted from "../../core/untrusted/verdict-for-base.ts";
import type { GitHubOperation } from "../../github/port.ts";
import { useCases } from "../job/use-cases.ts";
import * as naming from "../publish/name-sources.ts";
import * as conclusions from "../publish/verdict-conclusion.ts";

freshForEach();

const report = (inputs: Record<string, string> = {}, abort = new AbortController()) =>
  runStep({
    event: "workflow-run",
    inputs: { mode: "report", ...inputs },
    abort,
  });

function statuses(): [string, string][] {
  return github.statuses.map(({ state, sha }) => [state, sha]);
}

test("a pass from a fork: one comment, one status, and a note on where the numbers come from", async () => {
  const { conclusion, runner } = await report();
  expect(conclusion).toMatchObject({
    state: "success",
    headline: expect.stringMatching(/published: PASS/),
  });
  expect(runner.outputs).toMatchObject({ verdict: "pass", comment: urlOf(github.comments[0]) });
  expect(github.comments[0]?.body).toMatch(
    /PASS[\s\S]*attested by the pull request's own job[\s\S]*\[Samples\]\(<\S+\/artifacts\/\d+>\)/,
  );
  expect(statuses()).toEqual([["success", HEAD]]);
  expect(github.statuses[0]?.context).toBe("tailgate/default");
});

test("a regression is published, and the job that publishes is green", async () => {
  github.artifact = makeArtifact(sampled(REGRESSED));
  const { conclusion, runner } = await report();
  expect(conclusion.state).toBe("success");
  expect(runner.outputs.verdict).toBe("regressed");
  expect(statuses()).toEqual([["failure", HEAD]]);
});

test.each<[string, Partial<Step>, string]>([
  ["report", { event: "workflow-run" }, "published: PASS"],
  [
    "request",
    { event: "issue-comment", payload: { comment: { body: `/tailgate --commit ${HEAD}` } } },
    "all services of commit",
  ],
])("`mode: %s` checks out, builds and starts nothing", async (mode, step, done) => {
  const started: string[] = [];
  const tell = () => started.push("a process");
  subscribe("child_process", tell);
  onTestFinished(() => void unsubscribe("child_process", tell));
  const refusing = Object.keys(useCases).map((name) => [name, () => started.push(name)]);
  const { conclusion } = await runStep({
    event: "workflow-run",
    ...step,
    inputs: { mode },
    useCases: Object.fromEntries(refusing),
  });
  expect(conclusion.headline).toContain(done);
  expect(started).toEqual([]);
});

test("limits loosened in the pull request have no effect", async () => {
  const samples = sampled(REGRESSED);
  const { policy } = samples.config;
  const metrics = policy.metrics.map((one) => ({ ...one, floor: 10, margin: 10 }));
  github.artifact = makeArtifact({
    ...samples,
    config: { ...samples.config, policy: { ...policy, metrics } },
  });
  await report();
  expect(statuses()).toEqual([["failure", HEAD]]);
});

const WAIVED = `${CONFIG}waivers:
  - { metric: p99, scenario: echo, service: api, upTo: 200%, reason: New index, owner: ann, expires: 2099-01-01 }
`;

test.each([
  ["the repository, in its configuration", "acme/shop", WAIVED, "success"],
  ["the repository, only in the artifact", "acme/shop", CONFIG, "failure"],
  ["the repository, in a configuration that is wrong", "acme/shop", "services: 1", "failure"],
  ["the repository, where a folder is now", "acme/shop", null, "failure"],
  ["a fork", FORK, WAIVED, "failure"],
])("a waiver that comes from %s", async (_, repository, file, ends) => {
  github.run = { ...github.run, headRepository: repository };
  github.pullRequests = github.pullRequests.map((one) => ({
    ...one,
    head: { ...one.head, repository },
  }));
  github.put(HEAD, { [`tailgate.yml${file === null ? "/x" : ""}`]: file ?? "" });
  const samples = sampled(REGRESSED);
  const { waivers } = configFromText(WAIVED, "tailgate.yml");
  github.artifact = makeArtifact({ ...samples, config: { ...samples.config, waivers } });
  await report();
  expect(statuses()).toEqual([[ends, HEAD]]);
});

test("request bodies are read from the base branch; a changed body is a changed workload", async () => {
  const withBody = CONFIG.replace(
    "request: GET /echo",
    "request: { method: POST, path: /echo, bodyFile: bodies/echo.json }",
  );
  github.put(BASE, { "tailgate.yml": withBody, "bodies/echo.json": '{"a":1}' });
  const { runner } = await report();
  expect(runner.outputs.verdict).toBe("invalid");
  expect(statuses()).toEqual([["error", HEAD]]);
});

test("a merge group has a status and no comment", async () => {
  github.run = {
    ...github.run,
    event: "merge_group",
    headBranch: `gh-readonly-queue/main/pr-12-${BASE}`,
    headRepository: "acme/shop",
  };
  const samples = sampled();
  const candidate = { ...samples.sources.candidate, commit: HEAD };
  github.artifact = makeArtifact({ ...samples, sources: { ...samples.sources, candidate } });
  await report();
  expect(statuses()).toEqual([["success", HEAD]]);
  expect(github.asked).not.toContain("comments");
});

test.each<[string, Partial<Run>, RegExp]>([
  ["cancelled", { conclusion: "cancelled" }, /CANCELLED[\s\S]*timeout-minutes/],
  ["timed out", { conclusion: "timed_out" }, /TIMED OUT/],
  ["failed", { conclusion: "failure" }, /DID NOT FINISH/],
  ["ended well", { conclusion: "success" }, /NO RESULT/],
])("a run that %s and handed nothing over: no verdict, and never a pass", async (_, run, words) => {
  github.artifact = null;
  Object.assign(github.run, run);
  const { conclusion, runner } = await report();
  expect(conclusion.state).toBe("success");
  expect(runner.outputs.verdict).toBe("error");
  expect(github.comments[0]?.body).toMatch(words);
  expect(statuses()).toEqual([["error", HEAD]]);
});

test.each(["success", "failure"])(
  "an artifact of another name is told of, with what to write: a run that ended as %s",
  async (conclusion) => {
    github.artifact = null;
    github.run.conclusion = conclusion;
    github.upload(4, "perf-report");
    github.upload(5, "perf");
    await report();
    const [comment] = github.comments;
    expect(comment?.body).toContain(
      '**the run has no artifact named "tailgate"; it has "perf-report", "perf"**',
    );
    expect(comment?.body).toContain("with:\n  mode: report\n  artifact-name: perf\n");
  },
);

test.each<[string, () => void]>([
  ["listed as expired", () => github.expire()],
  [
    "gone",
    () => {
      github.failing = { operation: "downloadArtifact", reason: "not-found" };
    },
  ],
])("an artifact that is %s is told of", async (_, arrange) => {
  arrange();
  const { conclusion } = await report();
  expect(conclusion.state).toBe("success");
  expect(github.comments[0]?.body).toContain("RESULT EXPIRED");
  expect(github.comments[0]?.body).toContain("retention-days");
  expect(statuses()).toEqual([["error", HEAD]]);
});

test.each<[string, () => Uint8Array]>([
  ["no zip at all", () => Buffer.from("hello")],
  ["of another commit", () => makeArtifact(otherCommit())],
  ["of what is no commit", () => makeArtifact(otherCommit("d".repeat(64)))],
  ["held against another commit", () => makeArtifact(otherReference())],
])("an artifact %s is refused in words", async (_, artifact) => {
  github.artifact = artifact();
  const { conclusion } = await report();
  expect(conclusion.state).toBe("success");
  expect(github.comments[0]?.body).toContain("RESULT REFUSED");
  expect(statuses()).toEqual([["error", HEAD]]);
});

function otherCommit(commit = "d".repeat(40)) {
  const samples = sampled();
  const candidate = { ...samples.sources.candidate, commit };
  return { ...samples, sources: { ...samples.sources, candidate } };
}

function otherReference() {
  const samples = sampled();
  const { reference } = samples.sources;
  if (reference === null) throw new Error("no reference");
  return {
    ...samples,
    sources: { ...samples.sources, reference: { ...reference, commit: "d".repeat(40) } },
  };
}

test.each([
  ["judged", () => vi.spyOn(untrusted, "verdictForBase"), "judged"],
  ["given its names", () => vi.spyOn(naming, "nameSources"), "judged"],
  ["rendered as a comment", () => vi.spyOn(comment, "renderComment"), "shown"],
  ["told in a line", () => vi.spyOn(conclusions, "concludeVerdict"), "shown"],
  ["rendered as a summary", () => vi.spyOn(markdown, "renderMarkdown"), "shown"],
] as const)("what cannot be %s is refused in words", async (_, spy, what) => {
  const failing = spy().mockImplementation(() => {
    throw new RangeError("not a finite number: NaN");
  });
  onTestFinished(() => failing.mockRestore());
  const { conclusion, runner } = await report();
  expect(conclusion.headline).toMatch(/^published: no verdict \(refused\)/);
  expect(runner.outputs.verdict).toBe("error");
  expect(github.comments).toHaveLength(1);
  expect(github.comments[0]?.body).toMatch(
    new RegExp(`RESULT REFUSED[\\s\\S]*cannot be ${what}: not a finite number: NaN`),
  );
  expect(statuses()).toEqual([["error", HEAD]]);
});

const [ONE] = new FakeGitHub().pullRequests as [PullRequest, ...PullRequest[]];

test("more baselines than GitHub lists are refused in words", async () => {
  let trees = 0;
  // The first is the base branch's, of which no stranger says how many files it has.
  github.onAsk = (operation) => {
    if (operation === "tree" && ++trees === 2) github.failing = { operation, reason: "too-large" };
  };
  await report();
  expect(github.comments[0]?.body).toContain("RESULT REFUSED");
  expect(statuses()).toEqual([["error", HEAD]]);
});

test("hostile artifacts end in one inert comment and one status", async () => {
  const measured = "c".repeat(40);
  for (let seed = 1; seed <= 60; seed++) {
    const { what, bytes } = hostileArtifact(seed);
    const fresh = new FakeGitHub();
    fresh.run.headSha = measured;
    fresh.put(measured, {});
    fresh.pullRequests = [{ ...ONE, head: { ...ONE.head, sha: measured } }];
    fresh.artifact = bytes;
    const step = { event: "workflow-run", headSha: measured, github: fresh } as const;
    const { conclusion } = await runStep({ ...step, inputs: { mode: "report" } });
    expect(conclusion.state, what).toBe("success");
    expect(fresh.comments, what).toHaveLength(1);
    checkHarmless(fresh.comments[0]?.body ?? "", what);
    expect(fresh.statuses, what).toHaveLength(1);
    expect(fresh.statuses[0]?.state, what).not.toBe("success");
  }
});

test.each<[string, PullRequest[]]>([
  ["none is open", []],
  ["it is closed", [{ ...ONE, state: "closed" }]],
  ["it is of another fork", [{ ...ONE, head: { ...ONE.head, repository: "eve/shop" } }]],
  ["its fork is gone", [{ ...ONE, head: { ...ONE.head, repository: null } }]],
  ["it is of another branch", [{ ...ONE, head: { ...ONE.head, ref: "other" } }]],
  ["nothing tells which of two", [ONE, { ...ONE, number: 13, base: { ...ONE.base, ref: "v1" } }]],
])("no pull request to publish for, because %s: nothing is written", async (_, pullRequests) => {
  github.pullRequests = pullRequests;
  await expectNothing();
});

test("GitHub names a pull request into another repository: nothing is written", async () => {
  github.others = {
    openPullRequests: async (from) =>
      (await github.client.openPullRequests(from)).map((one) => ({
        ...one,
        base: { ...one.base, repository: FORK },
      })),
  };
  await expectNothing();
});

async function expectNothing(): Promise<void> {
  const { conclusion } = await report();
  expect(conclusion).toMatchObject({
    state: "success",
    headline: expect.stringMatching(/nothing to publish/),
  });
  expect(github.comments).toEqual([]);
  expect(github.statuses).toEqual([]);
}

test.each<[string, Partial<Run>, "success" | "failure"]>([
  ["of another workflow file", { path: ".github/workflows/evil.yml" }, "failure"],
  ["of another commit than the event says", { headSha: "d".repeat(40) }, "failure"],
  ["started by a push", { event: "push" }, "success"],
  ["skipped", { conclusion: "skipped" }, "success"],
  ["waiting for approval", { conclusion: "action_required" }, "success"],
  ["of a branch that only looks like a queue's", { event: "merge_group" }, "success"],
])("a run %s: nothing is written", async (_, run, ends) => {
  Object.assign(github.run, run);
  const { conclusion } = await report();
  expect(conclusion.state).toBe(ends);
  expect(github.comments).toEqual([]);
  expect(github.statuses).toEqual([]);
});

test("on an unsupported event the error shows the workflow trigger to use", async () => {
  const { conclusion, runner } = await runStep({
    event: "pull-request",
    inputs: { mode: "report" },
  });
  expect(conclusion.state).toBe("failure");
  expect(runner.lines.join("\n")).toContain("workflow_run:");
});

test("without a token the error shows the permissions to set", async () => {
  const { conclusion, runner } = await report({ token: "" });
  expect(conclusion.state).toBe("failure");
  expect(runner.lines.join("\n")).toMatch(/permissions:[\s\S]*statuses: write/);
});

test("a read-only token: a failure that names the permission, with nothing partly published", async () => {
  github.isReadOnly = true;
  const { conclusion, runner } = await report();
  expect(conclusion.state).toBe("failure");
  expect(runner.lines.join("\n")).toContain("pull-requests: write");
});

test.each<GitHubOperation>(["createComment", "setStatus"])(
  "GitHub down at %s: the other is written all the same, and what was judged stays told",
  async (operation) => {
    github.failing = { operation, reason: "unavailable" };
    github.artifact = makeArtifact(sampled(REGRESSED));
    const { conclusion, runner } = await report();
    expect(conclusion.state).toBe("failure");
    expect(runner.outputs.verdict).toBe("regressed");
    expect(github.comments).toHaveLength(operation === "createComment" ? 0 : 1);
    expect(github.statuses).toHaveLength(operation === "setStatus" ? 0 : 1);
  },
);

test("nothing is published after the step was cancelled", async () => {
  const abort = new AbortController();
  let goOn = (): void => {};
  github.others = {
    branch: async (name) => {
      abort.abort();
      await new Promise<void>((done) => {
        goOn = done;
      });
      return github.client.branch(name);
    },
  };
  const { runner } = await report({}, abort);
  goOn();
  await vi.waitFor(() => expect(github.asked).toContain("parentsOf"));
  await new Promise((done) => setTimeout(done, 50));
  expect(runner.outputs.verdict).toBe("cancelled");
  expect(runner.shown).toContain("CANCELLED");
});

test("a run in progress is noted on the earlier commit's comment", async () => {
  await report();
  const [first] = github.comments;
  const ofAnother = first?.body.replaceAll(HEAD, "d".repeat(40)) ?? "";
  const next = { ...github.run, id: github.run.id + 1, conclusion: null };
  github.run = next;
  await report();
  expect(first?.body, "of the same commit").not.toContain("⏳");
  if (first !== undefined) first.body = ofAnother;
  const { conclusion } = await report();
  expect(conclusion).toMatchObject({ state: "success" });
  expect(github.comments).toHaveLength(1);
  expect(github.comments[0]?.body).toContain(`⏳ **Commit \`${HEAD.slice(0, 10)}\``);
  expect(statuses()).toHaveLength(1);
  // Its result takes the place of all that.
  github.run = { ...next, conclusion: "success" };
  await report();
  expect(github.comments[0]?.body).not.toContain("⏳");
});

test("two concurrent first results leave one comment, with the newer result", async () => {
  const other = new FakeGitHub();
  other.run = { ...other.run, id: other.run.id - 1 };
  other.artifact = makeArtifact(sampled(REGRESSED));
  await runStep({ event: "workflow-run", inputs: { mode: "report" }, github: other });
  const [early] = other.comments;
  if (early === undefined) throw new Error("no comment");
  github.onAsk = (operation) => {
    if (operation === "createComment") github.comments.push({ ...early });
  };
  const { runner } = await report();
  expect(github.comments).toHaveLength(1);
  expect(github.comments[0]?.id).toBe(early.id);
  expect(github.comments[0]?.body).toContain("PASS");
  expect(runner.outputs.comment).toBe(urlOf(early));
});

const OLD = "01d".padEnd(40, "0");
const STORED = "baselines/default/api.json";

/** By what stands at the head, where it left the base, and in the base by now. */
test.each([
  ["as they were", { head: 1, left: 1, base: 1 }, false],
  ["changed", { head: 2, left: 1, base: 1 }, true],
  ["as they were, and the base's are newer", { head: 1, left: 1, base: 2 }, false],
  ["changed, as the base has them by now", { head: 2, left: 1, base: 2 }, false],
  ["changed, and so are the base's", { head: 2, left: 1, base: 3 }, true],
])("baselines that are %s in the pull request", async (_, days, isToldOf) => {
  const stored = recordBaseline(sampled(), "api");
  const of = (day: number) => ({
    [STORED]: JSON.stringify({ ...stored, recordedAt: `2026-11-0${day}T12:00:00.000Z` }),
  });
  github.put(OLD, of(days.left));
  github.put(BASE, of(days.base), [OLD]);
  github.put(HEAD, of(days.head), [OLD]);
  // Anybody may write a commit with such parents, and any files.
  github.put(MERGE, of(days.base), [BASE, HEAD]);
  const told = `\`${STORED}\`. This verdict does not rest on them.`;
  for (const [commit, reference] of [
    [MERGE, BASE],
    [HEAD, OLD],
  ] as const) {
    const { sources, ...samples } = sampled();
    const of = (id: string) => ({ ...sources.candidate, commit: id });
    const measured = { candidate: of(commit), reference: of(reference) };
    github.artifact = makeArtifact({ ...samples, sources: measured });
    await report();
    expect(github.comments[0]?.body).toContain("PASS");
    expect(github.comments[0]?.body.includes(told), commit).toBe(isToldOf);
  }
});

test("the page that the run uploaded is linked", async () => {
  github.upload(4, "tailgate-report");
  await report();
  expect(github.comments[0]?.body).toMatch(/\[Report with curves\]\(<\S+\/artifacts\/4>\)/);
});

test("an older run does not overwrite a newer one's result", async () => {
  await report();
  const before = github.comments[0]?.body;
  github.run = { ...github.run, id: github.run.id - 1 };
  github.artifact = makeArtifact(sampled(REGRESSED));
  const { conclusion } = await report();
  expect(conclusion.state).toBe("success");
  expect(github.comments.map(({ body }) => body)).toEqual([before]);
  expect(statuses()).toEqual([["success", HEAD]]);
});

test("two gates of one repository have their own comment and status", async () => {
  await report();
  await report({ key: "api" });
  expect(github.comments).toHaveLength(2);
  expect(github.statuses.map(({ context }) => context)).toEqual([
    "tailgate/default",
    "tailgate/api",
  ]);
});

/** What the measuring job of a request hands over: of the head itself. */
function askedFor(recipe: Parameters<typeof sampled>[0] = {}): void {
  const samples = sampled(recipe);
  const candidate = { ...samples.sources.candidate, commit: HEAD };
  github.artifact = makeArtifact({ ...samples, sources: { ...samples.sources, candidate } });
}

const ASKED = { mode: "report", commit: HEAD, reference: BASE, key: "on-demand" };

const onRequest = (
  inputs: Record<string, string> = {},
  step: Partial<Parameters<typeof runStep>[0]> = {},
) => runStep({ event: "issue-comment", inputs: { ...ASKED, ...inputs }, ...step });

test.each([
  ["a comment", {}],
  ["a label", { event: "pull-request" as const }],
])("what %s asked for is told in a comment, and sets no status", async (_, step) => {
  askedFor(REGRESSED);
  const { conclusion, runner } = await onRequest({ status: "always" }, step);
  expect(conclusion.headline).toMatch(/^published: REGRESSED/);
  expect(runner.outputs.verdict).toBe("regressed");
  expect(github.comments[0]?.body).toMatch(/REGRESSED[\s\S]*compared with `1b2c3d4e5f`/);
  expect(github.comments[0]?.body).not.toContain("was not checked");
  expect(github.statuses).toEqual([]);
});

test("of a request for some services, the others are not missed", async () => {
  const web = '  web: { dir: web, run: "node web.mjs {port}", ready: /healthz }\nscenarios:';
  github.put(BASE, { "tailgate.yml": CONFIG.replace("scenarios:", web) });
  askedFor();
  expect((await onRequest({ services: "api" })).runner.outputs.verdict).toBe("pass");
  expect((await onRequest()).runner.outputs.verdict).toBe("invalid");
  expect((await onRequest({ services: "apo" })).runner.outputs.verdict).toBe("error");
  expect(github.comments[0]?.body).toContain("no service apo");
});

test.each<[string, Record<string, string>, Parameters<typeof sampled>[0]?]>([
  ["another commit than was asked for", { commit: MERGE }],
  ["another reference than was asked for", { reference: "d".repeat(40) }],
  ["stored values in place of the reference", {}, { compare: "stored" }],
])("samples of %s are refused", async (_, inputs, recipe) => {
  askedFor(recipe);
  const { runner } = await onRequest(inputs);
  expect(runner.outputs.verdict).toBe("error");
  expect(github.comments[0]?.body).toContain("RESULT REFUSED");
});

test("a request without a result is told as one, and outside a pull request not at all", async () => {
  github.artifact = null;
  github.run.conclusion = null;
  await onRequest();
  expect(github.comments[0]?.body).toMatch(/DID NOT FINISH[\s\S]*log of the run says why/);
  for (const step of [{ payload: { issue: { number: 12 } } }, { event: "push" as const }]) {
    const { conclusion } = await onRequest({}, step);
    expect(conclusion.state).toBe("failure");
  }
  expect(github.comments).toHaveLength(1);
});

const LAX = "1a5".padEnd(40, "0");

/** The pull request goes into `lax`, whose limits are wide, from where main is. */
function retargetTo(ref: string): void {
  github.put(LAX, { "tailgate.yml": `${CONFIG}metrics: { p99: { margin: 900% } }\n` }, [BASE]);
  if (github.branch("lax") === null) github.moveBranch("lax", LAX);
  github.pullRequests = github.pullRequests.map((one) => ({ ...one, base: { ref, sha: BASE } }));
}

const retargeted = (payload: object = { changes: { base: { ref: { from: "lax" } } } }) =>
  runStep({
    event: "pull-request",
    eventName: "pull_request_target",
    payload: { action: "edited", ...payload },
    inputs: { mode: "report" },
  });

test("status and comment say against what, and by whose rules", async () => {
  await report();
  expect(github.statuses[0]?.description).toMatch(
    /^PASS for main@1b2c3d4 \(base's rules, job's numbers\): /,
  );
  expect(github.comments[0]?.body).toContain(
    "Held against `1b2c3d4e5f`, for `main`, by the rules of `main` at `1b2c3d4e5f`.",
  );
});

test("a verdict by another branch's rules counts for that branch alone", async () => {
  github.artifact = makeArtifact(sampled(REGRESSED));
  retargetTo("lax");
  await report();
  expect(statuses()).toEqual([["success", HEAD]]);
  expect(github.statuses[0]?.description).toMatch(/ for lax@1a50000 /);
  retargetTo("main");
  const { conclusion } = await retargeted();
  expect(conclusion).toMatchObject({
    state: "success",
    headline: expect.stringMatching(/taken back/),
  });
  expect(statuses()).toEqual([
    ["success", HEAD],
    ["error", HEAD],
  ]);
  expect(github.statuses[1]?.description).toMatch(/^NO VERDICT for main yet: /);
  // Of the same base there is nothing to take back.
  await retargeted();
  await retargeted({ changes: { title: { from: "Slower carts" } } });
  expect(statuses()).toHaveLength(2);
  await report();
  expect(statuses().at(-1)).toEqual(["failure", HEAD]);
});

test("a verdict by another branch's rules does not count for a second pull request", async () => {
  retargetTo("lax");
  await report();
  retargetTo("main");
  await retargeted({ changes: { title: { from: "Slower carts" } } });
  expect(statuses()).toEqual([["success", HEAD]]);
  await retargeted({ action: "opened" });
  expect(statuses().at(-1)).toEqual(["error", HEAD]);
});

test("a status that does not say for which base it is, is taken back", async () => {
  await report();
  Object.assign(github.statuses[0] ?? {}, { targetUrl: "https://github.com/acme/shop" });
  await retargeted();
  expect(statuses().at(-1)).toEqual(["error", HEAD]);
});

test("a pull request without a status loses none", async () => {
  const { conclusion } = await retargeted();
  expect(conclusion.headline).toMatch(/nothing to publish/);
  expect(statuses()).toEqual([]);
});

test("a base that changes while a result is judged takes the status back", async () => {
  github.artifact = makeArtifact(sampled(REGRESSED));
  retargetTo("lax");
  github.onAsk = (operation) => {
    if (operation === "setStatus") retargetTo("main");
  };
  await report();
  expect(statuses().at(-1)).toEqual(["error", HEAD]);
});

test.each<[string, string, readonly string[] | null, string]>([
  ["the head, held against a commit that nobody has", HEAD, null, "f".repeat(40)],
  ["the head, held against an old commit of the base", HEAD, null, OLD],
  ["a merge of the head into an old commit of the base", MERGE, [OLD, HEAD], OLD],
])("samples of %s are refused", async (_, candidate, parents, reference) => {
  github.put(OLD, {});
  github.put(BASE, {}, [OLD]);
  if (parents !== null) github.put(candidate, {}, parents);
  const { sources, ...samples } = sampled({ p99Ratio: { "api/echo": 0.5 } });
  const of = (commit: string) => ({ ...sources.candidate, commit });
  const lying = { ...samples, sources: { candidate: of(candidate), reference: of(reference) } };
  github.artifact = makeArtifact(lying);
  const { conclusion } = await report();
  expect(conclusion.headline).toMatch(/refused.*compare with commit \w+, expected 1b2c3d4e5f$/);
  expect(statuses()).toEqual([["error", HEAD]]);
});

test.each([
  [{}, "error"],
  [{ reference: "stable" }, "success"],
  [{ reference: OLD }, "success"],
  [{ reference: "none" }, "error"],
])("samples held against what a publishing workflow with %o names", async (inputs, ends) => {
  github.put(OLD, {});
  github.put(BASE, {}, [OLD]);
  github.moveBranch("stable", OLD);
  const { sources, ...samples } = sampled();
  const reference = { ...sources.candidate, commit: OLD };
  github.artifact = makeArtifact({ ...samples, sources: { ...sources, reference } });
  await report(inputs);
  expect(statuses()).toEqual([[ends, HEAD]]);
});

test("samples of the head, held against where it left the base, are judged", async () => {
  github.push("main", { "api/a.mjs": "1" });
  const { sources, ...samples } = sampled();
  const candidate = { ...sources.candidate, commit: HEAD };
  github.artifact = makeArtifact({ ...samples, sources: { ...sources, candidate } });
  await report();
  expect(statuses()).toEqual([["success", HEAD]]);
});

/** For a job that says so, and measured nothing, it ends so. */
async function sayUnchanged(ends: string): Promise<void> {
  const samples = { ...sampled(), rounds: [] };
  const run = { ...samples.run, measuredMs: 0 };
  const unchanged = [{ service: "api", by: "sources" as const, key: "k" }];
  github.artifact = makeArtifact({ ...samples, run, unchanged });
  await report();
  expect(statuses()).toEqual([[ends, HEAD]]);
  if (ends === "error") {
    expect(github.comments[0]?.body).toMatch(/api is said to be unchanged, and api\/\S+ differs/);
    expect(github.comments[0]?.body).toContain("merge the base branch into its branch");
  }
}

test.each<[string, Record<string, string>, string]>([
  ["is", {}, "success"],
  ["differs in what is no source of it", { "api/README.md": "x", "web/a.mjs": "x" }, "success"],
  ["differs in the configuration", { "tailgate.yml": `${CONFIG}# x` }, "success"],
  ["differs in a source of it", { "api/server.mjs": "2" }, "error"],
  ["has a source more", { "api/lib/more.mjs": "1" }, "error"],
])("a service that is said to be unchanged, whose tree %s", async (_, files, ends) => {
  const both = { "api/server.mjs": "1" };
  github.put(BASE, both);
  for (const commit of [HEAD, MERGE]) github.put(commit, { ...both, ...files });
  await sayUnchanged(ends);
});

test.each<[string, string, string, string]>([
  ["changed nothing", "1", "1", "success"],
  ["changed a source of it, as the base has by now", "2", "2", "success"],
  ["changed a source of it, which the merge does not have", "2", "1", "error"],
  ["and the base changed a source of it, each otherwise", "2", "3", "error"],
])("a service is said to be unchanged, and the head %s", async (_, head, base, ends) => {
  const of = (text: string) => ({ "api/server.mjs": text });
  github.put(OLD, of("1"));
  github.put(BASE, { "tailgate.yml": CONFIG, ...of(base) }, [OLD]);
  github.put(HEAD, of(head), [OLD]);
  // Anybody may write a commit with such parents, and any files.
  github.put(MERGE, of(base), [BASE, HEAD]);
  await sayUnchanged(ends);
});

test.each<[string, (text: string, fresh: FakeGitHub) => void]>([
  [
    "a title",
    (title, fresh) => {
      fresh.pullRequests = fresh.pullRequests.map((one) => ({ ...one, title }));
    },
  ],
  [
    "an artifact's name",
    (name, fresh) => {
      fresh.artifact = null;
      fresh.upload(4, name);
    },
  ],
  [
    "a file's name",
    (name, fresh) => {
      // What git takes.
      const file = `baselines/default/api@${name.replaceAll(/[/\0]/g, "")}.json`;
      fresh.put(HEAD, { [file]: "{}" });
    },
  ],
])("%s of a stranger's choosing is inert in the comment", async (what, choose) => {
  for (const text of HOSTILE_TEXTS) {
    const fresh = new FakeGitHub();
    choose(text, fresh);
    await runStep({ event: "workflow-run", inputs: { mode: "report" }, github: fresh });
    expect(fresh.comments, text).toHaveLength(1);
    checkHarmless(fresh.comments[0]?.body ?? "", `${what}: ${JSON.stringify(text)}`);
    expect(fresh.statuses[0]?.description.length, text).toBeLessThanOrEqual(140);
  }
});

test("a service that is said to be unchanged, and was compared with nothing, is told", async () => {
  const { sources, ...samples } = sampled();
  const run = { ...samples.run, measuredMs: 0, compare: "stored" as const };
  const unchanged = [{ service: "api", by: "sources" as const, key: "k" }];
  const alone = { ...sources, reference: null };
  github.artifact = makeArtifact({ ...samples, rounds: [], sources: alone, run, unchanged });
  await report();
  expect(statuses()).toEqual([["failure", HEAD]]);
  expect(github.comments).toHaveLength(1);
});

test("a fork's configuration is not read", async () => {
  const read: string[] = [];
  github.others = {
    file: async (path, ref) => {
      read.push(ref);
      return await github.client.file(path, ref);
    },
  };
  await report();
  expect(new Set(read)).toEqual(new Set([BASE]));
});
