// All that Tailgate asks of GitHub, as an interface: what publishes, updates baselines or runs the
// action imports this file and never the client, so that it can be tested without a network.
// Nothing here talks to anyone.
import type { z } from "zod";
import { UserError } from "../core/base/errors.ts";
import type {
  artifactsAnswer,
  commentAnswer,
  issueAnswer,
  pullRequestAnswer,
  repositoryAnswer,
  statusesAnswer,
  workflowRunAnswer,
} from "./answers.ts";

/** All that Tailgate asks of GitHub for one repository. Each method fails with GitHubError only. */
export interface GitHub {
  repository(): Promise<z.output<typeof repositoryAnswer>>;
  pullRequest(number: number): Promise<PullRequest>;
  /** Whether this person may push to the repository. */
  mayWrite(login: string): Promise<boolean>;
  /**
   * Ids of the commit that `base` names (a branch, a tag or a commit) and of where `head` left its
   * history; null where there is no such commit, or no common history.
   */
  compare(base: string, head: string): Promise<{ base: string; mergeBase: string } | null>;
  workflowRun(id: number): Promise<WorkflowRun>;
  /** Every artifact of the run, expired ones included. */
  artifactsOf(runId: number): Promise<Artifact[]>;
  /** Bytes of the artifact's zip; refuses to read beyond `maxBytes` (reason "too-large"). */
  downloadArtifact(id: number, options: { maxBytes: number }): Promise<Uint8Array>;
  /** Every page, oldest first. `issue` is the number of an issue or of a pull request. */
  comments(issue: number): AsyncIterable<Comment>;
  createComment(issue: number, body: string): Promise<Comment>;
  updateComment(id: number, body: string): Promise<Comment>;
  /** One that is gone already is no failure. */
  deleteComment(id: number): Promise<void>;
  setStatus(sha: string, status: CommitStatus): Promise<void>;
  /** The latest of this context; null: there is none. */
  status(sha: string, context: string): Promise<z.output<typeof statusesAnswer>[number] | null>;
  /** A file of a ref (branch, tag or commit); null where there is none, or a folder. */
  file(path: string, ref: string): Promise<Uint8Array | null>;
  /**
   * The commit a branch points to, null where there is no such branch. Another ref is named whole:
   * `refs/tailgate/history`.
   */
  branch(name: string): Promise<{ sha: string } | null>;
  /**
   * Every file and submodule of a commit, or of a folder in it by its path there: none where there is
   * no such folder. Refuses a tree that GitHub cuts off (reason "too-large").
   */
  tree(commit: string, folder?: string): Promise<TreeFile[]>;
  /** Content of a file by its sha. */
  blob(sha: string): Promise<Uint8Array>;
  /** Ids of a commit's parents, the first one first; null where there is no such commit. */
  parentsOf(sha: string): Promise<string[] | null>;
  /**
   * One commit with these files (null deletes), on `parent`; returns its sha. No branch points to it
   * yet.
   */
  commitFiles(request: CommitRequest): Promise<string>;
  /**
   * Creates or moves the branch, or another ref that is named whole; without `force` a branch moves
   * only forward (else reason "conflict").
   */
  pushBranch(name: string, sha: string, options: { force: boolean }): Promise<void>;
  /**
   * Moves the branch or ref from one commit (null: it is not there) to any other, or not at all
   * (reason "conflict"). GitHub keeps `pushBranch` from moving back on branches only: on another ref
   * this is the one way that loses nothing.
   */
  swapBranch(name: string, change: { from: string | null; to: string }): Promise<void>;
  /**
   * Open pull requests from a branch. GitHub knows a fork by its owner alone: of one who has two,
   * those of both.
   */
  openPullRequests(from: Head): Promise<PullRequest[]>;
  /**
   * `head` and `base` are branches of this repository. One that is open already is a "conflict".
   */
  createPullRequest(
    request: PullRequestText & { head: string; base: string },
  ): Promise<PullRequest>;
  updatePullRequest(number: number, change: Partial<PullRequestText>): Promise<PullRequest>;
  /** Every page, oldest first; pull requests are left out. */
  issues(options: { label: string; state: "open" | "closed" | "all" }): AsyncIterable<Issue>;
  createIssue(request: { title: string; body: string; labels: string[] }): Promise<Issue>;
  updateIssue(
    number: number,
    change: { title?: string; body?: string; state?: "open" | "closed" },
  ): Promise<Issue>;
  /**
   * Login of the token's owner ("github-actions[bot]" for the job's own token), to tell our
   * comments from others'.
   */
  whoAmI(): Promise<string>;
}

export interface Head {
  /** `owner/name`: this repository, or a fork. */
  repository: string;
  branch: string;
  /** Absent: into any branch. */
  base?: string;
}

export interface PullRequestText {
  title: string;
  /** Markdown, at most 65,536 characters. */
  body: string;
}

/** As read of GitHub's answers, which say what each field is. */
export type PullRequest = z.output<typeof pullRequestAnswer>;
export type WorkflowRun = z.output<typeof workflowRunAnswer>;
export type Artifact = z.output<typeof artifactsAnswer>[number];
export type Comment = z.output<typeof commentAnswer>;
export type Issue = z.output<typeof issueAnswer>;

export interface CommitStatus {
  state: "pending" | "success" | "failure" | "error";
  /** What tells this status from others on the commit, as `tailgate/perf`. */
  context: string;
  /** At most 140 characters. */
  description: string;
  targetUrl: string | null;
}

export interface CommitRequest {
  /** Sha of the commit to build on; null: on nothing, as the first of a branch of its own. */
  parent: string | null;
  /** The files are those of `parent` and these, but the commit is the first of a history. */
  rootless?: boolean;
  message: string;
  /** Path in the repository -> new text; null deletes, and GitHub refuses it where nothing is there. */
  files: ReadonlyMap<string, string | null>;
}

export interface TreeFile {
  /** In the folder that was asked for. */
  path: string;
  /** Of its content; of a submodule its commit. */
  sha: string;
}

/** The operations of the port, as the permission table, messages and tests name them. */
export type GitHubOperation = keyof GitHub;

/** Why GitHub did not do it; what can be done about it differs. */
export type GitHubFailure =
  /** The token may not: `next` has the YAML that grants it. */
  | "permission"
  /** No such thing, or the token may not see it. */
  | "not-found"
  /** GitHub asked to wait for longer than is bearable. */
  | "rate-limited"
  /** GitHub, or the check before sending, refuses the content. */
  | "invalid"
  /** No usable answer, after all attempts that are allowed. */
  | "unavailable"
  /** Something else changed it first, or it exists already. */
  | "conflict"
  /** Beyond a size limit, ours or GitHub's. */
  | "too-large";

/**
 * The only failure of a GitHub's methods. Its `kind` is "usage" (exit code 2); why it failed is
 * `reason`.
 */
export class GitHubError extends UserError {
  readonly reason: GitHubFailure;

  constructor(
    reason: GitHubFailure,
    message: string,
    text: { detail?: string; next?: string } = {},
  ) {
    super(message, text, "usage");
    this.name = "GitHubError";
    this.reason = reason;
  }
}
