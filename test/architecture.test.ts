// Who may import whom, how large a room may be, and what a pure room may never touch.
// ARCHITECTURE.md says why.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

const IMPURE_WORDS = [
  /from "node:/,
  /\bDate\.now\b/,
  /\bnew Date\(\)/,
  /\bMath\.random\b/,
  /\bprocess\.(env|argv|pid|stdout|stderr)\b/,
  /\bperformance\.now\b/,
  /\bconsole\./,
];

interface Room {
  /** The rooms, whole doors or single files that it may import. */
  mayImport: string[];
  /** Lines of code that it may have. */
  mostLines: number;
}

/** ARCHITECTURE.md's table. */
function table(): Map<string, Room> {
  const text = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
  const rows = [...text.matchAll(/^\| `([a-z/-]+)` \| .* \| ([^|]*) \| ([\d,]+) \|$/gm)];
  return new Map(
    rows.map(([, room = "", allowed = "", most = ""]) => [
      room,
      {
        mayImport: [...allowed.matchAll(/`([a-z/-]+)`/g)].map(([, name = ""]) => name),
        mostLines: Number(most.replaceAll(",", "")),
      },
    ]),
  );
}

const ROOMS = table();
/** Of all of src/ together, whatever its rooms may have. */
const MOST_LINES_OF_KERNEL = 33_000;

interface Source {
  /** Relative to src/, or `satellites/…`. */
  path: string;
  text: string;
  /** Paths like its own. */
  imports: string[];
}

function sources(): Source[] {
  const named = (file: string): string => relative(ROOT, file).replace(/^src\//, "");
  return ["src", "satellites"]
    .flatMap((top) => globSync(`${top}/**/*.ts`, { cwd: ROOT }))
    .filter((path) => !path.endsWith(".test.ts") && !path.includes("/fixtures/"))
    .map((path) => {
      const file = join(ROOT, path);
      const text = readFileSync(file, "utf8");
      const imports = [...text.matchAll(/(?:from|import)\s*\(?"(\.{1,2}\/[^"]+)"/g)].map((match) =>
        named(resolve(dirname(file), match[1] ?? "")),
      );
      return { path: named(file), text, imports };
    });
}

const HAS_ROOMS = ["core", "machine", "satellites"];

/** `core/stats` for a file under core, machine or satellites, else the door itself. */
function roomOf(path: string): string {
  const [door = "", folder = "", inner = ""] = path.split("/");
  if (!HAS_ROOMS.includes(door)) return door;
  const room = `${door}/${folder}`;
  return ROOMS.has(`${room}/${inner}`) ? `${room}/${inner}` : room;
}

const all = sources();

test("every folder is a room of the table, and every room of the table a folder", () => {
  expect([...new Set(all.map(({ path }) => roomOf(path)))].sort()).toEqual(
    [...ROOMS.keys()].sort(),
  );
});

/** Neither blank nor a comment. */
const linesOf = (text: string): number =>
  text.split("\n").filter((line) => !/^\s*(?:\/\/|\/?\*|$)/.test(line)).length;

test("no room, nor the kernel, has more lines of code than its budget", () => {
  const byRoom = Map.groupBy(all, ({ path }) => roomOf(path));
  const counted = [...byRoom].map(([room, files]) => ({
    room,
    lines: files.reduce((sum, { text }) => sum + linesOf(text), 0),
    most: ROOMS.get(room)?.mostLines ?? 0,
  }));
  const kernel = counted
    .filter(({ room }) => !room.startsWith("satellites/"))
    .reduce((sum, { lines }) => sum + lines, 0);
  const rows = [...counted, { room: "the kernel", lines: kernel, most: MOST_LINES_OF_KERNEL }];
  const told = rows.map(
    ({ room, lines, most }) => `${room}: ${lines} of ${most}, ${most - lines} left`,
  );
  console.log(told.join("\n"));
  const beyond = rows.filter(({ lines, most }) => lines > most).map(({ room }) => room);
  expect(beyond, "raising a budget is a decision, with a sentence in the commit").toEqual([]);
});

test("rooms import only what the table allows", () => {
  const wrong = all.flatMap(({ path, imports }) => {
    const room = roomOf(path);
    const allowed = [room, ...(ROOMS.get(room)?.mayImport ?? [])];
    return imports
      .filter(
        (target) => !allowed.some((one) => target === `${one}.ts` || target.startsWith(`${one}/`)),
      )
      .map((target) => `${path} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});

test("satellites see formats and how they are told alone, and are loaded when they are called", () => {
  const formats = [
    "core/base",
    "core/model",
    "core/baseline/update/model",
    "core/capacity/model",
    "core/comparison/model",
    "core/config/source",
    "core/config/problem",
    "core/config/yaml-document",
  ];
  const telling = [
    "core/text",
    "core/report/kit",
    "core/report/words",
    "core/report/provenance",
    "core/report/gate/sections",
    "satellites/words",
  ];
  for (const [room, { mayImport }] of ROOMS) {
    if (room.startsWith("satellites/"))
      expect([...formats, ...telling], room).toEqual(expect.arrayContaining(mayImport));
    else
      expect(room === "entry" || !mayImport.some((one) => one.startsWith("satellites"))).toBe(true);
  }
  const early = all
    .filter(({ path }) => !path.startsWith("satellites/"))
    .filter(({ text }) => /^(?:import|export) (?!type )[^"(]*"[^"]*\/satellites\//m.test(text))
    .map(({ path }) => path);
  expect(early).toEqual([]);
});

test("core, and every parser, touches neither machine, clock, chance nor environment", () => {
  const wrong = all
    .filter(({ path }) => path.startsWith("core/") || /\/parse-[^/]+\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      IMPURE_WORDS.filter((word) => word.test(text)).map((word) => `${path}: ${word.source}`),
    );
  expect(wrong).toEqual([]);
});

test("no imports go in a circle", () => {
  const byPath = new Map(all.map((source) => [source.path, source]));
  const done = new Set<string>();
  const circles: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      circles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
      return;
    }
    if (done.has(path)) return;
    for (const next of byPath.get(path)?.imports ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const { path } of all) walk(path, []);
  expect(circles).toEqual([]);
});

test("only sys reads time", () => {
  const readers = all
    .filter(
      ({ path, text }) =>
        !path.startsWith("machine/sys/") && /\bDate\.now\b|\bperformance\.now\b/.test(text),
    )
    .map(({ path }) => path);
  expect(readers).toEqual([]);
});
