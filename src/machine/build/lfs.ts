// Files that git-lfs keeps outside the repository, which has pointers to them. A checkout without
// them (`lfs: false`) is one whose service needs none: then both arms have pointers. Fetching what
// only one arm can have would compare a file with its pointer.
import { readFileSync, statSync } from "node:fs";
import type { Git } from "./git.ts";

/** With these git lays out pointers as they are, also where it could have the files. */
export const LEAVE_POINTERS = ["smudge=", "process=", "required=false"].map(
  (setting) => `filter.lfs.${setting}`,
);

/** Of the checkout's LFS files, of which some are not empty: the pointer to an empty file is. */
export async function hasOnlyPointers(git: Git): Promise<boolean> {
  // Without its settings git writes pointers anyway.
  if ((await git.tryRead(["config", "--get-regexp", "^filter[.]lfs[.]"])) === null) return false;
  const listed = await git.read(["ls-files", "-z", "--", ":(attr:filter=lfs)"], { bytes: true });
  const root = Buffer.from(git.root).toString("latin1");
  const paths = listed.split("\0").map((name) => Buffer.from(`${root}/${name}`, "latin1"));
  const files = paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  const filled = files.filter((path) => statSync(path).size > 0);
  return filled.length > 0 && filled.every(isPointer);
}

/** No pointer is longer. */
const MOST_BYTES = 1024;

const isPointer = (path: Buffer): boolean =>
  statSync(path).size <= MOST_BYTES &&
  /^version https:\/\/git-lfs/.test(readFileSync(path, "utf8"));
