// Routes of Spring's controllers, as their annotations have them. Pure.
import type { Route } from "../proposal.ts";
import type { SourceFile } from "../source-text.ts";
import { RouteBook } from "./route-scopes.ts";

const CONTROLLER = /@(?:Rest)?Controller\b/;
const ON_CLASS =
  /@RequestMapping\(([^)]{0,300})\)(?=(?:\s*@\w+(?:\([^)]{0,300}\))?){0,10}\s*(?:public\s+|final\s+|open\s+)*class\b)/;
const ON_METHOD = /@(Get|Post|Put|Patch|Delete)Mapping\b(?:\(([^)]{0,300})\))?/g;

export function parseJavaRoutes(files: readonly SourceFile[]): Route[] {
  const book = new RouteBook("java");
  for (const file of files.filter(({ text }) => CONTROLLER.test(text))) {
    const prefix = pathIn(ON_CLASS.exec(file.text)?.[1]);
    for (const { index, 1: method = "", 2: given } of file.text.matchAll(ON_METHOD)) {
      book.addRoute(file, index, method, prefix, pathIn(given));
    }
  }
  return book.routes();
}

/** The first text that is the path: alone, or after `value` or `path`. */
function pathIn(given: string | undefined): string {
  const named = /\b(?:value|path)\s*=\s*[{[]?\s*"([^"\n]*)"/.exec(given ?? "")?.[1];
  return (named ?? /^\s*[{[]?\s*"([^"\n]*)"/.exec(given ?? "")?.[1] ?? "").replace(/^\//, "");
}
