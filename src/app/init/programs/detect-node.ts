// package.json with a server, or a lone server file -> programs. Pure.
import { parseCommand } from "../../../core/config/argv.ts";
import {
  baseOf,
  folderOf,
  fromDir,
  isUnder,
  joined,
  nearestFile,
  ownPaths,
  wayUp,
} from "../paths.ts";
import { type Command, PLAIN_PROGRAM, type Program } from "../proposal.ts";
import { withoutComments } from "../source-text.ts";
import type { Tree } from "../tree.ts";
import { type PackageFacts, parsePackageManifest } from "./parse-manifest.ts";

const FRAMEWORKS = "@nestjs/core fastify express koa hono @hapi/hapi restify polka".split(" ");
const SOURCE = /(?<!\.d)\.[cm]?[jt]s$/;
const NO_SOURCE = /\.(?:test|spec|config|min|bundle)\.[cm]?[jt]s$/;
const LISTENS = /\.listen\(|createServer\(|\bserve\(/;
/** What the file of a server is called that no script starts, likeliest first. */
const LONE_FILES = ["server", "app", "main", "index"];

export function detectNode(tree: Tree): Program[] {
  const sources = tree.paths.filter((path) => SOURCE.test(path) && !NO_SOURCE.test(path));
  const packages = tree.paths.filter((path) => baseOf(path) === "package.json").map(folderOf);
  const lone = [...new Set(sources.filter(isLone).map(folderOf))].filter(
    (dir) => !packages.some((one) => one === dir || isUnder(dir, one)),
  );
  return [
    ...packages.flatMap((dir) => packageProgram(tree, dir, ownPaths(sources, dir, packages))),
    ...lone.flatMap((dir) =>
      loneProgram(
        tree,
        dir,
        null,
        sources.filter((path) => folderOf(path) === dir),
      ),
    ),
  ];
}

function isLone(path: string): boolean {
  const [name = "", ...endings] = baseOf(path).split(".");
  return LONE_FILES.includes(name) && endings.length === 1;
}

function packageProgram(tree: Tree, dir: string, sources: readonly string[]): Program[] {
  const manifest = parsePackageManifest(tree.read(joined(dir, "package.json") ?? ""));
  if (manifest === null) return loneProgram(tree, dir, null, sources);
  const start = startOf(manifest);
  if (start === null) return loneProgram(tree, dir, manifest, sources);
  const framework = frameworkOf(manifest);
  return [
    {
      ...PLAIN_PROGRAM,
      language: "node",
      name: manifest.name ?? "service",
      dir,
      home: dir,
      framework,
      serves: framework !== null || (listens(tree, sources) && !speaksGrpc(manifest)),
      build: buildOf(tree, dir, manifest, start.before),
      run: start.command,
      packages: manifest.packages,
      sources,
      frameworkPort: /\$\{?PORT\b/.test(manifest.scripts.start ?? "")
        ? { kind: "variable", name: "PORT", form: "port", seenIn: joined(dir, "package.json") }
        : null,
    },
  ];
}

function frameworkOf({ dependencies }: PackageFacts): string | null {
  return FRAMEWORKS.find((name) => dependencies.includes(name)) ?? null;
}

function listens(tree: Tree, sources: readonly string[]): boolean {
  return sources.some((path) => LISTENS.test(withoutComments(tree.read(path), "node")));
}

/** Without a framework for HTTP beside it, it answers nothing else. */
function speaksGrpc({ dependencies }: PackageFacts): boolean {
  return dependencies.includes("@grpc/grpc-js");
}

interface Start {
  command: Command;
  /** The script that npm runs before it; null: none, or npm itself starts it. */
  before: string | null;
}

/** What production starts, where a script says so. */
function startOf({ scripts }: PackageFacts): Start | null {
  const name = ["start:prod", "start"].find((one) => scripts[one] !== undefined);
  if (name === undefined) return null;
  // Without npm in between, signals and memory are the service's own.
  const words = parseCommand(scripts[name] ?? "");
  const isPlain = words.ok && words.argv[0] === "node" && !/[{$]/.test(scripts[name] ?? "");
  const before = scripts[`pre${name}`] === undefined ? null : `pre${name}`;
  if (isPlain) return { command: words.argv, before };
  return { command: name === "start" ? "npm start" : `npm run ${name}`, before: null };
}

function buildOf(
  tree: Tree,
  dir: string,
  manifest: PackageFacts,
  before: string | null = null,
): Command | null {
  const needsInstall = manifest.packages.length > 0 || manifest.scripts.start !== undefined;
  const install = needsInstall ? installCommand(tree, dir) : null;
  const isBuiltBefore = /\brun build\b/.test(manifest.scripts[before ?? ""] ?? "");
  const build = manifest.scripts.build === undefined || isBuiltBefore ? null : "build";
  const scripts = [build, before].filter((name) => name !== null);
  if (scripts.length === 0) return install?.includes("&&") ? ["sh", "-c", install] : install;
  const steps = [install, ...scripts.map((name) => `npm run ${name}`)];
  return ["sh", "-c", steps.filter((step) => step !== null).join(" && ")];
}

/** Of the package manager whose lock file is nearest. */
function installCommand(tree: Tree, dir: string): string {
  const lock = nearestFile(new Set(tree.paths), dir, [
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
  ]);
  switch (lock === null ? null : baseOf(lock)) {
    case "pnpm-lock.yaml":
      return "pnpm install --frozen-lockfile";
    case "yarn.lock":
      return "yarn install --frozen-lockfile";
    case "package-lock.json": {
      const up = wayUp(dir, folderOf(lock ?? dir));
      return up === "." ? "npm ci" : `(cd ${up} && npm ci)`;
    }
    default:
      return "npm install";
  }
}

/** A server of one file, whether or not a manifest lists what it needs. */
function loneProgram(
  tree: Tree,
  dir: string,
  manifest: PackageFacts | null,
  sources: readonly string[],
): Program[] {
  const main = manifest?.main == null ? null : joined(dir, manifest.main);
  const likely = LONE_FILES.flatMap((name) =>
    sources.filter((path) => isLone(path) && baseOf(path).startsWith(`${name}.`)),
  );
  const file = [...(main === null ? [] : [main]), ...likely].find((path) =>
    LISTENS.test(withoutComments(tree.read(path), "node")),
  );
  if (file === undefined) return [];
  const framework = manifest === null ? null : frameworkOf(manifest);
  if (manifest !== null && framework === null && speaksGrpc(manifest)) return [];
  return [
    {
      ...PLAIN_PROGRAM,
      language: "node",
      name: manifest?.name ?? baseOf(file).replace(/\..*$/, ""),
      dir,
      home: dir,
      framework,
      build:
        manifest !== null && manifest.dependencies.length > 0 ? buildOf(tree, dir, manifest) : null,
      run: `node ${fromDir(file, dir)}`,
      packages: manifest?.packages ?? [],
      sources: manifest === null ? [file] : sources,
    },
  ];
}
