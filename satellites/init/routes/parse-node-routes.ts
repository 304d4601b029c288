// Routes of Express, Fastify, Nest and plain node:http, as their source has them. Pure.
import {
  anyCase,
  anyOf,
  as,
  code,
  EDGE,
  findAll,
  findFirst,
  maybe,
  oneOf,
  QUOTE,
  WORD,
} from "../code-pattern.ts";
import { folderOf, fromDir, isUnder, joined } from "../paths.ts";
import type { Route } from "../proposal.ts";
import { closingIndex, type SourceFile } from "../source-text.ts";
import { RouteBook } from "./route-scopes.ts";

const TEXT = /[^"'`\n]*/;
const quoted = (name: string, text = TEXT): RegExp => code`${QUOTE}${as(name, text)}${QUOTE}`;
const ABSOLUTE = /\/[^"'`\n]*/;
const METHODS = oneOf("get post put patch delete");
const METHOD = as("method", METHODS);
/** Up to something behind it, and not far. */
const SOME = /[\s\S]{0,200}?/;
const MODULE = code`${/["']/}${as("module", /[^"']+/)}${/["']/}`;
const LOADED = code`${oneOf("require import")}( ${MODULE}`;

/** Of an object, before the one that is looked for. */
const MEMBERS = /[^}]{0,200}?\b/;

/** `app.get("/x", one)`, `this.router.get<Query>("/x", one)` */
const ROUTER = code`${EDGE}${WORD}${maybe(".router")}`;
const TYPES = maybe(code`<${/[^()]*/}>`);
const ROUTE = code`${ROUTER}.${METHOD}${TYPES}( ${quoted("path", ABSOLUTE)} ,`;
/** `router.route("/x").get(one)` */
const CHAINED = code`.route( ${quoted("path")} ) .${METHOD}(`;
/** `fastify.route({ method: "GET", url: "/x", handler: one })` */
const OBJECT = code`.route( {${as("members", /[\s\S]{0,400}?/)}${EDGE}handler${EDGE}`;
const OBJECT_METHOD = code`${EDGE}method: ${quoted("method")}`;
const OBJECT_PATH = code`${EDGE}url: ${quoted("path")}`;
/** `app.use("/x", router)`, `app.use("/x", require("./users"))` */
const USE = code`.use( ${quoted("prefix")} , ${as("what", SOME)}) ${maybe(";")} ${/\n|$(?![\s\S])/}`;
/** `app.use(routes)`, `app.use(require("./routes"))` */
const USE_PLAIN = code`.use( ${as("what", anyOf(WORD, code`require( ${/["'][^"'\n]+["']/} )`))} )`;
/** `fastify.register(users, { prefix: "/x" })` */
const REGISTER = code`.register( ${as("what", SOME)}, {${MEMBERS}prefix: ${quoted("prefix")}`;
/** `fastify.register(autoload, { dir: join(dirname, "routes"), options: { prefix: "/x" } })` */
const AUTOLOAD = code`.register( ${/\w*/}${anyCase("autoload")} , {`;
const FOLDER = code`${EDGE}dir: `;
const OPTION_PREFIX = code`${EDGE}prefix: ${quoted("prefix", ABSOLUTE)}`;
/** `export const autoPrefix = "/x"` */
const AUTO_PREFIX = code`${EDGE}autoPrefix = ${quoted("prefix")}`;
/** `@Controller("x")`, `@Controller({ path: "x" })` */
const OPTIONS = maybe(code`{${MEMBERS}path: `);
const CONTROLLER = code`@Controller( ${OPTIONS}${maybe(quoted("path"))}${/[^)]{0,200}/})`;
/** `@Get("x")` */
const DECORATOR = code`@${as("method", oneOf("Get Post Put Patch Delete"))}( ${maybe(quoted("path"))} )`;
const GLOBAL_PREFIX = code`.setGlobalPrefix( ${quoted("prefix")}`;
/** Of a server that compares it itself. */
const COMPARED = code`${oneOf("=== == !== != case startsWith(")} ${quoted("path", /\/[\w./-]*/)}`;

export function parseNodeRoutes(files: readonly SourceFile[]): Route[] {
  const book = new RouteBook("node");
  const [global = ""] = files.flatMap(
    ({ text }) => findFirst(text, GLOBAL_PREFIX)?.groups.prefix ?? [],
  );
  for (const file of files) {
    addScopes(book, files, file);
    book.addAll(file, ROUTE);
    book.addAll(file, CHAINED);
    for (const { index, groups } of findAll(file.text, OBJECT)) {
      const { members = "" } = groups;
      const method = findFirst(members, OBJECT_METHOD)?.groups.method;
      const path = findFirst(members, OBJECT_PATH)?.groups.path;
      if (method !== undefined && path !== undefined) book.addRoute(file, index, method, path);
    }
    addControllers(book, file, global);
  }
  for (const file of files) addAutoloaded(book, files, file);
  const routes = book.routes();
  return routes.length > 0 ? routes : comparedPaths(files);
}

function addControllers(book: RouteBook, file: SourceFile, global: string): void {
  const controllers = findAll(file.text, CONTROLLER);
  for (const { index, groups } of findAll(file.text, DECORATOR)) {
    const own = controllers.findLast((controller) => controller.index < index);
    if (own === undefined) continue;
    const { method = "", path = "" } = groups;
    book.addRoute(file, index, method, global, own.groups.path ?? "", path);
  }
}

/** All of a file that is mounted somewhere has that before it; so has a router of the same file. */
function addScopes(book: RouteBook, files: readonly SourceFile[], file: SourceFile): void {
  for (const { index, groups } of [USE, REGISTER, USE_PLAIN].flatMap((mount) =>
    findAll(file.text, mount),
  )) {
    const { what = "", prefix = "/" } = groups;
    if (!prefix.startsWith("/")) continue;
    const [, holder = "", member = ""] = /(\w+)\.(\w+)\s*$/.exec(what) ?? [];
    const holding = fileOf(importedAs(holder, file) ?? "", file, files);
    const own = holding === null ? { file, what } : { file: holding, what: has(member, holding) };
    const name = /(\w+)\s*$/.exec(own.what)?.[1] ?? "";
    const module = findFirst(own.what, LOADED)?.groups.module ?? importedAs(name, own.file);
    const target = module === null ? null : fileOf(module, own.file, files);
    if (target !== null) book.addInclusion(target, { from: file, index, prefix });
    else addOwnRouter(book, own.file, name, prefix);
  }
}

/** What a file has under this name for others: `exports.users = require("./users")`, `{ users: one }` */
function has(member: string, { text }: SourceFile): string {
  const value = anyOf(code`require( ${/["'][^"'\n]+["']/} )`, /\w+(?![\w(.])/);
  const given = anyOf(code`${EDGE}${member}:`, code`${/export(?:s\.|\s+const\s+)/}${member} =`);
  return findFirst(text, code`${given} ${as("value", value)}`)?.groups.value ?? member;
}

/** What `@fastify/autoload` finds in a folder has the folders below it as its prefix. */
function addAutoloaded(book: RouteBook, files: readonly SourceFile[], file: SourceFile): void {
  for (const { index, end } of findAll(file.text, AUTOLOAD)) {
    const options = file.text.slice(end - 1, closingIndex(file.text, end - 1, "node"));
    const { end: start = options.length } = findFirst(options, FOLDER) ?? {};
    const expression = options.slice(start, endOfValue(options, start));
    const parts = findAll(expression, quoted("part")).map(({ groups }) => groups.part ?? "");
    const dir = joined(folderOf(file.path), parts.join("/").replace(/\$\{[^}]*\}/g, ""));
    if (parts.length === 0 || dir === null) continue;
    const { prefix: before = "" } = findFirst(options, OPTION_PREFIX)?.groups ?? {};
    const hasFolders = !/\bdirNameRoutePrefix:\s*false/.test(options);
    for (const target of files.filter(({ path }) => isUnder(path, dir))) {
      const folders = hasFolders ? folderOf(fromDir(target.path, dir)).replace(/^\.$/, "") : "";
      const own = findFirst(target.text, AUTO_PREFIX)?.groups.prefix ?? folders;
      const prefix = `${before}/${own.replace(/(^|\/)_(?=\w)/g, "$1:")}`;
      book.addInclusion(target, { from: file, index, prefix });
    }
  }
}

/** Where a comma, a line or the object around it ends what a member has. */
function endOfValue(text: string, start: number): number {
  let at = start;
  for (; at < text.length && !/[,\n}]/.test(text[at] ?? ""); at++)
    if (/[([{]/.test(text[at] ?? "")) at = closingIndex(text, at, "node");
  return at;
}

/** `import name from "x"`, `import { name } from "x"`, `import * as name …`, `const name = require("x")` */
function importedAs(name: string, { text }: SourceFile): string | null {
  if (name === "") return null;
  const before = anyOf(code`{${/[^}]*\b/}`, /\*\s*as\s+/);
  const imported = code`${oneOf("import export")}${/\s+/}${maybe(before)}${name}${EDGE}${/[^;"']*/}from ${MODULE}`;
  const required = code`${EDGE}${name}${EDGE}${/[^=;\n]*/}= require( ${MODULE}`;
  const found = findFirst(text, imported) ?? findFirst(text, required);
  return found?.groups.module ?? null;
}

function fileOf(module: string, from: SourceFile, files: readonly SourceFile[]): SourceFile | null {
  const base = module.startsWith(".") ? joined(folderOf(from.path), module) : null;
  if (base === null) return null;
  const stem = base.replace(/\.[cm]?[jt]s$/, "");
  return (
    files.find(({ path }) => [stem, `${stem}/index`].includes(path.replace(/\.[cm]?[jt]s$/, ""))) ??
    null
  );
}

/** `const users = Router().use(…); users.get(…); app.use("/users", users)` in one file. */
function addOwnRouter(book: RouteBook, file: SourceFile, name: string, prefix: string): void {
  if (!/^\w+$/.test(name)) return;
  const start = findFirst(file.text, code`${EDGE}${oneOf("const let var")}${/\s+/}${name}${EDGE}`);
  const end = start === undefined ? -1 : file.text.indexOf(";", start.index);
  if (start !== undefined && end !== -1) book.addScope(file, { start: start.index, end, prefix });
  const use = code`${EDGE}${name}.${anyOf(METHODS, "use")}(`;
  for (const { index: start, end } of findAll(file.text, use)) {
    book.addScope(file, { start, end, prefix });
  }
}

/** Paths in quotes, of a server that compares them itself. */
function comparedPaths(files: readonly SourceFile[]): Route[] {
  return files
    .filter(({ text }) => /createServer\(/.test(text))
    .flatMap(({ path: seenIn, text }) =>
      findAll(text, COMPARED).map(({ groups: { path = "" } }) => ({
        ...{ method: "GET", path, seenIn, example: null },
      })),
    );
}
