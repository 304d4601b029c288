// Publishing by the job that measured: only for pull requests of this repository, whose authors may
// push here anyway. Never decides how the job ends: its verdict stands, commented on or not.
import type { UserError } from "../../core/base/errors.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import type { Report } from "../../core/model/report.ts";
import type { CommentContext } from "../../core/report/pull-request/comment.ts";
import { plainLines } from "../../core/text/escape.ts";
import { type GitHub, GitHubError } from "../../github/port.ts";
import { isSameRepository } from "../inputs/parse-event.ts";
import type { Job } from "../job/job.ts";
import { changedBaselines } from "./changed-baselines.ts";
import { markBegun, publish, type Result } from "./publication.ts";

type Where = Pick<CommentContext, "identity" | "origin" | "runUrl" | "samplesUrl" | "base">;

/** Where this job publishes. */
interface Own {
  github: GitHub;
  /** Of the pull request. */
  number: number;
  where: Where;
}

/** Null: this job publishes nothing. */
function ownOf({ event, inputs, context, github }: Job): Own | null {
  if (event.kind !== "pull-request" || !isSameRepository(event) || github === null) return null;
  if (inputs.comment === "never" && inputs.status !== "always") return null;
  const { repository, runId, attempt, runUrl } = context;
  const where = {
    identity: { repository, key: inputs.key },
    origin: { runId, attempt, headSha: event.head.sha },
    runUrl,
    samplesUrl: null,
    base: { ref: event.base.ref, commit: event.base.sha },
  };
  return { github, number: event.number, where };
}

/**
 * At the beginning: a comment of an earlier commit says that it is one. What keeps this job from
 * writing is said when it has a result.
 */
export async function publishBeginning(job: Job): Promise<void> {
  const own = ownOf(job);
  if (own === null || job.inputs.comment === "never") return;
  try {
    const askedAt = job.environment.clock.wallTime();
    const done = await markBegun(own.number, { ...own.where, askedAt }, own.github);
    if (done !== null) job.runner.log(done);
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    if (thrown.reason === "unavailable") logFailure(job, thrown);
  }
}

export async function publishOwn(
  job: Job,
  report: Report,
  history: readonly HistoryRecord[],
): Promise<void> {
  const own = ownOf(job);
  if (own === null) return tellFork(job);
  const context = {
    ...own.where,
    trust: "own" as const,
    notes: [],
    manifest: null,
    changedBaselines: await baselinesOrNone(report, own),
    history,
  };
  await publishResult(job, own, { kind: "report", report, context });
}

function tellFork({ event, inputs: { comment }, runner }: Job): void {
  if (event.kind !== "pull-request" || isSameRepository(event) || comment === "never") return;
  runner.log("not published: a fork's job may not write; `mode: report` in a second workflow may");
}

/** What cannot be looked up is no reason to publish less. */
async function baselinesOrNone(report: Report, { github, where }: Own): Promise<string[]> {
  const place = { head: where.origin.headSha, base: where.base.commit };
  try {
    return await changedBaselines(github, report.config.baselines.dir, place);
  } catch (thrown) {
    if (thrown instanceof GitHubError) return [];
    throw thrown;
  }
}

/**
 * A build that fails, a configuration that is wrong: said where the pull request is looked at, not
 * only in the log.
 */
export async function publishOwnFailure(job: Job, error: UserError): Promise<void> {
  const own = ownOf(job);
  if (own === null) return;
  const notice = { kind: "failed" as const, text: error.message, detail: error.detail ?? "" };
  await publishResult(job, own, { kind: "notice", notice, context: own.where });
}

async function publishResult(job: Job, { github, number, where }: Own, result: Result) {
  const statusSha = job.inputs.status === "always" ? where.origin.headSha : null;
  const failures = await publish(result, { pullRequest: number, statusSha }, github, job);
  for (const failure of failures) tell(job, failure);
}

/** A token that may only read is the safe way to run a gate, and no reason for alarm. */
function tell({ runner }: Job, failure: UserError): void {
  logFailure({ runner }, failure);
  if (failure instanceof GitHubError && failure.reason === "permission") {
    runner.log(
      "  Or publish from a second workflow with `mode: report`, and write `comment: never` here.",
    );
    return;
  }
  runner.annotate({
    level: "warning",
    title: "Tailgate: not published",
    message: `${failure.message}. The verdict is in this job's conclusion and summary.\n${failure.next ?? ""}`,
  });
}

function logFailure({ runner }: Pick<Job, "runner">, { message, detail, next }: UserError): void {
  runner.log(`not published: ${message}`);
  for (const line of plainLines(`${detail ?? ""}\n${next ?? ""}`)) runner.log(`  ${line}`);
}
