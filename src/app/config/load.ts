// Reads tailgate.yml. Whatever the file holds, the answer is a configuration or a ConfigError that
// says what is wrong and where.
import { existsSync, statSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { pathText } from "../../core/base/issues.ts";
import { ConfigError } from "../../core/config/problem.ts";
import { type RepositoryFiles, resolveConfig } from "../../core/config/resolve/resolve.ts";
import { type Path, parseYaml } from "../../core/config/yaml-document.ts";
import type { Config } from "../../core/model/config.ts";
import { orNull } from "../../machine/sys/or-null.ts";
import { factsOfBody, readBodyFile } from "./body-file.ts";
import { readSmallFile, tryText } from "./small-file.ts";

/** Twice what the most entries take: a reader's tree is a thousand times as large as its text. */
export const MAX_CONFIG_BYTES = 256 * 1024;

/**
 * `root` is the repository's: what paths in the file are relative to. `today`: a date in UTC, on
 * which no waiver may have expired; null: not checked. `note` hears what had better be changed.
 */
export function loadConfig(
  path: string,
  root: string,
  today: string | null = null,
  note: (line: string) => void = () => {},
): Config {
  const shown = shownPath(path, root);
  const read = readSmallFile(path, MAX_CONFIG_BYTES);
  const text = read.ok ? tryText(read.bytes) : null;
  if (text === null) {
    const other = shown.replace(/\.yml$/, ".yaml");
    const usual = "Name the configuration with --config, or write a first one: tailgate init.";
    const isThere = other !== shown && existsSync(resolve(root, other));
    throw new UserError(`cannot read ${shown}: ${read.ok ? "it is not UTF-8 text" : read.why}`, {
      next: isThere ? `There is a ${other}: rename it to ${shown}, which is looked for.` : usual,
    });
  }
  return parseConfig(text, shown, repositoryFiles(root), today, note);
}

/**
 * The configuration in `text`. Without a root it is of another commit than the one checked out: its
 * folders and body files are not looked at, and body files count as empty.
 */
export function configFromText(
  text: string,
  path: string,
  root: string | null = null,
  today: string | null = null,
): Config {
  return root === null
    ? parseConfig(text, path, UNSEEN_FILES, today)
    : parseConfig(text, shownPath(path, root), repositoryFiles(root), today);
}

/** `shown` is the file's name in messages. */
export function parseConfig(
  text: string,
  shown: string,
  files: RepositoryFiles,
  today: string | null = null,
  note: (line: string) => void = () => {},
): Config {
  const yaml = parseYaml(text, { keepsText });
  const unplaced = yaml.ok ? [] : yaml.problems.map((problem) => ({ ...problem, path: "" }));
  if (!yaml.ok) throw new ConfigError(shown, unplaced);
  const { document } = yaml;
  const resolved = resolveConfig(document.value, files, today);
  if (resolved.ok) {
    for (const key of resolved.unused)
      note(`\`${key}\` is no longer used: remove it from ${shown}`);
    return resolved.config;
  }
  const problems = resolved.problems.map(({ path, at, text }) => {
    return { position: document.locate(path, at), path: pathText(path), text };
  });
  throw new ConfigError(shown, problems);
}

/** Where variables, headers and words of a command stand. `*`: any name or place. */
const TEXTS = [
  "services.*.env.*",
  "services.*.build.env.*",
  "dependencies.*.env.*",
  ...["build", "run", "before", "build.command"].map((key) => `services.*.${key}.*`),
  ...["build", "run", "seed"].map((key) => `dependencies.*.${key}.*`),
  "services.*.before.request.headers.*",
  "services.*.before.values.*",
  "scenarios.*.request.headers.*",
  "scenarios.*.mix.*.request.headers.*",
].map((pattern) => pattern.split("."));

/** `1.10` must not become 1.1, nor `0123` a number. */
function keepsText(path: Path): boolean {
  return TEXTS.some(
    (pattern) =>
      pattern.length === path.length &&
      pattern.every((part, i) => part === "*" || part === String(path[i])),
  );
}

const UNSEEN_FILES: RepositoryFiles = {
  isFolder: () => true,
  readBody: () => ({ ok: true, sha256: "", bytes: 0 }),
};

function shownPath(path: string, root: string): string {
  const inside = relative(root, path);
  return inside.split(sep)[0] === ".." ? path : inside;
}

function repositoryFiles(root: string): RepositoryFiles {
  return {
    isFolder: (path) => orNull(() => statSync(resolve(root, path)).isDirectory()) ?? false,
    readBody: (body) => factsOfBody(readBodyFile(root, body)),
  };
}
