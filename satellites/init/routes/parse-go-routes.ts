// Routes of gin, echo, chi, fiber, gorilla/mux and net/http, as their source has them. Pure.
import type { Route } from "../proposal.ts";
import { joinedPath, type SourceFile } from "../source-text.ts";
import { RouteBook } from "./route-scopes.ts";

/** `r.GET("/x", one)`, `r.GET(base + "/x", one)`: most bases are empty unless something says so. */
const ROUTE =
  /\b(?!http\.)(?<name>\w+)(?:\(\))?\.(?<method>GET|POST|PUT|PATCH|DELETE|Get|Post|Put|Patch|Delete)\(\s*(?:\w+\s*\+\s*)?"(?<path>(?:\/[^"\n]*)?)"\s*,/g;
/** `mux.HandleFunc("GET /x", one)`, `r.HandleFunc("/x", one).Methods("GET")` */
const HANDLE =
  /\b(?<name>\w+)\.(?:HandleFunc|Handle|HandlerFunc)\(\s*(?:\w+\s*\+\s*)?"(?:(?<method>[A-Z]+) )?(?<path>\/[^"\n]*)"\s*,(?:[^\n]*\.Methods\(\s*(?:"|http\.Method)(?<later>\w+))?/g;
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
    book.addAll(file, ROUTE, before);
    book.addAll(file, HANDLE, before);
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
