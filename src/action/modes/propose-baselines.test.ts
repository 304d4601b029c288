// The use case against a small GitHub in memory: what is written, what is refused, and that writing
// twice writes nothing.
import { beforeEach, expect, test } from "vitest";
import { NIGHTS, nightly, recorded } from "../../../test/support/baseline-update-cases.ts";
import { renderBaseline } from "../../app/documents/baselines.ts";
import { UserError } from "../../core/base/errors.ts";
import { BaselineSchema } from "../../core/model/baseline.ts";
import type { Samples } from "../../core/model/samples.ts";
import type { GitHub, PullRequest, PullRequestText, WorkflowRun } from "../../github/port.ts";
import { BASELINE_BRANCH, type BaselineProposal, proposeBaselines } from "./propose-baselines.ts";

const REPOSITORY = "shop/api";
const PATH = "baselines/test/api.json";

interface Commit {
  parent: string | null;
  files: Map<string, string>;
}

/** Only what the use case asks for; anything else fails the test. */
class MemoryGitHub {
  readonly commits = new Map<string, Commit>();
  readonly branches = new Map<string, string>();
  readonly pullRequests: (PullRequest & PullRequestText)[] = [];
  readonly runs = new Map<number, WorkflowRun>();
  readonly writes: string[] = [];
  login = "tailgate-app[bot]";

  constructor(files: Record<string, string> = {}) {
    this.push("main", files);
  }

  /** Somebody pushes to a branch; returns the commit's id. */
  push(branch: string, files: Record<string, string>): string {
    const parent = this.branches.get(branch) ?? null;
    const before = parent === null ? new Map() : this.#commit(parent).files;
    const sha = this.#add({ parent, files: new Map([...before, ...Object.entries(files)]) });
    this.branches.set(branch, sha);
    return sha;
  }

  merge(number: number): void {
    const pullRequest = this.pullRequests.find((one) => one.number === number);
    if (pullRequest === undefined) throw new Error(`no pull request ${number}`);
    const sha = this.branches.get(pullRequest.head.ref) ?? "";
    this.push("main", Object.fromEntries(this.#commit(sha).files));
    Object.assign(pullRequest, { state: "closed", merged: true });
  }

  #add(commit: Commit): string {
    const sha = String(this.commits.size + 1).padStart(40, "0");
    this.commits.set(sha, commit);
    return sha;
  }

  #commit(ref: string): Commit {
    const commit = this.commits.get(this.branches.get(ref) ?? ref);
    if (commit === undefined) throw new Error(`no commit ${ref}`);
    return commit;
  }

  port(): GitHub {
    const known: Partial<GitHub> = {
      repository: async () => ({ defaultBranch: "main", private: false }),
      whoAmI: async () => this.login,
      workflowRun: async (id) => {
        const run = this.runs.get(id);
        if (run === undefined) throw new Error(`no run ${id}`);
        return run;
      },
      branch: async (name) => {
        const sha = this.branches.get(name);
        return sha === undefined ? null : { sha };
      },
      parentsOf: async (sha) => {
        const parent = this.commits.get(sha)?.parent;
        return parent == null ? [] : [parent];
      },
      file: async (path, ref) => {
        const text = this.#commit(ref).files.get(path);
        return text === undefined ? null : new TextEncoder().encode(text);
      },
      commitFiles: async ({ parent, files }) => {
        this.writes.push("commit");
        const all = new Map(parent === null ? [] : this.#commit(parent).files);
        for (const [path, text] of files) {
          if (text === null) all.delete(path);
          else all.set(path, text);
        }
        return this.#add({ parent, files: all });
      },
      pushBranch: async (name, sha, { force }) => {
        this.writes.push(force ? "force-push" : "push");
        this.branches.set(name, sha);
      },
      openPullRequests: async ({ headBranch, base }) =>
        this.pullRequests.filter(
          (one) => one.state === "open" && one.head.ref === headBranch && one.base.ref === base,
        ),
      createPullRequest: async ({ title, body, head, base }) => {
        this.writes.push("create");
        const pullRequest = {
          number: this.pullRequests.length + 1,
          title,
          body,
          state: "open" as const,
          head: { sha: "", ref: head, repository: REPOSITORY },
          base: { sha: "", ref: base, repository: REPOSITORY },
          merged: false,
          url: "https://github.com/shop/api/pull/1",
          author: this.login,
        };
        this.pullRequests.push(pullRequest);
        return pullRequest;
      },
      updatePullRequest: async (number, change) => {
        this.writes.push("edit");
        const pullRequest = this.pullRequests.find((one) => one.number === number);
        if (pullRequest === undefined) throw new Error(`no pull request ${number}`);
        return Object.assign(pullRequest, change);
      },
    };
    return new Proxy(known, {
      get: (target, name) => {
        const method = Reflect.get(target, name);
        if (method === undefined) throw new Error(`the use case asks for ${String(name)}`);
        return method;
      },
    }) as GitHub;
  }
}

const STORED = recorded(7);
let github: MemoryGitHub;
beforeEach(() => {
  github = new MemoryGitHub({ [PATH]: renderBaseline(STORED), "src/main.rs": "fn main() {}" });
});

function propose(samples: Samples, change: Partial<WorkflowRun> = {}): Promise<BaselineProposal> {
  const id = 100;
  github.runs.set(id, {
    id,
    attempt: 1,
    event: "schedule",
    headSha: samples.sources.candidate.commit,
    headBranch: "main",
    headRepository: REPOSITORY,
    path: ".github/workflows/perf-nightly.yml",
    conclusion: null,
    url: `https://github.com/shop/api/actions/runs/${id}`,
    createdAt: samples.run.startedAt,
    ...change,
  });
  const request = { repository: REPOSITORY, samples, workflowRun: id, history: NIGHTS };
  return proposeBaselines(request, github.port());
}

const heavier = (day = 12) => nightly(day, { rssRatio: { api: 1.3 } });

test("what moved becomes one commit on one branch, and one pull request", async () => {
  const proposal = await propose(heavier());
  expect(proposal).toMatchObject({ kind: "proposed", branch: "built", action: "created" });
  expect(github.writes).toEqual(["commit", "force-push", "create"]);
  const commit = github.commits.get(github.branches.get(BASELINE_BRANCH) ?? "");
  expect(commit?.parent).toBe(github.branches.get("main"));
  expect([...(commit?.files.keys() ?? [])]).toEqual([PATH, "src/main.rs"]);
  const written = BaselineSchema.parse(JSON.parse(commit?.files.get(PATH) ?? ""));
  expect(written.run).toBe("alone-12");
  expect(github.pullRequests[0]).toMatchObject({
    title: "Baselines of test: 1 value loosened",
    body: expect.stringMatching(/no\swaiver\*\*/),
  });
  expect(github.pullRequests[0]?.body).toContain("actions/runs/100");
});

test("the same again writes nothing but the same text", async () => {
  await propose(heavier());
  const sha = github.branches.get(BASELINE_BRANCH);
  const { body } = github.pullRequests[0] ?? {};
  github.writes.length = 0;
  expect(await propose(heavier())).toMatchObject({ branch: "kept", action: "updated" });
  expect(github.writes).toEqual(["edit"]);
  expect(github.branches.get(BASELINE_BRANCH)).toBe(sha);
  expect(github.pullRequests).toHaveLength(1);
  expect(github.pullRequests[0]?.body).toBe(body);
});

test("a later night replaces the earlier in the same pull request", async () => {
  await propose(heavier());
  expect(await propose(heavier(13))).toMatchObject({ branch: "built", action: "updated" });
  expect(github.pullRequests).toHaveLength(1);
  expect(github.pullRequests[0]?.body).toContain("alone-13");
  expect(github.pullRequests[0]?.body).not.toContain("alone-12");
});

test("when the default branch moves the branch is built on its newest commit, foreign pushes and all", async () => {
  await propose(heavier());
  github.push(BASELINE_BRANCH, { "src/main.rs": "pushed by somebody" });
  const newest = github.push("main", { "src/main.rs": "fn main() { serve() }" });
  await propose(heavier());
  const commit = github.commits.get(github.branches.get(BASELINE_BRANCH) ?? "");
  expect(commit?.parent).toBe(newest);
  expect(commit?.files.get("src/main.rs")).toBe("fn main() { serve() }");
});

test("once merged, the same run proposes nothing", async () => {
  await propose(heavier());
  github.merge(1);
  github.writes.length = 0;
  expect(await propose(heavier())).toMatchObject({ kind: "none" });
  expect(github.writes).toEqual([]);
});

test("a pull request that was closed is not edited: another is opened", async () => {
  await propose(heavier());
  Object.assign(github.pullRequests[0] ?? {}, { state: "closed" });
  expect(await propose(heavier())).toMatchObject({ branch: "kept", action: "created" });
  expect(github.pullRequests).toHaveLength(2);
});

test("within noise, and from a run that cannot be trusted, nothing is written", async () => {
  expect(await propose(nightly(12))).toMatchObject({ kind: "none" });
  const crashed = nightly(12, { rssRatio: { api: 1.3 }, crashInRound: 15 });
  expect(await propose(crashed)).toMatchObject({ kind: "refused" });
  expect(github.writes).toEqual([]);
  expect(github.branches.has(BASELINE_BRANCH)).toBe(false);
});

test("what was not measured on the default branch makes no baseline", async () => {
  const cases: [Partial<WorkflowRun>, RegExp][] = [
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
  expect(github.writes).toEqual([]);
});

test("a broken baseline on the default branch is an error, never an absent one", async () => {
  github.push("main", { [PATH]: "{}" });
  await expect(propose(heavier())).rejects.toThrow(
    /baselines\/test\/api\.json is not a baseline of this version/,
  );
  expect(github.writes).toEqual([]);
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
  expect(github.pullRequests[0]?.body).toContain("Approve workflows to run");
});
