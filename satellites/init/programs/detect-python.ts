// Python applications behind uvicorn or gunicorn, or a lone server file -> programs. Pure.

import { baseOf, folderOf, fromDir, isUnder, joined, ownPaths } from "../paths.ts";
import { type Command, PLAIN_PROGRAM, type Program } from "../proposal.ts";
import { sourceFiles, withoutComments } from "../source-text.ts";
import type { Tree } from "../tree.ts";
import { parseIncludes, parsePythonRequirements } from "./parse-manifest.ts";

/** What a server runs: the object or the function that makes it. */
interface Application {
  framework: string;
  /** `module:object`, as both servers write it. */
  name: string;
  isFactory: boolean;
  /** Folder of the modules, relative to the service's. */
  home: string;
}

/** `app = FastAPI(` */
const MADE =
  /^([A-Za-z_]\w*)\s*(?::[^=\n]+)?=\s*(?:\w+\.)?(FastAPI|Starlette|Litestar|Quart|Flask)\(/m;
const ASYNC = new Set(["fastapi", "starlette", "litestar", "quart"]);
const LISTENS =
  /serve_forever|HTTPServer\(|app\.run\(|run_app\(|uvicorn\.run\(|start_server\(|make_server\(/;
/** `def create_app(`, `def get_application(` */
const FACTORY = /^def\s+((?:create|make|build|get|init)_(?:app|application|api|server))\s*\(/m;
const LONE_FILES = ["server", "app", "main", "index"];
const MANIFESTS = ["requirements.txt", "pyproject.toml", "Pipfile"];

export function detectPython(tree: Tree): Program[] {
  const python = tree.paths.filter(
    (path) => path.endsWith(".py") && !/(?:^|\/)test_|_test\.py$/.test(path),
  );
  const described = tree.paths.filter((path) => [...MANIFESTS, "manage.py"].includes(baseOf(path)));
  const homes = [...new Set(described.map(folderOf))];
  const lone = [...new Set(python.map(folderOf))].filter(
    (dir) => !homes.some((one) => one === dir || isUnder(dir, one)),
  );
  const beside = (dir: string) => python.filter((path) => folderOf(path) === dir);
  return [
    ...homes.flatMap((dir) => programOf(tree, dir, ownPaths(python, dir, homes))),
    ...lone.flatMap((dir) => programOf(tree, dir, beside(dir))),
  ];
}

function programOf(tree: Tree, dir: string, sources: readonly string[]): Program[] {
  const manifest = MANIFESTS.map((name) => joined(dir, name) ?? name).find((path) =>
    tree.paths.includes(path),
  );
  const packages = manifest === undefined ? [] : packagesIn(tree, manifest);
  const application = djangoOf(tree, dir, sources) ?? applicationOf(tree, dir, sources);
  const common = { ...PLAIN_PROGRAM, language: "python" as const, dir, home: dir, packages };
  if (application === null || manifest === undefined) {
    const file = LONE_FILES.map((name) => joined(dir, `${name}.py`) ?? "").find(
      (path) => sources.includes(path) && LISTENS.test(withoutComments(tree.read(path), "python")),
    );
    if (file === undefined) return [];
    const python = manifest === undefined ? "python3" : ".venv/bin/python";
    return [
      {
        ...common,
        name: baseOf(file).replace(/\.py$/, ""),
        framework: packages.includes("flask") ? "flask" : null,
        build: manifest === undefined ? null : installCommand(tree, dir, manifest, ""),
        run: `${python} ${fromDir(file, dir)}`,
        sources: [file, ...sources.filter((path) => path !== file)],
      },
    ];
  }
  const isAsync = ASYNC.has(application.framework);
  const project = manifest.endsWith(".toml")
    ? /^name\s*=\s*["']([\w.-]+)["']/m.exec(tree.read(manifest))?.[1]
    : undefined;
  const base = dir === "." ? (application.name.split(/[.:]/)[0] ?? "service") : baseOf(dir);
  const missing = missingServer(isAsync ? "uvicorn" : "gunicorn", packages);
  const server = isAsync ? uvicorn(application) : gunicorn(application);
  // Its tables have to be there before the server starts.
  const migration = migrationOf(tree, dir, application, packages, sources);
  return [
    {
      ...common,
      name: project ?? base,
      framework: application.framework,
      build: installCommand(tree, dir, manifest, missing),
      run: migration === null ? server : ["sh", "-c", `${migration} && exec ${server}`],
      sources,
      frameworkPort: { kind: "run" },
    },
  ];
}

/** Of the manifest and of those that it includes, each once. */
function packagesIn(tree: Tree, manifest: string): string[] {
  const files = [manifest];
  const packages = new Set<string>();
  for (const path of files) {
    const text = tree.read(path);
    for (const name of parsePythonRequirements(text)) packages.add(name);
    for (const included of parseIncludes(text)) {
      const file = joined(folderOf(path), included);
      if (file !== null && !files.includes(file)) files.push(file);
    }
  }
  return [...packages];
}

function uvicorn({ name, isFactory, home }: Application): string {
  const where = home === "." ? "" : ` --app-dir ${home}`;
  return `.venv/bin/uvicorn ${name}${isFactory ? " --factory" : ""}${where} --host 127.0.0.1 --port {port}`;
}

/** Threads keep connections, as one plain worker does not. */
function gunicorn({ name, isFactory, home }: Application): string {
  const where = home === "." ? "" : ` --chdir ${home}`;
  return `.venv/bin/gunicorn ${isFactory ? `'${name}()'` : name}${where} --threads 4 --bind 127.0.0.1:{port}`;
}

/** The command that makes its tables; null: none was seen. */
function migrationOf(
  tree: Tree,
  dir: string,
  { framework, name }: Application,
  packages: readonly string[],
  sources: readonly string[],
): string | null {
  const has = (path: string): boolean => tree.paths.includes(joined(dir, path) ?? path);
  if (packages.includes("alembic") && has("alembic.ini")) return ".venv/bin/alembic upgrade head";
  if (packages.includes("flask-migrate") && has("migrations/env.py"))
    return `FLASK_APP=${name} .venv/bin/flask db upgrade`;
  const isMigrated = sources.some((path) => /\/migrations\/\d{4}_\w+\.py$/.test(path));
  if (framework !== "django" || !isMigrated) return null;
  return ".venv/bin/python manage.py migrate --noinput";
}

/** With a blank before it; empty: it is there. */
function missingServer(server: string, packages: readonly string[]): string {
  const has =
    packages.includes(server) ||
    (server === "uvicorn" && packages.some((name) => /^fastapi\[(?:standard|all)\]/.test(name)));
  return has ? "" : ` ${server}`;
}

function installCommand(tree: Tree, dir: string, manifest: string, missing: string): Command {
  const has = (name: string): boolean => tree.paths.includes(joined(dir, name) ?? name);
  const name = baseOf(manifest);
  const into = (pip: string): string => (missing === "" ? "" : ` && ${pip} install${missing}`);
  const text = (): string => {
    if (name === "pyproject.toml" && has("uv.lock"))
      return `uv sync --frozen --no-dev${into("uv pip")}`;
    if (name === "pyproject.toml" && has("poetry.lock"))
      return `POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --only main${into(".venv/bin/pip")}`;
    if (name === "Pipfile") return `PIPENV_VENV_IN_PROJECT=1 pipenv sync${into(".venv/bin/pip")}`;
    const what = name === "requirements.txt" ? "--requirement requirements.txt" : ".";
    return `python3 -m venv .venv && .venv/bin/pip install ${what}${missing}`;
  };
  return ["sh", "-c", text()];
}

function djangoOf(tree: Tree, dir: string, sources: readonly string[]): Application | null {
  const manage = joined(dir, "manage.py");
  if (manage === null || !sources.includes(manage)) return null;
  const settings = /["']DJANGO_SETTINGS_MODULE["']\s*,\s*["']([\w.]+?)\.settings[\w.]*["']/.exec(
    tree.read(manage),
  )?.[1];
  if (settings === undefined) return null;
  return { framework: "django", name: `${settings}.wsgi`, isFactory: false, home: "." };
}

function applicationOf(tree: Tree, dir: string, sources: readonly string[]): Application | null {
  const files = sourceFiles(tree, sources, "python");
  for (const { path, text } of files) {
    const [, object = "app", kind] = MADE.exec(text) ?? [];
    if (kind !== undefined) return application(path, dir, object, kind, false);
  }
  for (const { path, text } of files) {
    const kind = /=\s*(?:\w+\.)?(FastAPI|Starlette|Litestar|Quart|Flask)\(/.exec(text)?.[1];
    const factory = FACTORY.exec(text)?.[1];
    if (kind === undefined || factory === undefined) continue;
    // A module beside it may call the factory.
    const call = new RegExp(`^(\\w+)\\s*(?::[^=\\n]+)?=\\s*${factory}\\(`, "m");
    const called = files.find((one) => call.test(one.text));
    const object = call.exec(called?.text ?? "")?.[1] ?? factory;
    return application(called?.path ?? path, dir, object, kind, called === undefined);
  }
  return null;
}

function application(
  path: string,
  dir: string,
  object: string,
  kind: string,
  isFactory: boolean,
): Application {
  const inside = fromDir(path, dir);
  const home = inside.startsWith("src/") ? "src" : ".";
  const module = fromDir(inside, home)
    .replace(/(?:\/__init__)?\.py$/, "")
    .replaceAll("/", ".");
  return { framework: kind.toLowerCase(), name: `${module}:${object}`, isFactory, home };
}
