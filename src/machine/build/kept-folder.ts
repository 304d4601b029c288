// What a build without an artifact made of its folder, as one archive: such a service runs where it
// was built, and is built once all the same. Its files hold the folder's path (scripts of a virtual
// environment, what bundlers write): since the folders of all checkouts have paths of one length,
// another's is written in its place, whatever the file's kind.
import * as fs from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { isWritable, makeTemporaryFolder } from "../sys/files.ts";
import { janitor } from "../sys/janitor.ts";
import { listOrEmpty } from "../sys/or-null.ts";
import { runToEnd } from "../sys/process.ts";
import type { CacheEntry } from "./artifact-cache.ts";
import type { Git } from "./git.ts";

/** Copying what is larger takes longer than many builds. */
const MOST_BYTES = 2 * 1024 ** 3;
/** How archives and databases begin: a text that is replaced in them breaks their sums. */
const SUMMED = /^(PK|SQLite format 3)/;

/** In a checkout in which nothing else is built. */
export interface BuiltPlace {
  /** Of the checkout, absolute, as is the service's folder. */
  root: string;
  folder: string;
  /** What the build is known by, seen from the root: what it wrote elsewhere is not kept. */
  path: string;
  git: Git;
  abort: AbortSignal;
}

/** Archives what was built. False: it is not all there, or cannot be archived. */
export async function packFolder(place: BuiltPlace, archive: string): Promise<boolean> {
  const { root, folder, path, git } = place;
  if (![folder, join(root, path)].some(holdsPackages)) return false;
  if (path !== ".") {
    const elsewhere = ["--", ".", `:(exclude,literal)${path}`];
    const list = ["ls-files", "--others", "--modified", "--directory", ...elsewhere];
    if ((await git.read(list, { cwd: root })) !== "") return false;
  }
  const packed = join(root, path);
  if (!canMove(packed, root)) return false;
  // Not by --exclude, which not every BusyBox knows.
  const names = fs.readdirSync(packed).filter((name) => name !== ".git");
  const isPacked = await tar(packed, place, "-cf", archive, ...names.map((name) => `./${name}`));
  return isPacked && fs.statSync(archive).size <= MOST_BYTES;
}

/** False: not all that is in it can be changed to hold another path. */
function canMove(folder: string, root: string): boolean {
  return allBelow(folder).every((one) => {
    const path = join(one.parentPath, one.name);
    if (one.isSymbolicLink()) return !leadsNowhere(one.parentPath, fs.readlinkSync(path), root);
    if (!one.isFile()) return !one.isDirectory() || isWritable(path);
    const bytes = fs.readFileSync(path);
    return !SUMMED.test(bytes.toString("latin1", 0, 16)) || !bytes.includes(root);
  });
}

/** Not by readdir's `recursive`, which follows links to folders: out of this one, or in circles. */
function allBelow(folder: string): fs.Dirent[] {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((one) => {
    if (one.name.includes("\uFFFD")) throw new Error(`a name in ${folder} is not UTF-8`);
    return one.isDirectory() ? [one, ...allBelow(join(folder, one.name))] : [one];
  });
}

/** Out of the checkout, to what is not there: an interpreter or a store that was removed. */
function leadsNowhere(folder: string, target: string, root: string): boolean {
  const full = resolve(folder, target);
  return full !== root && !full.startsWith(`${root}/`) && !fs.existsSync(full);
}

/**
 * What an installer left: others may have installed to somewhere on the machine, where the next run
 * would not find it.
 */
function holdsPackages(folder: string): boolean {
  return listOrEmpty(folder).some(
    (name) => name === "node_modules" || fs.existsSync(join(folder, name, "pyvenv.cfg")),
  );
}

/**
 * Lays out what was built, maybe in another checkout. False: it cannot be, and the folder is as it
 * was.
 */
export async function layOutFolder(entry: CacheEntry, place: BuiltPlace): Promise<boolean> {
  const { root, path } = place;
  const { root: from = "" } = entry.facts;
  if (Buffer.byteLength(from) !== Buffer.byteLength(root)) return false;
  const at = join(root, path);
  const aside = makeTemporaryFolder(dirname(root));
  try {
    const whole = makeTemporaryFolder(aside);
    if (!(await tar(whole, place, "-xf", entry.path))) return false;
    for (const one of allBelow(whole)) {
      const file = join(one.parentPath, one.name);
      // Where it was built, too: memory of what was written otherwise would differ.
      if (one.isFile()) replaceIn(file, from, root);
      if (!one.isSymbolicLink()) continue;
      const target = relink(file, from, root);
      if (leadsNowhere(join(at, relative(whole, one.parentPath)), target, root)) return false;
    }
    fs.chmodSync(whole, fs.statSync(at).mode);
    const before = join(aside, "before");
    fs.renameSync(at, before);
    // Of the checkout, where that is the folder.
    if (fs.existsSync(join(before, ".git")))
      fs.renameSync(join(before, ".git"), join(whole, ".git"));
    fs.renameSync(whole, at);
    return true;
  } catch {
    return false;
  } finally {
    janitor.removePath(aside);
  }
}

async function tar(cwd: string, { abort }: BuiltPlace, ...args: string[]): Promise<boolean> {
  return (await runToEnd(["tar", ...args], { cwd, abort })).code === 0;
}

/** In place: the file may be read-only, and have other names. */
function replaceIn(file: string, from: string, to: string): void {
  const bytes = fs.readFileSync(file);
  if (!bytes.includes(from)) return;
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + to.length))
    bytes.write(to, at);
  const { mode, atime, mtime } = fs.statSync(file);
  fs.chmodSync(file, mode | 0o200);
  fs.writeFileSync(file, bytes, { flag: "r+" });
  fs.chmodSync(file, mode);
  fs.utimesSync(file, atime, mtime);
}

/** Where it leads from now on. */
function relink(file: string, from: string, to: string): string {
  const target = fs.readlinkSync(file);
  if (target !== from && !target.startsWith(`${from}/`)) return target;
  const moved = to + target.slice(from.length);
  fs.rmSync(file);
  fs.symlinkSync(moved, file);
  return moved;
}
