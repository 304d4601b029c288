// Files that git-lfs keeps outside the repository, which has pointers to them. A checkout without
// them (`lfs: false`) is one whose service needs none: then both arms have pointers. Fetching what
// only one arm can have would compare a file with its pointer.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Git } from "./git.ts";

/** With these git lays out pointers as they are, also where it could have the files. */
export const LEAVE_POINTERS = ["smudge=", "process=", "required=false"].map(
  (setting) => `filter.lfs.${setting}`,
);

/** Of the checkout's LFS files, of which there are some. */
export async function hasOnlyPointers(git: Git): Promise<boolean> {
  // Without its settings git writes pointers anyway.
  if ((await git.tryRead(["config", "--get-regexp", "^filter[.]lfs[.]"])) === null) return false;
  const listed = await git.read(["ls-files", "-z", "--", ":(attr:filter=lfs)"]);
  const paths = listed.split("\0").map((path) => join(git.root, path));
  const files = paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  return files.length > 0 && files.every(isPointer);
}

/** None is longer; the pointer to an empty file is empty. */
const POINTER_BYTES = 1024;

function isPointer(path: string): boolean {
  if (statSync(path).size > POINTER_BYTES) return false;
  return /^(version https:\/\/git-lfs|$)/.test(readFileSync(path, "utf8"));
}
