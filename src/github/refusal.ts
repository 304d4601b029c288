// An answer of GitHub that is a refusal, as the error a person reads: what was refused, what GitHub
// said, what to do.

import { OPERATIONS, permissionYaml } from "./permission.ts";
import { GitHubError, type GitHubFailure, type GitHubOperation } from "./port.ts";

/** The parts of a refusal that words are made from; all of it foreign. */
interface Refusal {
  status: number;
  message: string;
  /** GitHub's `errors`, one line each. */
  problems: readonly string[];
  /**
   * `x-accepted-github-permissions`: what GitHub itself says would have done, as
   * `pull_requests=write`.
   */
  accepted: string | null;
}

/**
 * GitHub's reply to opening a pull request with the job's token while a setting of the repository
 * forbids it.
 */
const ACTIONS_MAY_NOT_OPEN = /not permitted to create or approve pull requests/i;
/** To whoever may not write to a conversation that somebody closed to comments. */
const LOCKED = /\blocked\b/i;
const EXISTS = /already exists|name already exists/i;
const NOT_FORWARD = /not a fast.?forward/i;
const TOO_LONG = /is too (long|big|large)/i;

export function refusalOf(
  operation: GitHubOperation,
  repository: string,
  refusal: Refusal,
): GitHubError {
  const reason = reasonOf(refusal);
  const { does } = OPERATIONS[operation];
  const failed =
    reason === "permission"
      ? `GitHub refused to ${does} in ${repository}`
      : `could not ${does} in ${repository}`;
  const [words, next] = wordsOf(reason, operation, refusal);
  return new GitHubError(reason, `${failed}: ${words}`, { detail: detailOf(refusal), next });
}

/** What GitHub makes of the request, and what to do about it. */
function wordsOf(
  reason: GitHubFailure,
  operation: GitHubOperation,
  refusal: Refusal,
): [words: string, next?: string] {
  switch (reason) {
    case "permission":
      return permissionWords(operation, refusal);
    case "not-found":
      return ["GitHub finds none", notFoundAdvice(operation, refusal)];
    case "too-large":
      return ["GitHub finds it too large"];
    case "conflict":
      return [conflictWords(refusal), "Run it again: it starts from what is there now."];
    default:
      return ["GitHub refuses the request"];
  }
}

function reasonOf({ status, message, problems }: Refusal): GitHubFailure {
  const words = [message, ...problems].join("\n");
  if (status === 401 || status === 403 || status === 451) return "permission";
  if (status === 404 || status === 410) return "not-found";
  if (status === 413) return "too-large";
  if (status === 409) return "conflict";
  if (status === 422 && TOO_LONG.test(words)) return "too-large";
  if (status === 422 && (EXISTS.test(words) || NOT_FORWARD.test(words))) return "conflict";
  return "invalid";
}

function permissionWords(
  operation: GitHubOperation,
  { status, message }: Refusal,
): [words: string, next: string] {
  if (status === 401) {
    return [
      "the token is not valid, or no longer",
      `Pass a token that is: \`token: \${{ github.token }}\`; the job's own token ends with its job.`,
    ];
  }
  if (ACTIONS_MAY_NOT_OPEN.test(message)) {
    return [
      "a setting forbids it to GitHub Actions",
      "Tick Settings > Actions > General > Workflow permissions > Allow GitHub Actions to create and approve pull requests, or pass the token of a GitHub App.",
    ];
  }
  if (LOCKED.test(message)) {
    return [
      "its conversation is locked",
      "Unlock it on its page, or look for the result in the run.",
    ];
  }
  const { advice, needs } = OPERATIONS[operation];
  const yaml = permissionYaml(operation);
  if (yaml === null) {
    return [
      "the token may not",
      `Pass a token of this repository: \`token: \${{ github.token }}\`.`,
    ];
  }
  const next = ["Add it to the job's others (what is not named is refused):", ...indented(yaml)];
  if (advice !== undefined) next.push(advice);
  if (needs?.endsWith(": write")) {
    next.push(
      "A run for a fork's pull request gets no write access whatever the workflow says: publish from a `workflow_run` job.",
    );
  }
  return [`the token lacks \`${needs}\``, next.join("\n")];
}

function notFoundAdvice(operation: GitHubOperation, refusal: Refusal): string {
  if (refusal.status === 410) return "It is gone for good: expired, deleted, or switched off.";
  const yaml = permissionYaml(operation);
  const seen = "Check that it exists and that the token may see this repository";
  if (yaml === null) return `${seen}.`;
  return [
    `${seen}; what a token may not see, GitHub calls not found. The job needs:`,
    ...indented(yaml),
  ].join("\n");
}

function conflictWords({ message, problems }: Refusal): string {
  const words = [message, ...problems].join("\n");
  if (NOT_FORWARD.test(words)) return "the branch has moved";
  return EXISTS.test(words) ? "it exists already" : "something else changed it first";
}

function detailOf({ status, message, problems, accepted }: Refusal): string {
  const lines = [`GitHub said: ${message === "" ? "nothing more" : message} (HTTP ${status})`];
  lines.push(...problems);
  if (accepted !== null) lines.push(`GitHub would accept: ${accepted}`);
  return lines.join("\n");
}

function indented(text: string): string[] {
  return text.split("\n").map((line) => `    ${line}`);
}
