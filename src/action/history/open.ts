// The history that a job reads, and the one place from which it is written.
import { resolve } from "node:path";
import { folderStore } from "../../app/history/folder-store.ts";
import type { HistoryStore } from "../../app/history/store.ts";
import { UserError } from "../../core/base/errors.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import type { Job } from "../job/job.ts";
import { gitStore } from "./git-store.ts";

/** What drift is learned from is no older (see core/verdict/drift.ts), by months. */
const DRIFT_DAYS = 92;
/** A level that has not come back is told for so long, as long as its anchor stays. */
export const CHANGES_DAYS = 366;
const DAY_MS = 24 * 3600 * 1000;

/** Null: there is none, by the input or for want of a token. */
export async function openHistory(job: Job): Promise<HistoryStore | null> {
  const { inputs, context, environment, runner, github } = job;
  const place = inputs.historyPlace;
  switch (place.kind) {
    case "off":
      return null;
    case "folder":
      return folderStore(resolve(context.workspace, place.path));
    case "ref": {
      if (github === null) return null;
      const { repository, ref } = place;
      const port = repository === null ? github : await job.connectTo(repository);
      return gitStore({ github: port, ref, clock: environment.clock, log: runner.log });
    }
  }
}

/**
 * Null where it cannot be read, which the log then says: stored values decide nothing without it,
 * and everything else goes on.
 */
export async function readHistory(job: Job, days = DRIFT_DAYS): Promise<HistoryRecord[] | null> {
  try {
    return await requireHistory(job, days);
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    const { message } = thrown;
    job.runner.log(`the history cannot be read, so stored values decide nothing: ${message}`);
    return null;
  }
}

/** The same for whom it would change what is decided: where it cannot be read, that is the end. */
export async function requireHistory(job: Job, days = DRIFT_DAYS): Promise<HistoryRecord[]> {
  const from = Date.parse(job.environment.clock.wallTime()) - days * DAY_MS;
  const store = await openHistory(job);
  return (await store?.read(new Date(from).toISOString().slice(0, 7))) ?? [];
}

/** Only where there is something to hold against it. */
export async function historyFor(
  job: Job,
  baselines: readonly unknown[],
): Promise<HistoryRecord[]> {
  return baselines.length === 0 ? [] : ((await readHistory(job)) ?? []);
}
