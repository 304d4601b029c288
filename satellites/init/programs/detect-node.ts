// package.json with a server, or a lone server file -> programs. Pure.
import { parseCommand } from "../../../src/core/base/argv.ts";
import { type Compiles, compilesIn } from "../../words/compiles.ts";
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
  const beside = (dir: string) => sources.filter((path) => folderOf(path) === dir);
  return [
    ...packages.flatMap((dir) => programOf(tree, dir, ownPaths(sources, dir, packages))),
    ...lone.flatMap((dir) => programOf(tree, dir, beside(dir))),
  ];
}

function isLone(path: string): boolean {
  const [name = "", ...endings] = baseOf(path).split(".");
  return LONE_FILES.includes(name) && endings.length === 1;
}

/** What a script starts; else a server of one file, whether or not a manifest lists what it needs. */
function programOf(tree: Tree, dir: string, sources: readonly string[]): Program[] {
  const manifest = parsePackageManifest(tree.read(joined(dir, "package.json") ?? ""));
  const needs = (name: string): boolean => manifest?.dependencies.includes(name) === true;
  const listens = (path: string): boolean => LISTENS.test(withoutComments(tree.read(path), "node"));
  const framework = FRAMEWORKS.find(needs) ?? null;
  // Without a framework for HTTP beside it, it answers nothing else.
  const speaksGrpc = framework === null && needs("@grpc/grpc-js");
  const packages = manifest?.packages ?? [];
  const common = {
    ...PLAIN_PROGRAM,
    ...{ language: "node" as const, dir, home: dir, framework, packages, sources },
  };
  const start = manifest === null ? null : startOf(manifest);
  if (manifest !== null && start !== null) {
    return [
      {
        ...common,
        name: manifest.name ?? "service",
        serves: framework !== null || (!speaksGrpc && sources.some(listens)),
        build: buildOf(tree, dir, manifest, start.steps),
        run: start.command,
        compiles: start.compiles,
        frameworkPort: /\$\{?PORT\b/.test(manifest.scripts.start ?? "")
          ? { kind: "variable", name: "PORT", form: "port", seenIn: joined(dir, "package.json") }
          : null,
      },
    ];
  }
  const likely = LONE_FILES.flatMap((name) =>
    sources.filter((path) => isLone(path) && baseOf(path).startsWith(`${name}.`)),
  );
  const main = manifest?.main == null ? null : joined(dir, manifest.main);
  const file = [...(main === null ? [] : [main]), ...likely].find(listens);
  if (file === undefined || speaksGrpc) return [];
  return [
    {
      ...common,
      name: manifest?.name ?? baseOf(file).replace(/\..*$/, ""),
      build: manifest?.dependencies.length ? buildOf(tree, dir, manifest, []) : null,
      run: `node ${fromDir(file, dir)}`,
      sources: manifest === null ? [file] : sources,
    },
  ];
}

interface Start {
  command: Command;
  /** What is done before it, once it is built. */
  steps: string[];
  compiles: Compiles | null;
}

/** What a build can do ahead of a start, and of that what `npm run build` has done. */
const STEP =
  /^(?:(?:npm run|yarn(?: run)?|pnpm(?: run)?) \S*(?:build|compile|clean|generate)\S*|npx |rimraf |rm |cp |mkdir |(?:tsc|swc|babel|esbuild|webpack|rollup|tsup|nest|next|vite)\b)/;
const COMPILER = /^(?:npx )?(?:tsc|swc|babel|esbuild|webpack|rollup|tsup|nest|next|vite)\b/;

/** What production starts, where a script says so. */
function startOf({ scripts }: PackageFacts): Start | null {
  const name = ["start:prod", "start"].find((one) => scripts[one] !== undefined);
  if (name === undefined) return null;
  const script = (scripts[name] ?? "").replace(
    /\b(?:npm run|yarn|pnpm)(?: run)? (\S+)/g,
    (all, one: string) => (one === "build" ? all : (scripts[one] ?? all)),
  );
  const parts = script.split("&&").map((part) => part.trim());
  const steps = parts.slice(0, -1);
  const words = parseCommand(parts.at(-1) ?? "");
  const isPlain = words.ok && words.argv[0] === "node" && !/[{$]/.test(script);
  // Without npm in between, signals and memory are the service's own.
  if (isPlain && steps.every((step) => STEP.test(step))) {
    const before = scripts[`pre${name}`] === undefined ? [] : [`npm run pre${name}`];
    return { command: forProduction(words.argv), steps: [...before, ...steps], compiles: null };
  }
  const compiles = compilesIn(`${scripts[`pre${name}`] ?? ""} ${script}`, "index");
  return { command: name === "start" ? "npm start" : `npm run ${name}`, steps: [], compiles };
}

/** Without what starts it anew at each change, or waits for a debugger. */
export function forProduction(words: readonly string[]): string[] {
  return words.filter((word) => !/^--(?:watch|inspect)/.test(word));
}

function buildOf(
  tree: Tree,
  dir: string,
  { packages, scripts }: PackageFacts,
  before: readonly string[],
): Command | null {
  const isBuilt = before.some((step) =>
    /\bbuild\b/.test(`${step} ${scripts[step.replace("npm run ", "")] ?? ""}`),
  );
  const hasBuild = scripts.build !== undefined;
  const needsInstall = packages.length > 0 || scripts.start !== undefined;
  const steps = [
    ...(needsInstall ? [installCommand(tree, dir)] : []),
    ...(hasBuild && !isBuilt ? ["npm run build"] : []),
    ...before
      .filter((step) => !(hasBuild && COMPILER.test(step)))
      .map((step) => (COMPILER.test(step) ? `npx ${step.replace(/^npx /, "")}` : step)),
  ].join(" && ");
  if (steps === "") return null;
  return steps.includes("&&") ? ["sh", "-c", steps] : steps;
}

/** Of the package manager whose lock file is nearest. */
function installCommand(tree: Tree, dir: string): string {
  const names = ["package-lock.json", "pnpm-lock.yaml", "yarn.lock"];
  const lock = nearestFile(new Set(tree.paths), dir, names);
  if (lock === null) return "npm install";
  const [tool = "npm"] = /^(?:pnpm|yarn)/.exec(baseOf(lock)) ?? [];
  if (tool !== "npm") return `${tool} install --frozen-lockfile`;
  const up = wayUp(dir, folderOf(lock));
  return up === "." ? "npm ci" : `(cd ${up} && npm ci)`;
}
