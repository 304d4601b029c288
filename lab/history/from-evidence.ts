// The history of this repository from the gates of the evidence: those in which nothing was planted
// and a commit was measured against another one, with the default configuration. A commit against
// itself tells of the gate alone.
//
//   node lab/history/from-evidence.ts /tmp/history
//   node dist/cli.cjs history --history /tmp/history --html --output /tmp/history.html
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { reportOn } from "../../src/app/gate/outcome.ts";
import { folderStore } from "../../src/app/history/folder-store.ts";
import { historyRecord } from "../../src/core/history/record.ts";
import type { HistoryRecord } from "../../src/core/model/history.ts";
import { ANCHOR, KINDS } from "../evidence/kinds.ts";
import { readRuns, type StoredRun } from "../evidence/runs.ts";
import { RUNS } from "../evidence/working-copy.ts";

/** The first of these gates ran on the same machine before its class had a name. */
const CLASS = "virtual-2cpu";

export function recordsOf(
  runs: readonly StoredRun[],
  parentOf: (commit: string) => string | null,
): HistoryRecord[] {
  return runs
    .filter(
      ({ kind, plant, samples }) =>
        plant === null && KINDS[kind]?.config === "tailgate.yml" && isOfHistory(samples.sources),
    )
    .map(({ samples }) => {
      const parent = parentOf(samples.sources.candidate.commit);
      const isSplice = samples.sources.candidate.commit === ANCHOR;
      const place = { url: null, parent, shard: isSplice ? "splice" : null };
      return { ...historyRecord(samples, reportOn(samples, []), place), runnerClass: CLASS };
    });
}

function isOfHistory({ candidate, reference }: StoredRun["samples"]["sources"]): boolean {
  return !candidate.dirty && reference !== null && reference.commit !== candidate.commit;
}

/** Null: a root, or not of this clone. */
export function parentOf(commit: string): string | null {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--verify", "--quiet", `${commit}^`], {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });
  return status === 0 ? stdout.trim() : null;
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error("usage: node lab/history/from-evidence.ts FOLDER");
    process.exit(2);
  }
  const records = recordsOf(readRuns(RUNS), parentOf);
  const added = await folderStore(resolve(folder)).append(records);
  console.log(`${added} of ${records.length} runs are new in ${folder}`);
}
