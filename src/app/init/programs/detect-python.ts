// Python applications behind uvicorn or gunicorn, or a lone server file -> programs. Pure.

import { baseOf, folderOf, fromDir, isUnder, joined } from "../paths.ts";
import type { Command, PortWay, Program } from "../proposal.ts";
import { withoutComments } from "../source-text.ts";
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

const CLASSES: Readonly<Record<string, string>> = {
  FastAPI: "fastapi",
  Starlette: "starlette",
  Litestar: "litestar",
  Quart: "quart",
  Flask: "flask",
};
const ASYNC = new Set(["fastapi", "starlette", "litestar", "quart"]);
const LISTENS =
  /serve_forever|HTTPServer\(|app\.run\(|run_app\(|uvicorn\.run\(|start_server\(|make_server\(/;
/** `def create_app(`, `def get_application(` */
const FACTORY = /^def\s+((?:create|make|build|get|init)_(?:app|application|api|server))\s*\(/m;
const LONE_FILES = ["server", "app", "main", "index"];
const MANIFESTS = ["requirements.txt", "pyproject.toml", "Pipfile"];

export function detectPython(tree: Tree): Program[] {
  const isPython = (path: string): boolean =>
    path.endsWith(".py") && !/(?:^|\/)test_|_test\.py$/.test(path);
  const python = tree.paths.filter(isPython);
  const described = tree.paths.filter(
    (path) => MANIFESTS.includes(baseOf(path)) || baseOf(path) === "manage.py",
  );
  const homes = [...new Set(described.map(folderOf))];
  const known = homes.flatMap((dir) => {
    const inner = homes.filter((other) => other !== dir && isUnder(other, dir));
    return programOf(
      tree,
      dir,
      python.filter((path) => isUnder(path, dir) && !inner.some((one) => isUnder(path, one))),
    );
  });
  const lone = [...new Set(python.map(folderOf))]
    .filter((dir) => !homes.some((one) => one === dir || isUnder(dir, one)))
    .flatMap((dir) =>
      programOf(
        tree,
        dir,
        python.filter((path) => folderOf(path) === dir),
      ),
    );
  return [...known, ...lone];
}

function programOf(tree: Tree, dir: string, sources: readonly string[]): Program[] {
  const manifest = MANIFESTS.map((name) => joined(dir, name) ?? name).find((path) =>
    tree.paths.includes(path),
  );
  const packages = manifest === undefined ? [] : packagesIn(tree, manifest);
  const application = djangoOf(tree, dir, sources) ?? applicationOf(tree, dir, sources);
  if (application !== null && manifest !== undefined) {
    const server = ASYNC.has(application.framework) ? "uvicorn" : "gunicorn";
    const install = installCommand(tree, dir, baseOf(manifest), missingServer(server, packages));
    const project = manifest.endsWith(".toml")
      ? /^name\s*=\s*["']([\w.-]+)["']/m.exec(tree.read(manifest))?.[1]
      : undefined;
    const base = project ?? nameOf(dir) ?? application.name.split(/[.:]/)[0] ?? "service";
    return [
      {
        ...program(base, dir, packages, sources),
        framework: application.framework,
        build: install,
        run: migrated(
          server === "uvicorn" ? uvicorn(application) : gunicorn(application),
          migrationOf(tree, dir, { application, packages, sources }),
        ),
        frameworkPort: { kind: "run" },
      },
    ];
  }
  return loneProgram(tree, dir, { sources, packages, manifest: manifest ?? null });
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

function program(
  name: string,
  dir: string,
  packages: readonly string[],
  sources: readonly string[],
) {
  return {
    language: "python" as const,
    name,
    dir,
    home: dir,
    framework: null as string | null,
    serves: true,
    build: null as Command | null,
    artifact: null,
    run: null as Command | null,
    packages,
    sources,
    frameworkPort: null as PortWay | null,
    prefix: "",
  };
}

function nameOf(dir: string): string | null {
  return dir === "." ? null : baseOf(dir);
}

function uvicorn({ name, isFactory, home }: Application): string {
  const where = home === "." ? "" : ` --app-dir ${home}`;
  return `.venv/bin/uvicorn ${name}${isFactory ? " --factory" : ""}${where} --host 127.0.0.1 --port {port}`;
}

/** Threads keep connections, as one plain worker does not. */
function gunicorn({ name, isFactory, home }: Application): Command {
  const where = home === "." ? [] : ["--chdir", home];
  const words = [
    `.venv/bin/gunicorn`,
    isFactory ? `${name}()` : name,
    ...where,
    "--threads",
    "4",
    "--bind",
    "127.0.0.1:{port}",
  ];
  return isFactory ? words : words.join(" ");
}

/** Its tables have to be there before the server starts. */
function migrated(run: Command, migration: string | null): Command {
  if (migration === null) return run;
  const quoted = (word: string): string => (/[()]/.test(word) ? `'${word}'` : word);
  const server = typeof run === "string" ? run : run.map(quoted).join(" ");
  return ["sh", "-c", `${migration} && exec ${server}`];
}

/** The command that makes its tables; null: none was seen. */
function migrationOf(
  tree: Tree,
  dir: string,
  {
    application: { framework, name },
    packages,
    sources,
  }: { application: Application; packages: readonly string[]; sources: readonly string[] },
): string | null {
  const has = (path: string): boolean => tree.paths.includes(joined(dir, path) ?? path);
  if (packages.includes("alembic") && has("alembic.ini")) return ".venv/bin/alembic upgrade head";
  if (packages.includes("flask-migrate") && has("migrations/env.py"))
    return `FLASK_APP=${name} .venv/bin/flask db upgrade`;
  const isMigrated = sources.some((path) => /\/migrations\/\d{4}_\w+\.py$/.test(path));
  return framework === "django" && isMigrated
    ? ".venv/bin/python manage.py migrate --noinput"
    : null;
}

function missingServer(server: string, packages: readonly string[]): string | null {
  const has =
    packages.includes(server) ||
    (server === "uvicorn" && packages.some((name) => /^fastapi\[(?:standard|all)\]/.test(name)));
  return has ? null : server;
}

function installCommand(tree: Tree, dir: string, manifest: string, extra: string | null): Command {
  const has = (name: string): boolean => tree.paths.includes(joined(dir, name) ?? name);
  const more = extra === null ? "" : ` ${extra}`;
  if (manifest === "pyproject.toml" && has("uv.lock")) {
    const added = extra === null ? "" : ` && uv pip install ${extra}`;
    return ["sh", "-c", `uv sync --frozen --no-dev${added}`];
  }
  if (manifest === "pyproject.toml" && has("poetry.lock")) {
    const added = extra === null ? "" : ` && .venv/bin/pip install ${extra}`;
    return ["sh", "-c", `POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --only main${added}`];
  }
  if (manifest === "Pipfile") {
    const added = extra === null ? "" : ` && .venv/bin/pip install ${extra}`;
    return ["sh", "-c", `PIPENV_VENV_IN_PROJECT=1 pipenv sync${added}`];
  }
  const what =
    manifest === "requirements.txt" ? `--requirement requirements.txt${more}` : `.${more}`;
  return ["sh", "-c", `python3 -m venv .venv && .venv/bin/pip install ${what}`];
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
  for (const path of sources) {
    const text = withoutComments(tree.read(path), "python");
    const made =
      /^([A-Za-z_]\w*)\s*(?::[^=\n]+)?=\s*(?:\w+\.)?(FastAPI|Starlette|Litestar|Quart|Flask)\(/m.exec(
        text,
      );
    if (made !== null) return application(path, dir, made[1] ?? "app", made[2] ?? "", false);
  }
  for (const path of sources) {
    const text = withoutComments(tree.read(path), "python");
    const kind = /=\s*(?:\w+\.)?(FastAPI|Starlette|Litestar|Quart|Flask)\(/.exec(text)?.[1];
    const factory = FACTORY.exec(text)?.[1];
    if (kind === undefined || factory === undefined) continue;
    // A module beside it may call the factory.
    const call = new RegExp(`^(\\w+)\\s*(?::[^=\\n]+)?=\\s*${factory}\\(`, "m");
    const called = sources.find((one) => call.test(tree.read(one)));
    return called === undefined
      ? application(path, dir, factory, kind, true)
      : application(called, dir, call.exec(tree.read(called))?.[1] ?? "app", kind, false);
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
  return { framework: CLASSES[kind] ?? "", name: `${module}:${object}`, isFactory, home };
}

function loneProgram(
  tree: Tree,
  dir: string,
  {
    sources,
    packages,
    manifest,
  }: { sources: readonly string[]; packages: readonly string[]; manifest: string | null },
): Program[] {
  const file = LONE_FILES.map((name) => joined(dir, `${name}.py`) ?? "").find(
    (path) => sources.includes(path) && LISTENS.test(withoutComments(tree.read(path), "python")),
  );
  if (file === undefined) return [];
  const build = manifest === null ? null : installCommand(tree, dir, baseOf(manifest), null);
  const python = build === null ? "python3" : ".venv/bin/python";
  return [
    {
      ...program(baseOf(file).replace(/\.py$/, ""), dir, packages, [
        file,
        ...sources.filter((path) => path !== file),
      ]),
      framework: packages.includes("flask") ? "flask" : null,
      build,
      run: `${python} ${fromDir(file, dir)}`,
    },
  ];
}
