// Routes that stand in a file, and the paths that other places put before them. Pure.
import type { Language, Route } from "../proposal.ts";
import {
  closingIndex,
  joinedPath,
  joinedPathWithSlash,
  prefixAt,
  type Scope,
} from "../source-text.ts";

/** A source file without its comments. */
export interface SourceFile {
  path: string;
  text: string;
}

interface Found {
  file: SourceFile;
  index: number;
  method: string;
  parts: readonly string[];
}

/** In a generated or hostile file the first ones are enough. */
const MAX_SCOPES = 500;
const MAX_ROUTES = 500;

/** Collects scopes and routes in any order, then puts them together. */
export class RouteBook {
  readonly #language: Language;
  readonly #scopes = new Map<string, Scope[]>();
  readonly #found: Found[] = [];
  #scopeCount = 0;

  constructor(language: Language) {
    this.#language = language;
  }

  addScope({ path }: SourceFile, scope: Scope): void {
    if (this.#scopeCount++ >= MAX_SCOPES || joinedPath(scope.prefix) === "/") return;
    this.#scopes.set(path, [...(this.#scopes.get(path) ?? []), scope]);
  }

  addRoute(file: SourceFile, index: number, method: string, ...parts: readonly string[]): void {
    if (this.#found.length < MAX_ROUTES) {
      this.#found.push({ file, index, method: method.toUpperCase(), parts });
    }
  }

  /** The brackets that open at `open`, as a scope. */
  spanOf({ text }: SourceFile, open: number): Pick<Scope, "start" | "end"> {
    return { start: open, end: closingIndex(text, open, this.#language) };
  }

  /** The bodies of the functions of this name; those in a file named after `module` alone, if any. */
  addFunctionScope(
    files: readonly SourceFile[],
    head: RegExp,
    prefix: string,
    module?: string,
  ): void {
    const inModule = files.filter(({ path }) => module !== undefined && isModule(path, module));
    for (const file of inModule.length > 0 ? inModule : files) {
      const match = head.exec(file.text);
      if (match === null) continue;
      const open = file.text.indexOf("{", match.index + match[0].length);
      if (open !== -1) this.addScope(file, { ...this.spanOf(file, open), prefix });
    }
  }

  routes(): Route[] {
    const join = this.#language === "python" ? joinedPathWithSlash : joinedPath;
    return this.#found.map(({ file, index, method, parts }) => ({
      method,
      path: join(prefixAt(this.#scopes.get(file.path) ?? [], index), ...parts),
      seenIn: file.path,
      example: null,
    }));
  }
}

/** `users.rs`, `users/mod.rs`, `users/router.ts` */
function isModule(path: string, module: string): boolean {
  return path.split("/").some((part) => part.replace(/\.\w+$/, "") === module);
}
