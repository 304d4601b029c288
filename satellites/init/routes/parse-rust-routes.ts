// Routes of axum, actix-web and Rocket, as their source has them. Pure.
import {
  anyOf,
  as,
  code,
  EDGE,
  findAll,
  findFirst,
  maybe,
  oneOf,
  TEXT,
  upTo,
  WORD,
} from "../code-pattern.ts";
import type { Route } from "../proposal.ts";
import type { SourceFile } from "../source-text.ts";
import { RouteBook } from "./route-scopes.ts";

const METHOD = as("method", oneOf("get post put patch delete"));
const PREFIX = code`"${as("prefix", TEXT)}"`;
const NAME = as("name", WORD);
/** `a::b::name`, of which `b` is the module. */
const PATH_TO_NAME = code`${/(?:\w+::)*?/}${maybe(code`${as("module", WORD)}::`)}${NAME}`;
const SPACE = /\s+/;

/** `.route("/x", get(one).post(two))`, and with `web::get()` of actix-web. */
const ROUTE = code`.route( "${as("path", TEXT)}" ,`;
const ROUTING = maybe(oneOf("web:: routing:: axum::routing:: MethodRouter::new()."));
const METHODS = anyOf(
  code`${/(?<![\w.])/}${ROUTING}${METHOD} ${maybe(code`::<${/[^>]*/}>`)}(`,
  code`) .${METHOD}(`,
);
const ATTRIBUTE = code` #[${/[^\]]{0,200}/}]`;
const VISIBILITY = code`pub${maybe(code`(${/[\w: ]+/})`)}${SPACE}`;
const FUNCTION = code`${maybe(VISIBILITY)}${maybe(code`async${SPACE}`)}fn${SPACE}${NAME}`;
/** `"/x?<y>", rank = 2`: Rocket has its query behind the path, and more behind that. */
const ATTRIBUTE_PATH = code`"${as("path", /[^"?\n]*/)}${TEXT}"${/[^\]]{0,200}/}`;
/** `#[get("/x")] async fn one`, perhaps with other attributes between */
const ROUTING_ATTRIBUTE = code`#[ ${maybe(code`${WORD}::`)}${METHOD}( ${ATTRIBUTE_PATH}) ]`;
const MARKED = code`${ROUTING_ATTRIBUTE}${upTo(8, ATTRIBUTE)} ${FUNCTION}`;
/** `web::resource("/x").route(web::get()…)` */
const END = anyOf(code`) ;`, ".service(", /$(?![\s\S])/);
const CHAIN = as("rest", /[\s\S]{0,300}?/);
const RESOURCE = code`web::resource( "${as("path", TEXT)}" )${CHAIN}${END}`;
const RESOURCE_METHOD = code`web::${METHOD}(`;
/** `.nest("/x", users::router())`, `.nest("/x", router)`, `.nest("/x", Router::new()…)` */
const CALL = as("call", code`( ${/[^()]*/})`);
const NESTED = code`${PATH_TO_NAME} ${maybe(CALL)}${/(?=\s*\))/}`;
const NEST = code`.nest${maybe("_service")}( ${PREFIX} , ${maybe(NESTED)}`;
const SCOPE = code`web::scope( ${PREFIX} )`;
const SERVED = code`.service( ${/(?:\w+::)*/}${NAME} )`;
const CONFIGURED = code`.configure( ${PATH_TO_NAME} )`;
const MOUNT = code`.mount( ${PREFIX} , routes![${as("names", /[^\]]*/)}]`;

export function parseRustRoutes(files: readonly SourceFile[]): Route[] {
  const book = new RouteBook("rust");
  /** Prefixes of handlers by name, where attributes give the rest of the path. */
  const mounted = new Map<string, string>();
  for (const file of files) {
    addNests(book, files, file);
    addActixScopes(book, files, file, mounted);
    for (const { groups } of findAll(file.text, MOUNT)) {
      const { prefix = "", names = "" } = groups;
      for (const name of names.split(","))
        mounted.set(name.trim().split("::").at(-1) ?? "", prefix);
    }
  }
  for (const file of files) {
    addRoutes(book, file);
    book.addAll(file, MARKED, (name) => mounted.get(name) ?? "");
  }
  return book.routes();
}

function addRoutes(book: RouteBook, file: SourceFile): void {
  for (const { index, end, groups } of findAll(file.text, ROUTE)) {
    const span = book.spanOf(file, index + ".route".length);
    const handlers = file.text.slice(end, Math.min(span.end, span.start + 2000));
    for (const { groups: handler } of findAll(handlers, METHODS)) {
      book.addRoute(file, index, handler.method ?? "", groups.path ?? "");
    }
  }
  for (const { index, groups } of findAll(file.text, RESOURCE)) {
    const { path = "", rest = "" } = groups;
    const methods = findAll(rest, RESOURCE_METHOD).map((found) => found.groups.method ?? "");
    for (const method of methods.length === 0 ? ["get"] : methods)
      book.addRoute(file, index, method, path);
  }
}

function addNests(book: RouteBook, files: readonly SourceFile[], file: SourceFile): void {
  for (const { index, groups } of findAll(file.text, NEST)) {
    const { prefix = "", module, name, call } = groups;
    if (name === undefined) {
      const open = file.text.indexOf("(", index);
      book.addScope(file, { ...book.spanOf(file, open), prefix });
    } else if (call !== undefined) {
      book.addFunctionScope(files, functionHead(name), prefix, module);
    } else {
      const bound = code`${EDGE}let${SPACE}${maybe(code`mut${SPACE}`)}${name}${EDGE}`;
      const start = findFirst(file.text, bound)?.index ?? -1;
      const end = start === -1 ? -1 : file.text.indexOf(";", start);
      if (end !== -1) book.addScope(file, { start, end, prefix });
    }
  }
}

function functionHead(name: string): RegExp {
  return code`${EDGE}fn${SPACE}${name}${EDGE}`;
}

/** A scope holds what is chained to it, up to the bracket around it. */
function addActixScopes(
  book: RouteBook,
  files: readonly SourceFile[],
  file: SourceFile,
  mounted: Map<string, string>,
): void {
  for (const { index: start, groups } of findAll(file.text, SCOPE)) {
    const { prefix = "" } = groups;
    const open = file.text.lastIndexOf("(", start);
    const { end } = open === -1 ? { end: file.text.length } : book.spanOf(file, open);
    book.addScope(file, { start, end, prefix });
    const inside = file.text.slice(start, end);
    for (const served of findAll(inside, SERVED)) {
      // One in the scope's own file is reached twice, once by its place: only others are named here.
      mounted.set(served.groups.name ?? "", prefix);
    }
    for (const { groups: configured } of findAll(inside, CONFIGURED)) {
      const { module, name = "" } = configured;
      book.addFunctionScope(files, functionHead(name), prefix, module);
    }
  }
}
