// What `init` reads in manifests, sources and descriptions, piece by piece.
import { describe, expect, test } from "vitest";
import { treeOf } from "../../test/support/tree.ts";
import { findSchema } from "./find-schema.ts";
import { fixedPort, portVariable, portWords, variablesIn } from "./parse-port.ts";
import { parseCompose, parseSampleEnvironment } from "./parse-samples.ts";
import { joined, nearestFile } from "./paths.ts";
import {
  parseCargoManifest,
  parseGoModule,
  parseGradle,
  parsePackageManifest,
  parsePom,
  parsePythonRequirements,
  programOfModule,
} from "./programs/parse-manifest.ts";
import type { Language, PortWay } from "./proposal.ts";
import { chooseRequests, likelyOf } from "./routes/choose-requests.ts";
import { examplePath, isAskable } from "./routes/example-path.ts";
import { parseJavaRoutes } from "./routes/parse-java-routes.ts";
import { parseNodeRoutes } from "./routes/parse-node-routes.ts";
import { parseOpenApi } from "./routes/parse-openapi.ts";
import { parsePythonRoutes } from "./routes/parse-python-routes.ts";
import { parseRustRoutes } from "./routes/parse-rust-routes.ts";
import { closingIndex, joinedPath, joinedPathWithSlash, withoutComments } from "./source-text.ts";

describe("manifests", () => {
  const crate = '[package]\nname = "a"\n';
  const none = { package: null, binaries: [], workspace: false, dependencies: [] };
  const cases: [string, unknown, unknown][] = [
    [
      "a package with binaries and dependencies",
      parseCargoManifest(
        `${crate}[dependencies]
name = "1"
b = { path = "../b" }
c.workspace = true
[dependencies.d]
version = "1"
[dev-dependencies]
e = "1"
[[ bin ]]
name = 'f'
`,
      ),
      {
        package: "a",
        binaries: ["f"],
        workspace: false,
        dependencies: [
          { name: "name", path: null },
          { name: "b", path: "../b" },
          { name: "c", path: null },
          { name: "d", path: null },
        ],
      },
    ],
    [
      "a workspace",
      parseCargoManifest('[workspace.package]\nname = "no"\n'),
      { ...none, workspace: true },
    ],
    ["not TOML", parseCargoManifest("name = 1"), none],
    ["a module", parseGoModule("// x\nmodule example.com/a/b/v3 // y\n"), "example.com/a/b/v3"],
    ["its program", programOfModule("example.com/a/b/v3"), "b"],
    ["no module", parseGoModule("go 1.26\n"), null],
    [
      "a package of npm",
      parsePackageManifest(
        '{"name":"@a/b","scripts":{"start":"x","y":1},"dependencies":{"z":"1"}}',
      ),
      { name: "b", scripts: { start: "x" }, main: null, dependencies: ["z"], packages: ["z"] },
    ],
    ["not an object", parsePackageManifest("null"), null],
    ["not JSON", parsePackageManifest("{"), null],
    [
      "requirements",
      parsePythonRequirements(
        `# no
Flask==3
uvicorn[standard]>=1 # yes
psycopg2_binary
-r x.txt
`,
      ),
      ["flask", "uvicorn", "uvicorn[standard]", "psycopg2-binary"],
    ],
    [
      "a pom's own coordinates",
      parsePom(
        "<parent><artifactId>p</artifactId><version>9</version></parent><artifactId>a</artifactId><dependencies><artifactId>d</artifactId><version>1</version></dependencies>",
      ),
      { name: "a", version: "9", finalName: null, packages: ["p", "a", "d"] },
    ],
    [
      "a build of Gradle",
      parseGradle("version = '1.0'\nimplementation 'a.b:c:2'\n", "rootProject.name = 'n'"),
      { name: "n", version: "1.0", finalName: null, packages: ["c"] },
    ],
  ];
  test.each(cases)("%s", (_name, got, expected) => {
    expect(got).toEqual(expected);
  });
});

describe("variables and the one with the port", () => {
  const check = (text: string, names: string[], port: string | null): void => {
    expect(variablesIn(text)).toEqual(names);
    const way = portVariable(names.map((name) => ({ name, seenIn: "f" })));
    expect(way === null || way.kind !== "variable" ? null : `${way.name} ${way.form}`).toBe(port);
  };
  test.each<[string, string[], string | null]>([
    ["process.env.PORT ?? process.env['HOST']", ["PORT", "HOST"], "PORT port"],
    ['os.Getenv("REDIS_PORT")', ["REDIS_PORT"], null],
    [
      'os.Getenv("APP_DB_PORT") + os.Getenv("WEB_PORT")',
      ["APP_DB_PORT", "WEB_PORT"],
      "WEB_PORT port",
    ],
    ['env::var("BIND_ADDR")', ["BIND_ADDR"], "BIND_ADDR address"],
    ['getenv("ADDR")', ["ADDR"], "ADDR address"],
    ["#[arg(long, env)]\n    pub listen: SocketAddr,", ["LISTEN"], "LISTEN address"],
    ['Port int `env:"HTTP_PORT"`', ["HTTP_PORT"], "HTTP_PORT port"],
    ["int(os.environ.get('PORT', 80))", ["PORT"], "PORT port"],
  ])("%s", check);
});

describe("flags, arguments and numbers", () => {
  const check = (language: Language, text: string, expected: string | number | null): void => {
    const shown = (way: PortWay | null) =>
      way?.kind === "words" ? way.words.join(" ") : way?.kind === "fixed" ? way.port : null;
    expect(shown(portWords(text, language, "f") ?? fixedPort(text, language, "f"))).toBe(expected);
  };
  test.each<[Language, string, string | number | null]>([
    ["go", 'flag.StringVar(&addr, "listen", ":80", "")', "--listen 127.0.0.1:{port}"],
    ["go", 'flag.Int("db-port", 1, "")', null],
    ["rust", '#[arg(short, long = "http-port")]\nx: u16', "--http-port {port}"],
    ["rust", 'TcpListener::bind("0.0.0.0:3000")', 3000],
    ["rust", "SocketAddr::from(([127, 0, 0, 1], 8080))", 8080],
    ["python", "parser.add_argument('-p', '--port')", "--port {port}"],
    ["python", "int(sys.argv[1])", "{port}"],
    ["python", 'HTTPServer(("", 8000), H)', 8000],
    ["node", "server.listen({ host, port: 4000 })", 4000],
    ["node", "server.listen(99999)", null],
    ["go", 'http.ListenAndServe("localhost:6060", nil)', 6060],
  ])("%s: %s", check);
});

describe("paths with parameters", () => {
  test.each<[string, string]>([
    ["/users/:id", "/users/1"],
    ["/users/{user_id}/posts/{slug}", "/users/1/posts/example"],
    ["/x/{id:[0-9]{1,3}}", "/x/1"],
    ["/x/<int:number>/", "/x/1/"],
    ["/files/{*path}", "/files/example"],
    ["/files/*rest", "/files/example"],
    ["/by/{uuid}", "/by/00000000-0000-4000-8000-000000000001"],
    ["/{$}", "/"],
    ["/plain", "/plain"],
  ])("%s", (path, expected) => {
    expect(examplePath(path).path).toBe(expected);
    expect(isAskable(expected)).toBe(true);
  });
});

test("an OpenAPI description gives examples and what a query must have", () => {
  const text = JSON.stringify({
    swagger: "2.0",
    basePath: "/v1/",
    paths: {
      "/a/{x}": {
        get: { parameters: [{ name: "x", in: "path", type: "string", enum: ["b c"] }] },
        put: {},
      },
      "/q": { get: { parameters: [{ name: "q", in: "query", required: true }] } },
    },
  });
  expect(parseOpenApi(text, "f").map(({ method, example }) => `${method} ${example}`)).toEqual([
    "GET /v1/a/b%20c",
    "PUT /v1/a/1",
    "GET /v1/q?q=example",
  ]);
  expect(parseOpenApi("paths: {}", "f")).toEqual([]);
  expect(parseOpenApi("{", "f")).toEqual([]);
});

describe("a handler that does nothing but fail is no route", () => {
  const parsers = {
    java: parseJavaRoutes,
    node: parseNodeRoutes,
    python: parsePythonRoutes,
    rust: parseRustRoutes,
  };
  test.each<[keyof typeof parsers, string, string]>([
    [
      "java",
      `@Controller class A {
@GetMapping("/oups")
String a() throws E {
  throw new E("x");
}
@GetMapping({ "/a" })
String b() { return c; }
}`,
      "/a",
    ],
    [
      "java",
      '@Controller class A {\n@GetMapping("/{id}")\nString a(int id) { if (id < 0) throw new E(); return b; }\n}',
      "/{id}",
    ],
    [
      "node",
      `@Controller("a")
class A {
@Get("boom")
boom() { throw new Error(); }
@Get(":id")
b() { return 1; }
}`,
      "/a/:id",
    ],
    ["node", 'app.get("/a", list)\n\nfunction must() { throw new Error() }\n', "/a"],
    [
      "python",
      `@app.get("/boom")
@cached
async def boom(n: int = 1) -> None:
    """Says it."""
    raise Oh()

@app.get("/a")
def a():
    return 1

def b():
    raise Oh()
`,
      "/a",
    ],
    [
      "rust",
      `#[get("/boom")]
async fn boom() -> String {
    panic!("x")
}
#[get("/a")]
async fn a() -> String { todo() }
`,
      "/a",
    ],
  ])("%s: %j", (language, text, expected) => {
    const routes = parsers[language]([{ path: "a", text }]);
    expect(routes.map(({ path }) => path).join(" ")).toBe(expected);
  });
});

describe("routes that are registered in other ways", () => {
  const check = (text: string, expected: string): void => {
    const routes = parsePythonRoutes([{ path: "shop/urls.py", text }]);
    expect(routes.map(({ path }) => path).join(" ")).toBe(expected);
  };
  test.each<[string, string, string]>([
    [
      "a router of Django REST framework",
      `router = DefaultRouter()
router.register(r"books", BookViewSet)
urlpatterns = [
  path("api/", include(router.urls)),
  path("about/", about),
]
`,
      "/api/books/ /about/",
    ],
    [
      "one that is the whole",
      'router = routers.SimpleRouter(trailing_slash=False)\nrouter.register("books", BookViewSet, basename="book")\nurlpatterns = router.urls\n',
      "/books",
    ],
  ])("%s", (_name, text, expected) => check(text, expected));
});

test("sample environments and compose files", () => {
  const variables = parseSampleEnvironment(
    `A=1 # x
export B='2 # y'
C=
d=3
`,
    "f",
  );
  expect([...variables].map(([name, { value }]) => `${name}=${value}`)).toEqual([
    "A=1",
    "B=2 # y",
    "C=",
  ]);
  const compose =
    "services:\n  a: { build: ./a, environment: [X=1, Y] }\n  c: { image: 'r.io/mysql:8' }\n";
  const found = parseCompose(compose, "f", (context) => context === "./a");
  expect([...found].map(([name, { value }]) => `${name}=${value}`)).toEqual(["X=1", "Y=null"]);
});

describe("the files of a schema", () => {
  const check = (
    paths: readonly string[],
    expected: string | null,
    server: "postgresql" | "mysql" = "postgresql",
  ): void => {
    const tree = treeOf(Object.fromEntries(paths.map((path) => [path, ""])));
    const found = findSchema(tree, ".", server);
    expect(found === null ? null : `${found.dir}: ${found.files.join(" ")}`).toBe(expected);
  };
  test.each<[string[], string | null, "mysql"?]>([
    [["db/data.sql", "db/schema.sql"], "db: schema.sql data.sql"],
    [["db/h2/schema.sql", "db/postgres/schema.sql"], "db/postgres: schema.sql"],
    [["db/mysql/schema.sql"], null],
    [["db/mysql/schema.sql", "db/postgres/schema.sql"], "db/mysql: schema.sql", "mysql"],
    [["db/postgresql/schema.sql"], null, "mysql"],
    [["migrations/10_b.sql", "migrations/9_a.sql"], "migrations: 9_a.sql 10_b.sql"],
    [
      ["migrations/2_b.sql", "migrations/1_a.sql", "migrations/1_a.down.sql"],
      "migrations: 1_a.sql 2_b.sql",
    ],
    [
      ["migrations/001.do.a.sql", "migrations/001.undo.a.sql", "migrations/002.do.b.sql"],
      "migrations: 001.do.a.sql 002.do.b.sql",
      "mysql",
    ],
    [
      [
        "db/migration/R__c.sql",
        "db/migration/U2__b.sql",
        "db/migration/V1__a.sql",
        "db/migration/V2__b.sql",
      ],
      "db/migration: V1__a.sql V2__b.sql R__c.sql",
    ],
    [
      [
        "migrations/sqls/1-a-down.sql",
        "migrations/sqls/1-a-up.sql",
        "sql/1_a.up.sql",
        "sql/1_a.down.sql",
      ],
      "sql: 1_a.up.sql",
    ],
    [["migrations/1_a/down.sql", "migrations/1_a/up.sql"], "migrations: 1_a/up.sql"],
    [["sql/1_countdown.sql", "sql/rollback/1.sql"], "sql: 1_countdown.sql"],
  ])("%j", check);
});

test("files that hold their way back are not run", () => {
  for (const mark of ["-- migrate:down", "-- +goose Down", "-- +migrate Down"]) {
    const tree = treeOf({
      "db/migrations/1_a.sql": `CREATE TABLE a ();\n${mark}\nDROP TABLE a;\n`,
    });
    expect(findSchema(tree, ".", "postgresql"), mark).toBeNull();
  }
});

describe("the order in which requests are proposed", () => {
  const check = (paths: string, expected: string): void => {
    const routes = paths
      .split(" ")
      .map((path) => ({ method: "GET", path, seenIn: "f", example: null }));
    const chosen = likelyOf(chooseRequests(routes, { kind: "usual", rps: 1 }));
    expect(chosen.map(({ path }) => path).join(" ")).toBe(expected);
  };
  test.each([
    ["/api/oops /api/vets", "/api/vets"],
    ["/error /users/:id", "/users/1 /error"],
    ["/fail", "/fail"],
    ["/a/b /errors-of-others /terrors /", "/errors-of-others /terrors /a/b /"],
  ])("%s", check);
});

describe("source text", () => {
  test.each<[Language, string, string]>([
    ["node", 'a("http://x") // b', 'a("http://x")     '],
    ["rust", "a /* b\n */ 'c", "a     \n    'c"],
    ["python", 'a = "#" # b', 'a = "#"    '],
    ["go", "`\\` // b", "`\\`     "],
    ["node", "it's // b", "it's // b"],
  ])("%s: %s", (language, text, expected) => {
    expect(withoutComments(text, language)).toBe(expected);
  });
  test("a bracket ends where its own is closed", () => {
    expect(closingIndex('f(g(")"), [1])x', 1, "go")).toBe(13);
    expect(closingIndex("f(", 1, "go")).toBe(2);
  });
  test("paths are put together with one slash", () => {
    expect(joinedPath("/a/", "/b/")).toBe("/a/b");
    expect(joinedPath("", "/")).toBe("/");
    expect(joinedPathWithSlash("a/", "")).toBe("/a/");
    expect(joinedPathWithSlash("a", "b")).toBe("/a/b");
  });
});

test("paths stay inside the repository", () => {
  expect(joined("a/b", "../../c")).toBe("c");
  expect(joined("a", "../../c")).toBeNull();
  expect(joined(".", ".")).toBe(".");
  expect(nearestFile(new Set(["x", "a/x"]), "a/b", ["x"])).toBe("a/x");
  expect(nearestFile(new Set(["y"]), "a/b", ["x"])).toBeNull();
});
