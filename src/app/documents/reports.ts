// The folder that a run leaves its samples and reports in.
import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { renderMarkdownDocument } from "../../core/report/kit/markdown.ts";
import { writeFileAtomic } from "../../machine/sys/files.ts";
import { orNull } from "../../machine/sys/or-null.ts";
import type { Progress } from "../progress.ts";
import type { Project } from "../project/project.ts";
import type { Environment, Pages, Told } from "../settings.ts";

/** What a gate leaves in it. */
export const FILES = {
  samples: "samples.v1.json",
  report: "report.v1.json",
  markdown: "report.md",
  html: "report.html",
} as const;

/**
 * A folder of ours inside a checkout ignores itself, so that a run leaves `git status` as it was.
 * One that holds anything else is somebody's own, and what git sees of it is not ours to say.
 */
export function prepareOutputFolder(folder: string): void {
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new UserError(`cannot write reports to ${folder}: it is a file, not a folder`, {
      next: "Name a folder with --out; one that is not there is made.",
    });
  }
  if (existsSync(folder) && readdirSync(folder).length > 0) return;
  writeFileAtomic(join(folder, ".gitignore"), "*\n");
}

/** The path of a file there that a run will write. */
export function placeFor(name: string, { out }: Pick<Project, "out">): string {
  prepareOutputFolder(out);
  return join(out, name);
}

/**
 * Keeps what will be replaced. Only once nobody else measures: until then its writer may be at work.
 * The file has its own name too until it is replaced, where the file system can do that; kept once, it
 * is not told of again.
 */
export function setAside(path: string, { note }: Pick<Progress, "note">): void {
  const kept = join(dirname(path), `earlier.${basename(path)}`);
  const [own, known] = [path, kept].map((one) => orNull(() => statSync(one).ino));
  if (own === null || own === known) return;
  rmSync(kept, { force: true });
  if (orNull(() => linkSync(path, kept)) === null) renameSync(path, kept);
  note(`${path} is of an earlier run: it is kept as ${basename(kept)} until the next run`);
}

/** By name of the file; returns the paths. */
export function writeReports(folder: string, of: Record<string, string | Uint8Array>): string[] {
  prepareOutputFolder(folder);
  return Object.entries(of).map(([name, content]) => {
    const path = join(folder, name);
    writeFileAtomic(path, content);
    return path;
  });
}

type PageMeans = Pick<Environment, "satellites" | "progress">;

/** Returns its path. What a result rests on is in the other files: without a page it still is one. */
export async function writePage(
  folder: string,
  name: string,
  draw: (pages: Pages) => string,
  { satellites, progress }: PageMeans,
): Promise<string[]> {
  try {
    return writeReports(folder, { [name]: draw(await satellites.pages()) });
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    progress.note(`there is no ${name}: ${thrown.message}. ${thrown.next ?? ""}`);
    return [];
  }
}

/** What a command beside the gate found, and the files that it was kept in. */
export interface Kept<R> extends Told<R> {
  files: string[];
}

/**
 * Keeps a result as JSON, Markdown and a page, in files of its name, whose paths follow `before`.
 * `out`: relative to the working folder; null: nothing is written.
 */
export async function keepResult<R extends { tool: string }>(
  out: string | null,
  name: string,
  { result, document }: Told<R>,
  environment: PageMeans & Pick<Environment, "workingFolder">,
  before: readonly string[] = [],
): Promise<Kept<R>> {
  if (out === null) return { result, document, files: [] };
  const folder = resolve(environment.workingFolder, out);
  const page = { title: document.headline, tool: result.tool, id: name, record: result, document };
  const files = writeReports(folder, {
    [`${name}.v1.json`]: `${JSON.stringify(result)}\n`,
    [`${name}.md`]: renderMarkdownDocument(document),
  });
  const written = await writePage(folder, `${name}.html`, (to) => to.renderPage(page), environment);
  return { result, document, files: [...before, ...files, ...written] };
}
