// The files of a repository that `init` looks at: of known kinds, small, and not too many.
import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";

export interface Tree {
  /** Relative to the root, `/`-separated; shallow ones first, then by name. */
  paths: readonly string[];
  /** Empty when there is nothing to read. */
  read(path: string): string;
}

const MAX_FILES = 4000;
const MAX_FOLDERS = 4000;
const MAX_BYTES = 256 * 1024;
/** Deep enough for the packages of a Java module. */
const MAX_DEPTH = 12;
const SKIPPED = new Set([
  ...["bench", "benches", "benchmarks", "build", "dist", "e2e", "examples"],
  ...["fixtures", "fuzz", "__pycache__", "__tests__", "node_modules", "site-packages"],
  ...["target", "test", "testdata", "tests", "third_party", "venv", "vendor"],
]);
const EXTENSIONS = new Set([
  ...[".cjs", ".go", ".gradle", ".ini", ".java", ".js", ".json", ".kt", ".kts", ".lock", ".mjs"],
  ...[".mod", ".mts", ".cts", ".properties", ".py", ".rs", ".sql", ".toml", ".ts", ".txt"],
  ...[".xml", ".yaml", ".yml", ".prisma"],
]);
const NAMES =
  /^(?:Dockerfile|Procfile|Pipfile|mvnw|gradlew|\.env\.[\w.-]+|.*\.env\.\w+|\.?(?:example|sample)\.env)$/;

/** Follows no symbolic link. */
export function readTree(root: string): Tree {
  const paths: string[] = [];
  let folders = [""];
  let visited = 0;
  for (let depth = 0; depth <= MAX_DEPTH && folders.length > 0; depth++) {
    const inner: string[] = [];
    for (const folder of folders) {
      if (++visited > MAX_FOLDERS || paths.length >= MAX_FILES) break;
      for (const entry of entriesOf(join(root, folder))) {
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory() && isLookedInto(entry.name)) inner.push(path);
        else if (entry.isFile() && isLookedAt(entry.name) && paths.length < MAX_FILES) {
          paths.push(path);
        }
      }
    }
    folders = inner;
  }
  const texts = new Map<string, string>();
  const known = new Set(paths);
  return {
    paths,
    read: (path) => {
      const text = texts.get(path) ?? (known.has(path) ? textOf(join(root, path)) : "");
      texts.set(path, text);
      return text;
    },
  };
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function isLookedInto(name: string): boolean {
  return name === ".sqlx" || (/^\w[\w.@+-]*$/.test(name) && !SKIPPED.has(name));
}

function isLookedAt(name: string): boolean {
  // Odd names would have to be quoted in every command.
  return /^[\w.@+-]+$/.test(name) && (EXTENSIONS.has(extname(name)) || NAMES.test(name));
}

/** Empty when there is nothing to read, or too much. */
export function textOf(path: string): string {
  try {
    return statSync(path).size > MAX_BYTES ? "" : readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
