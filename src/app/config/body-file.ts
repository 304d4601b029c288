// What a scenario's file comes to: the bytes that are sent, or the lines that are drawn. Read when the
// configuration is resolved, and again when a run begins, which must find the same and puts it where
// the load generator reads it: what is sent is what the samples file names, even when somebody edits
// the file while the run goes on.
import { createHash } from "node:crypto";
import { realpathSync, writeFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import type { BodyRead } from "../../core/config/resolve/request.ts";
import { changedPath } from "../../core/config/sent-path.ts";
import { type BodyFile, filesOf, type Scenario } from "../../core/model/config.ts";
import { splitIntoParts } from "../../core/model/mix.ts";
import { linesOf, placedBody } from "../../core/slice/load.ts";
import { type FileRead, readSmallFile, reasonOf, tryText } from "./small-file.ts";

const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** `root` is the repository's. */
export function readBodyFile(
  root: string,
  { path, repeat, lines }: Pick<BodyFile, "path" | "repeat" | "lines">,
): FileRead {
  const full = resolve(root, path);
  try {
    // A link may lead anywhere, and what it leads to would be sent to a service.
    if (relative(realpathSync(root), realpathSync(full)).split(sep)[0] === "..") {
      return { ok: false, why: "it is a link that leads out of the repository" };
    }
  } catch (error) {
    return { ok: false, why: reasonOf(error) };
  }
  const read = readSmallFile(full, MAX_BODY_BYTES);
  if (!read.ok) return read;
  const why = lines === undefined ? null : wrongLine(read.bytes, lines);
  return why === null ? bodyOf(read.bytes, repeat) : { ok: false, why };
}

const PATH = /^\/[\x21-\x7e]*$/;

/** What oha would stumble over, or end its reading at. */
function wrongLine(bytes: Uint8Array, kind: NonNullable<BodyFile["lines"]>): string | null {
  if (tryText(bytes) === null) return "it is not UTF-8";
  const lines = linesOf(Buffer.from(bytes).toString());
  if (lines.length === 0) return "it is empty";
  const isPath = (line: string): boolean => PATH.test(line) && changedPath(line) === null;
  const isWrong = (line: string): boolean => (kind === "paths" ? !isPath(line) : line === "");
  const wrong = lines.findIndex(isWrong);
  if (wrong === -1) return null;
  const what = kind === "paths" ? "is no path such as /users/1" : "is empty";
  return `line ${wrong + 1} ${what}`;
}

/** What is sent of a file's content. */
export function bodyOf(content: Uint8Array, repeat: BodyFile["repeat"]): FileRead {
  if (repeat !== null) return repeated(content, repeat);
  return content.length <= MAX_BODY_BYTES
    ? { ok: true, bytes: content }
    : { ok: false, why: `it is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB` };
}

/** A body by its hash, as a configuration has it. */
export function factsOfBody(read: FileRead): BodyRead {
  return read.ok ? { ok: true, sha256: sha256Of(read.bytes), bytes: read.bytes.length } : read;
}

function repeated(content: Uint8Array, repeat: NonNullable<BodyFile["repeat"]>): FileRead {
  const { times } = repeat;
  const before = Buffer.from(repeat.before);
  const between = Buffer.from(repeat.between);
  const after = Buffer.from(repeat.after);
  const size = before.length + times * content.length + (times - 1) * between.length + after.length;
  if (size > MAX_BODY_BYTES) {
    return { ok: false, why: `repeated it is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB` };
  }
  const middle = Array.from({ length: times }, (_, i) =>
    i === 0 ? [content] : [between, content],
  );
  return { ok: true, bytes: Buffer.concat([before, ...middle.flat(), after]) };
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** `root` is the repository's; `folder` the run's own. */
export function copyBodies(scenarios: readonly Scenario[], root: string, folder: string): void {
  for (const { id, request } of splitIntoParts(scenarios)) {
    for (const file of filesOf(request)) {
      const read = readBodyFile(root, file);
      const next = "Leave the file alone while a run prepares, and start again.";
      if (!read.ok) throw new UserError(`${id}: cannot read ${file.path}: ${read.why}`, { next });
      if (read.bytes.length !== file.bytes || sha256Of(read.bytes) !== file.sha256) {
        throw new UserError(`${id}: ${file.path} has changed since this run began`, { next });
      }
      writeFileSync(join(folder, placedBody(file)), read.bytes);
    }
  }
}
