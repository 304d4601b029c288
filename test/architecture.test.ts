// Who may import whom, and what a pure room may never touch. ARCHITECTURE.md says why.
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

/** ARCHITECTURE.md's table: each room, and the rooms (or whole doors) that it may import. */
function table(): Map<string, string[]> {
  const text = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
  const rows = [...text.matchAll(/^\| `([a-z/-]+)` \| .* \| ([^|]*) \|$/gm)];
  return new Map(
    rows.map(([, room = "", allowed = ""]) => [
      room,
      [...allowed.matchAll(/`([a-z/-]+)`/g)].map(([, name = ""]) => name),
    ]),
  );
}

const MAY_IMPORT = table();

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
  return MAY_IMPORT.has(`${room}/${inner}`) ? `${room}/${inner}` : room;
}

const all = sources();

test("every folder is a room of the table, and every room of the table a folder", () => {
  expect([...new Set(all.map(({ path }) => roomOf(path)))].sort()).toEqual(
    [...MAY_IMPORT.keys()].sort(),
  );
});

test("rooms import only what the table allows", () => {
  const wrong = all.flatMap(({ path, imports }) => {
    const room = roomOf(path);
    const allowed = [room, ...(MAY_IMPORT.get(room) ?? [])];
    return imports
      .filter((target) => !allowed.some((one) => target.startsWith(`${one}/`)))
      .map((target) => `${path} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});

test("satellites see formats and the report kit alone, and are loaded when they are called", () => {
  const FORMATS = ["core/base", "core/model", "core/config/source", "core/text", "core/report/kit"];
  for (const [room, allowed] of MAY_IMPORT) {
    if (room.startsWith("satellites/"))
      expect(FORMATS, room).toEqual(expect.arrayContaining(allowed));
    else
      expect(room === "entry" || !allowed.some((one) => one.startsWith("satellites"))).toBe(true);
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
