// The page of the whole history, among the files of the night that has just been recorded.
import { join, resolve } from "node:path";
import { writeReports } from "../../app/documents/reports.ts";
import { readTrend } from "../../app/history/trend.ts";
import { UserError } from "../../core/base/errors.ts";
import { HISTORY_PAGE } from "../../core/history/layout.ts";
import type { Job } from "../job/job.ts";
import { openHistory } from "./open.ts";

/**
 * Into `folder`, which it returns; null: there is none, and the log says why. A night is no worse for
 * want of it.
 */
export async function writeHistoryPage(folder: string, job: Job): Promise<string | null> {
  const { environment, runner } = job;
  try {
    const records = (await (await openHistory(job))?.read(null)) ?? [];
    if (records.length === 0) return null;
    const trend = await readTrend(records, null, environment);
    const page = (await environment.satellites.pages()).renderHistoryPage;
    const at = resolve(environment.workingFolder, folder);
    writeReports(at, { [HISTORY_PAGE]: page(trend, `tailgate ${environment.version}`) });
    runner.log(`the history of ${records.length} runs is in ${join(folder, HISTORY_PAGE)}`);
    return at;
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    runner.log(`there is no page of the history: ${thrown.message}`);
    return null;
  }
}
