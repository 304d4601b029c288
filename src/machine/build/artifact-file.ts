// The file that a build was to make: whether it is there, and how large it is without symbols.
import { readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { makeTemporaryFolder } from "../sys/files.ts";
import { janitor } from "../sys/janitor.ts";
import { runCommand } from "../sys/process.ts";

const STRIP_TIMEOUT_MS = 60_000;

/** Where a build should have left its artifact. */
export interface ArtifactPlace {
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
  throw new UserError(
    found === undefined
      ? `build of ${name} succeeded but made no ${shown}`
      : `build of ${name}: ${shown} is not a file`,
    {
      detail: `${relative(root, near) || "."} holds: ${names.slice(0, 30).join(", ")}${names.length > 30 ? ", …" : ""}`,
      next: "Correct the service's `artifact`, a path relative to its `dir`, or its `build` command.",
    },
  );
}

/**
 * Size without symbols and debug information; null when there is no strip, or the file is none that
 * it knows.
 */
export async function strippedSize(path: string, abort: AbortSignal): Promise<number | null> {
  const folder = makeTemporaryFolder();
  try {
    const copy = join(folder, "stripped");
    const result = await runCommand(["strip", "-o", copy, path], {
      abort,
      timeoutMs: STRIP_TIMEOUT_MS,
    });
    return result.code === 0 ? statSync(copy).size : null;
  } finally {
    janitor.removePath(folder);
  }
}
