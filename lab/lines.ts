// Recorded runs: one compressed file, one JSON line for each; and folders of such files, each a batch of
// one call of a collector. A committed batch is never written again: a clone grows by what is new.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/**
 * Lines repeat each other over a long distance. Half a minute for 40 MB, and a third smaller than
 * by the default level.
 */
const COMPRESSION = {
  params: {
    [constants.ZSTD_c_compressionLevel]: 19,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    [constants.ZSTD_c_windowLog]: 27,
  },
};

export function readLines(file: string): unknown[] {
  if (!existsSync(file)) return [];
  const text = zstdDecompressSync(readFileSync(file)).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** Replaces the file as a whole, so that a process that is killed loses nothing that was there. */
export function writeLines(file: string, values: readonly unknown[]): void {
  mkdirSync(dirname(file), { recursive: true });
  const text = values.map((value) => `${JSON.stringify(value)}\n`).join("");
  writeFileSync(`${file}.partial`, zstdCompressSync(text, COMPRESSION));
  renameSync(`${file}.partial`, file);
}

const BATCH = ".jsonl.zst";

/** A name for what begins `at` that time: those of later times come later in order. */
export const timeName = (at: Date): string =>
  at
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "");

/** A new batch of `folder`, which holds no run yet. */
export const startBatch = (folder: string, now = new Date()): string =>
  join(folder, `${timeName(now)}${BATCH}`);

/** Of all batches in `folder`, in the order in which they were stored; none where there is no folder. */
export function readBatches(folder: string): unknown[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files
    .filter((name) => name.endsWith(BATCH))
    .sort()
    .flatMap((name) => readLines(join(folder, name)));
}

/** Adds a run at the end of a batch. */
export const addLine = (batch: string, value: unknown): void =>
  writeLines(batch, [...readLines(batch), value]);
