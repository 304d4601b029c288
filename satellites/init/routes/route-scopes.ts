// Routes that stand in a file, and the paths that other places put before them. Pure.
import { findAll, findFirst } from "../code-pattern.ts";
import type { Language, Route } from "../proposal.ts";
import { closingIndex, joinedPath, joinedPathWithSlash, type SourceFile } from "../source-text.ts";
import { onlyFails } from "./only-fails.ts";

/** A stretch of a file in which routes have a path before them. */
interface Scope {
  start: number;
  end: number;
  prefix: string;
}

interface Found {
  file: SourceFile;
  index: number;
  method: string;
  parts: readonly string[];
}

/** A place that puts all of another file behind a path. */
interface Inclusion {
  from: SourceFile;
  index: number;
  prefix: string;
}

/** In a generated or hostile file the first ones are enough. */
const MAX_SCOPES = 500;
const MAX_ROUTES = 500;
/** Of files that include each other. */
const MAX_DEPTH = 8;

/** Collects scopes and routes in any order, then puts them together. */
export class RouteBook {
  readonly #language: Language;
  readonly #scopes: (Scope & { path: string })[] = [];
  readonly #inclusions = new Map<string, Inclusion>();
  readonly #found: Found[] = [];

  constructor(language: Language) {
    this.#language = language;
  }

  /** Of several of the same place the first counts. */
  addScope({ path }: SourceFile, scope: Scope): void {
    const isKnown = this.#scopes.some(
      (one) => one.path === path && one.start === scope.start && one.end === scope.end,
    );
    if (this.#scopes.length < MAX_SCOPES && joinedPath(scope.prefix) !== "/" && !isKnown)
      this.#scopes.push({ path, ...scope });
  }

  /** What lies before the place lies before the file, too. Of several places the first counts. */
  addInclusion({ path }: SourceFile, inclusion: Inclusion): void {
    if (path === inclusion.from.path || this.#inclusions.has(path)) return;
    this.#inclusions.set(path, inclusion);
  }

  /** Nothing where its handler does nothing but fail. */
  addRoute(file: SourceFile, index: number, method: string, ...parts: readonly string[]): void {
    if (this.#found.length >= MAX_ROUTES || onlyFails(file.text, index, this.#language)) return;
    this.#found.push({ file, index, method: method.toUpperCase(), parts });
  }

  /** All of a pattern with the groups `path` and, where it has them, `method`, `later` and `name`. */
  addAll(file: SourceFile, pattern: RegExp, before = (_name: string): string => ""): void {
    for (const { index, groups } of findAll(file.text, pattern)) {
      const { method, later, name = "", path = "" } = groups;
      this.addRoute(file, index, method ?? later ?? "GET", before(name), path);
    }
  }

  /** The brackets that open at `open`, as a scope. */
  spanOf({ text }: SourceFile, open: number): Pick<Scope, "start" | "end"> {
    return { start: open, end: closingIndex(text, open, this.#language) };
  }

  /** The bodies of the functions of this name; those in a file named after `module` alone, if any. */
  addFunctionScope(files: readonly SourceFile[], head: RegExp, prefix: string, module = ""): void {
    const inModule = files.filter(({ path }) => isModule(path, module));
    for (const file of inModule.length > 0 ? inModule : files) {
      const found = findFirst(file.text, head);
      if (found === undefined) continue;
      const open = file.text.indexOf("{", found.end);
      if (open !== -1) this.addScope(file, { ...this.spanOf(file, open), prefix });
    }
  }

  routes(): Route[] {
    // There a path with a slash at its end is another one, and redirects are no answers.
    const isStrict = this.#language === "python" || this.#language === "go";
    const join = isStrict ? joinedPathWithSlash : joinedPath;
    return this.#found.map(({ file, index, method, parts }) => ({
      method,
      path: join(this.#prefixAt(file, index), ...parts),
      seenIn: file.path,
      example: null,
    }));
  }

  #prefixAt({ path }: SourceFile, index: number, depth = 0): string {
    // Of all scopes around it, the outermost first.
    const own = this.#scopes
      .filter((scope) => scope.path === path && scope.start <= index && index < scope.end)
      .sort((a, b) => a.start - b.start || b.end - a.end)
      .map(({ prefix }) => prefix)
      .join("/");
    const outer = this.#inclusions.get(path);
    if (outer === undefined || depth === MAX_DEPTH) return own;
    return joinedPath(this.#prefixAt(outer.from, outer.index, depth + 1), outer.prefix, own);
  }
}

/** `users.rs`, `users/mod.rs`, `users/router.ts` */
function isModule(path: string, module: string): boolean {
  return path.split("/").some((part) => part.replace(/\.\w+$/, "") === module);
}
