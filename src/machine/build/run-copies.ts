// The files that services are started from: copies of cached artifacts, made for the run, all in
// the same way. How a file came into the page cache decides how much of it a process maps beyond
// what it touches, and so its RSS, by half for the same bytes (ADR 14).
import { fstatSync, fsyncSync, mkdirSync, readSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf, UserError } from "../../core/base/errors.ts";
import { makeTemporaryFolder, opened } from "../sys/files.ts";

/**
 * Of files that were written in larger pieces a process maps more than it uses: ADR 14 has the
 * sizes.
 */
const WRITE_BYTES = 64 * 1024;

/**
 * Copies files of the artifact cache, by their keys. Returns where each copy is: paths of equal
 * length, which stand until the janitor cleans up.
 */
export function copyForRun(paths: ReadonlyMap<string, string>, cache: string): Map<string, string> {
  const copies = new Map<string, string>();
  if (paths.size === 0) return copies;
  try {
    const folder = makeTemporaryFolder(join(cache, "build"));
    for (const [key, path] of paths) {
      const copy = join(folder, key, basename(path));
      mkdirSync(dirname(copy));
      copyInPieces(path, copy);
      copies.set(key, copy);
    }
  } catch (error) {
    throw new UserError(`cannot copy the artifacts for this run: ${messageOf(error)}`, {
      next: `Free space in ${cache}, or set TAILGATE_CACHE to another folder.`,
    });
  }
  return copies;
}

/** Not copyFile, which may share the blocks of the source and leave nothing in the page cache. */
function copyInPieces(from: string, to: string): void {
  using source = opened(from, "r");
  using target = opened(to, "wx", fstatSync(source.file).mode);
  const piece = Buffer.alloc(WRITE_BYTES);
  for (;;) {
    const length = readSync(source.file, piece, 0, WRITE_BYTES, null);
    if (length === 0) break;
    writeFileSync(target.file, piece.subarray(0, length));
  }
  fsyncSync(target.file);
}
