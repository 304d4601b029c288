// Every operation of the port as tests call it, on what SEED has put there.
import { type GitHub, GitHubError, type GitHubOperation } from "../../src/github/port.ts";
import { all, FORK_SHA } from "./testing.ts";

export async function failureOf(work: Promise<unknown>): Promise<GitHubError> {
  try {
    await work;
  } catch (thrown) {
    if (thrown instanceof GitHubError) return thrown;
    throw thrown;
  }
  throw new Error("it did not fail");
}

export const STATUS = {
  state: "success",
  context: "tailgate",
  description: "fine",
  targetUrl: null,
} as const;
export const SOME_SHA = "a".repeat(40);

/** How to call each operation so that nothing but its permission can be in the way. */
export const CALLS: Readonly<Record<GitHubOperation, (github: GitHub) => Promise<unknown>>> = {
  repository: (github) => github.repository(),
  pullRequest: (github) => github.pullRequest(42),
  mayWrite: (github) => github.mayWrite("reviewer"),
  compare: (github) => github.compare("main", "main"),
  workflowRun: (github) => github.workflowRun(9001),
  artifactsOf: (github) => github.artifactsOf(9001),
  downloadArtifact: (github) => github.downloadArtifact(601, { maxBytes: 100 }),
  comments: (github) => all(github.comments(42)),
  createComment: (github) => github.createComment(42, "text"),
  updateComment: (github) => github.updateComment(502, "text"),
  deleteComment: (github) => github.deleteComment(502),
  setStatus: (github) => github.setStatus(FORK_SHA, STATUS),
  status: (github) => github.status(FORK_SHA, "tailgate"),
  file: (github) => github.file("tailgate.yml", "main"),
  branch: (github) => github.branch("main"),
  tree: (github) => github.tree("main"),
  blob: async (github) => {
    const [file] = await github.tree("main");
    return github.blob(file?.sha ?? "");
  },
  parentsOf: (github) => github.parentsOf(SOME_SHA),
  commitFiles: (github) =>
    github.commitFiles({ parent: SOME_SHA, message: "m", files: new Map([["a", "b"]]) }),
  pushBranch: (github) => github.pushBranch("new", SOME_SHA, { force: false }),
  swapBranch: async (github) => {
    const to = (await github.branch("main"))?.sha ?? "";
    return github.swapBranch("new", { from: null, to });
  },
  openPullRequests: (github) => github.openPullRequests({ repository: "fork/app", branch: "main" }),
  createPullRequest: (github) =>
    github.createPullRequest({ title: "t", body: "b", head: "new", base: "main" }),
  updatePullRequest: (github) => github.updatePullRequest(42, { title: "t" }),
  issues: (github) => all(github.issues({ label: "perf", state: "open" })),
  createIssue: (github) => github.createIssue({ title: "t", body: "b", labels: [] }),
  updateIssue: (github) => github.updateIssue(7, { state: "closed" }),
  whoAmI: (github) => github.whoAmI(),
};
