// Routes of FastAPI, Starlette, Flask, Django and http.server, as their source has them. Pure.
import { folderOf, joined } from "../paths.ts";
import type { Route } from "../proposal.ts";
import { closingIndex, type SourceFile } from "../source-text.ts";
import { RouteBook } from "./route-scopes.ts";

/** `@app.get("/x")`, `@router.post("/x")` */
const METHOD =
  /^[ \t]*@(?<name>\w+)\.(?<method>get|post|put|patch|delete)\(\s*(?:path\s*=\s*)?["'](?<path>[^"'\n]*)["']/gm;
/** `@app.route("/x", methods=["POST"])` */
const ROUTE = /^[ \t]*@(\w+)\.route\(\s*["']([^"'\n]*)["']([^\n]*)/gm;
/** `Route("/x", one)` of Starlette. */
const STARLETTE = /\bRoute\(\s*["'](?<path>[^"'\n]*)["']/g;
/** Of http.server, whose handlers compare it themselves. */
const COMPARED = /\bself\.path\s*(?:==|\.startswith\()\s*["'](?<path>\/[^"'\n]*)["']/g;
/** `users = APIRouter(prefix="/x")`, `bp = Blueprint("users", __name__, url_prefix="/x")` */
const ROUTER = /^[ \t]*(\w+)\s*(?::[^=\n]+)?=\s*(?:\w+\.)?(?:APIRouter|Blueprint)\(/gm;
/** `app.include_router(users.router, prefix="/x")`, `app.register_blueprint(users.bp, url_prefix="/x")` */
const INCLUDED =
  /\b(\w+)\.(?:include_router|register_blueprint)\(\s*(?:([\w.]+)\.)?(\w+)\s*([^)]*)\)/g;
const PREFIX = /\b(?:url_)?prefix\s*=\s*["']([^"'\n]*)["']/;
/** `prefix=settings.api_prefix`, whose default another file has. */
const NAMED_PREFIX = /\b(?:url_)?prefix\s*=\s*(?:\w+\.)*(\w+)\s*[,)\n]/;
/** `path("users/<int:id>/", one)` of Django; regular expressions are left out. */
const DJANGO_VIEW =
  /(?<![\w.])path\(\s*["'](?<path>[^"'\n]*)["']\s*,(?![^\n]*(?:\binclude\(|admin\.site))/g;
const DJANGO_INCLUDE = /(?<![\w.])path\(\s*["']([^"'\n]*)["']\s*,\s*include\(\s*["']([\w.]+)["']/g;
/** `router = DefaultRouter()` of Django REST framework, and what is registered there. */
const REST_ROUTER = /^[ \t]*(\w+)\s*=\s*(?:\w+\.)*(?:Default|Simple)Router\(([^)\n]*)\)/gm;

export function parsePythonRoutes(files: readonly SourceFile[]): Route[] {
  const book = new RouteBook("python");
  const django = files.filter(({ path }) => /(?:^|\/)urls\.py$/.test(path));
  for (const file of files) addIncluded(book, files, file);
  for (const file of django) addDjangoIncludes(book, django, file);
  for (const file of files) {
    const prefixes = prefixesIn(file);
    const before = (name: string): string => prefixes.get(name) ?? "";
    book.addAll(file, METHOD, before);
    for (const { index, 1: name = "", 2: path = "", 3: rest = "" } of file.text.matchAll(ROUTE)) {
      const methods = /methods\s*=\s*[[(]([^\])]*)/.exec(rest)?.[1] ?? "GET";
      for (const [method] of methods.matchAll(/[A-Z]+/g)) {
        book.addRoute(file, index, method, before(name), path);
      }
    }
    book.addAll(file, STARLETTE);
    book.addAll(file, COMPARED);
    addRegistered(book, file);
    if (django.includes(file)) book.addAll(file, DJANGO_VIEW);
  }
  return book.routes();
}

function addRegistered(book: RouteBook, file: SourceFile): void {
  const { text } = file;
  for (const [, router = "", options = ""] of text.matchAll(REST_ROUTER)) {
    const included = new RegExp(
      `\\bpath\\(\\s*["']([^"'\\n]*)["']\\s*,\\s*include\\(\\s*${router}\\.urls`,
    );
    const prefix = included.exec(text)?.[1] ?? "";
    const slash = /trailing_slash\s*=\s*False/.test(options) ? "" : "/";
    const registered = new RegExp(`\\b${router}\\.register\\(\\s*r?["']([\\w/-]+)["']`, "g");
    for (const { index, 1: path = "" } of text.matchAll(registered))
      book.addRoute(file, index, "GET", prefix, `${path}${slash}`);
  }
}

/** Of the routers that a file makes, by name. */
function prefixesIn({ text }: SourceFile): Map<string, string> {
  return new Map(
    [...text.matchAll(ROUTER)].map((match) => {
      const open = match.index + match[0].length - 1;
      const call = text.slice(open, closingIndex(text, open, "python"));
      return [match[1] ?? "", PREFIX.exec(call)?.[1] ?? ""];
    }),
  );
}

function addIncluded(book: RouteBook, files: readonly SourceFile[], file: SourceFile): void {
  const own = prefixesIn(file);
  for (const match of file.text.matchAll(INCLUDED)) {
    const [, parent = "", module, name = "", rest = ""] = match;
    const target = moduleOf(module ?? name, file, files);
    if (target === null) continue;
    const prefix = `${own.get(parent) ?? ""}/${prefixOf(rest, files)}`;
    book.addInclusion(target, { from: file, index: match.index, prefix });
  }
}

function prefixOf(rest: string, files: readonly SourceFile[]): string {
  const name = NAMED_PREFIX.exec(`${rest}\n`)?.[1];
  if (name === undefined) return PREFIX.exec(rest)?.[1] ?? "";
  const constant = new RegExp(`^\\s*${name}\\b[^=\\n]{0,60}=\\s*["'](/[^"'\\n]*)["']`, "m");
  return files.flatMap(({ text }) => constant.exec(text)?.[1] ?? [])[0] ?? "";
}

/** `from app.users import router as users_router`, `from app import users`, `import app.users` */
function moduleOf(name: string, file: SourceFile, files: readonly SourceFile[]): SourceFile | null {
  const imports = file.text.matchAll(/^from\s+([\w.]+)\s+import\s+(?:\(([^)]*)\)|([^\n]*))/gm);
  for (const [, from = "", inBrackets, onLine] of imports) {
    for (const item of (inBrackets ?? onLine ?? "").split(",")) {
      const [, imported = "", alias = imported] =
        /^\s*(\w+)(?:\s+as\s+(\w+))?\s*$/.exec(item) ?? [];
      if (alias !== name) continue;
      return (
        fileOf(`${from.replace(/\w$/, "$&.")}${imported}`, file, files) ?? fileOf(from, file, files)
      );
    }
  }
  return fileOf(name, file, files);
}

function fileOf(module: string, from: SourceFile, files: readonly SourceFile[]): SourceFile | null {
  const [, dots = "", rest = ""] = /^(\.*)(.*)$/.exec(module) ?? [];
  const inside = rest.replaceAll(".", "/");
  const base =
    dots === "" ? inside : joined(folderOf(from.path), `${"../".repeat(dots.length - 1)}${inside}`);
  const wanted = [`${base}.py`, `${base}/__init__.py`];
  const isIt = ({ path }: SourceFile): boolean =>
    wanted.some((one) => path === one || (dots === "" && path.endsWith(`/${one}`)));
  return base === null || inside === "" ? null : (files.find(isIt) ?? null);
}

function addDjangoIncludes(book: RouteBook, django: readonly SourceFile[], file: SourceFile): void {
  for (const [, prefix = "", module = ""] of file.text.matchAll(DJANGO_INCLUDE)) {
    const target = django.find(({ path }) => path.endsWith(`${module.replaceAll(".", "/")}.py`));
    if (target !== undefined) book.addScope(target, { start: 0, end: target.text.length, prefix });
  }
}
