// `init`: a first tailgate.yml from what lies in the repository: Cargo packages, Go modules, else
// Node and Python servers. It proposes; it runs nothing and writes nothing.
import { type Dirent, existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseCommand } from "../../core/config/argv.ts";
import type { Environment } from "../settings.ts";
import { parseCargoManifest, parseGoModule, parsePackageManifest } from "./parse-manifest.ts";
import { parseServerSource, type ServerFacts } from "./parse-server.ts";
import { CONFIG_FILE } from "./project.ts";

/** What `init` can tell of one service; `run` is null when the artifact is run as it is. */
interface Candidate {
  name: string;
  /** Relative to the root; `.` for the root. */
  dir: string;
  build: string | readonly string[] | null;
  artifact: string | null;
  run: string | readonly string[] | null;
  /** What is known of its source; null: nothing. */
  source: ServerFacts | null;
  /**
   * A rate to begin with: a third of what a plain server of its kind does on one core of a small
   * machine, or less.
   */
  rateRps: number;
}

const USUAL_RPS = 500;
const PYTHON_RPS = 200;

const UNKNOWN = { artifact: null, run: null, source: null, rateRps: USUAL_RPS } as const;

/** Deep enough for `services/<name>` and `crates/<name>`. */
const MAX_DEPTH = 2;
/** A first configuration is to be read; the others are named in a comment. */
const MAX_SERVICES = 3;
const SKIPPED = new Set([
  ...["bench", "benches", "dist", "docs", "examples", "fixtures", "node_modules", "target"],
  ...["test", "testdata", "tests", "third_party", "tools", "vendor"],
]);
/** What the file of a server is called that has no manifest, likeliest first. */
const LONE_FILES = ["server", "app", "main", "index"];
const NODE_FILES = ["js", "mjs", "cjs", "ts", "mts"];
/** Names of programs that are likely to be the one that serves. */
const SERVING = /api|http|serv|svc|web|daemon/i;

export async function initConfiguration(
  environment: Pick<Environment, "workingFolder">,
): Promise<{ path: string; text: string }> {
  const root = repositoryRoot(resolve(environment.workingFolder));
  return { path: join(root, CONFIG_FILE), text: proposeConfiguration(root) };
}

function repositoryRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return start;
  }
}

export function proposeConfiguration(root: string): string {
  const folders = listFolders(root, ".", 0);
  const compiled = folders.flatMap((dir) => [...rustService(root, dir), ...goService(root, dir)]);
  const found =
    compiled.length > 0
      ? compiled
      : folders.flatMap((dir) => [...nodeService(root, dir), ...pythonService(root, dir)]);
  return renderConfiguration(withOwnNames(found));
}

/** The folder itself, then what lies below it, in alphabetical order. */
function listFolders(root: string, dir: string, depth: number): string[] {
  if (depth === MAX_DEPTH) return [dir];
  const inner = subfolders(join(root, dir)).filter((name) => !SKIPPED.has(name));
  return [
    dir,
    ...inner.flatMap((name) => listFolders(root, dir === "." ? name : `${dir}/${name}`, depth + 1)),
  ];
}

function rustService(root: string, dir: string): Candidate[] {
  const facts = parseCargoManifest(readText(root, dir, "Cargo.toml"));
  const runs = facts.binaries.length > 0 || existsSync(join(root, dir, "src/main.rs"));
  if (facts.package === null || !runs) return [];
  const binary = facts.binaries.find((name) => SERVING.test(name)) ?? facts.binaries[0];
  // Members of a workspace share its target folder.
  const workspace = ancestorsOf(dir).find(
    (folder) => parseCargoManifest(readText(root, folder, "Cargo.toml")).workspace,
  );
  const home = workspace ?? dir;
  const locked = existsSync(join(root, home, "Cargo.lock")) ? " --locked" : "";
  const member = home === dir ? "" : ` --package ${facts.package}`;
  const build = `cargo build --release${locked}${member}`;
  const artifact = `target/release/${binary ?? facts.package}`;
  return [{ ...UNKNOWN, name: facts.package, dir: home, build, artifact }];
}

function goService(root: string, dir: string): Candidate[] {
  const module = parseGoModule(readText(root, dir, "go.mod"));
  if (module === null) return [];
  const commands = subfolders(join(root, dir, "cmd")).filter((name) =>
    isMainPackage(join(root, dir, "cmd", name)),
  );
  const command =
    commands.find((name) => name === module) ??
    commands.find((name) => SERVING.test(name)) ??
    commands[0];
  const atTop = isMainPackage(join(root, dir));
  if (!atTop && command === undefined) return [];
  const name = atTop ? module : (command ?? module);
  const build = `go build -trimpath -o bin/${name} ${atTop ? "." : `./cmd/${name}`}`;
  return [{ ...UNKNOWN, name, dir, build, artifact: `bin/${name}` }];
}

function nodeService(root: string, dir: string): Candidate[] {
  const text = readText(root, dir, "package.json");
  const facts = parsePackageManifest(text);
  if (facts === null || facts.start === null) {
    const build = facts?.needsInstall ? installCommand(root, dir) : null;
    const how = { dir, extensions: NODE_FILES, build, program: "node", rateRps: USUAL_RPS };
    return loneServer(root, how);
  }
  const install = installCommand(root, dir);
  const start = parseCommand(facts.start);
  const build = facts.builds ? ["sh", "-c", `${install} && npm run build`] : install;
  // Without npm in between, signals and memory are the service's own.
  const run = start.ok && start.argv[0] === "node" ? start.argv : "npm start";
  return [{ ...UNKNOWN, name: facts.name ?? "service", dir, build, run }];
}

function installCommand(root: string, dir: string): string {
  return existsSync(join(root, dir, "package-lock.json")) ? "npm ci" : "npm install";
}

function pythonService(root: string, dir: string): Candidate[] {
  const packages = existsSync(join(root, dir, "requirements.txt"));
  const install = "python3 -m venv .venv && .venv/bin/pip install --requirement requirements.txt";
  return loneServer(root, {
    dir,
    extensions: ["py"],
    build: packages ? ["sh", "-c", install] : null,
    program: packages ? ".venv/bin/python" : "python3",
    rateRps: PYTHON_RPS,
  });
}

/** A server of one file, whether or not a manifest lists what it needs. */
function loneServer(
  root: string,
  how: Pick<Candidate, "dir" | "build" | "rateRps"> & {
    extensions: readonly string[];
    program: string;
  },
): Candidate[] {
  const { dir, build, program, rateRps } = how;
  for (const name of LONE_FILES) {
    for (const extension of how.extensions) {
      const file = `${name}.${extension}`;
      const source = parseServerSource(readText(root, dir, file));
      if (!source.serves) continue;
      const run = `${program} ${file}${source.portArgument ? " {port}" : ""}`;
      return [{ ...UNKNOWN, name, dir, build, run, source, rateRps }];
    }
  }
  return [];
}

function isMainPackage(folder: string): boolean {
  return readEntries(folder)
    .map(({ name }) => name)
    .filter((name) => name.endsWith(".go") && !name.endsWith("_test.go"))
    .some((name) => /^package main\b/m.test(readText(folder, name)));
}

function subfolders(folder: string): string[] {
  return readEntries(folder)
    .filter((entry) => entry.isDirectory() && /^\w[\w.@+-]*$/.test(entry.name))
    .map(({ name }) => name)
    .sort();
}

function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Empty when there is nothing to read. */
function readText(...path: string[]): string {
  try {
    return readFileSync(join(...path), "utf8");
  } catch {
    return "";
  }
}

/** The folders above, nearest first, the root last. */
function ancestorsOf(dir: string): string[] {
  if (dir === ".") return [];
  const parent = dir.includes("/") ? dir.slice(0, dir.lastIndexOf("/")) : ".";
  return [parent, ...ancestorsOf(parent)];
}

/** Names that a configuration accepts, each once. */
function withOwnNames(candidates: readonly Candidate[]): Candidate[] {
  const used = new Set<string>();
  return candidates.map((candidate) => {
    const plain = candidate.name.replace(/[^A-Za-z0-9._-]/g, "-").replace(/^[^A-Za-z0-9]+/, "");
    const base = plain.slice(0, 60) || "service";
    let name = base;
    for (let i = 2; used.has(name); i++) name = `${base}-${i}`;
    used.add(name);
    return { ...candidate, name };
  });
}

const NOTHING_FOUND: Candidate = {
  ...UNKNOWN,
  name: "api",
  dir: ".",
  build: "make build",
  artifact: "bin/api",
};

function renderConfiguration(found: readonly Candidate[]): string {
  const shown = found.length === 0 ? [NOTHING_FOUND] : found.slice(0, MAX_SERVICES);
  const others = found.slice(MAX_SERVICES).map(({ name }) => name);
  const path = shown[0]?.source?.path ?? "/";
  return [
    "# What tailgate builds, loads and judges. This is a first proposal: look at each line that has a comment.",
    "version: 1",
    "services:",
    ...(found.length === 0
      ? ["  # Nothing that looks like a service was found: describe yours."]
      : []),
    ...shown.flatMap((candidate, i) => renderService(candidate, i === 0)),
    ...(others.length === 0 ? [] : [`  # Also found: ${others.join(", ")}.`]),
    "scenarios:",
    `  ${scenarioName(path)}:`,
    commented(`    request: GET ${path}`, "a request whose latency matters; one scenario for each"),
    commented(
      `    rate: ${shown[0]?.rateRps ?? USUAL_RPS}/s`,
      "what it gets in production, or a third of what one core can do",
    ),
    "",
  ].join("\n");
}

function scenarioName(path: string): string {
  return /[A-Za-z][\w-]*$/.exec(path)?.[0] ?? "home";
}

function renderService(candidate: Candidate, first: boolean): string[] {
  const { name, dir, build, artifact, run, source } = candidate;
  const variable = source?.portVariable ?? "PORT";
  const explain = (line: string, comment: string) => (first ? commented(line, comment) : line);
  return [
    `  ${word(name)}:`,
    ...(dir === "." ? [] : [`    dir: ${word(dir)}`]),
    ...(build === null ? [] : [`    build: ${command(build)}`]),
    ...(artifact === null ? [] : [`    artifact: ${word(artifact)}`]),
    ...(run === null ? [] : [`    run: ${command(run)}`]),
    ...(source?.portArgument && source.portVariable === null
      ? []
      : [
          explain(
            `    env: { ${variable}: "{port}" }`,
            "how it learns its port; {port} may stand in run as well",
          ),
        ]),
    explain("    ready: { tcp: true }", "better: the path of a health check, such as /healthz"),
  ];
}

function commented(line: string, comment: string): string {
  return `${line.padEnd(32)} # ${comment}`;
}

function command(argv: string | readonly string[]): string {
  return typeof argv === "string" ? word(argv) : `[${argv.map(word).join(", ")}]`;
}

/** YAML text; in quotes where it could be anything else. */
function word(text: string): string {
  const plain =
    /^[A-Za-z_./][\w ./@=-]*$/.test(text) && !/^(true|false|null|\.(nan|inf))$/i.test(text);
  return plain && text.trim() === text ? text : JSON.stringify(text);
}
