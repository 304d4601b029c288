// What a program answers: its OpenAPI description if there is one, else its source. Pure.

import { baseOf, isUnder } from "../paths.ts";
import type { Language, Program, Route } from "../proposal.ts";
import { joinedPath, type SourceFile } from "../source-text.ts";
import type { Tree } from "../tree.ts";
import { parseGoRoutes } from "./parse-go-routes.ts";
import { parseJavaRoutes } from "./parse-java-routes.ts";
import { parseNodeRoutes } from "./parse-node-routes.ts";
import { parseOpenApi } from "./parse-openapi.ts";
import { parsePythonRoutes } from "./parse-python-routes.ts";
import { parseRustRoutes } from "./parse-rust-routes.ts";

const PARSERS: Record<Language, (files: readonly SourceFile[]) => Route[]> = {
  rust: parseRustRoutes,
  go: parseGoRoutes,
  node: parseNodeRoutes,
  python: parsePythonRoutes,
  java: parseJavaRoutes,
};
const DESCRIPTION = /^(?:openapi|swagger|api-docs)(?:[.-]v?\d+)?\.(?:ya?ml|json)$/i;

export function findRoutes(
  { language, prefix, home }: Program,
  tree: Tree,
  files: readonly SourceFile[],
): Route[] {
  const described = tree.paths
    .filter((path) => DESCRIPTION.test(baseOf(path)) && isUnder(path, home))
    .flatMap((path) => parseOpenApi(tree.read(path), path));
  const found = PARSERS[language](files).map((route) => ({
    ...route,
    path: prefix === "" ? route.path : joinedPath(prefix, route.path),
  }));
  // Descriptions seldom name the path that says whether it is ready.
  return described.length === 0
    ? found
    : [...described, ...found.filter(({ path }) => !describes(described, path))];
}

function describes(routes: readonly Route[], path: string): boolean {
  const plain = (text: string): string => text.replace(/\{[^}]*\}|:\w+|<[^>]*>/g, "*");
  return routes.some((route) => plain(route.path) === plain(path));
}
