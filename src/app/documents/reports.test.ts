// What a run does to the folder that it writes into.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedFolder } from "../../../test/support/files.ts";
import { writeFileAtomic } from "../../machine/sys/files.ts";
import { prepareOutputFolder, setAside } from "./reports.ts";

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

test("a new or empty folder gets a .gitignore", () => {
  expect(prepared("new", null)).toEqual({ ".gitignore": "*\n" });
  expect(prepared("empty", {})).toEqual({ ".gitignore": "*\n" });
});

test("a file in place of the folder, or of a parent, is named in the error", () => {
  const file = join(root, "file");
  writeFileSync(file, "");
  expect(() => prepareOutputFolder(file)).toThrow(
    `cannot write reports to ${file}: it is a file, not a folder`,
  );
  expect(() => prepareOutputFolder(join(file, "below"))).toThrow(
    `cannot write ${join(file, "below", ".gitignore")}: ${file} is a file, not a folder`,
  );
});

test("a path under /proc is an error and does not hang", () => {
  expect(() => prepareOutputFolder("/proc/tailgate/out")).toThrow(
    /^cannot write \/proc\/tailgate\/out\/\.gitignore: /,
  );
});

test("the folder of an earlier run keeps its .gitignore", () => {
  const ours = { ".gitignore": "*\n", "report.md": "" };
  expect(prepared("ours", ours)).toEqual(ours);
});

test("a folder with other files is left unchanged", () => {
  const project = { ".gitignore": "target/\n", "main.rs": "" };
  expect(prepared("project", project)).toEqual(project);
  expect(prepared("notes", { "notes.md": "" })).toEqual({ "notes.md": "" });
});

test("what is set aside is kept once, and told of once, until another run replaces it", () => {
  const folder = join(root, "aside");
  mkdirSync(folder);
  const [path, kept] = ["a.json", "earlier.a.json"].map((name) => join(folder, name));
  if (path === undefined || kept === undefined) throw new Error("no paths");
  const told: string[] = [];
  const keep = () => setAside(path, { note: (line) => void told.push(line) });
  keep();
  expect(readdirSync(folder)).toEqual([]);
  writeFileAtomic(path, "1");
  keep();
  keep();
  expect(told).toHaveLength(1);
  writeFileAtomic(path, "2");
  expect(readFileSync(kept, "utf8")).toBe("1");
  keep();
  expect([readFileSync(kept, "utf8"), told.length]).toEqual(["2", 2]);
});
