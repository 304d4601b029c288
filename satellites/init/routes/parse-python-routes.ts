// Routes of FastAPI, Starlette, Flask, Django and http.server, as their source has them. Pure.
import { as, code, EDGE, findAll, findFirst, maybe, oneOf, WORD } from "../code-pattern.ts";
import { folderOf, joined } from "../paths.ts";
import type { Route } from "../proposal.ts";
import { closingIndex, type SourceFile } from "../source-text.ts";
import { RouteBook } from "./route-scopes.ts";

const quoted = (name: string, text = /[^"'\n]*/): RegExp =>
  code`${/["']/}${as(name, text)}${/["']/}`;
const NAME = as("name", WORD);
const LINE_START = /^[ \t]*/;
/** `: FastAPI` of a variable */
const TYPE = maybe(/:[^=\n]+/);
const MODULES = /(?:\w+\.)*/;

/** `@app.get("/x")`, `@router.post(path="/x")` */
const METHODS = as("method", oneOf("get post put patch delete"));
const METHOD = code`${LINE_START}@${NAME}.${METHODS}( ${maybe(code`path = `)}${quoted("path")}`;
/** `@app.route("/x", methods=["POST"])` */
const ROUTE = code`${LINE_START}@${NAME}.route( ${quoted("path")}${as("rest", /[^\n]*/)}`;
const ROUTE_METHODS = code`methods = ${/[[(]/}${as("methods", /[^\])]*/)}`;
/** `Route("/x", one)` of Starlette. */
const STARLETTE = code`${EDGE}Route( ${quoted("path")}`;
/** Of http.server, whose handlers compare it themselves. */
const COMPARED = code`${EDGE}self.path ${oneOf("== .startswith(")} ${quoted("path", /\/[^"'\n]*/)}`;
/** `users = APIRouter(prefix="/x")`, `bp = Blueprint("users", __name__, url_prefix="/x")` */
const ROUTERS = oneOf("APIRouter Blueprint");
const ROUTER = code`${LINE_START}${NAME} ${TYPE}= ${maybe(code`${WORD}.`)}${ROUTERS}(`;
/** `app.include_router(users.router, prefix="/x")`, `app.register_blueprint(users.bp, url_prefix="/x")` */
const INCLUDE = code`${as("parent", WORD)}.${oneOf("include_router register_blueprint")}`;
const ROUTER_OF_MODULE = code`${maybe(code`${as("module", /[\w.]+/)}.`)}${NAME}`;
const INCLUDED = code`${EDGE}${INCLUDE}( ${ROUTER_OF_MODULE} ${as("rest", /[^)]*/)})`;
const PREFIX_WORD = code`${EDGE}${maybe("url_")}prefix = `;
const PREFIX = code`${PREFIX_WORD}${quoted("prefix")}`;
/** `prefix=settings.api_prefix`, whose default another file has. */
const NAMED_PREFIX = code`${PREFIX_WORD}${MODULES}${NAME} ${/[,)\n]/}`;
/** `path("users/<int:id>/"` of Django; regular expressions are left out. */
const DJANGO_PATH = code`${/(?<![\w.])/}path( ${quoted("path")} ,`;
const DJANGO_VIEW = code`${DJANGO_PATH}${/(?![^\n]*(?:\binclude\(|admin\.site))/}`;
/** `path("users/", include("users.urls"))` */
const DJANGO_INCLUDE = code`${DJANGO_PATH} include( ${quoted("module", /[\w.]+/)}`;
/** `router = DefaultRouter()` of Django REST framework, and what is registered there. */
const REST_ROUTERS = oneOf("DefaultRouter SimpleRouter");
const OPTIONS = as("options", /[^)\n]*/);
const REST_ROUTER = code`${LINE_START}${NAME} = ${MODULES}${REST_ROUTERS}(${OPTIONS})`;
/** `from app.users import router as users_router`, and lists of them in brackets */
const ITEMS = as("items", /\([^)]*\)|[^\n]*/);
const IMPORT = code`${/^from\s+/}${as("from", /[\w.]+/)}${/\s+import\s+/}${ITEMS}`;

export function parsePythonRoutes(files: readonly SourceFile[]): Route[] {
  const book = new RouteBook("python");
  const django = files.filter(({ path }) => /(?:^|\/)urls\.py$/.test(path));
  for (const file of files) addIncluded(book, files, file);
  for (const file of django) addDjangoIncludes(book, django, file);
  for (const file of files) {
    const prefixes = prefixesIn(file);
    const before = (name: string): string => prefixes.get(name) ?? "";
    book.addAll(file, METHOD, before);
    for (const { index, groups } of findAll(file.text, ROUTE)) {
      const { name = "", path = "", rest = "" } = groups;
      const { methods = "GET" } = findFirst(rest, ROUTE_METHODS)?.groups ?? {};
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
  for (const { groups } of findAll(text, REST_ROUTER)) {
    const { name: router = "", options = "" } = groups;
    const included = code`${EDGE}path( ${quoted("prefix")} , include( ${router}.urls`;
    const { prefix = "" } = findFirst(text, included)?.groups ?? {};
    const slash = /trailing_slash\s*=\s*False/.test(options) ? "" : "/";
    const registered = code`${EDGE}${router}.register( ${maybe("r")}${quoted("path", /[\w/-]+/)}`;
    for (const { index, groups: found } of findAll(text, registered))
      book.addRoute(file, index, "GET", prefix, `${found.path}${slash}`);
  }
}

/** Of the routers that a file makes, by name. */
function prefixesIn({ text }: SourceFile): Map<string, string> {
  return new Map(
    findAll(text, ROUTER).map(({ end, groups: { name = "" } }) => {
      const call = text.slice(end - 1, closingIndex(text, end - 1, "python"));
      return [name, findFirst(call, PREFIX)?.groups.prefix ?? ""];
    }),
  );
}

function addIncluded(book: RouteBook, files: readonly SourceFile[], file: SourceFile): void {
  const own = prefixesIn(file);
  for (const { index, groups } of findAll(file.text, INCLUDED)) {
    const { parent = "", module, name = "", rest = "" } = groups;
    const target = moduleOf(module ?? name, file, files);
    if (target === null) continue;
    const prefix = `${own.get(parent) ?? ""}/${prefixOf(rest, files)}`;
    book.addInclusion(target, { from: file, index, prefix });
  }
}

function prefixOf(rest: string, files: readonly SourceFile[]): string {
  const name = findFirst(`${rest}\n`, NAMED_PREFIX)?.groups.name;
  if (name === undefined) return findFirst(rest, PREFIX)?.groups.prefix ?? "";
  const constant = code`${/^\s*/}${name}${EDGE}${/[^=\n]{0,60}/}= ${quoted("path", /\/[^"'\n]*/)}`;
  const [path = ""] = files.flatMap(({ text }) => findFirst(text, constant)?.groups.path ?? []);
  return path;
}

/** `from app.users import router as users_router`, `from app import users`, `import app.users` */
function moduleOf(name: string, file: SourceFile, files: readonly SourceFile[]): SourceFile | null {
  for (const { groups } of findAll(file.text, IMPORT)) {
    const { from = "", items = "" } = groups;
    for (const item of items.replace(/^\(|\)$/g, "").split(",")) {
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
  for (const { groups } of findAll(file.text, DJANGO_INCLUDE)) {
    const { path: prefix = "", module = "" } = groups;
    const target = django.find(({ path }) => path.endsWith(`${module.replaceAll(".", "/")}.py`));
    if (target !== undefined) book.addScope(target, { start: 0, end: target.text.length, prefix });
  }
}
