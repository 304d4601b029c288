// Publishing by the job that measured: only for pull requests of this repository, whose authors may
// push here anyway. Never decides how the job ends: its verdict stands, commented on or not.
import type { UserError } from "../../core/base/errors.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import type { Report } from "../../core/model/report.ts";
import type { CommentContext } from "../../core/report/pull-request/comment.ts";
import { type GitHub, GitHubError } from "../../github/port.ts";
import { isSameRepository } from "../inputs/parse-event.ts";
import type { Job } from "../job/job.ts";
import { changedBaselines } from "./changed-baselines.ts";
import { markBegun, publish, type Result } from "./publication.ts";

type Where = Pick<CommentContext, "identity" | "origin" | "runUrl" | "samplesUrl">;

/**
 * At the beginning: a comment of an earlier commit says that it is one. What keeps this job from
 * writing is said when it has a result.
 */
export async function publishBeginning(job: Job): Promise<void> {
  const { inputs, event, runner, github } = job;
  if (!isOwn(job) || event.kind !== "pull-request" || github === null) return;
  if (inputs.comment === "never") return;
  try {
    const askedAt = job.environment.clock.wallTime();
    const where = placeOf(job, event.head.sha);
    const done = await markBegun(event.number, { ...where, askedAt }, github);
    if (done !== null) runner.log(done);
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
  }
}

export async function publishOwn(
  job: Job,
  report: Report,
  history: readonly HistoryRecord[],
): Promise<void> {
  const { event, github } = job;
  const changed =
    event.kind === "pull-request" && isOwn(job) && github !== null
      ? await baselinesOrNone(report, event.base.sha, github)
      : [];
  await publishResult(job, (where) => ({
    kind: "report",
    report,
    context: {
      ...where,
      trust: "own",
      notes: [],
      manifest: null,
      changedBaselines: changed,
      history,
    },
  }));
}

/** What cannot be looked up is no reason to publish less. */
async function baselinesOrNone(report: Report, base: string, github: GitHub): Promise<string[]> {
  try {
    return await changedBaselines(github, report, base);
  } catch (thrown) {
    if (thrown instanceof GitHubError) return [];
    throw thrown;
  }
}

/** Whether this job publishes at all. */
function isOwn({ event, inputs }: Job): boolean {
  return isSameRepository(event) && (inputs.comment !== "never" || inputs.status === "always");
}

function placeOf({ inputs, context }: Job, headSha: string): Where {
  const { repository, runId, attempt, runUrl } = context;
  return {
    identity: { repository, key: inputs.key },
    origin: { runId, attempt, headSha },
    runUrl,
    samplesUrl: null,
  };
}

/**
 * A build that fails, a configuration that is wrong: said where the pull request is looked at, not
 * only in the log.
 */
export async function publishOwnFailure(job: Job, error: UserError): Promise<void> {
  await publishResult(job, (where) => ({
    kind: "notice",
    notice: { kind: "failed", text: error.message, detail: error.detail ?? "" },
    context: where,
  }));
}

async function publishResult(job: Job, resultAt: (where: Where) => Result): Promise<void> {
  const { inputs, event, github } = job;
  if (event.kind !== "pull-request" || !isSameRepository(event) || github === null) return;
  const headSha = event.head.sha;
  const statusSha = inputs.status === "always" ? headSha : null;
  const place = { pullRequest: event.number, statusSha };
  const failures = await publish(resultAt(placeOf(job, headSha)), place, github, job);
  for (const failure of failures) tell(job, failure);
}

/** A token that may only read is the safe way to run a gate, and no reason for alarm. */
function tell({ runner }: Job, failure: UserError): void {
  if (failure instanceof GitHubError && failure.reason === "permission") {
    runner.log(`not published: ${failure.message}`);
    for (const line of (failure.next ?? "").split("\n")) runner.log(`  ${line}`);
    runner.log(
      "  Or publish from a second workflow with `mode: report`, and write `comment: never` here.",
    );
    return;
  }
  runner.annotate({
    level: "warning",
    title: "Tailgate: not published",
    message: `${failure.message}. The verdict is in this job's conclusion and summary.`,
  });
}
