// Publishing one result: the comment of its pull request and the status of its commit. Each is tried whatever became of the
// other, and nothing is ever pending: what could not be written is handed back in words.
import { UserError } from "../base/errors.ts";
import type { Comment, CommitStatus, GitHub } from "../github/port.ts";
import type { Report } from "../model/report.ts";
import { type CommentContext, isPlainPass, renderComment } from "../publish/comment.ts";
import { type Notice, renderNotice } from "../publish/notice.ts";
import { type CommentPolicy, planComment } from "../publish/plan-comment.ts";
import { statusOf, statusOfNotice } from "../publish/status.ts";
import type { Inputs } from "./parse-inputs.ts";

export type Result =
  | { kind: "report"; report: Report; context: CommentContext }
  | {
      kind: "notice";
      notice: Notice;
      context: Omit<CommentContext, "trust" | "manifest" | "notes">;
    };

export interface Destination {
  /** Null: there is none to comment on. */
  pullRequest: number | null;
  /** The commit that gets the status; null: none does. */
  statusSha: string | null;
  comment: CommentPolicy;
  inconclusive: Inputs["inconclusive"];
}

export interface Published {
  /** Address of the comment, where there is one now. */
  commentUrl: string | null;
  /** What was done, one line each. */
  done: string[];
  /** What could not be done. */
  failures: UserError[];
}

export async function publish(
  result: Result,
  destination: Destination,
  { github, abort }: { github: GitHub; abort: AbortSignal },
): Promise<Published> {
  const published: Published = { commentUrl: null, done: [], failures: [] };
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    if (abort.aborted) return;
    try {
      await step();
    } catch (thrown) {
      if (!(thrown instanceof UserError)) throw thrown;
      published.failures.push(thrown);
    }
  };
  let overtaken = false;
  const { pullRequest, statusSha } = destination;
  if (pullRequest !== null && destination.comment !== "never") {
    await attempt(async () => {
      overtaken = await comment(result, { ...destination, pullRequest }, github, published);
    });
  }
  // Of the same commit a newer run has set it, of another nobody asks for it.
  if (statusSha !== null && !overtaken) {
    await attempt(async () => {
      const status = statusFor(result, destination);
      await github.setStatus(statusSha, status);
      published.done.push(`status ${status.context} of ${statusSha.slice(0, 10)}: ${status.state}`);
    });
  }
  return published;
}

/** Whether a newer result stands there already. */
async function comment(
  result: Result,
  { pullRequest, comment: policy }: Destination & { pullRequest: number },
  github: GitHub,
  published: Published,
): Promise<boolean> {
  const { identity, origin } = result.context;
  const author = await github.whoAmI();
  const existing: Comment[] = [];
  for await (const one of github.comments(pullRequest)) existing.push(one);
  const plan = planComment(existing, {
    body: bodyOf(result),
    identity,
    origin,
    author,
    policy,
    plainPass: result.kind === "report" && isPlainPass(result.report, result.context.notes),
  });
  const urlOf = (id: number | null): string | null =>
    existing.find((one) => one.id === id)?.url ?? null;
  switch (plan.kind) {
    case "create":
      published.commentUrl = (await github.createComment(pullRequest, plan.body)).url;
      published.done.push(`comment written: ${published.commentUrl}`);
      return false;
    case "update":
      published.commentUrl = (await github.updateComment(plan.id, plan.body)).url;
      published.done.push(`comment brought up to date: ${published.commentUrl}`);
      return false;
    case "keep":
      published.commentUrl = urlOf(plan.id);
      published.done.push(`comment left as it is: ${KEPT[plan.reason]}`);
      return plan.reason === "newer-result";
  }
}

const KEPT = {
  "policy-never": "comments are switched off",
  "plain-pass": "a plain pass, and there is none yet",
  "newer-result": "a newer run has written it",
  unchanged: "nothing has changed",
} as const;

function bodyOf(result: Result): string {
  switch (result.kind) {
    case "report":
      return renderComment(result.report, result.context);
    case "notice":
      return renderNotice(result.notice, result.context);
  }
}

function statusFor(result: Result, { inconclusive }: Destination): CommitStatus {
  const final =
    result.kind === "notice"
      ? statusOfNotice(result.notice)
      : statusOf(result.report, result.context, {
          letThrough: inconclusive === "pass" ? ["inconclusive"] : [],
        });
  const { identity, runUrl } = result.context;
  return { ...final, context: statusContext(identity.key), targetUrl: runUrl };
}

/** What branch rules name. */
export function statusContext(key: string): string {
  return `tailgate/${key}`;
}
