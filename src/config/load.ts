// Reads tailgate.yml and the body files that it names: the only reading of files in this room. Whatever the file holds, the
// answer is a configuration or a ConfigError that says what is wrong and where.
import { readFileSync, realpathSync, statSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { UserError } from "../base/errors.ts";
import type { Config } from "../model/config.ts";
import { ConfigError, pathText } from "./problem.ts";
import { type RepositoryFiles, resolveConfig } from "./resolve.ts";
import type { BodyRead } from "./resolve-scenario.ts";
import { type Path, parseYaml } from "./yaml-document.ts";

const MAX_CONFIG_BYTES = 1024 * 1024;
const MAX_BODY_BYTES = 16 * 1024 * 1024;

export interface Moment {
  /** A date in UTC, on which no waiver may have expired; null: not checked. */
  today: string | null;
}

const NO_MOMENT: Moment = { today: null };

/** `root` is the repository's: what paths in the file are relative to. */
export function loadConfig(path: string, root: string, moment: Moment = NO_MOMENT): Config {
  const shown = shownPath(path, root);
  const read = readText(path, MAX_CONFIG_BYTES);
  if (!read.ok) {
    throw new UserError(`cannot read ${shown}: ${read.why}`, {
      next: "Name the configuration with --config, or write a first one: tailgate init.",
    });
  }
  return parseConfig(read.text, shown, repositoryFiles(root), moment);
}

export interface TextOrigin {
  /** Where the text is kept, for messages. */
  path: string;
  /** Null: the text belongs to another commit than the one checked out, so its folders and body files are not looked at. */
  root: string | null;
}

/** The configuration in `text`, such as that of another commit. Without a root, body files count as empty. */
export function configFromText(
  text: string,
  origin: TextOrigin,
  moment: Moment = NO_MOMENT,
): Config {
  const { path, root } = origin;
  return root === null
    ? parseConfig(text, path, UNSEEN_FILES, moment)
    : parseConfig(text, shownPath(path, root), repositoryFiles(root), moment);
}

/** `shown` is the file's name in messages. */
export function parseConfig(
  text: string,
  shown: string,
  files: RepositoryFiles,
  moment: Moment = NO_MOMENT,
): Config {
  const yaml = parseYaml(text, { keepsText });
  if (!yaml.ok) {
    throw new ConfigError(
      shown,
      yaml.problems.map((problem) => ({ ...problem, path: "" })),
    );
  }
  const { document } = yaml;
  const resolved = resolveConfig(document.value, files, moment.today);
  if (resolved.ok) return resolved.config;
  throw new ConfigError(
    shown,
    resolved.problems.map((problem) => ({
      position: document.locate(problem.path, problem.at),
      path: pathText(problem.path),
      text: problem.text,
    })),
  );
}

/** Variables and headers are text: `1.10` must not become 1.1. */
function keepsText(path: Path): boolean {
  const [top, , key, inner] = path;
  return (
    (top === "services" && key === "env" && path.length === 4) ||
    (top === "scenarios" && key === "request" && inner === "headers" && path.length === 5)
  );
}

const UNSEEN_FILES: RepositoryFiles = {
  isFolder: () => true,
  readBody: () => ({ ok: true, text: "" }),
};

function shownPath(path: string, root: string): string {
  const inside = relative(root, path);
  return inside.split(sep)[0] === ".." ? path : inside;
}

function repositoryFiles(root: string): RepositoryFiles {
  return {
    isFolder: (path) => {
      try {
        return statSync(resolve(root, path)).isDirectory();
      } catch {
        return false;
      }
    },
    readBody: (path) => {
      const full = resolve(root, path);
      try {
        // A link may lead anywhere; what it leads to would be sent to a service and kept in the samples.
        if (relative(realpathSync(root), realpathSync(full)).split(sep)[0] === "..") {
          return { ok: false, why: "it is a link that leads out of the repository" };
        }
      } catch (error) {
        return { ok: false, why: reasonOf(error) };
      }
      return readText(full, MAX_BODY_BYTES);
    },
  };
}

function readText(path: string, maxBytes: number): BodyRead {
  try {
    const facts = statSync(path);
    if (facts.isDirectory()) return { ok: false, why: "it is a folder" };
    if (!facts.isFile()) return { ok: false, why: "it is not a regular file" };
    if (facts.size > maxBytes) {
      return { ok: false, why: `it is larger than ${maxBytes / 1024 / 1024} MiB` };
    }
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)) };
  } catch (error) {
    return { ok: false, why: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof TypeError) return "it is not UTF-8 text";
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES") return "permission denied";
  return code ?? "it cannot be read";
}
