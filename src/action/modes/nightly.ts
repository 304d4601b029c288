// `mode: nightly`: the gate on the default branch against the stored baseline's commit, or what
// other jobs of the night found, and one issue that is open while something is wrong.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { writeExports } from "../../app/documents/exports.ts";
import { reportOn } from "../../app/gate/outcome.ts";
import { UserError } from "../../core/base/errors.ts";
import { missingSplices } from "../../core/history/chain.ts";
import { ARTIFACT_FILES } from "../../core/model/manifest.ts";
import { plainLine } from "../../core/text/escape.ts";
import type { GitHub } from "../../github/port.ts";
import { readHistory } from "../history/open.ts";
import { type MeasuredRun, recordRuns, recordSplices } from "../history/record-run.ts";
import { requireGitHub } from "../inputs/require-github.ts";
import type { Conclusion, Job } from "../job.ts";
import {
  type MeasuredNight,
  type Night,
  summarizeJobs,
  syncIssue,
} from "../publish/nightly-issue.ts";
import { annotateReport, showReport, unreported } from "../publish/show-report.ts";
import { concludeVerdict } from "../publish/verdict-conclusion.ts";
import { readShards } from "../runner/artifact-folder.ts";
import { CANCELLED } from "./gate.ts";

export async function runNightly(job: Job): Promise<Conclusion> {
  const { environment, runner, inputs } = job;
  const github = requireGitHub(job);
  refusePullRequests(job);
  const night = await spend(job);
  if (environment.abort.aborted) return CANCELLED;
  const untold = (await tell(night, job, github)) ?? (await record(night, job, github));
  if (night.kind === "failed") {
    if (untold !== null) runner.log(`the issue is not up to date: ${untold.message}`);
    throw night.error;
  }
  if (night.kind === "jobs") {
    // They have ended as they have ended; this job is right when it has told of them.
    const headline = plainLine(summarizeJobs(night.jobs));
    return untold === null ? { state: "success", headline } : unreported(job, headline, untold);
  }
  const conclusion = concludeVerdict(night.report, inputs);
  // Without its issue a night that went wrong would be seen by nobody.
  return untold === null ? conclusion : unreported(job, conclusion.headline, untold);
}

/** Null: the issue says what the night says. */
async function tell(night: Night, job: Job, github: GitHub): Promise<UserError | null> {
  const { runner } = job;
  try {
    const issue = await syncIssue(night, job, github);
    if (issue === null) return null;
    runner.output("issue", issue.url);
    runner.log(`${issue.done}: ${issue.url}`);
    return null;
  } catch (thrown) {
    if (thrown instanceof UserError) return thrown;
    throw thrown;
  }
}

function refusePullRequests({ event, context }: Job): void {
  if (event.kind !== "pull-request" && event.kind !== "merge-group") return;
  throw new UserError(
    `\`mode: nightly\` is of the default branch, and this is ${context.eventName}`,
    { next: 'Write:\non:\n  schedule:\n    - cron: "17 1 * * *"' },
  );
}

/**
 * What was measured becomes history; null: it did, or this run is none of the default branch, which
 * the log says. A night that cannot be kept must be seen: later changes are held against it.
 */
async function record(night: Night, job: Job, github: GitHub): Promise<UserError | null> {
  const { inputs, runner } = job;
  try {
    if (night.kind === "measured") {
      const { report, samples, history } = night;
      const [latest] = await recordRuns([{ report, samples }], job, github);
      if (latest !== undefined) await recordSplices(latest, history, job, github);
    }
    if (night.kind === "jobs" && inputs.recordFolder !== null) {
      const history = await readHistory(job);
      const records = await recordRuns(measuredIn(job, inputs.recordFolder), job, github);
      for (const record of records) tellMissing(missingSplices(history, record), job);
    }
    return null;
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    if (!(await isOfDefaultBranch(job, github))) {
      runner.log(`not recorded: ${thrown.message}`);
      return null;
    }
    return thrown;
  }
}

/** This job measures nothing: whoever may can join the series at a desk. */
function tellMissing(missing: ReturnType<typeof missingSplices>, { runner }: Job): void {
  for (const [commit, services] of missing) {
    runner.log(
      `the anchor of ${services.join(", ")} has moved, and no run measured ${commit.slice(0, 10)} beside the new one: their series begin anew`,
    );
  }
}

async function isOfDefaultBranch({ context }: Job, github: GitHub): Promise<boolean> {
  const { defaultBranch } = await github.repository();
  return context.ref === `refs/heads/${defaultBranch}`;
}

/** What other jobs of the night measured and handed over, judged as they were. */
function measuredIn({ inputs, context, runner }: Job, folder: string): MeasuredRun[] {
  const at = resolve(context.workspace, inputs.workingDirectory, folder);
  if (!existsSync(at)) {
    runner.log(`nothing is recorded: no job handed over what it measured (${folder} is not there)`);
    return [];
  }
  return readShards(at).map(({ name, samples }) => ({
    report: reportOn(samples, []),
    samples: join(at, name, ARTIFACT_FILES.samples),
  }));
}

async function spend(job: Job): Promise<Night> {
  if (job.inputs.needs !== null) return { kind: "jobs", jobs: job.inputs.needs };
  try {
    return { kind: "measured", ...(await measureNight(job)) };
  } catch (thrown) {
    // A bug of ours is not the night's: it goes its own way.
    if (!(thrown instanceof UserError)) throw thrown;
    return { kind: "failed", error: thrown };
  }
}

async function measureNight(job: Job): Promise<MeasuredNight> {
  const { useCases, environment, inputs } = job;
  const compare = inputs.compare ?? (inputs.reference === null ? "replay" : "base");
  const history = await readHistory(job);
  // Nobody waits for it: everything is answered. A night on which nothing changed tells how the
  // machine wanders.
  const options = { ...inputs, compare, history, answerAll: true, measureUnchanged: true };
  const project = await useCases.openProject(options, environment);
  const { report, files } = await useCases.gate(project, environment);
  const [samples = ""] = files;
  showReport(job, report);
  annotateReport(job, report);
  writeExports(report, samples, inputs.exports);
  job.runner.output("reports", dirname(samples));
  return { report, samples, history };
}
