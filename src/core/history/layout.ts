// Where records lie in a store: one file for each run, and one for each month in which older runs
// are lines. Distinct runs have distinct paths, so appends commute; and there is one order, so that
// whoever reads them gets the same list from any store. Pure.
import { UserError } from "../base/errors.ts";
import { describeIssues } from "../base/issues.ts";
import { tryJson } from "../base/try-json.ts";
import { type HistoryRecord, HistoryRecordSchema } from "../model/history.ts";

/** `runs/2026/10/20261023T011703Z-<run>-<shard>.json`, by the time of the run. */
export function recordPath({ run }: Pick<HistoryRecord, "run">): string {
  const [year, month] = run.startedAt.split("-");
  const time = run.startedAt.replaceAll(/[-:]|\.\d+/g, "");
  const name = [time, withoutTime(run.id, time), run.shard]
    .filter((part) => part !== null && part !== "")
    .map((part) => String(part).replaceAll(/[^A-Za-z0-9._]+/g, "-"))
    .join("-");
  return `runs/${year}/${month}/${name}.json`;
}

/** Ids of runs begin with their time. */
function withoutTime(id: string, time: string): string {
  return id.startsWith(`${time}-`) ? id.slice(time.length + 1) : id;
}

export function renderRecord(record: HistoryRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** What people note, beside `tailgate.yml`. */
export const ANNOTATIONS_FILE = "tailgate.annotations.yml";
export const HISTORY_PAGE = "history.html";

const RUN_FILE = /^runs\/(\d{4})\/(\d\d)\/[^/]+\.json$/;
const MONTH_FILE = /^(\d{4})-(\d\d)\.jsonl$/;

/** `2026-10` of a file that holds records; null of any other. */
export function monthOf(path: string): string | null {
  const [, year, month] = RUN_FILE.exec(path) ?? MONTH_FILE.exec(path) ?? [];
  return year === undefined ? null : `${year}-${month}`;
}

export function isRunFile(path: string): boolean {
  return RUN_FILE.test(path);
}

export function monthPath(month: string): string {
  return `${month}.jsonl`;
}

/**
 * The records of one file, a line each. `path` is for messages. `onDamage` hears of what is no
 * record; default: the first ends it, for whoever decides by the others.
 */
export function parseRecords(
  text: string,
  path: string,
  onDamage?: (damage: UserError) => void,
): HistoryRecord[] {
  return text.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    const value = tryJson(line) ?? line;
    const parsed = HistoryRecordSchema.safeParse(value);
    if (parsed.success) return [parsed.data];
    const [first = ""] = describeIssues(parsed.error, value);
    const damage = new UserError(`line ${i + 1} of ${path} is no record of the history: ${first}`, {
      next: "Use the version of Tailgate that wrote it, or a newer one. Or remove the file from the history: what it says is lost then.",
    });
    if (onDamage === undefined) throw damage;
    onDamage(damage);
    return [];
  });
}

/**
 * Files of runs as lines of their months: each month's whole text, from what it has and the files
 * that go. Every run is in it once.
 */
export function foldMonths(files: ReadonlyMap<string, string>): Map<string, string> {
  const months = Map.groupBy(files, ([path]) => monthOf(path));
  return new Map(
    [...months].flatMap(([month, own]) => {
      if (month === null) return [];
      const records = own.flatMap(([path, text]) => parseRecords(text, path));
      return [[monthPath(month), inOrder(records).map(renderRecord).join("")] as const];
    }),
  );
}

/** What tells records apart: a run, and its part. */
export function recordId({ run }: Pick<HistoryRecord, "run">): string {
  return JSON.stringify([run.id, run.shard]);
}

/**
 * By the time of the run, then its id, then its shard; of records of the same run and shard the
 * first that is given.
 */
export function inOrder(records: readonly HistoryRecord[]): HistoryRecord[] {
  // Of equal keys a map keeps the last.
  const byId = new Map(records.toReversed().map((record) => [recordId(record), record]));
  const key = ({ run }: HistoryRecord) => [run.startedAt, run.id, run.shard ?? ""] as const;
  return [...byId.values()].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    const at = x.findIndex((part, i) => part !== y[i]);
    return at === -1 ? 0 : (x[at] ?? "") < (y[at] ?? "") ? -1 : 1;
  });
}
