// The use case against a GitHub in memory: what is written, what is refused, and that writing
// twice writes nothing.

import { beforeEach, expect, test } from "vitest";
import type { Run } from "../../../test/fake-github/world.ts";
import { FakeGitHub, REPOSITORY } from "../../../test/support/action.ts";
import { NIGHTS, nightly, recorded } from "../../../test/support/baseline-update-cases.ts";
import { UserError } from "../../core/base/errors.ts";
import { renderReviewableJson } from "../../core/base/reviewable-json.ts";
import { BaselineSchema } from "../../core/model/baseline.ts";
import type { Samples } from "../../core/model/samples.ts";
import { satellites } from "../../entry/satellites.ts";
import { type BaselineProposal, baselineBranch, proposeBaselines } from "./propose-baselines.ts";

const PATH = "baselines/test/api@test-cpu-2-cpus.json";
const STORED = recorded(7);
const BRANCH = baselineBranch(STORED.fingerprint);

let github: FakeGitHub;
beforeEach(() => {
  github = new FakeGitHub();
  github.login = "tailgate-app[bot]";
  github.push("main", { [PATH]: renderReviewableJson(STORED), "src/main.rs": "fn main() {}" });
});

const writes = () => github.asked.filter((one) => /^(commit|push|create|update)/.test(one));
/** Of the branch that is proposed. */
const built = () => {
  const sha = github.branch(BRANCH) ?? "";
  return { sha, files: github.filesOf(sha) };
};

async function propose(samples: Samples, change: Partial<Run> = {}): Promise<BaselineProposal> {
  github.run = {
    ...github.run,
    id: 100,
    event: "schedule",
    headSha: samples.sources.candidate.commit,
    headBranch: "main",
    headRepository: REPOSITORY,
    ...change,
  };
  const request = { repository: REPOSITORY, samples, workflowRun: 100, history: NIGHTS };
  return proposeBaselines(request, github.port(), await satellites.sheets());
}

const heavier = (day = 12) => nightly(day, { rssRatio: { api: 1.3 } });

test("what moved becomes one commit on one branch, and one pull request", async () => {
  const proposal = await propose(heavier());
  expect(proposal).toMatchObject({ kind: "proposed", branch: "built", action: "created" });
  expect(writes()).toEqual(["commitFiles", "pushBranch", "createPullRequest"]);
  const { sha, files } = built();
  expect(await github.client.parentsOf(sha)).toEqual([github.branch("main")]);
  expect([...files.keys()]).toEqual([PATH, "src/main.rs", "tailgate.yml"]);
  const written = BaselineSchema.parse(JSON.parse(files.get(PATH) ?? ""));
  expect(written.run).toBe("alone-12");
  expect(github.proposals[0]).toMatchObject({
    title: "Baselines of test on Test CPU, 2 CPUs: 1 value loosened",
    body: expect.stringMatching(/no\swaiver\*\*/),
  });
  expect(github.proposals[0]?.body).toContain("actions/runs/100");
});

test("the same again writes nothing but the same text", async () => {
  await propose(heavier());
  const { sha } = built();
  const { body } = github.proposals[0] ?? {};
  github.asked.length = 0;
  expect(await propose(heavier())).toMatchObject({ branch: "kept", action: "updated" });
  expect(writes()).toEqual(["updatePullRequest"]);
  expect(built().sha).toBe(sha);
  expect(github.proposals).toHaveLength(1);
  expect(github.proposals[0]?.body).toBe(body);
});

test("a later night replaces the earlier in the same pull request", async () => {
  await propose(heavier());
  expect(await propose(heavier(13))).toMatchObject({ branch: "built", action: "updated" });
  expect(github.proposals).toHaveLength(1);
  expect(github.proposals[0]?.body).toContain("alone-13");
  expect(github.proposals[0]?.body).not.toContain("alone-12");
});

test("when the default branch moves the branch is built on its newest commit, foreign pushes and all", async () => {
  await propose(heavier());
  github.push(BRANCH, { "src/main.rs": "pushed by somebody" });
  const newest = github.push("main", { "src/main.rs": "fn main() { serve() }" });
  await propose(heavier());
  const { sha, files } = built();
  expect(await github.client.parentsOf(sha)).toEqual([newest]);
  expect(files.get("src/main.rs")).toBe("fn main() { serve() }");
});

test("once merged, the same run proposes nothing", async () => {
  await propose(heavier());
  github.moveBranch("main", built().sha);
  Object.assign(github.proposals[0] ?? {}, { state: "closed" });
  github.asked.length = 0;
  expect(await propose(heavier())).toMatchObject({ kind: "none" });
  expect(writes()).toEqual([]);
});

test("a pull request that was closed is not edited: another is opened", async () => {
  await propose(heavier());
  Object.assign(github.proposals[0] ?? {}, { state: "closed" });
  expect(await propose(heavier())).toMatchObject({ branch: "kept", action: "created" });
  expect(github.proposals).toHaveLength(2);
});

test("within noise, and from a run that cannot be trusted, nothing is written", async () => {
  expect(await propose(nightly(12))).toMatchObject({ kind: "none" });
  const crashed = nightly(12, { rssRatio: { api: 1.3 }, crashInRound: 15 });
  expect(await propose(crashed)).toMatchObject({ kind: "refused" });
  expect(writes()).toEqual([]);
  expect(github.branch(BRANCH)).toBeNull();
});

test("what was not measured on the default branch makes no baseline", async () => {
  const cases: [Partial<Run>, RegExp][] = [
    [{ event: "pull_request" }, /started by pull_request/],
    [{ event: "pull_request_target" }, /started by pull_request_target/],
    [{ event: "workflow_run" }, /started by workflow_run/],
    [{ event: "merge_group" }, /started by merge_group/],
    [{ headBranch: "feature" }, /of the branch feature/],
    [{ headBranch: null }, /of the branch/],
    [{ headRepository: "mallory/api" }, /of mallory\/api/],
    [{ headRepository: null }, /repository that is gone/],
    [{ headSha: "e".repeat(40) }, /ran at commit eeeeeeeeee/],
  ];
  for (const [change, words] of cases) {
    await expect(propose(heavier(), change), String(words)).rejects.toThrow(words);
  }
  expect(writes()).toEqual([]);
});

test("a broken baseline on the default branch is an error, never an absent one", async () => {
  github.push("main", { [PATH]: "{}" });
  await expect(propose(heavier())).rejects.toThrow(
    /baselines\/test\/api@test-cpu-2-cpus\.json is not a baseline of this version/,
  );
  expect(writes()).toEqual([]);
});

test("a folder that leads out of the repository is refused", async () => {
  const samples = heavier();
  samples.config.baselines.dir = "../elsewhere";
  await expect(propose(samples)).rejects.toThrow(UserError);
});

test("with the job's own token the reader is told that no checks run", async () => {
  github.login = "github-actions[bot]";
  const proposal = await propose(heavier());
  expect(proposal.kind === "proposed" && proposal.notes).toHaveLength(1);
  expect(github.proposals[0]?.body).toContain("Approve workflows to run");
});
