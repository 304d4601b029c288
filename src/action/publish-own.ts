// Publishing by the job that measured: only for pull requests of this repository, whose authors may push here anyway. Never
// decides how the job ends: its verdict stands, commented on or not.
import type { UserError } from "../base/errors.ts";
import { GitHubError } from "../github/port.ts";
import type { Report } from "../model/report.ts";
import type { CommentContext } from "../publish/comment.ts";
import type { Job } from "./job.ts";
import { isSameRepository } from "./parse-event.ts";
import { publish, type Result } from "./publication.ts";

type Where = Pick<CommentContext, "identity" | "origin" | "runUrl" | "samplesUrl">;

export async function publishOwn(job: Job, report: Report): Promise<void> {
  await publishResult(job, (where) => ({
    kind: "report",
    report,
    context: { ...where, trust: "own", notes: [], manifest: null },
  }));
}

/** A build that fails, a configuration that is wrong: said where the pull request is looked at, not only in the log. */
export async function publishOwnFailure(job: Job, error: UserError): Promise<void> {
  await publishResult(job, (where) => ({
    kind: "notice",
    notice: { kind: "failed", text: error.message, detail: error.detail ?? "" },
    context: where,
  }));
}

async function publishResult(job: Job, resultAt: (where: Where) => Result): Promise<void> {
  const { inputs, event, context, runner, github, environment } = job;
  if (event.kind !== "pull-request" || !isSameRepository(event) || github === null) return;
  const { repository, runId, attempt, runUrl } = context;
  const headSha = event.head.sha;
  const result = resultAt({
    identity: { repository, key: inputs.key },
    origin: { runId, attempt, headSha },
    runUrl,
    samplesUrl: null,
  });
  const published = await publish(
    result,
    {
      pullRequest: event.number,
      statusSha: inputs.status === "always" ? headSha : null,
      comment: inputs.comment,
      inconclusive: inputs.inconclusive,
    },
    { github, abort: environment.abort },
  );
  for (const line of published.done) runner.log(line);
  if (published.commentUrl !== null) runner.output("comment", published.commentUrl);
  for (const failure of published.failures) tell(job, failure);
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
