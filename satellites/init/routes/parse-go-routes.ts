// Routes of gin, echo, chi, fiber, gorilla/mux and net/http, as their source has them. Pure.
import { as, code, EDGE, findAll, maybe, oneOf, TEXT, WORD } from "../code-pattern.ts";
import type { Route } from "../proposal.ts";
import { joinedPath, type SourceFile } from "../source-text.ts";
import { RouteBook } from "./route-scopes.ts";

const NAME = as("name", WORD);
const MODULE = maybe(code`${as("module", WORD)}.`);
const PREFIX = code`"${as("prefix", TEXT)}"`;
const ABSOLUTE = /\/[^"\n]*/;
/** `base + `: most bases are empty unless something says so. */
const BASE = maybe(code`${WORD} + `);
const METHOD = as("method", oneOf("GET POST PUT PATCH DELETE Get Post Put Patch Delete"));

/** `http.Get` is a client's. */
const ROUTER = code`${/\b(?!http\.)/}${NAME}${maybe("()")}`;
/** `r.GET("/x", one)`, `r.GET(base + "/x", one)`, `r.GET("", one)` */
const ROUTE = code`${ROUTER}.${METHOD}( ${BASE}"${as("path", maybe(ABSOLUTE))}" ,`;
/** `mux.HandleFunc("GET /x", one)` */
const HANDLERS = oneOf("HandleFunc Handle HandlerFunc");
const WITH_METHOD = maybe(code`${as("method", /[A-Z]+/)} `);
const HANDLE = code`${EDGE}${NAME}.${HANDLERS}( ${BASE}"${WITH_METHOD}${as("path", ABSOLUTE)}" ,`;
/** `r.HandleFunc("/x", one).Methods("GET")`, and with `http.MethodGet` */
const METHODS = code`${/[^\n]*/}.Methods( ${oneOf('" http.Method')}${as("later", WORD)}`;
const HANDLED = code`${HANDLE}${maybe(METHODS)}`;
/** `r.HandlerFunc(http.MethodGet, "/x", one)`, `e.Add("GET", "/x", one)` of httprouter, chi, echo */
const ADD = oneOf("Handle HandleFunc Handler HandlerFunc Method MethodFunc Add Route");
const ADDED = code`${ROUTER}.${ADD}( ${oneOf('" http.Method')}${METHOD}${maybe('"')} , ${BASE}"${as("path", ABSOLUTE)}" ,`;
/** `v1 := r.Group("/v1")`, `s := r.PathPrefix("/x").Subrouter()` */
const GROUPS = oneOf("Group PathPrefix");
const GROUP = code`${EDGE}${NAME} ${maybe(":")}= ${as("parent", WORD)}.${GROUPS}( ${PREFIX}`;
/** `r.Route("/x", func(r chi.Router) { … })` */
const INLINE = code`.${oneOf("Route Group")}( ${PREFIX} , func${EDGE}`;
/** `r.Mount("/x", users.Router())` */
const MOUNT = code`.Mount( ${PREFIX} , ${MODULE}${NAME}(`;
/** `users.Register(v1, …)`, `users.Register(r.Group("/v1"), …)` */
const GROUPED = code`${as("group", WORD)}${maybe(code`.Group( ${PREFIX} )`)}`;
const PASSED = code`${EDGE}${MODULE}${NAME}( ${GROUPED} ${/[,)]/}`;

export function parseGoRoutes(files: readonly SourceFile[]): Route[] {
  const book = new RouteBook("go");
  for (const file of files) {
    const groups = groupsIn(file);
    addScopes(book, files, file, groups);
    const before = (name: string): string => groups.get(name) ?? "";
    book.addAll(file, ROUTE, before);
    book.addAll(file, HANDLED, before);
    book.addAll(file, ADDED, before);
  }
  return book.routes();
}

/** Prefixes by the names of variables; a group of a group has both. */
function groupsIn({ text }: SourceFile): Map<string, string> {
  const groups = new Map<string, string>();
  for (const { groups: found } of findAll(text, GROUP)) {
    const { name = "", parent = "", prefix = "" } = found;
    groups.set(name, joinedPath(groups.get(parent) ?? "", prefix));
  }
  return groups;
}

function addScopes(
  book: RouteBook,
  files: readonly SourceFile[],
  file: SourceFile,
  groups: ReadonlyMap<string, string>,
): void {
  for (const { index, groups: found } of findAll(file.text, INLINE)) {
    const open = file.text.indexOf("(", index);
    book.addScope(file, { ...book.spanOf(file, open), prefix: found.prefix ?? "" });
  }
  for (const { groups: found } of findAll(file.text, MOUNT)) {
    const { prefix = "", module, name = "" } = found;
    book.addFunctionScope(files, functionHead(name), prefix, module);
  }
  for (const { groups: found } of findAll(file.text, PASSED)) {
    const prefix = joinedPath(groups.get(found.group ?? "") ?? "", found.prefix ?? "");
    if (prefix === "/") continue;
    book.addFunctionScope(files, functionHead(found.name ?? ""), prefix, found.module);
  }
}

/** Of a method, too. */
function functionHead(name: string): RegExp {
  const receiver = code`(${/[^)]*/}) `;
  return code`${/^func\s+/}${maybe(receiver)}${name}(${/[^)]*/})`;
}
