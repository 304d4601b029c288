// Routes of Express, Fastify, Nest and plain node:http, as their source has them. Pure.
import { folderOf, joined } from "../paths.ts";
import type { Route } from "../proposal.ts";
import type { SourceFile } from "../source-text.ts";
import { RouteBook } from "./route-scopes.ts";

const TEXT = "[\"'`]([^\"'`\\n]*)[\"'`]";
/** `app.get("/x", one)` */
const ROUTE =
  /\b\w+(?:\.router)?\.(?<method>get|post|put|patch|delete)(?:<[^()]*>)?\(\s*["'`](?<path>\/[^"'`\n]*)["'`]\s*,/g;
/** `router.route("/x").get(one)` */
const CHAINED =
  /\.route\(\s*["'`](?<path>[^"'`\n]*)["'`]\s*\)\s*\.(?<method>get|post|put|patch|delete)\(/g;
/** `fastify.route({ method: "GET", url: "/x"` */
const OBJECT = /\.route\(\s*\{([\s\S]{0,400}?)\bhandler\b/g;
/** `app.use("/x", router)`, `app.use("/x", require("./users"))` */
const USE =
  /\.use\(\s*["'`](?<prefix>[^"'`\n]*)["'`]\s*,\s*(?<what>[\s\S]{0,200}?)\)\s*;?\s*(?:\n|$)/g;
/** `app.use(routes)`, `app.use(require("./routes"))` */
const USE_PLAIN = /\.use\(\s*(?<what>\w+|require\(\s*["'][^"'\n]+["']\s*\))\s*\)/g;
/** `fastify.register(users, { prefix: "/x" })` */
const REGISTER =
  /\.register\(\s*(?<what>[\s\S]{0,200}?),\s*\{[^}]{0,200}?\bprefix:\s*["'`](?<prefix>[^"'`\n]*)["'`]/g;
const CONTROLLER =
  /@Controller\(\s*(?:\{[^}]{0,200}?\bpath:\s*)?(?:["'`]([^"'`\n]*)["'`])?[^)]{0,200}\)/g;
const DECORATOR = /@(Get|Post|Put|Patch|Delete)\(\s*(?:["'`]([^"'`\n]*)["'`])?\s*\)/g;
const GLOBAL_PREFIX = new RegExp(`\\.setGlobalPrefix\\(\\s*${TEXT}`);
export function parseNodeRoutes(files: readonly SourceFile[]): Route[] {
  const book = new RouteBook("node");
  const global = files.flatMap(({ text }) => GLOBAL_PREFIX.exec(text)?.[1] ?? [])[0] ?? "";
  for (const file of files) {
    addScopes(book, files, file);
    book.addAll(file, ROUTE);
    book.addAll(file, CHAINED);
    for (const { index, 1: members = "" } of file.text.matchAll(OBJECT)) {
      const method = new RegExp(`\\bmethod:\\s*${TEXT}`).exec(members)?.[1];
      const path = new RegExp(`\\burl:\\s*${TEXT}`).exec(members)?.[1];
      if (method !== undefined && path !== undefined) book.addRoute(file, index, method, path);
    }
    addControllers(book, file, global);
  }
  const routes = book.routes();
  return routes.length > 0 ? routes : comparedPaths(files);
}

function addControllers(book: RouteBook, file: SourceFile, global: string): void {
  const controllers = [...file.text.matchAll(CONTROLLER)];
  for (const { index, 1: method = "", 2: path = "" } of file.text.matchAll(DECORATOR)) {
    const own = controllers.findLast((controller) => controller.index < index);
    if (own !== undefined) book.addRoute(file, index, method, global, own[1] ?? "", path);
  }
}

/** All of a file that is mounted somewhere has that before it; so has a router of the same file. */
function addScopes(book: RouteBook, files: readonly SourceFile[], file: SourceFile): void {
  const { text } = file;
  for (const { index, groups } of [USE, REGISTER, USE_PLAIN].flatMap((mount) => [
    ...text.matchAll(mount),
  ])) {
    const { what = "", prefix = "/" } = groups ?? {};
    if (!prefix.startsWith("/")) continue;
    const name = /(\w+)\s*$/.exec(what)?.[1] ?? "";
    const module =
      /(?:require|import)\(\s*["']([^"']+)["']/.exec(what)?.[1] ?? importedAs(name, file);
    const target = module === null ? null : fileOf(module, file, files);
    if (target !== null) book.addInclusion(target, { from: file, index, prefix });
    else addOwnRouter(book, file, name, prefix);
  }
}

function importedAs(name: string, { text }: SourceFile): string | null {
  if (name === "") return null;
  const imported =
    new RegExp(`import\\s+(?:\\{[^}]*\\b)?${name}\\b[^;"']*from\\s*["']([^"']+)["']`).exec(text) ??
    new RegExp(`\\b${name}\\b[^=;\\n]*=\\s*require\\(\\s*["']([^"']+)["']`).exec(text);
  return imported?.[1] ?? null;
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
  const start = file.text.search(new RegExp(`\\b(?:const|let|var)\\s+${name}\\b`));
  const end = start === -1 ? -1 : file.text.indexOf(";", start);
  if (end !== -1) book.addScope(file, { start, end, prefix });
  for (const match of file.text.matchAll(
    new RegExp(`\\b${name}\\.(?:get|post|put|patch|delete|use)\\(`, "g"),
  )) {
    book.addScope(file, { start: match.index, end: match.index + 1, prefix });
  }
}

/** Paths in quotes, of a server that compares them itself. */
function comparedPaths(files: readonly SourceFile[]): Route[] {
  return files
    .filter(({ text }) => /createServer\(/.test(text))
    .flatMap(({ path: seenIn, text }) =>
      [...text.matchAll(/(?:===?|!==?|case|startsWith\()\s*["'`](\/[\w./-]*)["'`]/g)].map(
        ([, path = ""]) => ({ method: "GET", path, seenIn, example: null }),
      ),
    );
}
