import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { configFromText } from "../../src/app/config/load.ts";
import { refuseTooLittleTime } from "../../src/app/gate/time-to-answer.ts";
import { initKernel } from "../../src/app/init.ts";
import { makeEnvironment } from "../../test/support/environment.ts";
import { checkGolden } from "../../test/support/golden.ts";
import { treeOf } from "../../test/support/tree.ts";
import { initConfiguration, proposeConfiguration } from "./init.ts";
import { proposeServices } from "./propose.ts";
import { renderConfiguration } from "./render-configuration.ts";
import { readTree } from "./tree.ts";

const FIXTURES = resolve(import.meta.dirname, "fixtures");
const REPOSITORIES = readdirSync(FIXTURES).sort();

const folder = mkdtempSync(join(tmpdir(), "tailgate-init-"));
afterAll(() => rmSync(folder, { recursive: true }));

const KERNEL = initKernel(makeEnvironment(folder));
/** Whatever this machine has. */
const WITHOUT_MYSQL = { hasMysql: false };

const MAIN_GO = "package main\n\nfunc main() {}\n";

const SMALL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nothing: { "README.md": "" },
  "a-script-that-serves-nothing": { "main.py": "print(1)\n", "index.js": "module.exports = 1;\n" },
  "nothing-listens": {
    "go.mod": "module example.com/shop\n",
    "cmd/import/main.go": MAIN_GO,
    "cmd/shop-server/main.go": MAIN_GO,
  },
  many: Object.fromEntries(
    [..."abcdefghijk"].flatMap((name, i) => [
      [`${name}/go.mod`, "module svc\n"],
      [
        `${name}/main.go`,
        'package main\n\nimport "net/http"\n\nfunc main() {\n\thttp.HandleFunc("/a", a)\n\thttp.HandleFunc("/b", b)\n\thttp.HandleFunc("/c", c)\n\thttp.ListenAndServe(":80' +
          (i === 1 ? 80 : 80 + i) +
          '", nil)\n}\n',
      ],
    ]),
  ),
  "many-slow": Object.fromEntries(
    [..."abcdefgh"].map((name) => [
      `${name}/server.py`,
      'HTTPServer(("", int(os.environ["PORT"])), H)\nself.path == "/a"\nself.path == "/b"\n',
    ]),
  ),
  "node-tool": { "package.json": '{"scripts":{"start":"next start -p $PORT"}}' },
  "before-its-start": {
    "a/package.json":
      '{"name":"a","scripts":{"prestart:prod":"tsc","start:prod":"node dist/main.js"},"dependencies":{"express":"5"}}',
    "a/package-lock.json": "{}",
    "a/main.ts": 'app.get("/a", a);\napp.listen(process.env.PORT);\n',
    "b/package.json":
      '{"name":"b","scripts":{"build":"tsc","prestart":"npm run build","start":"node dist/main.js"},"dependencies":{"express":"5"}}',
    "b/package-lock.json": "{}",
    "b/main.ts": 'app.get("/b", b);\napp.listen(process.env.PORT);\n',
  },
  "under-a-base-path": {
    "go.mod": "module shop\n",
    "main.go":
      'package main\n\nimport "net/http"\n\nfunc main() {\n\tr.HandleFunc(baseUrl+"/cart", cart).Methods(http.MethodGet)\n\tr.GET(base + "/books", books)\n\tr.HandleFunc(baseUrl+"/_healthz", ok)\n\thttp.ListenAndServe(":8080", r)\n}\n',
  },
  "no-http": {
    "a/package.json": '{"name":"pay","dependencies":{"@grpc/grpc-js":"1"}}',
    "a/index.js": "server.listen(process.env.PORT);\n",
    "b/package.json": '{"name":"shop","dependencies":{"@grpc/grpc-js":"1","express":"5"}}',
    "b/index.js": 'app.get("/books", books);\napp.listen(process.env.PORT);\n',
  },
  "parts-of-an-address": {
    "go.mod":
      "module shop\nrequire (\n\tgithub.com/lib/pq v1\n\tgithub.com/redis/go-redis/v9 v9.0.0\n)\n",
    "main.go":
      'package main\n\nimport (\n\t"net/http"\n\n\t_ "github.com/lib/pq"\n\t"github.com/redis/go-redis/v9"\n)\n\nfunc main() {\n\topen(env("DB_HOST"), env("DB_PORT", "1"), env("DB_USER"), env("DB_PASSWORD"), env("DB_NAME"))\n\tcache(env("REDIS_HOST"), env("REDIS_PASSWORD"), env("REDIS_DB"), env("CACHE_NAME"))\n\thttp.HandleFunc("/a", a)\n\thttp.ListenAndServe(":8080", nil)\n}\n',
    "schema.sql": "",
  },
  "flask-migrate": {
    "requirements.txt": "Flask\nFlask-Migrate\npsycopg2\ngunicorn\n",
    "migrations/env.py": "",
    "shop/__init__.py":
      'def create_app():\n    app = Flask(__name__)\n    os.environ["DATABASE_URL"]\n    @app.route("/a")\n    def a():\n        return "a"\n    return app\n',
  },
  "requirements-in-parts": {
    "requirements.txt": "# all of production\n-r requirements/prod.txt",
    "requirements/prod.txt": "--requirement base.txt\npsycopg2\ngunicorn\n",
    "requirements/base.txt": "-r prod.txt\nFlask==3\n",
    "app.py":
      'app = Flask(__name__)\nos.environ["DATABASE_URL"]\n@app.route("/books")\ndef books():\n    return []\n',
  },
  "port-in-the-sample-environment": {
    "package.json":
      '{"name":"shop","scripts":{"start":"pm2 start x"},"dependencies":{"express":"5"}}',
    "bin/create.js": "create(process.argv[2]);\n",
    "src/index.js":
      'const { value } = schema.validate(process.env);\napp.get("/books", books);\napp.listen(value.PORT);\n',
    ".env.example": "PORT=3000\n",
  },
  "settings-in-a-folder": {
    "go.mod": "module shop\n",
    "main.go":
      'package main\n\nimport "net/http"\n\nfunc main() {\n\thttp.HandleFunc("/health_check", a)\n\thttp.HandleFunc("/books", b)\n\thttp.ListenAndServe(read("configuration"), nil)\n}\n',
    "configuration/base.yaml": "database:\n  port: 5432\napplication:\n  port: 8000\n",
    "configuration/local.yaml": "application:\n  port: 9000\n",
  },
  "python-library": {
    "pyproject.toml": '[project]\nname = "words"\ndependencies = ["flask"]\n',
    "src/words/__init__.py":
      "from flask import Flask\n\n\ndef count(app: Flask, text: str) -> int:\n    return len(text.split())\n",
    "setup.py": "from setuptools import setup\n\nsetup()\n",
  },
  "rust-library": {
    "Cargo.toml":
      '[package]\nname = "words"\n\n[lib]\nname = "words"\n\n[[bench]]\nname = "count"\n\n[dependencies]\naxum = "0.8"\n',
    "src/lib.rs": "pub fn count(text: &str) -> usize {\n    text.split(' ').count()\n}\n",
  },
  "libraries-beside-services": {
    "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
    "Cargo.lock": "",
    "crates/words/Cargo.toml": '[package]\nname = "words"\n\n[dependencies]\naxum = "0.8"\n',
    "crates/words/src/lib.rs":
      'pub fn router() -> Router {\n    Router::new().route("/words", get(words))\n}\n',
    "crates/api/Cargo.toml":
      '[package]\nname = "api"\n\n[dependencies]\nwords = { path = "../words" }\n',
    "crates/api/src/main.rs":
      'async fn main() {\n    let listener = TcpListener::bind(env::var("API_ADDR"));\n    axum::serve(listener, words::router());\n}\n',
    "python/words/pyproject.toml": '[project]\nname = "words"\ndependencies = ["fastapi"]\n',
    "python/words/words/routes.py":
      'from fastapi import APIRouter\n\nrouter = APIRouter()\n\n\n@router.get("/words")\ndef words():\n    return []\n',
    "python/pages/requirements.txt": "fastapi\n",
    "python/pages/main.py":
      'from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get("/pages")\ndef pages():\n    return []\n',
  },
  "odd-names": {
    "package.json":
      '{"name":"@team/front: end","scripts":{"start":"node --enable-source-maps server.js","build":"tsc"}}',
    "package-lock.json": "{}",
  },
};

/** MySQL, as services of each language learn of it. */
const WITH_MYSQL: Readonly<Record<string, string>> = {
  "node/package.json":
    '{"name":"node","scripts":{"start":"node index.js"},"dependencies":{"express":"5","mysql2":"3"}}',
  "node/package-lock.json": "{}",
  "node/index.js":
    'createPool(process.env.DATABASE_URL);\napp.get("/a", a);\napp.listen(process.env.PORT);\n',
  "node/.env.example": "DATABASE_URL=mysql://app:secret@db:3306/shop?charset=utf8mb4\n",
  "node/db/schema.sql": "",
  "node/db/postgres/schema.sql": "",
  "go/go.mod": "module shop\nrequire gorm.io/driver/mysql v1\n",
  "go/main.go":
    'package main\n\nimport (\n\t"net/http"\n\n\t"gorm.io/driver/mysql"\n)\n\nfunc main() {\n\tdb.AutoMigrate(&Book{})\n\topen(env("DB_HOST"), env("DB_PORT"), env("DB_USER"), env("DB_PASSWORD"), env("DB_NAME"))\n\thttp.HandleFunc("/b", b)\n\thttp.ListenAndServe(":8080", nil)\n}\n',
  "dsn/go.mod": "module dsn\nrequire github.com/go-sql-driver/mysql v1\n",
  "dsn/main.go":
    'package main\n\nimport (\n\t"net/http"\n\n\t_ "github.com/go-sql-driver/mysql"\n)\n\nfunc main() {\n\topen(os.Getenv("MYSQL_DSN"))\n\thttp.HandleFunc("/c", c)\n\thttp.ListenAndServe(":8081", nil)\n}\n',
  "dsn/.env.example": "MYSQL_DSN=app:secret@tcp(db:3306)/shop?parseTime=true\n",
  "rust/Cargo.toml":
    '[package]\nname = "rust"\n\n[dependencies]\naxum = "0.8"\nsqlx = { version = "0.8", features = ["mysql"] }\n',
  "rust/src/main.rs":
    'async fn main() {\n    connect(env::var("DATABASE_URL"));\n    sqlx::migrate!();\n    Router::new().route("/d", get(d));\n    TcpListener::bind(env::var("API_ADDR"));\n}\n',
  "rust/.env.example": "DATABASE_URL=mysql://root@localhost/shop?ssl-mode=REQUIRED\n",
  "java/pom.xml":
    "<project><artifactId>java</artifactId><version>1</version><dependencies><dependency><artifactId>spring-boot-starter-web</artifactId></dependency><dependency><artifactId>mysql-connector-j</artifactId></dependency></dependencies></project>",
  "java/src/main/java/App.java":
    '@SpringBootApplication\n@RestController\nclass App {\n  @GetMapping("/e")\n  String e() {\n    return "";\n  }\n}\n',
  "prisma/package.json":
    '{"name":"prisma","scripts":{"start":"node index.js"},"dependencies":{"express":"5","@prisma/client":"6"}}',
  "prisma/package-lock.json": "{}",
  "prisma/index.js": 'app.get("/f", f);\napp.listen(process.env.PORT);\n',
  "prisma/schema.prisma": 'datasource db {\n  provider = "mysql"\n  url = env("DATABASE_URL")\n}\n',
};

describe("a proposal for each kind of repository", () => {
  test.each(REPOSITORIES)("%s", async (name) => {
    const root = join(FIXTURES, name);
    const text = proposeConfiguration(readTree(root), WITHOUT_MYSQL, KERNEL);
    await checkGolden(`init/${name}.yml`, text);
    const config = configFromText(text, join(root, "tailgate.yml"), root);
    expect(config.services.length).toBeGreaterThan(0);
    refuseTooLittleTime(config);
  });

  test.each(Object.entries(SMALL))("%s", async (name, files) => {
    const text = proposeConfiguration(treeOf(files), WITHOUT_MYSQL, KERNEL);
    await checkGolden(`init/small/${name}.yml`, text);
    refuseTooLittleTime(configFromText(text, "tailgate.yml"));
  });

  test.each([true, false])("with MySQL on this machine: %s", async (hasMysql) => {
    const text = proposeConfiguration(treeOf(WITH_MYSQL), { hasMysql }, KERNEL);
    await checkGolden(`init/small/mysql${hasMysql ? "" : "-absent"}.yml`, text);
    refuseTooLittleTime(configFromText(text, "tailgate.yml"));
  });
});

const FILES = REPOSITORIES.flatMap((name) => {
  const tree = readTree(join(FIXTURES, name));
  return tree.paths.map((path) => ({ name, path, text: tree.read(path) }));
});

test("whatever part of the repositories is there, what is proposed is a configuration", () => {
  fc.assert(
    fc.property(fc.subarray(FILES), fc.boolean(), fc.boolean(), (chosen, together, hasMysql) => {
      const files = chosen.map(({ name, path, text }) => [
        together ? path : `${name}/${path}`,
        text,
      ]);
      const text = proposeConfiguration(treeOf(Object.fromEntries(files)), { hasMysql }, KERNEL);
      configFromText(text, "tailgate.yml");
    }),
    { numRuns: 50 },
  );
});

test("so it is of files that are cut off, or hold something else", () => {
  fc.assert(
    fc.property(
      fc.subarray(FILES, { minLength: 1, maxLength: 12 }),
      fc.nat(400),
      fc.string({ unit: "binary", maxLength: 40 }),
      (chosen, at, inserted) => {
        const files = chosen.map(({ name, path, text }) => [
          `${name}/${path}`,
          text.slice(0, at) + inserted + text.slice(at + 5),
        ]);
        const text = proposeConfiguration(treeOf(Object.fromEntries(files)), WITHOUT_MYSQL, KERNEL);
        configFromText(text, "tailgate.yml");
      },
    ),
    { numRuns: 50 },
  );
});

test("the file belongs at the repository's root", async () => {
  const root = join(folder, "root");
  mkdirSync(join(root, ".git"), { recursive: true });
  mkdirSync(join(root, "a/b"), { recursive: true });
  writeFileSync(join(root, "go.mod"), "module x\n");
  writeFileSync(join(root, "main.go"), MAIN_GO);
  const made = await initConfiguration(
    { run: false, workingFolder: join(root, "a/b"), path: "" },
    KERNEL,
  );
  expect(made.path).toBe(join(root, "tailgate.yml"));
  expect(made.text).toContain("go build");
});

test("what lies outside, what is large and what others wrote is not read", () => {
  const root = join(folder, "bounded");
  mkdirSync(join(root, "node_modules/x"), { recursive: true });
  writeFileSync(join(folder, "outside.py"), "HTTPServer(())");
  symlinkSync(join(folder, "outside.py"), join(root, "server.py"));
  symlinkSync(folder, join(root, "up"));
  writeFileSync(join(root, "node_modules/x/server.js"), "createServer().listen(1)");
  writeFileSync(join(root, "app.js"), `createServer().listen(8080)${" ".repeat(300_000)}`);
  writeFileSync(join(root, "with space.js"), "createServer().listen(8080)");
  const tree = readTree(root);
  expect(tree.paths).toEqual(["app.js"]);
  expect(tree.read("app.js")).toBe("");
});

test.each([
  [1000, 5000],
  [35, 1050],
])("a JVM at %d/s is warmed up with %d requests", (rps, warmup) => {
  const [service] = proposeServices(readTree(join(FIXTURES, "java-maven")), {
    most: 1,
    ...WITHOUT_MYSQL,
  });
  if (service === undefined) throw new Error("no service");
  const rate = { kind: "measured", rps, cpuUs: 300_000 / rps } as const;
  const requests = service.requests.map((request) => ({ ...request, rate }));
  const services = [{ ...service, requests }];
  const text = renderConfiguration({ services, others: [], timeBudgetMinutes: null });
  expect(text).toContain(` warmup: ${warmup} `);
});
