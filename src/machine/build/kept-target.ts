// Cargo's target folders, kept between builds so that dependencies are compiled once. A folder is
// moved into the checkout before the build and back when it has ended by itself: a move is a lock that
// cannot be forgotten, and what a killed build left half done is never used again. Go needs none of
// this: its build cache goes by content.
//
// Cargo tells a changed source file by its time stamp alone, so a kept folder is safe only while
// every source file is newer than all that is in it; else cargo would pass off the other arm's code
// as this one's. The checkout is therefore touched after the folder was moved in, to later than the
// folder's own stamp even when the clock has been set back.
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Recipe } from "../../core/model/config.ts";
import { assertOurs, removeOlder } from "../sys/files.ts";
import { listOrEmpty, orNull } from "../sys/or-null.ts";
import type { CheckoutPorts } from "./checkout.ts";

/** One for each arm. */
const MAX_KEPT = 2;
/** Cargo never cleans up: what has grown beyond this starts anew. */
const MAX_BYTES = 2 * 1024 ** 3;
const MAX_IDLE_MS = 14 * 24 * 3600 * 1000;

type KeptTargetPorts = Pick<CheckoutPorts, "cache" | "clock">;

/**
 * The target folder of a cargo build, relative to the service's folder; null when there is none to
 * keep.
 */
export function targetFolderOf(recipe: Recipe): string | null {
  if (basename(recipe.build[0] ?? "") !== "cargo" || recipe.artifact === null) return null;
  const parts = recipe.artifact.split("/");
  const at = parts.indexOf("target");
  return at < 0 ? null : parts.slice(0, at + 1).join("/");
}

/**
 * Moves a kept folder to `target` and makes the sources under `root` newer than it. False when
 * there was none.
 */
export function takeKeptTarget(
  id: string,
  target: string,
  root: string,
  ports: KeptTargetPorts,
): boolean {
  if (fs.statSync(target, { throwIfNoEntry: false }) !== undefined) return false;
  const pool = join(ports.cache, "target", id);
  // It holds programs that a build runs. Or none was kept.
  if (orNull(() => assertOurs(pool)) === null) return false;
  for (const name of listOrEmpty(pool)) {
    const kept = join(pool, name);
    const stampMs = orNull(() => {
      const { mtimeMs } = fs.statSync(kept);
      fs.renameSync(kept, target);
      return mtimeMs;
    });
    // Taken by another build, or on another file system: a build from nothing is right too.
    if (stampMs === null) continue;
    const nowMs = Date.parse(ports.clock.wallTime());
    try {
      touchTree(root, Math.max(nowMs, stampMs + 1000) / 1000, resolve(target));
      return true;
    } catch {
      fs.rmSync(target, { recursive: true, force: true });
      return false;
    }
  }
  return false;
}

/** Keeps `target` for the next build, when it is worth it. */
export function giveKeptTarget(id: string, target: string, ports: KeptTargetPorts): void {
  const folder = join(ports.cache, "target");
  const pool = join(folder, id);
  const nowMs = Date.parse(ports.clock.wallTime());
  try {
    for (const other of listOrEmpty(folder)) removeOlder(join(folder, other), nowMs - MAX_IDLE_MS);
    const { bytes, newestMs } = measureFolder(target);
    if (listOrEmpty(pool).length >= MAX_KEPT || bytes > MAX_BYTES) return;
    fs.mkdirSync(pool, { recursive: true });
    const stamp = Math.max(nowMs, newestMs) / 1000;
    fs.utimesSync(target, stamp, stamp);
    fs.renameSync(target, join(pool, randomBytes(8).toString("hex")));
  } catch {
    // Not kept: the next build takes longer.
  }
}

/** Sets the time stamp of everything but `except` and git's own. */
function touchTree(folder: string, seconds: number, except: string): void {
  for (const item of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, item.name);
    if (item.isSymbolicLink() || item.name === ".git" || path === except) continue;
    if (item.isDirectory()) touchTree(path, seconds, except);
    fs.utimesSync(path, seconds, seconds);
  }
}

function measureFolder(folder: string): { bytes: number; newestMs: number } {
  let bytes = 0;
  let newestMs = 0;
  for (const item of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, item.name);
    const { size, mtimeMs } = fs.lstatSync(path);
    const inside = item.isDirectory() ? measureFolder(path) : { bytes: size, newestMs: 0 };
    bytes += inside.bytes;
    newestMs = Math.max(newestMs, mtimeMs, inside.newestMs);
  }
  return { bytes, newestMs };
}
