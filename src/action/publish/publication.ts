// Publishing one result: the comment of its pull request and the status of its commit. Each is
// tried whatever became of the other, and nothing is ever pending: what could not be written is
// handed back in words.
import { failureIn, type UserError } from "../../core/base/errors.ts";
import type { Report } from "../../core/model/report.ts";
import {
  type CommentContext,
  isPlainPass,
  renderComment,
} from "../../core/report/pull-request/comment.ts";
import { type Notice, renderNotice } from "../../core/report/pull-request/notice.ts";
import {
  type DesiredComment,
  planBegun,
  planComment,
  planDouble,
} from "../../core/report/pull-request/plan-comment.ts";
import {
  type StatusPolicy,
  statusOf,
  statusOfNotice,
} from "../../core/report/pull-request/status.ts";
import { plainLine } from "../../core/text/escape.ts";
import type { Comment, CommitStatus, GitHub } from "../../github/port.ts";
import type { Job } from "../job/job.ts";

export type Result =
  | { kind: "report"; report: Report; context: CommentContext }
  | {
      kind: "notice";
      notice: Notice;
      context: Omit<CommentContext, "trust" | "manifest" | "notes">;
    };

/** Tells the runner what was done; returns what could not be. */
export async function publish(
  result: Result,
  place: {
    /** Null: there is none to comment on. */
    pullRequest: number | null;
    /** The commit that gets the status; null: none does. */
    statusSha: string | null;
  },
  github: GitHub,
  job: Told,
): Promise<UserError[]> {
  const { inputs, runner, environment } = job;
  const { pullRequest, statusSha } = place;
  const failures: UserError[] = [];
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    const failure = environment.abort.aborted ? null : await failureIn(step);
    if (failure !== null) failures.push(failure);
  };
  let overtaken = false;
  if (pullRequest !== null && inputs.comment !== "never") {
    await attempt(async () => {
      overtaken = await placeComment(result, pullRequest, github, job);
    });
  }
  // Of the same commit a newer run has set it, of another nobody asks for it.
  if (statusSha !== null && !overtaken) {
    await attempt(async () => {
      const status = statusFor(result, inputs);
      await github.setStatus(statusSha, status);
      runner.log(`status ${status.context} of ${statusSha.slice(0, 10)}: ${status.state}`);
    });
  }
  return failures;
}

type Told = Pick<Job, "runner" | "inputs" | "environment">;

/** Whether a newer result stands there already. */
async function placeComment(
  result: Result,
  pullRequest: number,
  github: GitHub,
  { inputs, runner }: Told,
): Promise<boolean> {
  const { identity, origin } = result.context;
  const desired: DesiredComment = {
    body: bodyOf(result),
    identity,
    origin,
    author: await github.whoAmI(),
    policy: inputs.comment,
    plainPass: result.kind === "report" && isPlainPass(result.report, result.context),
  };
  const existing = await commentsOf(pullRequest, desired.author, github);
  const plan = planComment(existing, desired);
  switch (plan.kind) {
    case "create": {
      const created = await github.createComment(pullRequest, plan.body);
      runner.output("comment", created.url);
      runner.log(`comment written: ${created.url}`);
      const kept = await takeBackDouble(created, desired, pullRequest, github);
      if (kept === null) return false;
      runner.output("comment", kept.url);
      runner.log(`comment taken back: another job had written ${kept.url}`);
      return false;
    }
    case "update": {
      const { url } = await github.updateComment(plan.id, plan.body);
      runner.output("comment", url);
      runner.log(`comment brought up to date: ${url}`);
      for (const id of plan.doubles) {
        await github.deleteComment(id);
        runner.log(`comment ${id} removed: it was a double`);
      }
      return false;
    }
    case "keep": {
      const kept = existing.find(({ id }) => id === plan.id);
      if (kept !== undefined) runner.output("comment", kept.url);
      runner.log(`comment left as it is: ${KEPT[plan.reason]}`);
      return plan.reason === "newer-result";
    }
  }
}

/** Of `author`, which is us: a stranger may write thousands, each as long as GitHub takes. */
async function commentsOf(pullRequest: number, author: string, github: GitHub): Promise<Comment[]> {
  const own: Comment[] = [];
  for await (const one of github.comments(pullRequest)) if (one.author === author) own.push(one);
  return own;
}

/**
 * Another job may have written its first comment between our look and our own: that one is kept, and
 * returned. Null: there is none.
 */
async function takeBackDouble(
  created: Comment,
  desired: DesiredComment,
  pullRequest: number,
  github: GitHub,
): Promise<Comment | null> {
  const existing = await commentsOf(pullRequest, desired.author, github);
  const double = planDouble(existing, created, desired);
  if (double === null) return null;
  if (double.body !== null) await github.updateComment(double.kept, double.body);
  await github.deleteComment(double.remove);
  return existing.find(({ id }) => id === double.kept) ?? null;
}

/** Says in the comment that this run has begun, and has no verdict yet; one line for the log. */
export async function markBegun(
  pullRequest: number,
  {
    runUrl,
    askedAt,
    ...of
  }: Pick<CommentContext, "identity" | "origin" | "runUrl"> & {
    askedAt: string;
  },
  github: GitHub,
): Promise<string | null> {
  const author = await github.whoAmI();
  const existing = await commentsOf(pullRequest, author, github);
  const plan = planBegun(existing, { ...of, author }, { runUrl, askedAt });
  if (plan === null) return null;
  const { url } = await github.updateComment(plan.id, plan.body);
  return `comment says that this run has begun: ${url}`;
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

function statusFor(result: Result, policy: StatusPolicy): CommitStatus {
  const final =
    result.kind === "notice"
      ? statusOfNotice(result.notice)
      : statusOf(result.report, result.context, policy);
  const { identity, runUrl, base } = result.context;
  return { ...final, context: contextOf(identity.key), targetUrl: `${runUrl}${forBase(base.ref)}` };
}

/** What branch rules name. */
function contextOf(key: string): string {
  return `tailgate/${key}`;
}

/** A status is of a commit alone: for which base branch it is, the end of its address says. */
function forBase(ref: string): string {
  return `#base=${encodeURIComponent(ref)}`;
}

/**
 * Takes the status of a pull request's head back where it is for another base branch than the pull
 * request goes into by now. In one line what was done; null: nothing.
 */
export async function withdrawOutdated(
  number: number,
  github: GitHub,
  { context: { runUrl }, inputs: { key } }: Pick<Job, "context" | "inputs">,
): Promise<string | null> {
  const { head, base } = await github.pullRequest(number);
  const context = contextOf(key);
  const standing = await github.status(head.sha, context);
  if (standing === null || standing.targetUrl?.endsWith(forBase(base.ref))) return null;
  const into = plainLine(base.ref, 30);
  const description = `NO VERDICT for ${into} yet: it was for another base branch. Run the gate again.`;
  const targetUrl = `${runUrl}${forBase(base.ref)}`;
  await github.setStatus(head.sha, { state: "error", context, description, targetUrl });
  return `status ${context} of ${head.sha.slice(0, 10)} taken back: it was not for ${into}`;
}
