// What each operation of the port does, in words, and which permission of the job's token it needs, as data: messages
// are made from it, and a test holds it against the fake API's own rules.
import type { GitHubOperation } from "./port.ts";

/** A line under `permissions:` of a workflow's job. */
export interface Permission {
  scope: "actions" | "contents" | "issues" | "pull-requests" | "statuses";
  level: "read" | "write";
}

export interface OperationFacts {
  /** Completes "GitHub refused to …". */
  does: string;
  /** All that is needed; empty where every token that sees the repository may do it. */
  needs: readonly Permission[];
  /** Added when the operation is refused although the permission looks granted. */
  advice?: string;
}

const READ_PULLS = [{ scope: "pull-requests", level: "read" }] as const;
const WRITE_PULLS = [{ scope: "pull-requests", level: "write" }] as const;
const READ_ACTIONS = [{ scope: "actions", level: "read" }] as const;
const READ_CONTENTS = [{ scope: "contents", level: "read" }] as const;
const WRITE_CONTENTS = [{ scope: "contents", level: "write" }] as const;
const READ_ISSUES = [{ scope: "issues", level: "read" }] as const;
const WRITE_ISSUES = [{ scope: "issues", level: "write" }] as const;

/** Comments of a pull request are guarded by `pull-requests`, those of a plain issue by `issues`. */
const PLAIN_ISSUE =
  "For an issue that is no pull request it is `issues` in place of `pull-requests`.";

export const OPERATIONS: Readonly<Record<GitHubOperation, OperationFacts>> = {
  repository: { does: "read the repository's settings", needs: [] },
  pullRequest: { does: "read a pull request", needs: READ_PULLS },
  pullRequestsOf: { does: "list the pull requests of a commit", needs: READ_PULLS },
  workflowRun: { does: "read a workflow run", needs: READ_ACTIONS },
  artifactsOf: { does: "list the artifacts of a workflow run", needs: READ_ACTIONS },
  downloadArtifact: { does: "download an artifact", needs: READ_ACTIONS },
  comments: { does: "list comments", needs: READ_PULLS, advice: PLAIN_ISSUE },
  createComment: { does: "write a comment", needs: WRITE_PULLS, advice: PLAIN_ISSUE },
  updateComment: { does: "edit a comment", needs: WRITE_PULLS, advice: PLAIN_ISSUE },
  setStatus: {
    does: "set a commit status",
    needs: [{ scope: "statuses", level: "write" }],
  },
  file: { does: "read a file", needs: READ_CONTENTS },
  parentsOf: { does: "read a commit", needs: READ_CONTENTS },
  branch: { does: "look up a branch", needs: READ_CONTENTS },
  commitFiles: { does: "commit files", needs: WRITE_CONTENTS },
  pushBranch: { does: "move a branch", needs: WRITE_CONTENTS },
  openPullRequests: { does: "list open pull requests", needs: READ_PULLS },
  createPullRequest: { does: "open a pull request", needs: WRITE_PULLS },
  updatePullRequest: { does: "edit a pull request", needs: WRITE_PULLS },
  issues: { does: "list issues", needs: READ_ISSUES },
  createIssue: { does: "open an issue", needs: WRITE_ISSUES },
  updateIssue: { does: "edit an issue", needs: WRITE_ISSUES },
  whoAmI: { does: "say whose token this is", needs: [] },
};

/** The YAML that grants it, ready to be pasted into a job; null where no permission of a workflow does. */
export function permissionYaml(operation: GitHubOperation): string | null {
  const { needs } = OPERATIONS[operation];
  if (needs.length === 0) return null;
  return ["permissions:", ...needs.map(({ scope, level }) => `  ${scope}: ${level}`)].join("\n");
}

/** `pull-requests: write`, as the message names it. */
export function permissionName(operation: GitHubOperation): string | null {
  const { needs } = OPERATIONS[operation];
  return needs.length === 0
    ? null
    : needs.map((one) => `\`${one.scope}: ${one.level}\``).join(", ");
}

/** Whether the operation changes anything, which no job for a fork's pull request may. */
export function isWrite(operation: GitHubOperation): boolean {
  return OPERATIONS[operation].needs.some(({ level }) => level === "write");
}
