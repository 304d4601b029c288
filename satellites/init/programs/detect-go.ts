// Main packages of Go modules -> programs. Pure.

import { baseOf, folderOf, fromDir, joined, ownPaths } from "../paths.ts";
import { PLAIN_PROGRAM, type Program } from "../proposal.ts";
import { sourceFiles, withoutComments } from "../source-text.ts";
import type { Tree } from "../tree.ts";
import { parseGoModule, programOfModule } from "./parse-manifest.ts";
import { likeliestServer } from "./serving-name.ts";

/** By the last part of its path. */
const FRAMEWORKS = [
  "github.com/gin-gonic/gin",
  "github.com/labstack/echo",
  "github.com/go-chi/chi",
  "github.com/gofiber/fiber",
  "github.com/gorilla/mux",
  "github.com/julienschmidt/httprouter",
  "net/http",
];
/** What programs beside a server are called that ask it. */
const CLIENT = /(?:curl|client|cli|ctl)$/i;
/** Of one that no framework shows to be a server: it may only ask others. */
const HANDLES =
  /\b(?:ListenAndServe(?:TLS)?|Serve(?:TLS)?|Listen)\(|\bhttp\.Server\{|\bHandle(?:Func|r)?\(/;
const LISTENS = /\b(?:ListenAndServe(?:TLS)?|Serve|Run|Start|Listen)\(/;

export function detectGo(tree: Tree): Program[] {
  const modules = tree.paths.filter((path) => baseOf(path) === "go.mod").map(folderOf);
  const sources = tree.paths.filter((path) => path.endsWith(".go") && !path.endsWith("_test.go"));
  return modules.flatMap((dir) => programsOf(tree, dir, ownPaths(sources, dir, modules)));
}

function programsOf(tree: Tree, dir: string, files: readonly string[]): Program[] {
  const module = parseGoModule(tree.read(joined(dir, "go.mod") ?? ""));
  if (module === null) return [];
  const mains = files.filter((path) => /^package main\b/m.test(tree.read(path))).map(folderOf);
  const programs = [...new Set(mains)].map((main) => programOf(tree, { dir, module, main, files }));
  const serving = programs.filter(({ serves }) => serves);
  const servers = serving.filter(({ name }) => !CLIENT.test(name));
  if (serving.length > 0) return servers.length > 0 ? servers : serving;
  const likeliest = likeliestServer(programs.map(({ name }) => name));
  return programs.filter(({ name }) => name === likeliest);
}

interface MainPackage {
  dir: string;
  module: string;
  main: string;
  files: readonly string[];
}

function programOf(tree: Tree, { dir, module, main, files }: MainPackage): Program {
  const own = main === dir ? programOfModule(module) : baseOf(main);
  const name = /^[\w.-]+$/.test(own) ? own : "service";
  const { sources, packages } = closureOf(tree, { dir, module, main, files });
  const text = sourceFiles(tree, sources, "go")
    .map((file) => file.text)
    .join("\n");
  const known = FRAMEWORKS.find((path) => packages.some((one) => isPackage(one, path)));
  const framework = known === undefined ? null : baseOf(known);
  return {
    ...PLAIN_PROGRAM,
    language: "go",
    name,
    dir,
    home: dir,
    framework,
    serves: framework !== null && (framework === "http" ? HANDLES : LISTENS).test(text),
    build: `go build -trimpath -o bin/${name} ${main === dir ? "." : `./${fromDir(main, dir)}`}`,
    artifact: `bin/${name}`,
    packages,
    sources,
    // gin's Run() without an address.
    frameworkPort:
      framework === "gin" && /\.Run\(\s*\)/.test(text)
        ? { kind: "variable", name: "PORT", form: "port", seenIn: null }
        : null,
  };
}

function isPackage(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** The main package and those of its module that it imports, and all that these import. */
function closureOf(tree: Tree, { dir, module, main, files }: MainPackage) {
  const folders = [main];
  const packages = new Set<string>();
  const sources: string[] = [];
  for (const folder of folders) {
    for (const path of files.filter((one) => folderOf(one) === folder)) {
      sources.push(path);
      for (const imported of importsOf(withoutComments(tree.read(path), "go"))) {
        const inner = isPackage(imported, module)
          ? joined(dir, imported.slice(module.length))
          : null;
        if (inner === null) packages.add(imported);
        else if (!folders.includes(inner)) folders.push(inner);
      }
    }
  }
  return { sources, packages: [...packages] };
}

function importsOf(text: string): string[] {
  const imports = text.matchAll(/^import\s*(?:\(([^)]*)\)|(?:[\w.]+\s+)?("[^"\n]+"))/gm);
  return [...imports].flatMap(([, block, single = ""]) =>
    [...(block ?? single).matchAll(/"([^"\n]+)"/g)].map(([, path = ""]) => path),
  );
}
