// What a build without an artifact made of its folder, as one archive: such a service runs where it
// was built, and is built once all the same. Its files hold the folder's path (scripts of a virtual
// environment, what bundlers write): since the folders of all checkouts have paths of one length,
// another's is written in its place, whatever the file's kind.
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { listOrEmpty } from "../sys/files.ts";
import { runCommand } from "../sys/process.ts";
import type { CacheEntry } from "./artifact-cache.ts";
import type { Git } from "./git.ts";

/** Copying what is larger takes longer than many builds. */
const MOST_BYTES = 2 * 1024 ** 3;

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
  // Not by --exclude, which not every BusyBox knows.
  const names = readdirSync(join(root, path)).filter((name) => name !== ".git");
  const isPacked = await tar(place, "-cf", archive, ...names.map((name) => `./${name}`));
  return isPacked && statSync(archive).size <= MOST_BYTES;
}

/**
 * What an installer left: others may have installed to somewhere on the machine, where the next run
 * would not find it.
 */
function holdsPackages(folder: string): boolean {
  return listOrEmpty(folder).some(
    (name) => name === "node_modules" || existsSync(join(folder, name, "pyvenv.cfg")),
  );
}

/** Lays out what was built, maybe in another checkout. False: it cannot be. */
export async function layOutFolder(entry: CacheEntry, place: BuiltPlace): Promise<boolean> {
  const { root, path } = place;
  const { root: from = "" } = entry.facts;
  const isAsLong = Buffer.byteLength(from) === Buffer.byteLength(root);
  if (!isAsLong || !(await tar(place, "-xf", entry.path))) return false;
  const laid = readdirSync(join(root, path), { recursive: true, withFileTypes: true });
  for (const one of from === root ? [] : laid) {
    const file = join(one.parentPath, one.name);
    if (one.isFile()) replaceIn(file, from, root);
    if (one.isSymbolicLink()) relink(file, from, root);
  }
  return true;
}

async function tar({ root, path, abort }: BuiltPlace, ...args: string[]): Promise<boolean> {
  return (await runCommand(["tar", ...args], { cwd: join(root, path), abort })).code === 0;
}

function replaceIn(file: string, from: string, to: string): void {
  const bytes = readFileSync(file);
  if (!bytes.includes(from)) return;
  for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at)) bytes.write(to, at);
  const { mode, atime, mtime } = statSync(file);
  rmSync(file);
  writeFileSync(file, bytes, { mode });
  utimesSync(file, atime, mtime);
}

function relink(file: string, from: string, to: string): void {
  const target = readlinkSync(file);
  if (!target.startsWith(`${from}/`)) return;
  rmSync(file);
  symlinkSync(to + target.slice(from.length), file);
}
