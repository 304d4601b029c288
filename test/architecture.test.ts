// Who may import whom, and what a pure room may never touch. ARCHITECTURE.md says why.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const SRC = resolve(import.meta.dirname, "../src");

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
  const text = readFileSync(resolve(SRC, "../ARCHITECTURE.md"), "utf8");
  const rows = [...text.matchAll(/^\| `([a-z/]+)` \| .* \| ([^|]*) \|$/gm)];
  return new Map(
    rows.map(([, room = "", allowed = ""]) => [
      room,
      [...allowed.matchAll(/`([a-z/]+)`/g)].map(([, name = ""]) => name),
    ]),
  );
}

const MAY_IMPORT = table();

interface Source {
  /** Relative to src/. */
  path: string;
  text: string;
  /** Paths relative to src/. */
  imports: string[];
}

function sources(): Source[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?<!\.test)\.ts$/.test(path))
    .map((path) => {
      const text = readFileSync(join(SRC, path), "utf8");
      const imports = [...text.matchAll(/(?:from|import)\s*\(?"(\.{1,2}\/[^"]+)"/g)].map((match) =>
        relative(SRC, resolve(dirname(join(SRC, path)), match[1] ?? "")),
      );
      return { path, text, imports };
    });
}

/** `core/stats` for a file under core or machine, else the door itself. */
function roomOf(path: string): string {
  const [door = "", folder = ""] = path.split("/");
  return door === "core" || door === "machine" ? `${door}/${folder}` : door;
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
      .map((target) => ({ target, room: roomOf(target) }))
      .filter(
        ({ room: other }) => !allowed.some((one) => other === one || other.startsWith(`${one}/`)),
      )
      .map(({ target }) => `${path} imports ${target}`);
  });
  expect(wrong).toEqual([]);
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
