// What may be typed after `tailgate history`, and what is written.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeEnvironment } from "../../test/support/environment.ts";
import { sharedFolder } from "../../test/support/files.ts";
import { trendOf } from "../../test/support/trend.ts";
import { folderStore } from "../app/history/folder-store.ts";
import { silentProgress } from "../app/progress.ts";
import { parseCommandLine } from "./command-line.ts";

const folder = sharedFolder();
await folderStore(join(folder, "history")).append(trendOf({ nights: 3 }));
writeFileSync(join(folder, "notes.yml"), "- date: 2026-01-02\n  text: moved");
writeFileSync(join(folder, "tailgate.annotations.yml"), "- date: 2026-01-01\n  text: began");

const environment = makeEnvironment(folder);
const run = async (...words: string[]) =>
  await parseCommandLine(["history", ...words]).run(environment);

test.each([
  {
    words: [],
    says: /^no change found\n +5 metrics over 3 runs, from 2026-01-01 to 2026-01-03\.\n/,
  },
  { words: ["--html"], says: /^<!doctype html>[\s\S]*5 metrics over 3 runs/ },
  { words: ["--html"], says: />began</ },
  { words: ["--html", "--history", "history", "--annotations", "notes.yml"], says: />moved</ },
])("$words is written", async ({ words, says }) => {
  expect(await run(...words, "--output", "out")).toBe(0);
  expect(readFileSync(join(folder, "out"), "utf8")).toMatch(says);
});

test("lines that are no records are left out, which is said once", async () => {
  await folderStore(join(folder, "damaged")).append(trendOf({ nights: 3 }));
  writeFileSync(join(folder, "damaged/2026-02.jsonl"), "{}\n[]\nno JSON\n");
  const notes: string[] = [];
  const progress = { ...silentProgress, note: (line: string) => void notes.push(line) };
  const words = ["history", "--history", "damaged", "--output", "out"];
  expect(await parseCommandLine(words).run({ ...environment, progress })).toBe(0);
  expect(readFileSync(join(folder, "out"), "utf8")).toMatch(
    /^no change found\n +5 metrics over 3 runs/,
  );
  expect(notes).toEqual([
    expect.stringMatching(
      /^left out: line 1 of 2026-02\.jsonl is no record of the history: .*; nor are 2 more lines$/,
    ),
  ]);
});

test("a history in which nothing can be read is refused", async () => {
  mkdirSync(join(folder, "broken"));
  writeFileSync(join(folder, "broken/2026-02.jsonl"), "{}\n");
  await expect(run("--history", "broken")).rejects.toThrow(/line 1 of 2026-02\.jsonl is no record/);
});

test.each([
  { words: ["--history", "nowhere"], says: /there is no folder .*nowhere with a history/ },
  { words: ["--annotations", "nowhere.yml"], says: /cannot read the annotations/ },
])("$words is refused", async ({ words, says }) => {
  await expect(run(...words, "--output", "refused")).rejects.toThrow(says);
  expect(existsSync(join(folder, "refused"))).toBe(false);
});
