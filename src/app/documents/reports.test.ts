// What a run does to the folder that it writes into.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedFolder } from "../../../test/support/files.ts";
import { prepareOutputFolder } from "./reports.ts";

const root = sharedFolder();

/** Names and texts of the folder's files once it is prepared. */
function prepared(name: string, before: Record<string, string> | null): Record<string, string> {
  const folder = join(root, name);
  if (before !== null) mkdirSync(folder);
  for (const [file, text] of Object.entries(before ?? {})) writeFileSync(join(folder, file), text);
  prepareOutputFolder(folder);
  return Object.fromEntries(
    readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]),
  );
}

test("a new or empty folder ignores itself", () => {
  expect(prepared("new", null)).toEqual({ ".gitignore": "*\n" });
  expect(prepared("empty", {})).toEqual({ ".gitignore": "*\n" });
});

test("a file in the place of the folder, or above it, is told by its path", () => {
  const file = join(root, "file");
  writeFileSync(file, "");
  expect(() => prepareOutputFolder(file)).toThrow(
    `cannot write reports to ${file}: it is a file, not a folder`,
  );
  expect(() => prepareOutputFolder(join(file, "below"))).toThrow(
    `cannot write ${join(file, "below", ".gitignore")}: ${file} is a file, not a folder`,
  );
});

test("where the kernel makes no folder it is told, and does not hang", () => {
  expect(() => prepareOutputFolder("/proc/tailgate/out")).toThrow(
    /^cannot write \/proc\/tailgate\/out\/\.gitignore: /,
  );
});

test("one of an earlier run still does", () => {
  const ours = { ".gitignore": "*\n", "report.md": "" };
  expect(prepared("ours", ours)).toEqual(ours);
});

test("somebody's own is left as it is", () => {
  const project = { ".gitignore": "target/\n", "main.rs": "" };
  expect(prepared("project", project)).toEqual(project);
  expect(prepared("notes", { "notes.md": "" })).toEqual({ "notes.md": "" });
});
