// What a scenario's body file comes to: the bytes that are sent. Read when the configuration is
// resolved, and again when a run begins, which must find the same.
import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import type { BodyRead } from "../../core/config/resolve/request.ts";
import type { BodyFile } from "../../core/model/config.ts";
import { type FileRead, readSmallFile, reasonOf } from "./small-file.ts";

const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** `root` is the repository's. */
export function readBodyFile(
  root: string,
  { path, repeat }: Pick<BodyFile, "path" | "repeat">,
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
  return read.ok ? bodyOf(read.bytes, repeat) : read;
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
