// What each operation of the port does, in words, and which permission of the job's token it needs,
// as data: messages are made from it, and a test holds it against the fake API's own rules.
import type { GitHubOperation } from "./port.ts";

/** A line under `permissions:` of a workflow's job. */
type Permission =
  `${"actions" | "contents" | "issues" | "pull-requests" | "statuses"}: ${"read" | "write"}`;

interface OperationFacts {
  /** Completes "GitHub refused to …". */
  does: string;
  /** Null where every token that sees the repository may do it. */
  needs: Permission | null;
  /** Added when the operation is refused although the permission looks granted. */
  advice?: string;
}

/**
 * Comments of a pull request are guarded by `pull-requests`, those of a plain issue by `issues`.
 */
const PLAIN_ISSUE =
  "For an issue that is no pull request it is `issues` in place of `pull-requests`.";

export const OPERATIONS: Readonly<Record<GitHubOperation, OperationFacts>> = {
  repository: { does: "read the repository's settings", needs: null },
  pullRequest: { does: "read a pull request", needs: "pull-requests: read" },
  mayWrite: { does: "ask who may write", needs: null },
  compare: { does: "compare two commits", needs: "contents: read" },
  workflowRun: { does: "read a workflow run", needs: "actions: read" },
  artifactsOf: { does: "list the artifacts of a workflow run", needs: "actions: read" },
  downloadArtifact: { does: "download an artifact", needs: "actions: read" },
  comments: { does: "list comments", needs: "pull-requests: read", advice: PLAIN_ISSUE },
  createComment: { does: "write a comment", needs: "pull-requests: write", advice: PLAIN_ISSUE },
  updateComment: { does: "edit a comment", needs: "pull-requests: write", advice: PLAIN_ISSUE },
  deleteComment: { does: "delete a comment", needs: "pull-requests: write", advice: PLAIN_ISSUE },
  setStatus: { does: "set a commit status", needs: "statuses: write" },
  status: { does: "read a commit status", needs: "statuses: read" },
  file: { does: "read a file", needs: "contents: read" },
  parentsOf: { does: "read a commit", needs: "contents: read" },
  branch: { does: "look up a branch", needs: "contents: read" },
  tree: { does: "list the files of a commit", needs: "contents: read" },
  blob: { does: "read a file's content", needs: "contents: read" },
  commitFiles: { does: "commit files", needs: "contents: write" },
  pushBranch: { does: "move a branch", needs: "contents: write" },
  swapBranch: { does: "move a branch", needs: "contents: write" },
  openPullRequests: { does: "list open pull requests", needs: "pull-requests: read" },
  createPullRequest: { does: "open a pull request", needs: "pull-requests: write" },
  updatePullRequest: { does: "edit a pull request", needs: "pull-requests: write" },
  issues: { does: "list issues", needs: "issues: read" },
  createIssue: { does: "open an issue", needs: "issues: write" },
  updateIssue: { does: "edit an issue", needs: "issues: write" },
  whoAmI: { does: "say whose token this is", needs: null },
};

/**
 * The YAML that grants it, ready to be pasted into a job; null where no permission of a workflow
 * does.
 */
export function permissionYaml(operation: GitHubOperation): string | null {
  const { needs } = OPERATIONS[operation];
  return needs === null ? null : `permissions:\n  ${needs}`;
}
