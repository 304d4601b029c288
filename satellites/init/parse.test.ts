// What `init` reads in manifests, sources and descriptions, piece by piece.
import { describe, expect, test } from "vitest";
import { treeOf } from "../../test/support/tree.ts";
import { compilesIn } from "../words/compiles.ts";
import { findLimit } from "./find-limit.ts";
import { findSchema } from "./find-schema.ts";
import { parseCompose, parseDockerfile, preparedBy, startedBy } from "./parse-container.ts";
import { fixedPort, furtherPorts, portVariable, portWords, variablesIn } from "./parse-port.ts";
import { parseSampleEnvironment } from "./parse-samples.ts";
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
import { parseGoRoutes } from "./routes/parse-go-routes.ts";
import { parseJavaRoutes } from "./routes/parse-java-routes.ts";
import { parseNodeRoutes } from "./routes/parse-node-routes.ts";
import { parseOpenApi } from "./routes/parse-openapi.ts";
import { parsePythonRoutes } from "./routes/parse-python-routes.ts";
import { parseRustRoutes } from "./routes/parse-rust-routes.ts";
import { closingIndex, joinedPath, joinedPathWithSlash, withoutComments } from "./source-text.ts";
import { whatNext } from "./what-next.ts";

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
      "requirements that are installed",
      parsePythonRequirements(
        '[project]\ndependencies = ["flask>=3"]\n[project.optional-dependencies]\nmain = [\n  "gunicorn>=20",\n]\n[tool.x]\na = ["b>=1"]\n',
      ),
      ["dependencies", "a", "flask", "b"],
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
    ["os.environ['PORT']; os.getenv('HOST')", ["PORT", "HOST"], "PORT port"],
    ["Deno.env.get('PORT')", ["PORT"], "PORT port"],
    ['System.getenv("PORT")', ["PORT"], "PORT port"],
    ['os.LookupEnv("PORT"); env::var_os("HOST")', ["PORT", "HOST"], "PORT port"],
    ['#[arg(long, env = "APP_PORT")]', ["APP_PORT"], "APP_PORT port"],
    ['Port int `envconfig:"HTTP_PORT"`', ["HTTP_PORT"], "HTTP_PORT port"],
    ["z.object({ PORT: z.coerce.number() }).parse(process.env)", ["PORT"], "PORT port"],
    ["{ NODE_ENV: z\n .string(),\n  PORT: z\n .string() }", ["PORT"], "PORT port"],
    ["v.object({ PORT: v.pipe(v.string()) })", ["PORT"], "PORT port"],
    [
      "Joi.object({ REDIS_PORT: Joi.number(), APP_PORT: Joi.number() })",
      ["REDIS_PORT", "APP_PORT"],
      "APP_PORT port",
    ],
    [
      "cleanEnv(process.env, { HTTP_PORT: port({ default: 80 }) })",
      ["HTTP_PORT"],
      "HTTP_PORT port",
    ],
    ["convict({ port: { format: 'port', env: 'PORT' } })", ["PORT"], "PORT port"],
    ["interface Env { PORT: string }", [], null],
    [
      'pub const AT: &str = "APP_ADDRESS_PORT"; const VERB: &str = "GET";',
      ["APP_ADDRESS_PORT"],
      "APP_ADDRESS_PORT address",
    ],
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
    ["go", 'fs.Int("port", 9898, "")', "--port {port}"],
    ["go", 'flag.String("f", "", ""); flag.String("l", ":80", "")', "--l 127.0.0.1:{port}"],
    ["go", 'flag.String("l", ":80", ""); flag.Int("port", 80, "")', "--port {port}"],
    ["go", 'flag.String("pprof", ":6060", "")', null],
    ["go", 'flag.String("server", "localhost:50051", "")', null],
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
    const parse = text.includes(":=") ? parseGoRoutes : parsePythonRoutes;
    const routes = parse([{ path: "shop/urls.py", text }]);
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
    [
      "with the method before the path",
      `r := httprouter.New()
r.HandlerFunc(http.MethodGet, "/a", one)
r.Add("GET", "/b", one)
r.Route("DELETE", "/c", one)
req := http.NewRequest("GET", "/d", nil)
`,
      "/a /b /c",
    ],
  ])("%s", (_name, text, expected) => check(text, expected));
});

describe("routers that another file has as members", () => {
  const check = (index: string, app: string, expected: string): void => {
    const files = {
      "app.js": `const routes = require("./routes");\n${app}\n`,
      "routes/index.js": index,
      "routes/users.js": 'router.get("/all", one)\n',
    };
    const routes = parseNodeRoutes(Object.entries(files).map(([path, text]) => ({ path, text })));
    expect(routes.map(({ path }) => path).join(" ")).toBe(expected);
  };
  const use = 'app.use("/api", routes.users);';
  const users = 'const users = require("./users");\n';
  test.each([
    [`${users}module.exports = { users };`, use, "/api/all"],
    [`module.exports = { users: require("./users") };`, use, "/api/all"],
    ['exports.users = require("./users.js");', use, "/api/all"],
    ['import one from "./users";\nexport const users = one;', use, "/api/all"],
    ['export { default as users } from "./users";', use, "/api/all"],
    [
      `${users}const api = Router();\napi.use("/users", users);\napi.get("/me", me);\nmodule.exports = { users: api };`,
      'app.use("/api/v2", routes.users);\napp.use("/api", routes.users);',
      "/api/v2/me /api/v2/users/all",
    ],
  ])("%j", check);
});

test("a sample environment", () => {
  const variables = parseSampleEnvironment(
    `A=1 # x
export B='2 # y'
C=
d=3

  D="4" # "z"
E='5' 'x
F="-----BEGIN KEY-----
`,
    "f",
  );
  expect([...variables].map(([name, { value }]) => `${name}=${value}`)).toEqual([
    "A=1",
    "B=2 # y",
    "C=",
    "D=4",
    "E=null",
    "F=null",
  ]);
});

describe("compose files", () => {
  const program = { name: "api", home: "a" };
  const check = (text: string, expected: object | null): void => {
    const found = parseCompose(`services:\n${text}`, "f", program);
    if (expected === null) expect(found).toBeNull();
    else expect(found).toMatchObject(expected);
  };
  const none = { environment: [], port: null, beside: [] };
  test.each<[string, object | null]>([
    [
      "  a: { build: ./a, environment: [X=1, Y], depends_on: [c, d] }\n  c: { image: 'r.io/mysql:8' }\n  d: { build: ./d }\n",
      {
        ...none,
        environment: [
          ["X", "1"],
          ["Y", null],
        ],
        beside: ["r.io/mysql:8", "d"],
      },
    ],
    ["  a: { build: ., ports: ['127.0.0.1:80:8080/tcp'] }\n", { ...none, port: 8080 }],
    ["  a: { build: ., ports: ['$OUTSIDE:4000'] }\n", { ...none, port: 4000 }],
    ["  a: { build: ., ports: [{ target: 5000, published: 80 }] }\n", { ...none, port: 5000 }],
    ["  a: { build: b }\n  c: { build: c }\n", null],
    [
      "  a: { <<: &x { environment: [X=1] }, build: a }\n  b: { <<: *x }\n",
      { ...none, environment: [["X", "1"]] },
    ],
    ["  a: { build: b }\n", null],
    ["  a: { build: ../.. }\n", null],
    ["  a: 1\n", null],
  ])("%s", check);

  test.each<[string, string | null]>([
    ["a: [build: ./a, command: one]", null],
    ["web: { build: a, ports: ['1:80'], command: one }, api: { build: a, command: two }", "one"],
    ["web: { build: a, command: one }, api: { build: a, command: two }", "two"],
    ["w: { build: a, ports: ['1:80'] }, api: { build: a, ports: ['2:80'], command: two }", "two"],
    ["web: { build: a, command: one }, worker: { build: a, command: db reset }", "one"],
  ])("of several, one: %s", (text, expected) => {
    const found = parseCompose(`services: { ${text} }`, "f", program);
    expect(found?.command.join(" ") ?? null).toBe(expected);
  });
});

describe("what a container starts", () => {
  const check = (text: string, expected: string): void => {
    expect(startedBy([parseDockerfile(`FROM x\nCMD no\nFROM y\n${text}`, "f")]).join(" ")).toBe(
      expected,
    );
  };
  test.each([
    ['CMD ["a", "b c"]', "a b c"],
    ["CMD a --port 8080", "a --port {port}"],
    ["EXPOSE 80/tcp 443\nCMD a 80 443", "a {port} 443"],
    ["EXPOSE 8079\nEXPOSE 8080\nEXPOSE 9000\nCMD a 8079 8080", "a 8079 {port}"],
    ['ENTRYPOINT ["/x/entrypoint.sh"]\nCMD ["a", "-p", "1234"]', "a -p {port}"],
    ["ENTRYPOINT tini -- /a\nCMD serve --addr=:8080", "/a serve --addr=127.0.0.1:{port}"],
    [
      "CMD a --db-port 5432 --redis-addr=:6379 --port 1234",
      "a --db-port 5432 --redis-addr=:6379 --port {port}",
    ],
    ["EXPOSE 9090\nCMD a --metrics-port 9090", "a --metrics-port 9090"],
    ["CMD a \\\n  --listen=0.0.0.0:8080", "a --listen=127.0.0.1:{port}"],
    ["CMD a $PORT", ""],
    ['CMD ["a", "{b}"]', ""],
    ["CMD a && exec b --port 80", "b --port {port}"],
    ['CMD ["sh", "-c", "a; b \'c && d\'"]', "b c && d"],
    ["CMD a & b", ""],
    ["HEALTHCHECK CMD a", ""],
    ["# CMD a", ""],
    ["CMD [1", ""],
  ])("%s", check);

  const checkBefore = (text: string, expected: string | null): void => {
    const found = preparedBy([parseDockerfile(`FROM x\n${text}`, "f")]);
    expect(found?.steps.join(" | ") ?? null).toBe(expected);
  };
  test.each([
    ["CMD a 'b; c' && d; exec e", "a 'b; c' | d"],
    ['CMD ["/bin/bash", "-ec", "a && b"]', "a"],
    ['ENTRYPOINT sh -c "a && b"\nCMD ["c"]', "a"],
    ["CMD a && sh -c 'b; c'", "a | b"],
    ['CMD ["sh", "-c", "a && b", "c"]', null],
    ['CMD ["a", "&&", "b"]', null],
    ["CMD a", null],
    ["CMD a && b $X", null],
  ])("before that: %s", checkBefore);

  test("a compose file overrides its arguments, its image gives variables", () => {
    const image = parseDockerfile(
      'FROM x\nENV A=1 B="2 3"\nENV C d e\nENTRYPOINT ["/a"]\nCMD b',
      "f",
    );
    expect(image.environment).toEqual([
      ["A", "1"],
      ["B", "2 3"],
      ["C", "d e"],
    ]);
    const text = "services: { a: { build: ., command: [c], environment: { D: 4 } } }";
    const composed = parseCompose(text, "f", { name: "a", home: "." });
    if (composed === null) throw new Error("no service");
    expect(composed.environment).toEqual([["D", "4"]]);
    expect(startedBy([image, composed])).toEqual(["/a", "c"]);
  });
});

describe("what compiles at each launch", () => {
  test.each([
    ["ts-node -T src/a/main.ts", "npx tsc", "node dist/a/main.js"],
    ["nodemon", "npx tsc", "node dist/shop.js"],
    ["nodemon src/app.ts", "npx tsc", "node dist/app.js"],
    ["nodemon -r dotenv/config src/app.js 3000", null, "node src/app.js"],
    ["tsc && nodemon dist/app.js", "npx tsc", "node dist/shop.js"],
    ["nodemon --exec 'tsc && node dist/app.js'", "npx tsc", "node dist/shop.js"],
    ["vite-node src/main.ts", "npx tsc", "node dist/main.js"],
    ["next dev --turbo", "npx next build", "npx next start -p {port}"],
    ["vite", "npx vite build", "npx vite preview --port {port}"],
    ["nest start --watch", "npx nest build", "node dist/main.js"],
    ["cargo run --release", "cargo build --release", "target/release/shop"],
    ["go run ./cmd/shop", "go build -o bin/shop .", "bin/shop"],
    ["./mvnw spring-boot:run", "mvn -DskipTests package", "java -jar target/shop.jar"],
    ["gradle bootRun", "gradle bootJar", "java -jar build/libs/shop.jar"],
  ])("%s", (command, build, run) => {
    expect(compilesIn(command, "shop")).toMatchObject({ build, run });
  });
  test.each(["vite preview", "node dist/tsc.js x", "next start", "pm2 start x", "web"])(
    "%s does not",
    (command) => expect(compilesIn(command, "shop")).toBeNull(),
  );
});

describe("what limits how often a service is asked", () => {
  const check = (text: string, expected: string | null): void => {
    const samples = parseSampleEnvironment("A=1\nRATE_LIMIT=2\n", "f");
    const found = findLimit({ packages: [] }, { files: [{ path: "f", text }], samples });
    expect(found === null ? null : found.variables.join(" ")).toBe(expected);
  };
  test.each<[string, string | null]>([
    ["http.Error(w, x, http.StatusTooManyRequests)", "RATE_LIMIT"],
    ["if response.StatusCode == http.StatusTooManyRequests {", null],
    ["case http.StatusTooManyRequests:", null],
    ["StatusCode::TOO_MANY_REQUESTS => retry(),", null],
    ["StatusCode::TOO_MANY_REQUESTS | StatusCode::CONFLICT => retry(),", null],
    ["[]int{http.StatusTooManyRequests, http.StatusConflict}", null],
    ["map[int]bool{http.StatusTooManyRequests: true}", null],
    ["StatusCode::TOO_MANY_REQUESTS.into_response()", "RATE_LIMIT"],
    ["reply.status(429).send()", "RATE_LIMIT"],
    ["raise HTTPException(status_code=429)", "RATE_LIMIT"],
    ["e.Use(middleware.RateLimiter(store))", "RATE_LIMIT"],
    ["response.status === 429", null],
  ])("%s", check);
  test.each([
    "slowapi",
    "tower_governor",
    "@nestjs/throttler",
    "github.com/ulule/limiter/v3/drivers",
  ])("%s", (name) =>
    expect(findLimit({ packages: [name] }, { files: [], samples: new Map() })?.seenIn).toBe(name),
  );
});

describe("ports beside that of the requests", () => {
  const check = (language: Language, text: string, expected: string | null): void => {
    const found = furtherPorts(text, language, "f").map(({ port, flag }) => `${port} ${flag}`);
    expect(found).toEqual(expected === null ? [] : [expected]);
  };
  test.each<[Language, string, string | null]>([
    ["go", 'http.ListenAndServe(":9090", nil)', "9090 null"],
    ["go", 'flag.String("grpc-port", ":8079", "x")', "8079 grpc-port"],
    ["go", 'flag.Int("metrics-port", 9100, "x")', "9100 metrics-port"],
    ["go", 'flag.String("http-port", "8080", "x")', null],
    ["go", 'Config{Addr: ":8080"}', null],
    ["rust", 'TcpListener::bind("0.0.0.0:9100")', "9100 null"],
    ["rust", 'var("ADDR").unwrap_or("0.0.0.0:3000")', null],
    ["node", "metrics.listen(9100)", "9100 null"],
    ["python", "start_http_server(8001)", "8001 null"],
  ])("%s: %s", check);
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
    [["verify/db/1_a.sql"], "verify/db: 1_a.sql"],
    [["db/drop.sql", "db/schema.sql", "db/drop_all.sql", "db/dropdb.sql"], "db: schema.sql"],
    [["sql/0_reset.sql", "sql/1_a.sql", "sql/99-truncate-tables.sql"], "sql: 1_a.sql"],
    [["sql/teardown.sql"], null],
    [
      ["sql/1_a.sql", "sql/2_drop_legacy.sql", "sql/cleanliness.sql", "sql/dropdown.sql"],
      "sql: 1_a.sql 2_drop_legacy.sql cleanliness.sql dropdown.sql",
    ],
  ])("%j", check);
});

test("files that hold their way back are not run", () => {
  for (const mark of [
    ...["-- migrate:down", "-- +goose Down", "-- +migrate Down", "-- Down Migration"],
    ...["---- create above / drop below ----", "-- //@UNDO"],
  ]) {
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

describe("the folder that @fastify/autoload is given", () => {
  const check = (members: string, expected: string): void => {
    const routes = parseNodeRoutes([
      { path: "app.js", text: `app.register(autoload, { ${members} });\n` },
      { path: "routes/a/b.js", text: 'app.get("/c", d);\n' },
    ]);
    expect(routes.map(({ path }) => path).join(" ")).toBe(expected);
  };
  test.each([
    ['dir: join(dirname, "routes"), options: { prefix: "/x" }', "/x/a/c"],
    ['dir: join(\n  dirname,\n  "routes",\n),\noptions: { prefix: "/x" }', "/x/a/c"],
    [`dir: \`\${here}/routes\`, options: { prefix: '/x' }`, "/x/a/c"],
    ['options: { prefix: "/x" }, dir: "routes" ', "/x/a/c"],
    ['dir: fileURLToPath(new URL("routes", here)), ignore: "/y"', "/a/c"],
  ])("%s", check);
});

test.each([
  ["one", ["a.yml"], "tailgate try"],
  ["a workflow beside it", ["a.yml", "b.yml"], "tailgate try; b.yml gates once that works"],
])("what is said of %s where nothing listens", (_name, paths, expected) => {
  const says = whatNext(
    paths.map((path) => ({ path })),
    true,
  );
  expect(says.slice(says.indexOf("tailgate try"))).toBe(expected);
});

test("paths stay inside the repository", () => {
  expect(joined("a/b", "../../c")).toBe("c");
  expect(joined("a", "../../c")).toBeNull();
  expect(joined(".", ".")).toBe(".");
  expect(nearestFile(new Set(["x", "a/x"]), "a/b", ["x"])).toBe("a/x");
  expect(nearestFile(new Set(["y"]), "a/b", ["x"])).toBeNull();
});
