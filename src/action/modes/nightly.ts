// `mode: nightly`: the gate on the default branch against the stored baseline's commit, or what
// other jobs of the night found, and one issue that is open while something is wrong or a change for
// the worse stands.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readShards } from "../../app/gate/merge.ts";
import { reportOn } from "../../app/gate/outcome.ts";
import { failureIn, UserError } from "../../core/base/errors.ts";
import { missingSplices } from "../../core/history/chain.ts";
import { seriesChanges } from "../../core/history/changes.ts";
import { standingChanges } from "../../core/history/standing.ts";
import type { HistoryRecord, StandingChange } from "../../core/model/history.ts";
import { ARTIFACT_FILES } from "../../core/model/manifest.ts";
import { type MeasuredNight, type Night, summarizeJobs } from "../../core/model/night.ts";
import { plainLine } from "../../core/text/escape.ts";
import { type GitHub, GitHubError } from "../../github/port.ts";
import { CHANGES_DAYS, readHistory } from "../history/open.ts";
import {
  keepRecords,
  type MeasuredRun,
  makeRecords,
  recordSplices,
} from "../history/record-run.ts";
import { writeHistoryPage } from "../history/write-page.ts";
import { CANCELLED, type Conclusion, type Job } from "../job/job.ts";
import { openToBuild, requireGitHub } from "../job/requirements.ts";
import { syncIssue } from "../publish/nightly-issue.ts";
import { tellReport, unreported } from "../publish/show-report.ts";
import { concludeVerdict } from "../publish/verdict-conclusion.ts";

export async function runNightly(job: Job): Promise<Conclusion> {
  const { environment, runner, inputs } = job;
  const github = requireGitHub(job);
  refusePullRequests(job);
  const history = await historyOf(job);
  const night = await spend(job, history ?? []);
  if (environment.abort.aborted) return CANCELLED;
  const { records, failure } = await recordsOf(night, job, github);
  const changes = standingSince(history, records);
  const untold =
    (await failureIn(() => tell(night, changes, job, github))) ??
    failure ??
    (await failureIn(() => keep(night, { records, history: history ?? [] }, job, github)));
  await writePage(night, job);
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

async function tell(
  night: Night,
  changes: readonly StandingChange[] | null,
  job: Job,
  github: GitHub,
): Promise<void> {
  const { runner } = job;
  const issue = await syncIssue({ night, changes }, job, github);
  if (issue === null) return;
  runner.output("issue", issue.url);
  runner.log(`${issue.done}: ${issue.url}`);
}

function refusePullRequests({ event, context }: Job): void {
  if (!["pull-request", "target", "merge-group"].includes(event.kind)) return;
  throw new UserError(
    `\`mode: nightly\` is of the default branch, and this is ${context.eventName}`,
    { next: 'Write:\non:\n  schedule:\n    - cron: "17 1 * * *"' },
  );
}

/** Where nothing is recorded, none is needed. */
async function historyOf(job: Job): Promise<HistoryRecord[] | null> {
  const { needs, recordFolder } = job.inputs;
  return needs !== null && recordFolder === null ? [] : await readHistory(job, CHANGES_DAYS);
}

/**
 * What was measured, as records. A run that is none of the default branch makes none, which the log
 * says. A night that cannot be kept must be seen: later changes are held against it.
 */
async function recordsOf(
  night: Night,
  job: Job,
  github: GitHub,
): Promise<{ records: HistoryRecord[]; failure: UserError | null }> {
  let records: HistoryRecord[] = [];
  const failure = await failureIn(async () => {
    records = await makeRecords(measuredIn(night, job), job, github);
  });
  const isKnown = failure === null || failure instanceof GitHubError;
  if (isKnown || (await isOfDefaultBranch(job, github))) return { records, failure };
  job.runner.log(`not recorded: ${failure.message}`);
  return { records, failure: null };
}

/**
 * Of the series that this night measured: the others are another issue's, or nobody's any more. Null:
 * not known.
 */
function standingSince(
  history: readonly HistoryRecord[] | null,
  records: readonly HistoryRecord[],
): StandingChange[] | null {
  if (history === null || (records.length === 0 && history.length > 0)) return null;
  return standingChanges(seriesChanges([...history, ...records])).filter(
    ({ series, runnerClass }) =>
      records.some((one) => one.runnerClass === runnerClass && one.series[series] !== undefined),
  );
}

async function keep(
  night: Night,
  { records, history }: { records: HistoryRecord[]; history: HistoryRecord[] },
  job: Job,
  github: GitHub,
): Promise<void> {
  await keepRecords(records, job);
  for (const record of records) {
    const others = records.filter((one) => one !== record);
    if (night.kind === "measured") await recordSplices(record, history, job, github);
    else tellMissing(missingSplices([...history, ...others], record), job);
  }
}

/** With the reports of what was measured here; else where they would be. */
async function writePage(night: Night, job: Job): Promise<void> {
  const { inputs, runner } = job;
  if (night.kind === "measured") await writeHistoryPage(dirname(night.samples), job);
  if (night.kind !== "jobs" || inputs.recordFolder === null) return;
  const folder = await writeHistoryPage(inputs.out, job);
  if (folder !== null) runner.output("reports", folder);
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

/** Here, or by other jobs of the night, which handed it over; judged as it was. */
function measuredIn(night: Night, { inputs, context, runner }: Job): MeasuredRun[] {
  if (night.kind === "measured") return [night];
  if (night.kind === "failed" || inputs.recordFolder === null) return [];
  const folder = inputs.recordFolder;
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

async function spend(job: Job, history: HistoryRecord[]): Promise<Night> {
  if (job.inputs.needs !== null) return { kind: "jobs", jobs: job.inputs.needs };
  try {
    return { kind: "measured", ...(await measureNight(job, history)) };
  } catch (thrown) {
    // A bug of ours is not the night's: it goes its own way.
    if (!(thrown instanceof UserError)) throw thrown;
    return { kind: "failed", error: thrown };
  }
}

async function measureNight(job: Job, history: HistoryRecord[]): Promise<MeasuredNight> {
  const { useCases, environment, inputs } = job;
  const compare = inputs.compare ?? (inputs.reference === null ? "replay" : "base");
  // Nobody waits for it: everything is answered. A night on which nothing changed tells how the
  // machine wanders.
  const options = { ...inputs, compare, history, answerAll: true, measureUnchanged: true };
  const project = await openToBuild(job, options);
  const { report, files } = await useCases.gate(project, environment);
  const [samples = ""] = files;
  await tellReport(job, { report, samplesPath: samples });
  return { report, samples };
}
