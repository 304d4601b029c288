// Routes of axum, actix-web and Rocket, as their source has them. Pure.
import type { Route } from "../proposal.ts";
import type { SourceFile } from "../source-text.ts";
import { RouteBook } from "./route-scopes.ts";

/** `.route("/x", get(one).post(two))`, and with `web::get()` of actix-web. */
const ROUTE = /\.route\(\s*"([^"\n]*)"\s*,/g;
const METHODS =
  /(?<![\w.])(?:web::|routing::|axum::routing::|MethodRouter::new\(\)\.)?(get|post|put|patch|delete)\s*(?:::<[^>]*>)?\(|\)\s*\.(get|post|put|patch|delete)\(/g;
/** `#[get("/x")] async fn one`; Rocket has its query after the path. */
const ATTRIBUTE =
  /#\[\s*(?:\w+::)?(?<method>get|post|put|patch|delete)\(\s*"(?<path>[^"?\n]*)[^"\n]*"[^\]]{0,200}\)\s*\](?:\s*#\[[^\]]{0,200}\]){0,8}\s*(?:pub(?:\([\w: ]+\))?\s+)?(?:async\s+)?fn\s+(?<name>\w+)/g;
/** `web::resource("/x").route(web::get()…)` */
const RESOURCE = /web::resource\(\s*"([^"\n]*)"\s*\)([\s\S]{0,300}?)(?:\)\s*;|\.service\(|$)/g;
const NEST =
  /\.nest(?:_service)?\(\s*"([^"\n]*)"\s*,\s*(?:(?:\w+::)*?(?:(\w+)::)?(\w+)\s*(\(\s*[^()]*\))?(?=\s*\)))?/g;
const SCOPE = /web::scope\(\s*"([^"\n]*)"\s*\)/g;
const SERVED = /\.service\(\s*(?:\w+::)*(\w+)\s*\)/g;
const CONFIGURED = /\.configure\(\s*(?:\w+::)*?(?:(\w+)::)?(\w+)\s*\)/g;
const MOUNT = /\.mount\(\s*"([^"\n]*)"\s*,\s*routes!\[([^\]]*)\]/g;

export function parseRustRoutes(files: readonly SourceFile[]): Route[] {
  const book = new RouteBook("rust");
  /** Prefixes of handlers by name, where attributes give the rest of the path. */
  const mounted = new Map<string, string>();
  for (const file of files) {
    addNests(book, files, file);
    addActixScopes(book, files, file, mounted);
    for (const [, prefix = "", names = ""] of file.text.matchAll(MOUNT)) {
      for (const name of names.split(","))
        mounted.set(name.trim().split("::").at(-1) ?? "", prefix);
    }
  }
  for (const file of files) {
    addRoutes(book, file);
    book.addAll(file, ATTRIBUTE, (name) => mounted.get(name) ?? "");
  }
  return book.routes();
}

function addRoutes(book: RouteBook, file: SourceFile): void {
  for (const match of file.text.matchAll(ROUTE)) {
    const span = book.spanOf(file, match.index + ".route".length);
    const handlers = file.text.slice(
      match.index + match[0].length,
      Math.min(span.end, span.start + 2000),
    );
    for (const [, first, chained] of handlers.matchAll(METHODS)) {
      book.addRoute(file, match.index, first ?? chained ?? "", match[1] ?? "");
    }
  }
  for (const { index, 1: path = "", 2: rest = "" } of file.text.matchAll(RESOURCE)) {
    const methods = [...rest.matchAll(/web::(get|post|put|patch|delete)\(/g)].map(
      ([, method = ""]) => method,
    );
    for (const method of methods.length === 0 ? ["get"] : methods)
      book.addRoute(file, index, method, path);
  }
}

function addNests(book: RouteBook, files: readonly SourceFile[], file: SourceFile): void {
  for (const match of file.text.matchAll(NEST)) {
    const [, prefix = "", module, name, call] = match;
    if (name === undefined) {
      const open = file.text.indexOf("(", match.index);
      book.addScope(file, { ...book.spanOf(file, open), prefix });
    } else if (call !== undefined) {
      book.addFunctionScope(files, new RegExp(`\\bfn\\s+${name}\\b`), prefix, module);
    } else {
      const start = file.text.search(new RegExp(`\\blet\\s+(?:mut\\s+)?${name}\\b`));
      const end = start === -1 ? -1 : file.text.indexOf(";", start);
      if (end !== -1) book.addScope(file, { start, end, prefix });
    }
  }
}

/** A scope holds what is chained to it, up to the bracket around it. */
function addActixScopes(
  book: RouteBook,
  files: readonly SourceFile[],
  file: SourceFile,
  mounted: Map<string, string>,
): void {
  for (const match of file.text.matchAll(SCOPE)) {
    const prefix = match[1] ?? "";
    const open = file.text.lastIndexOf("(", match.index);
    const { end } = open === -1 ? { end: file.text.length } : book.spanOf(file, open);
    const start = match.index;
    book.addScope(file, { start, end, prefix });
    const inside = file.text.slice(start, end);
    for (const [, name = ""] of inside.matchAll(SERVED)) {
      // One in the scope's own file is reached twice, once by its place: only others are named here.
      mounted.set(name, prefix);
    }
    for (const [, module, name = ""] of inside.matchAll(CONFIGURED)) {
      book.addFunctionScope(files, new RegExp(`\\bfn\\s+${name}\\b`), prefix, module);
    }
  }
}
