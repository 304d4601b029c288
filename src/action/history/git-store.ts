// A history on a ref of a repository on GitHub, written through the Git database: no clone, no
// checkout, no git. Each append is one commit on what is there, and the ref moves only from where it
// was found: whoever comes second begins again from what the first one left.

import type { HistoryStore } from "../../app/history/store.ts";
import {
  foldMonths,
  inOrder,
  isRunFile,
  monthOf,
  monthPath,
  parseRecords,
  recordId,
  recordPath,
  renderRecord,
} from "../../core/history/layout.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import { type GitHub, GitHubError, type TreeFile } from "../../github/port.ts";
import type { Clock } from "../../machine/sys/clock.ts";

interface GitStorePorts {
  github: Pick<GitHub, "branch" | "tree" | "blob" | "commitFiles" | "pushBranch" | "swapBranch">;
  /** A branch, or another ref that is named whole. */
  ref: string;
  clock: Pick<Clock, "sleep">;
  log(line: string): void;
  /** In [0, 1), for the jitter of waits. */
  random?: () => number;
}

/**
 * Jobs that append at the same time take turns: as many as this may be at it at once before one
 * gives up.
 */
const MAX_ATTEMPTS = 30;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;
/**
 * Files of runs become lines of their months when there are so many: a reader asks for each file by
 * itself. The commits until then are dropped, for each fold writes whole months anew.
 */
const FOLD_AT = 20;

export function gitStore({
  github,
  ref,
  clock,
  log,
  random = Math.random,
}: GitStorePorts): HistoryStore {
  const isBranch = !ref.startsWith("refs/");
  const name = `${isBranch ? "branch" : "ref"} ${ref}`;
  const textsOf = async (files: readonly TreeFile[]): Promise<Map<string, string>> => {
    const texts = new Map<string, string>();
    for (const { path, sha } of files) {
      texts.set(path, new TextDecoder().decode(await github.blob(sha)));
    }
    return texts;
  };

  const recordsIn = async (files: readonly TreeFile[]): Promise<HistoryRecord[]> =>
    [...(await textsOf(files))].flatMap(([path, text]) => parseRecords(text, path));

  const read = async (since: string | null): Promise<HistoryRecord[]> => {
    const head = await github.branch(ref);
    if (head === null) return [];
    const files = (await github.tree(head.sha)).filter(
      ({ path }) => monthOf(path) !== null && (monthOf(path) ?? "") >= (since ?? ""),
    );
    return inOrder(await recordsIn(files));
  };

  /** Those that are neither files nor lines. */
  const absent = async (records: readonly HistoryRecord[], files: readonly TreeFile[]) => {
    const paths = new Set(files.map(({ path }) => path));
    const others = records.filter((record) => !paths.has(recordPath(record)));
    const months = new Set(others.map((record) => monthPath(monthOf(recordPath(record)) ?? "")));
    const lines = (await recordsIn(files.filter(({ path }) => months.has(path)))).map(recordId);
    return others.filter((record) => !lines.includes(recordId(record)));
  };

  /** The files of one commit that adds these; null: all of them are there. */
  const changes = async (
    records: readonly HistoryRecord[],
    files: readonly TreeFile[],
  ): Promise<{ files: Map<string, string | null>; added: number; folds: boolean } | null> => {
    const fresh = await absent(inOrder(records), files);
    if (fresh.length === 0) return null;
    const written = new Map<string, string | null>(
      fresh.map((record) => [recordPath(record), renderRecord(record)]),
    );
    const ofRuns = files.filter(({ path }) => isRunFile(path));
    const added = fresh.length;
    if (ofRuns.length + added <= FOLD_AT) return { files: written, added, folds: false };
    const months = new Set(ofRuns.map(({ path }) => monthPath(monthOf(path) ?? "")));
    const folded = foldMonths(
      await textsOf([...files.filter(({ path }) => months.has(path)), ...ofRuns]),
    );
    for (const [path, text] of folded) written.set(path, text);
    for (const { path } of ofRuns) written.set(path, null);
    return { files: written, added, folds: true };
  };

  /** One commit of what is there, without those before it. A ref that must not move so stays long. */
  const squash = async (head: string): Promise<void> => {
    try {
      const to = await github.commitFiles({
        parent: head,
        rootless: true,
        message: "Fold the history",
        files: new Map(),
      });
      await github.swapBranch(ref, { from: head, to });
    } catch (thrown) {
      if (!(thrown instanceof GitHubError)) throw thrown;
      log(`${name} keeps its older commits: ${thrown.message}`);
    }
  };

  const tryAppend = async (records: readonly HistoryRecord[]): Promise<number> => {
    const head = await github.branch(ref);
    const change = await changes(records, head === null ? [] : await github.tree(head.sha));
    if (change === null) return 0;
    const [first] = records;
    const sha = await github.commitFiles({
      parent: head?.sha ?? null,
      message: `Record run ${first?.run.id ?? ""}`,
      files: change.files,
    });
    // GitHub keeps REST from moving back on branches alone.
    if (isBranch) await github.pushBranch(ref, sha, { force: false });
    else await github.swapBranch(ref, { from: head?.sha ?? null, to: sha });
    if (change.folds) await squash(sha);
    return change.added;
  };

  return {
    name,
    read,
    async append(records) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await tryAppend(records);
        } catch (thrown) {
          const isRace = thrown instanceof GitHubError && thrown.reason === "conflict";
          if (!isRace || attempt >= MAX_ATTEMPTS) throw thrown;
          const mostMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
          const waitMs = Math.round(random() * mostMs);
          log(`${name} has moved meanwhile: again in ${(waitMs / 1000).toFixed(1)} s`);
          await clock.sleep(waitMs);
        }
      }
    },
  };
}
