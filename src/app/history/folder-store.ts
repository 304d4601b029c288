// A history in a folder: for machines without GitHub, and for looking at one that was fetched.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import {
  inOrder,
  monthOf,
  monthPath,
  parseRecords,
  recordId,
  recordPath,
  renderRecord,
} from "../../core/history/layout.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import { writeFileAtomic } from "../../machine/sys/files.ts";
import { readText } from "../documents/document.ts";
import type { HistoryStore } from "./store.ts";

const HISTORY = { what: "history", next: "Name the folder that holds the files of the history." };

/** A folder that is not there has no records yet. */
export function folderStore(folder: string): HistoryStore {
  return {
    name: `folder ${folder}`,
    read: async (since) => readFolder(folder, since),
    async append(records) {
      let added = 0;
      for (const record of inOrder(records)) {
        const path = join(folder, recordPath(record));
        if (existsSync(path) || isFolded(folder, record)) continue;
        writeFileAtomic(path, renderRecord(record));
        added++;
      }
      return added;
    },
  };
}

/** `onDamage`: as parseRecords. */
export function readFolder(
  folder: string,
  since: string | null,
  onDamage?: (damage: UserError) => void,
): HistoryRecord[] {
  if (!existsSync(folder)) return [];
  if (!statSync(folder).isDirectory()) {
    throw new UserError(`the history ${folder} is a file, expected a folder`, {
      next: HISTORY.next,
    });
  }
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => (monthOf(path) ?? "") >= (since ?? "0") && monthOf(path) !== null);
  return inOrder(
    files.flatMap((path) => parseRecords(readText(join(folder, path), HISTORY), path, onDamage)),
  );
}

function isFolded(folder: string, record: HistoryRecord): boolean {
  const path = join(folder, monthPath(monthOf(recordPath(record)) ?? ""));
  if (!existsSync(path)) return false;
  const id = recordId(record);
  return parseRecords(readText(path, HISTORY), path).some((one) => recordId(one) === id);
}
