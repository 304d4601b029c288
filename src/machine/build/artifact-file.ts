// The file that a build was to make: whether it is there, and how large it is without symbols.
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { nearest } from "../../core/base/nearest.ts";
import { makeTemporaryFolder } from "../sys/files.ts";
import { janitor } from "../sys/janitor.ts";
import { runToEnd } from "../sys/process.ts";

const STRIP_TIMEOUT_MS = 60_000;
const MOST_NAMES = 30;
/** More files of a like name are no help. */
const MOST_SIMILAR = 3;
/** Where a build puts what others made. */
const OF_OTHERS: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Where a build should have left its artifact. */
interface ArtifactPlace {
  /** Of the build, for messages. */
  name: string;
  /** As the recipe has it. */
  dir: string;
  /** Absolute paths of the service's folder, and of the checkout. */
  folder: string;
  root: string;
}

export function assertArtifact(path: string, { name, dir, folder, root }: ArtifactPlace): void {
  const shown = `${dir}/${relative(folder, path)}`;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) return;
  let near = dirname(path);
  while (near !== folder && statSync(near, { throwIfNoEntry: false })?.isDirectory() !== true) {
    near = dirname(near);
  }
  const names = readdirSync(near).sort();
  const more = names.length - MOST_NAMES;
  const similar = similarFiles(basename(path), near, folder);
  throw new UserError(
    found === undefined
      ? `build of ${name} succeeded but made no ${shown}`
      : `build of ${name}: ${shown} is not a file`,
    {
      detail: `${relative(root, near) || "."} holds: ${names.slice(0, MOST_NAMES).join(", ") || "nothing"}${more > 0 ? ` and ${more} more` : ""}`,
      next:
        similar.length === 0
          ? "Correct the service's `artifact`, a path relative to its `dir`, or its `build` command."
          : `Correct the service's \`artifact\`: write ${similar.map((file) => `\`artifact: ${relative(folder, file)}\``).join(" or ")}.`,
    },
  );
}

/**
 * Absolute paths of what may have been meant: files of that name in any folder of the service, else
 * those of a like name in the nearest one.
 */
function similarFiles(wanted: string, near: string, folder: string): string[] {
  const same = filesBelow(folder).filter((file) => basename(file) === wanted);
  if (same.length > 0) return same.slice(0, MOST_SIMILAR);
  const here = readdirSync(near, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  const akin = here.filter(
    (name) =>
      extname(name) === extname(wanted) &&
      (name.includes(wanted) || wanted.includes(name) || nearest(wanted, [name]) !== null),
  );
  return akin.slice(0, MOST_SIMILAR).map((name) => join(near, name));
}

/** Shortest paths first, links not followed. */
function filesBelow(folder: string): string[] {
  const found: string[] = [];
  const open = [folder];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    for (const entry of readdirSync(next, { withFileTypes: true })) {
      const path = join(next, entry.name);
      if (entry.isFile()) found.push(path);
      else if (entry.isDirectory() && !OF_OTHERS.has(entry.name)) open.push(path);
    }
  }
  return found;
}

/**
 * Size without symbols and debug information; null when there is no strip, or the file is none that
 * it knows.
 */
export async function strippedSize(path: string, abort: AbortSignal): Promise<number | null> {
  const folder = makeTemporaryFolder();
  try {
    const copy = join(folder, "stripped");
    const result = await runToEnd(["strip", "-o", copy, path], {
      abort,
      timeoutMs: STRIP_TIMEOUT_MS,
    });
    return result.code === 0 ? statSync(copy).size : null;
  } finally {
    janitor.removePath(folder);
  }
}
