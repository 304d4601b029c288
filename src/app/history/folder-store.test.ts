// A history in a folder: what is appended is read, once, whatever lies beside it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { makeFolder } from "../../../test/support/files.ts";
import { nightOf } from "../../../test/support/history.ts";
import { foldMonths, inOrder, recordPath, renderRecord } from "../../core/history/layout.ts";
import { folderStore, readFolder } from "./folder-store.ts";

let folder: string;
beforeEach(() => {
  folder = makeFolder();
});

const RECORDS = [40, 1, 2].map((day) => nightOf({ day }));

test("what is appended is read in order, and twice is once", async () => {
  const store = folderStore(join(folder, "deep", "in"));
  expect(await store.read(null)).toEqual([]);
  expect(await store.append(RECORDS)).toBe(3);
  expect(await store.append(RECORDS)).toBe(0);
  expect(await store.read(null)).toEqual(inOrder(RECORDS));
  expect(await store.read("2026-02")).toEqual(RECORDS.slice(0, 1));
});

test("what is a line of its month already is not written again", async () => {
  const files = new Map(RECORDS.map((one) => [recordPath(one), renderRecord(one)]));
  for (const [path, text] of foldMonths(files)) writeFileSync(join(folder, path), text);
  writeFileSync(join(folder, "README.md"), "not ours");
  const store = folderStore(folder);
  expect(await store.append(RECORDS)).toBe(0);
  expect(await store.read(null)).toEqual(inOrder(RECORDS));
});

test("who asks hears of each line that is no record, and gets the rest", () => {
  const [first, second] = RECORDS.slice(1).map(renderRecord);
  writeFileSync(join(folder, "2026-01.jsonl"), `${first}{"schema":"x"}\n${second}{\n`);
  const damages: string[] = [];
  const read = readFolder(folder, null, ({ message }) => damages.push(message));
  expect(read).toEqual(RECORDS.slice(1));
  expect(damages).toEqual([
    expect.stringMatching(/^line 2 of 2026-01\.jsonl is no record of the history: /),
    expect.stringMatching(/^line 4 of 2026-01\.jsonl is no record of the history: /),
  ]);
  expect(() => readFolder(folder, null)).toThrow("line 2 of 2026-01.jsonl");
});

test("a file that is no record is named", () => {
  mkdirSync(join(folder, "runs/2026/10"), { recursive: true });
  writeFileSync(join(folder, "runs/2026/10/x.json"), "{}\n");
  expect(() => readFolder(folder, null)).toThrow(
    "line 1 of runs/2026/10/x.json is no record of the history",
  );
  expect(() => readFolder(join(folder, "runs/2026/10/x.json"), null)).toThrow("is a file");
});
