// /proc/PID/smaps → resident bytes by kind of mapping, whatever programs are called: else every
// build of another name would differ.
import { add } from "../fold.ts";
import type { MappingKind } from "../model.ts";

const HEADER = /^[0-9a-f]+-[0-9a-f]+ (\S{4}) \S+ \S+ \d+ *(.*)$/;

/** `program`: path of the file that the process runs. */
export function parseSmaps(text: string, program: string): Map<MappingKind, number> {
  const bytes = new Map<MappingKind, number>();
  let kind: MappingKind = "other";
  for (const line of text.split("\n")) {
    const [, permissions, path = ""] = HEADER.exec(line) ?? [];
    if (permissions !== undefined) kind = kindOf(permissions, path, program);
    const [, kilobytes] = /^Rss: +(\d+) kB$/.exec(line) ?? [];
    if (kilobytes !== undefined) add(bytes, kind, Number(kilobytes) * 1024);
  }
  return bytes;
}

function kindOf(permissions: string, path: string, program: string): MappingKind {
  if (path === "" || path.startsWith("[anon")) return "anonymous";
  if (path === "[heap]") return "heap";
  if (path === "[stack]") return "stack";
  if (path === program) return permissions.includes("w") ? "program-data" : "program-text";
  return /\.so(\.[\d.]+)?$/.test(path) ? "libraries" : "other";
}
