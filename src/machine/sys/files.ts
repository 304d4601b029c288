// Files: written whole or not at all, and the few folders of ours.
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { messageOf, UserError } from "../../core/base/errors.ts";
import { janitor } from "./janitor.ts";
import { listOrEmpty, orNull } from "./or-null.ts";

/**
 * Replaces `path` with `text` in one step: a reader, or a crash, sees the old file or the new one,
 * never half of one.
 */
export function writeFileAtomic(path: string, text: string | Uint8Array): void {
  // Nobody can have put a link of that name there, which would lead the text elsewhere.
  const partial = `${path}.partial-${randomBytes(8).toString("hex")}`;
  try {
    makeFolders(dirname(path));
    fs.writeFileSync(partial, text, { flag: "wx", flush: true });
    fs.renameSync(partial, path);
  } catch (error) {
    // It may not even have been made.
    orNull(() => fs.rmSync(partial, { force: true }));
    throw unwritable(
      path,
      error,
      "Free space or choose another place with --out; what was written before is intact.",
    );
  }
}

/** What to tell where `path` could not be written. */
export function unwritable(path: string, error: unknown, next: string): UserError {
  const folder = dirname(path);
  const isAlone = (error as NodeJS.ErrnoException).syscall === "open" && !fs.existsSync(folder);
  const why = isAlone ? `there is no folder ${folder}` : whyUnwritable(folder, error);
  return new UserError(
    `cannot write ${path}: ${why ?? messageOf(error)}`,
    { next },
    "usage",
    error,
  );
}

/**
 * Makes a folder in the cache, with those above it. Throws a UserError that says why it cannot, or
 * why it should not be used.
 */
export function makeCacheFolder(folder: string): void {
  try {
    makeFolders(folder, 0o700);
  } catch (error) {
    throw unwritable(folder, error, "Set TAILGATE_CACHE to a folder that can be written.");
  }
  assertOurs(folder);
}

/**
 * Who made it, other than those who could have us run anything anyway: ourselves, root, and the owner
 * of our own program. Null: one of these, or it is not there.
 */
export function strangerBehind(path: string): number | null {
  const program = orNull(() => fs.statSync(process.argv[1] ?? process.execPath).uid);
  // Where users have other numbers than outside, root may be anybody's number.
  const trusted = [process.getuid?.(), 0, program, fs.statSync("/").uid];
  const owners = [fs.lstatSync, fs.statSync].map((look) => orNull(() => look(path).uid));
  return owners.find((owner) => owner !== null && !trusted.includes(owner)) ?? null;
}

/**
 * Whose a file is that we make there: on a file server that lets nobody be root, not ours. Null: none
 * can be made.
 */
function ownerOfNew(folder: string): number | null {
  const path = join(folder, `.tailgate-${randomBytes(8).toString("hex")}`);
  return orNull(() => {
    // Of what was opened, whatever has its name by now.
    using made = opened(path, "wx", 0o600);
    fs.rmSync(path, { force: true });
    return fs.fstatSync(made.file).uid;
  });
}

const WRITABLE = 0o002;
/** In it nobody may rename or remove what another made. */
const STICKY = 0o1000;

/** As far as the home or the working folder: what we run is chosen by whoever may change that, too. */
function withAbove(folder: string): string[] {
  const home = orNull(homedir);
  const ends = [folder, home, orNull(() => fs.realpathSync(homedir())), process.cwd()];
  const above = dirname(folder);
  return [folder, ...(ends.includes(above) ? [] : withAbove(above))];
}

/** Programs are run from a folder of the cache: nobody else may have put any there, or exchange it. */
export function assertOurs(folder: string): void {
  const parent = dirname(folder);
  for (const one of new Set([parent, ...[folder, fs.realpathSync(folder)].flatMap(withAbove)])) {
    const found = strangerBehind(one);
    const stranger = found === null || found === ownerOfNew(one) ? null : found;
    const { mode } = fs.statSync(one);
    const isKept = one !== folder && (one !== parent || (mode & STICKY) !== 0);
    if (stranger === null && (isKept || (mode & WRITABLE) === 0)) continue;
    const who = stranger === null ? "everybody may write there" : `user ${stranger} made it`;
    const what = `${one} is not used, for programs are run from it and ${who}`;
    const next = "Set TAILGATE_CACHE to a folder of your own, below none of another user.";
    throw new UserError(what, { next });
  }
}

/**
 * One after another: Node's own way of making them all never ends where the kernel makes none
 * (/proc).
 */
function makeFolders(folder: string, mode = 0o777): void {
  if (fs.existsSync(folder)) {
    if (!fs.statSync(folder).isDirectory()) throw new Error(`${folder} is a file, not a folder`);
    return;
  }
  makeFolders(dirname(folder), mode);
  try {
    fs.mkdirSync(folder, mode);
  } catch (error) {
    // Somebody else made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Making a folder on a file system that is read-only fails with ENOENT, which says nothing. Null:
 * it is for another reason.
 */
function whyUnwritable(folder: string, tried: unknown): string | null {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    const { code } = tried as NodeJS.ErrnoException;
    return code === "ENOENT" ? `the file system of ${folder} takes no new files` : null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EROFS") return `the file system of ${folder} is read-only`;
    if (code === "EACCES") return `nothing may be written into ${folder}`;
    return code === "ENOENT" && dirname(folder) !== folder
      ? whyUnwritable(dirname(folder), tried)
      : null;
  }
}

/**
 * Built artifacts and tools, kept between runs: TAILGATE_CACHE, else XDG_CACHE_HOME/tailgate, else
 * ~/.cache/tailgate. Throws a UserError where there is no home folder.
 */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const { TAILGATE_CACHE: own, XDG_CACHE_HOME: xdg } = env;
  if (own) return resolve(own);
  const home = orNull(homedir);
  const caches = xdg || (home && join(home, ".cache"));
  if (caches) return resolve(caches, "tailgate");
  const next = "Set HOME, or TAILGATE_CACHE to a folder of your own.";
  throw new UserError("there is no home folder to keep builds in", { next });
}

/** How the name of a folder begins that is of one run. */
export const TEMPORARY = "tailgate-";

/** A fresh folder that the janitor removes, at the latest when we end. */
export function makeTemporaryFolder(parent: string = tmpdir()): string {
  let path: string;
  try {
    makeFolders(parent);
    path = fs.mkdtempSync(join(resolve(parent), TEMPORARY));
  } catch (error) {
    const variable = parent === tmpdir() ? "TMPDIR" : "TAILGATE_CACHE";
    const next = `Free space there, or set ${variable} to another folder.`;
    const why = whyUnwritable(parent, error) ?? messageOf(error);
    throw new UserError(`cannot make a folder in ${parent}: ${why}`, { next }, "usage", error);
  }
  janitor.guardPath(path);
  return path;
}

export const isWritable = (path: string): boolean => mayAccess(path, fs.constants.W_OK);

/** `mode`: one of Node's fs.constants. */
export const mayAccess = (path: string, mode: number): boolean =>
  orNull(() => fs.accessSync(path, mode)) !== null;

/**
 * A folder in memory where there is one: files that are written between slices should cost no disk.
 */
export function memoryFolder(): string {
  return isWritable("/dev/shm") ? "/dev/shm" : tmpdir();
}

/** A file's descriptor, closed at the end of its scope. */
export function opened(
  path: string,
  flags: string | number,
  mode?: number,
): Disposable & { file: number } {
  const file = fs.openSync(path, flags, mode);
  return { file, [Symbol.dispose]: () => fs.closeSync(file) };
}

/** The first bytes of a file, of which nobody is waited for. */
export function readHead(path: string, mostBytes: number): string {
  const bytes = Buffer.alloc(mostBytes);
  using head = opened(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  return bytes.toString("utf8", 0, fs.readSync(head.file, bytes));
}

/** What lies in a folder, was last written before `sinceMs`, and is named like this. */
export function removeOlder(folder: string, sinceMs: number, prefix = ""): void {
  for (const name of listOrEmpty(folder).filter((name) => name.startsWith(prefix))) {
    const path = join(folder, name);
    const { mtimeMs = sinceMs } = fs.statSync(path, { throwIfNoEntry: false }) ?? {};
    // It may be another user's, or read-only.
    if (mtimeMs < sinceMs) orNull(() => fs.rmSync(path, { recursive: true, force: true }));
  }
}
