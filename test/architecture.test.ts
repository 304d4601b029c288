// Who may import whom, and what a pure room may never touch. ARCHITECTURE.md says why.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const SRC = resolve(import.meta.dirname, "../src");

/** Rooms and the rooms they may import besides themselves. A room of two parts is listed by its longer prefix. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  model: ["base"],
  stats: ["base"],
  plan: ["base", "model"],
  "baseline/key.ts": ["base", "model"],
  verdict: ["base", "model", "stats", "baseline/key.ts"],
  report: ["base", "model"],
  sys: ["base"],
  config: ["base", "model"],
  build: ["base", "model", "sys"],
  run: ["base", "model", "stats", "sys", "plan"],
  baseline: ["base", "model", "stats", "sys", "verdict", "baseline/key.ts"],
  app: [
    "base",
    "model",
    "stats",
    "plan",
    "verdict",
    "report",
    "sys",
    "config",
    "build",
    "run",
    "baseline",
    "baseline/key.ts",
    "github/port.ts",
  ],
  "github/port.ts": ["base"],
  github: ["base", "sys", "github/port.ts"],
  publish: ["base", "model", "verdict", "report", "baseline/key.ts"],
  action: [
    "base",
    "model",
    "plan",
    "report",
    "sys",
    "config",
    "baseline",
    "publish",
    "app",
    "github",
    "github/port.ts",
  ],
  cli: ["base", "model", "app", "report", "sys", "config"],
};

/** Files that turn values into values: no machine, no clock, no chance, no environment. */
const PURE = [
  /^base\//,
  /^model\//,
  /^stats\//,
  /^plan\//,
  /^verdict\//,
  /^report\//,
  /^baseline\/(key|record|update|update-trust|update-values)\.ts$/,
  // Unpacking is streams of Node's, over bytes that are given to it.
  /^publish\/(?!read-artifact-zip\.ts$)/,
  /^action\/(contract|render-contract|verdict-conclusion)\.ts$/,
  /^config\/(argv|defaults|json-schemas|problem|regular-expression|relative-path|resolve|resolve-dependency|resolve-policy|resolve-scenario|resolve-service|resolve-waiver|source|units|yaml-document)\.ts$/,
  /\/parse-[^/]+\.ts$/,
  /^run\/(slice|validity)\.ts$/,
  /^run\/load\/schedule\.ts$/,
  /^run\/dependency\/fill\.ts$/,
  /^app\/capacity-(slice|result|wording)\.ts$/,
  /^app\/doctor-slices\.ts$/,
  /^app\/calibrate-(expect|gate|metric|power|profile|slices)\.ts$/,
];

const IMPURE_WORDS = [
  /from "node:/,
  /\bDate\.now\b/,
  /\bnew Date\(\)/,
  /\bMath\.random\b/,
  /\bprocess\.(env|argv|pid|stdout|stderr)\b/,
  /\bperformance\.now\b/,
  /\bconsole\./,
];

interface Source {
  /** Relative to src/. */
  path: string;
  text: string;
  /** Paths relative to src/. */
  imports: string[];
}

function sources(): Source[] {
  return (
    readdirSync(SRC, { recursive: true, encoding: "utf8" })
      // Of tests, and of what they share, nothing is demanded here.
      .filter((path) => /(?<!\.test|\/testing)\.ts$/.test(path))
      .map((path) => {
        const text = readFileSync(join(SRC, path), "utf8");
        const imports = [...text.matchAll(/(?:from|import)\s*\(?"(\.{1,2}\/[^"]+)"/g)].map(
          (match) => relative(SRC, resolve(dirname(join(SRC, path)), match[1] ?? "")),
        );
        return { path, text, imports };
      })
  );
}

function roomOf(path: string): string {
  return path in MAY_IMPORT ? path : (path.split("/")[0] ?? path);
}

const all = sources();

test("every file belongs to a room that is listed", () => {
  expect(all.length).toBeGreaterThan(20);
  expect(all.map(({ path }) => roomOf(path)).filter((room) => !(room in MAY_IMPORT))).toEqual([]);
});

test("rooms import only what they may", () => {
  const wrong = all.flatMap(({ path, imports }) => {
    const room = roomOf(path);
    const allowed = [room, ...(MAY_IMPORT[room] ?? [])];
    return imports
      .filter((target) => !allowed.includes(roomOf(target)))
      .map((target) => `${path} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});

test("pure files touch neither machine, clock, chance nor environment", () => {
  const wrong = all
    .filter(({ path }) => PURE.some((pattern) => pattern.test(path)))
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
        !path.startsWith("sys/") && /\bDate\.now\b|\bperformance\.now\b/.test(text),
    )
    .map(({ path }) => path);
  expect(readers).toEqual([]);
});

/** The type checker does not read scripts, and most of them run for minutes: too long to notice by running them. */
test("what scripts import is there", () => {
  const folder = resolve(import.meta.dirname, "../scripts");
  const missing = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".mjs"))
    .flatMap((path) =>
      [
        ...readFileSync(join(folder, path), "utf8").matchAll(
          /import (?:\{([^{}]*)\} from |\()?"(\.{1,2}\/[^"]+)"|\{([^{}]*)\} = await import\("(\.{1,2}\/[^"]+)"/g,
        ),
      ].flatMap(([, names, file, lateNames, lateFile]) => {
        const target = resolve(dirname(join(folder, path)), file ?? lateFile ?? "");
        if (!existsSync(target)) return [`${path}: ${target}`];
        const text = readFileSync(target, "utf8");
        return (names ?? lateNames ?? "")
          .split(",")
          .map((name) => name.replace(/^\s*(?:type )?(\w+).*$/s, "$1").trim())
          .filter((name) => name !== "" && !isExported(text, name))
          .map((name) => `${path}: ${name} of ${target}`);
      }),
    );
  expect(missing).toEqual([]);
});

function isExported(text: string, name: string): boolean {
  return (
    new RegExp(
      `^export (?:async )?(?:const|let|function|class|type|interface) ${name}\\b`,
      "m",
    ).test(text) || new RegExp(`^export \\{[^}]*\\b${name}\\b`, "m").test(text)
  );
}
