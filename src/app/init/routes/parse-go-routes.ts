// Routes of gin, echo, chi, fiber, gorilla/mux and net/http, as their source has them. Pure.
import type { Route } from "../proposal.ts";
import { joinedPath } from "../source-text.ts";
import { RouteBook, type SourceFile } from "./route-scopes.ts";

/** `r.GET("/x", one)`, `r.GET(base + "/x", one)`: most bases are empty unless something says so. */
const ROUTE =
  /\b(\w+)(?:\(\))?\.(GET|POST|PUT|PATCH|DELETE|Get|Post|Put|Patch|Delete)\(\s*(?:\w+\s*\+\s*)?"([^"\n]*)"\s*,/g;
/** `mux.HandleFunc("GET /x", one)`, `r.HandleFunc("/x", one).Methods("GET")` */
const HANDLE =
  /\b(\w+)\.(?:HandleFunc|Handle|HandlerFunc)\(\s*(?:\w+\s*\+\s*)?"(?:([A-Z]+) )?([^"\n]*)"\s*,/g;
/** `r.Handle("GET", "/x", one)` of gin and httprouter. */
const HANDLE_METHOD =
  /\b(\w+)\.(?:HandlerFunc|Handler|Handle|Add|Method|MethodFunc)\(\s*(?:"([A-Z]+)"|http\.Method(\w+))\s*,\s*"([^"\n]*)"/g;
/** `v1 := r.Group("/v1")`, `s := r.PathPrefix("/x").Subrouter()` */
const GROUP = /\b(\w+)\s*:?=\s*(\w+)\.(?:Group|PathPrefix)\(\s*"([^"\n]*)"/g;
/** `r.Route("/x", func(r chi.Router) { … })` */
const INLINE = /\.(?:Route|Group)\(\s*"([^"\n]*)"\s*,\s*func\b/g;
/** `r.Mount("/x", users.Router())` */
const MOUNT = /\.Mount\(\s*"([^"\n]*)"\s*,\s*(?:(\w+)\.)?(\w+)\(/g;
/** `users.Register(v1, …)`, `users.Register(r.Group("/v1"), …)` */
const PASSED = /\b(?:(\w+)\.)?(\w+)\(\s*(\w+)(?:\.Group\(\s*"([^"\n]*)"\s*\))?\s*[,)]/g;

export function parseGoRoutes(files: readonly SourceFile[]): Route[] {
  const book = new RouteBook("go");
  for (const file of files) {
    const groups = groupsIn(file);
    addScopes(book, files, file, groups);
    const before = (name: string): string => groups.get(name) ?? "";
    for (const { index, 1: name = "", 2: method = "", 3: path = "" } of file.text.matchAll(ROUTE)) {
      if (name === "http") continue;
      if (path === "" || path.startsWith("/"))
        book.addRoute(file, index, method, before(name), path);
    }
    for (const match of file.text.matchAll(HANDLE)) {
      const [, name = "", method, path = ""] = match;
      if (!path.startsWith("/")) continue;
      const rest = file.text.slice(
        match.index,
        file.text.indexOf("\n", match.index) + 1 || file.text.length,
      );
      const named =
        method ??
        /\.Methods\(\s*(?:"([A-Z]+)"|http\.Method(\w+))/
          .exec(rest)
          ?.slice(1)
          .find((one) => one !== undefined);
      book.addRoute(file, match.index, named ?? "GET", before(name), path);
    }
    for (const { index, 1: name = "", 2: text, 3: constant, 4: path = "" } of file.text.matchAll(
      HANDLE_METHOD,
    )) {
      book.addRoute(file, index, text ?? constant ?? "GET", before(name), path);
    }
  }
  return book.routes();
}

/** Prefixes by the names of variables; a group of a group has both. */
function groupsIn({ text }: SourceFile): Map<string, string> {
  const groups = new Map<string, string>();
  for (const [, name = "", parent = "", path = ""] of text.matchAll(GROUP)) {
    groups.set(name, joinedPath(groups.get(parent) ?? "", path));
  }
  return groups;
}

function addScopes(
  book: RouteBook,
  files: readonly SourceFile[],
  file: SourceFile,
  groups: ReadonlyMap<string, string>,
): void {
  for (const match of file.text.matchAll(INLINE)) {
    const open = file.text.indexOf("(", match.index);
    book.addScope(file, { ...book.spanOf(file, open), prefix: match[1] ?? "" });
  }
  for (const [, prefix = "", module, name = ""] of file.text.matchAll(MOUNT)) {
    book.addFunctionScope(files, functionHead(name), prefix, module);
  }
  for (const [, module, name = "", group = "", path = ""] of file.text.matchAll(PASSED)) {
    const prefix = joinedPath(groups.get(group) ?? "", path);
    if (prefix !== "/") book.addFunctionScope(files, functionHead(name), prefix, module);
  }
}

function functionHead(name: string): RegExp {
  return new RegExp(`^func\\s+(?:\\([^)]*\\)\\s*)?${name}\\([^)]*\\)`, "m");
}
