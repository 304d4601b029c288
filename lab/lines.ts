// Recorded runs: one compressed file, one JSON line for each.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
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
  const text = values.map((value) => `${JSON.stringify(value)}\n`).join("");
  writeFileSync(`${file}.partial`, zstdCompressSync(text, COMPRESSION));
  renameSync(`${file}.partial`, file);
}
