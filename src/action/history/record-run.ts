// One run of the default branch into the history, with the splices that it needs where an anchor has
// moved: the same commit, measured against the anchor before.
import { join } from "node:path";
import { readSamples } from "../../app/documents/samples.ts";
import { missingSplices } from "../../core/history/chain.ts";
import { historyRecord } from "../../core/history/record.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import type { Report } from "../../core/model/report.ts";
import type { GitHub } from "../../github/port.ts";
import type { Job } from "../job/job.ts";
import { refuseElsewhere } from "../job/requirements.ts";
import { openHistory } from "./open.ts";

export interface MeasuredRun {
  report: Pick<Report, "verdict">;
  /** The samples file. */
  samples: string;
  shard?: string;
}

const HISTORY = { are: "the history is", updated: "nothing is recorded in the history" } as const;

/**
 * What these runs are in the history; none where there is no history. A UserError where they are of
 * no commit of the default branch, or GitHub refuses.
 */
export async function makeRecords(
  runs: readonly MeasuredRun[],
  job: Job,
  github: GitHub,
): Promise<HistoryRecord[]> {
  if (runs.length === 0 || (await openHistory(job)) === null) return [];
  await refuseElsewhere(job, github, HISTORY);
  const records: HistoryRecord[] = [];
  for (const run of runs) records.push(await recordOf(run, job, github));
  return records;
}

export async function keepRecords(records: readonly HistoryRecord[], job: Job): Promise<void> {
  const store = records.length === 0 ? null : await openHistory(job);
  if (store === null) return;
  const added = await store.append(records);
  job.runner.log(
    added === 0
      ? `recorded before in the history (${store.name})`
      : `recorded in the history (${store.name}): ${records.map(({ run }) => run.id).join(", ")}`,
  );
}

async function recordOf(
  { report, samples: path, shard = "" }: MeasuredRun,
  { context }: Job,
  github: GitHub,
): Promise<HistoryRecord> {
  const samples = readSamples(path);
  const [parent = null] = (await github.parentsOf(samples.sources.candidate.commit)) ?? [];
  const place = { url: context.runUrl, parent, shard: shard === "" ? null : shard };
  return historyRecord(samples, report, place);
}

/**
 * Measures this commit against the anchors before, one run for each, so that the series go on across
 * the move. `history`: what it was before this night.
 */
export async function recordSplices(
  latest: HistoryRecord,
  history: readonly HistoryRecord[],
  job: Job,
  github: GitHub,
): Promise<void> {
  const { useCases, environment, inputs, runner } = job;
  for (const [commit, services] of missingSplices(history, latest)) {
    if (environment.abort.aborted) return;
    runner.log(
      `the anchor of ${services.join(", ")} has moved: measuring against ${commit.slice(0, 10)} once more`,
    );
    const options = {
      ...inputs,
      services,
      reference: commit,
      compare: "base" as const,
      answerAll: true,
      measureUnchanged: true,
      noExplain: true,
      history: [],
      out: join(inputs.out, `splice-${commit.slice(0, 10)}`),
    };
    const project = await useCases.openProject(options, environment);
    const { report, files } = await useCases.gate(project, environment);
    const [samples = ""] = files;
    const splice = { report, samples, shard: "splice" };
    await keepRecords(await makeRecords([splice], job, github), job);
  }
}
