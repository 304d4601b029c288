// Reads a file that ought to be small, without being led to a device or into memory without end.
import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";

export type FileRead = { ok: true; bytes: Uint8Array } | { ok: false; why: string };

export function readSmallFile(path: string, maxBytes: number): FileRead {
  try {
    const facts = statSync(path);
    if (facts.isDirectory()) return { ok: false, why: "it is a folder" };
    if (!facts.isFile()) return { ok: false, why: "it is not a regular file" };
    if (facts.size > maxBytes) {
      return { ok: false, why: `it is larger than ${maxBytes / 1024 / 1024} MiB` };
    }
    return { ok: true, bytes: readFileSync(path) };
  } catch (error) {
    return { ok: false, why: reasonOf(error) };
  }
}

/** Of a failed system call, in words. */
export function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES") return "permission denied";
  return code ?? "it cannot be read";
}

/** Null: it is not UTF-8. */
export function tryText(bytes: Uint8Array): string | null {
  return isUtf8(bytes) ? new TextDecoder().decode(bytes) : null;
}
