// Routes of Spring's controllers, as their annotations have them. Pure.
import { as, code, EDGE, findAll, findFirst, maybe, oneOf, upTo, WORD } from "../code-pattern.ts";
import type { Route } from "../proposal.ts";
import type { SourceFile } from "../source-text.ts";
import { RouteBook } from "./route-scopes.ts";

const CONTROLLER = /@(?:Rest)?Controller\b/;
const BETWEEN_BRACKETS = /[^)]{0,300}/;
const GIVEN = code`(${as("given", BETWEEN_BRACKETS)})`;
const ANNOTATION = code` @${WORD}${maybe(code`(${BETWEEN_BRACKETS})`)}`;
const MODIFIER = code`${oneOf("public final open")}${/\s+/}`;
/** `@RequestMapping("/x") public class One`, perhaps with other annotations between */
const CLASS = code`${upTo(10, ANNOTATION)} ${upTo(3, MODIFIER)}class${EDGE}`;
const ON_CLASS = code`@RequestMapping${GIVEN}${CLASS}`;
/** `@GetMapping("/x")` */
const METHOD = as("method", oneOf("Get Post Put Patch Delete"));
const ON_METHOD = code`@${METHOD}Mapping${EDGE}${maybe(GIVEN)}`;

export function parseJavaRoutes(files: readonly SourceFile[]): Route[] {
  const book = new RouteBook("java");
  for (const file of files.filter(({ text }) => CONTROLLER.test(text))) {
    const prefix = pathIn(findFirst(file.text, ON_CLASS)?.groups.given);
    for (const { index, groups } of findAll(file.text, ON_METHOD)) {
      book.addRoute(file, index, groups.method ?? "", prefix, pathIn(groups.given));
    }
  }
  return book.routes();
}

/** The first text that is the path: alone, or after `value` or `path`. */
function pathIn(given: string | undefined): string {
  const named = /\b(?:value|path)\s*=\s*[{[]?\s*"([^"\n]*)"/.exec(given ?? "")?.[1];
  return (named ?? /^\s*[{[]?\s*"([^"\n]*)"/.exec(given ?? "")?.[1] ?? "").replace(/^\//, "");
}
