// Publishing one result: the comment of its pull request and the status of its commit. Each is
// tried whatever became of the other, and nothing is ever pending: what could not be written is
// handed back in words.
import { UserError } from "../../core/base/errors.ts";
import type { Report } from "../../core/model/report.ts";
import {
  type CommentContext,
  isPlainPass,
  renderComment,
} from "../../core/report/pull-request/comment.ts";
import { type Notice, renderNotice } from "../../core/report/pull-request/notice.ts";
import {
  type CommentPolicy,
  type DesiredComment,
  planBegun,
  planComment,
  planDouble,
} from "../../core/report/pull-request/plan-comment.ts";
import { statusOf, statusOfNotice } from "../../core/report/pull-request/status.ts";
import type { Comment, CommitStatus, GitHub } from "../../github/port.ts";
import type { Inputs } from "../inputs/parse-inputs.ts";
import type { Job } from "../job.ts";

export type Result =
  | { kind: "report"; report: Report; context: CommentContext }
  | {
      kind: "notice";
      notice: Notice;
      context: Omit<CommentContext, "trust" | "manifest" | "notes">;
    };

interface Destination {
  /** Null: there is none to comment on. */
  pullRequest: number | null;
  /** The commit that gets the status; null: none does. */
  statusSha: string | null;
  comment: CommentPolicy;
  inconclusive: Inputs["inconclusive"];
}

interface Published {
  /** Address of the comment, where there is one now. */
  commentUrl: string | null;
  /** What was done, one line each. */
  done: string[];
  /** What could not be done. */
  failures: UserError[];
}

/** Tells the runner what was done; returns what could not be. */
export async function publish(
  result: Result,
  place: Pick<Destination, "pullRequest" | "statusSha">,
  github: GitHub,
  { runner, inputs, environment }: Pick<Job, "runner" | "inputs" | "environment">,
): Promise<UserError[]> {
  const { comment, inconclusive } = inputs;
  const destination = { ...place, comment, inconclusive };
  const published = await tryPublish(result, destination, github, environment.abort);
  for (const line of published.done) runner.log(line);
  if (published.commentUrl !== null) runner.output("comment", published.commentUrl);
  return published.failures;
}

async function tryPublish(
  result: Result,
  destination: Destination,
  github: GitHub,
  abort: AbortSignal,
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
      overtaken = await placeComment(result, { ...destination, pullRequest }, github, published);
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
async function placeComment(
  result: Result,
  { pullRequest, comment: policy }: Destination & { pullRequest: number },
  github: GitHub,
  published: Published,
): Promise<boolean> {
  const { identity, origin } = result.context;
  const desired: DesiredComment = {
    body: bodyOf(result),
    identity,
    origin,
    author: await github.whoAmI(),
    policy,
    plainPass: result.kind === "report" && isPlainPass(result.report, result.context),
  };
  const existing = await commentsOf(pullRequest, github);
  const plan = planComment(existing, desired);
  const urlOf = (id: number | null): string | null =>
    existing.find((one) => one.id === id)?.url ?? null;
  switch (plan.kind) {
    case "create": {
      const created = await github.createComment(pullRequest, plan.body);
      published.commentUrl = created.url;
      published.done.push(`comment written: ${created.url}`);
      await takeBackDouble(created, desired, { pullRequest, github, published });
      return false;
    }
    case "update":
      published.commentUrl = (await github.updateComment(plan.id, plan.body)).url;
      published.done.push(`comment brought up to date: ${published.commentUrl}`);
      for (const id of plan.doubles) {
        await github.deleteComment(id);
        published.done.push(`comment ${id} removed: it was a double`);
      }
      return false;
    case "keep":
      published.commentUrl = urlOf(plan.id);
      published.done.push(`comment left as it is: ${KEPT[plan.reason]}`);
      return plan.reason === "newer-result";
  }
}

async function commentsOf(pullRequest: number, github: GitHub): Promise<Comment[]> {
  const found: Comment[] = [];
  for await (const one of github.comments(pullRequest)) found.push(one);
  return found;
}

/** Another job may have written its first comment between our look and our own. */
async function takeBackDouble(
  created: Comment,
  desired: DesiredComment,
  { pullRequest, github, published }: { pullRequest: number; github: GitHub; published: Published },
): Promise<void> {
  const existing = await commentsOf(pullRequest, github);
  const double = planDouble(existing, created, desired);
  if (double === null) return;
  if (double.body !== null) await github.updateComment(double.kept, double.body);
  await github.deleteComment(double.remove);
  published.commentUrl = existing.find(({ id }) => id === double.kept)?.url ?? null;
  published.done.push(`comment taken back: another job had written ${published.commentUrl}`);
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
  const existing = await commentsOf(pullRequest, github);
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
function statusContext(key: string): string {
  return `tailgate/${key}`;
}
