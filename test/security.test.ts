// docs/SECURITY.md promises nothing that no test would miss: each sentence names one that is there.
// And what it says of all our sources or workflows at once.
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

const ROOT = resolve(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const PAGE = read("docs/SECURITY.md");
/** What stands before is advice, and how to report. */
const PROMISES = "\n## Boundaries\n";
const MARK = /\[\^([\w-]+)\]/g;

interface Note {
  mark: string;
  /** Words of the test's title, or of its file's name. */
  title: string;
  /** From the root. */
  path: string;
}

function notesOf(page: string): Note[] {
  const notes = page.matchAll(/^\[\^([\w-]+)\]: \[(.+)\]\(\.\.\/(.+)\)$/gm);
  return [...notes].map(([, mark = "", title = "", path = ""]) => ({ mark, title, path }));
}

/** Each with its marks; a heading is none. */
function sentencesOf(page: string): string[] {
  const at = page.indexOf(PROMISES);
  const prose = at < 0 ? "" : page.slice(at).replace(/^\[\^.*$/gm, "");
  const paragraphs = prose.split(/\n{2,}|\n(?=- )/).filter((text) => !/^\s*(?:#|$)/.test(text));
  return paragraphs.flatMap((text) =>
    // A point in code or in an address ends no sentence.
    text
      .replace(/`[^`]*`/g, "code")
      .replace(/\]\([^)]*\)/g, "]")
      .split(/(?<=[.!?](?:\[\^[\w-]+\])*)\s+/)
      .filter((sentence) => sentence !== ""),
  );
}

/** Titles and the heads of rows of cases: each string that comes first in a call or a list. */
function titlesOf(source: string): string[] {
  const first = source.matchAll(/(?:\(|\[|\bname: )\s*("(?:[^"\\\n]|\\.)*"|`[^`]*`)/g);
  return [...first].map(([, title = ""]) => title);
}

function faultOf({ mark, title, path }: Note): string | null {
  if (!path.endsWith(".test.ts") || !existsSync(join(ROOT, path)))
    return `${mark}: no test ${path}`;
  const isThere = [basename(path), ...titlesOf(read(path))].some((text) => text.includes(title));
  return isThere ? null : `${mark}: no "${title}" in ${path}`;
}

function faultsOf(page: string): string[] {
  const notes = notesOf(page);
  const sentences = sentencesOf(page);
  const used = sentences.flatMap((text) => [...text.matchAll(MARK)].map(([, mark = ""]) => mark));
  const known = notes.map(({ mark }) => mark);
  return [
    ...(sentences.length === 0 ? ["no sentence"] : []),
    ...sentences.filter((text) => !/[.!?](?:\[\^[\w-]+\])+$/.test(text)),
    ...used.filter((mark) => !known.includes(mark)).map((mark) => `${mark}: no note`),
    ...known.filter((mark) => !used.includes(mark)).map((mark) => `${mark}: not used`),
    ...notes.map(faultOf).filter((fault) => fault !== null),
  ];
}

test("each sentence of SECURITY.md names a test that there is", () => {
  expect(faultsOf(PAGE)).toEqual([]);
});

test.each([
  ["names none", "", " All is well.", ["All is well."]],
  ["names none, and another follows", "", " All is well. So it is.[^each]", ["All is well."]],
  ["names one without a note", "", " All is well.[^more]", ["more: no note"]],
  [
    "names a file that is not there",
    "/security.test.ts",
    "/secure.test.ts",
    /: no test test\/secu/,
  ],
  ["names a file that is no test", "/security.test.ts", "/support/zip.ts", /: no test test\/supp/],
  [
    "names a title that is not there",
    "[secrets nowhere]",
    "[all secrets]",
    /: no "all secrets" in src/,
  ],
  ["is gone, and not its note", "[^shell]", "[^each]", ["shell: not used"]],
  ["is one of no promises", PROMISES, "\n## Limits\n", /no sentence/],
])("where a sentence %s, it is told", (_, from, to, told) => {
  const end = "timeout-minutes`.[^timeout]";
  const changed = from === "" ? PAGE.replace(end, `${end}${to}`) : PAGE.replace(from, to);
  const faults = faultsOf(changed);
  if (told instanceof RegExp) expect(faults).toContainEqual(expect.stringMatching(told));
  else expect(faults).toEqual(told);
});

test("no shell reads what is no text of ours: programs are started by lists of words", () => {
  const sources = globSync("{src,satellites}/**/*.ts", { cwd: ROOT });
  const ours = sources.filter((path) => !path.endsWith(".test.ts") && !path.includes("/fixtures/"));
  const starting = ours.filter((path) => /from "node:child_process"/.test(read(path)));
  expect(starting.length).toBeGreaterThan(1);
  const imported = starting.flatMap((path) => {
    const [, names = ""] = /import \{([^}]*)\} from "node:child_process"/.exec(read(path)) ?? [];
    return names.split(",").map((name) => name.trim());
  });
  const usual = ["type ChildProcess", "execFileSync", "spawn", "spawnSync"];
  expect([...new Set(imported)].filter((name) => name !== "" && !usual.includes(name))).toEqual([]);
  expect(ours.filter((path) => /\bshell: (?:true|")/.test(read(path)))).toEqual([]);
  // Inputs come as variables: no command is made of them.
  expect(Object.keys(parse(read("action.yml")).runs).sort()).toEqual(["main", "using"]);
});

/** Where strangers' code is measured. */
const OF_STRANGERS: [path: string, job: string][] = [
  ["docs/examples/fork-safe/perf-gate.yml", "gate"],
  ["docs/examples/on-demand.yml", "gate"],
  [".github/workflows/perf-gate.yml", "gate"],
];

test.each(OF_STRANGERS)("%s measures with a token that reads", (path, name) => {
  const job = parse(read(path)).jobs[name];
  expect([...new Set(Object.values(job.permissions))]).toEqual(["read"]);
  expect(job["runs-on"]).toContain("self-hosted");
});
