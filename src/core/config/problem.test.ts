import { describe, expect, test } from "vitest";
import { FIRST, parse, refusal } from "../../../test/support/configurations.ts";
import { checkGolden } from "../../../test/support/golden.ts";
import { ConfigError } from "./problem.ts";

describe("what is wrong is said", () => {
  const service = (line: string) => FIRST.replace("    ready: /healthz", `    ${line}`);
  const scenario = (line: string) =>
    FIRST.replace("    rate: 2000/s", `    rate: 2000/s\n    ${line}`);
  const request = (text: string) => FIRST.replace("GET /hello", text);
  /** A dependency, and another line in the place of the build's. */
  const beside = (dependency: string, build = "build: make"): string =>
    FIRST.replace("scenarios:", `dependencies: { db: { ${dependency} } }\nscenarios:`).replace(
      /build: .*/,
      build,
    );
  const BUILD = "build: { command: make, needs: [db] }";
  const login = (sent: string, values = "token: token") =>
    service(`before: { request: ${sent}, values: { ${values} } }`);
  /** Text, position, and words of the one message. */
  const cases: [string, string, string, string][] = [
    [
      "a name of two lines",
      `${FIRST}"a\\nb": 1\n`,
      "12:1",
      String.raw`["a\nb"]: unknown key "a\nb"; known: version`,
    ],
    ["empty", "", "1:1", "got null, expected a mapping"],
    ["a list", "- 1\n", "1:1", "expected a mapping"],
    ["a tab", "version: 1\nservices:\n\tapi: 1\n", "3:1", "tab"],
    ["a key twice", `${FIRST}version: 1\n`, "12:1", "given before"],
    [
      "a key twice in other words",
      FIRST.replace("ready: /healthz", "1: a\n    '1': b"),
      "8:5",
      "given before",
    ],
    [
      "an alias",
      FIRST.replace("GET /hello", "&a GET /hello").replace("2000/s", "*a"),
      "11:11",
      "aliases",
    ],
    ["a tag", FIRST.replace("2000/s", "!rate 2000/s"), "11:11", "tag"],
    ["two documents", `${FIRST}---\nversion: 1\n`, "12:1", "second document"],
    ["an old YAML", `%YAML 1.1\n---\n${FIRST}`, "1:1", "YAML 1.1"],
    [
      "answers of another kind",
      scenario("answers: alike"),
      "12:14",
      "expected status, same, json, or a mapping with ignore",
    ],
    ["nothing to ignore", scenario("answers: { ignore: [] }"), "12:24", "expected a list of paths"],
    [
      "a path of nothing",
      scenario("answers: { ignore: [a..b] }"),
      "12:25",
      "expected a path such as items.*.createdAt",
    ],
    [
      "a path and paths",
      request("{ path: /a, pathsFile: body.json }"),
      "10:5",
      "got path and pathsFile, expected one of path, pathPattern, pathsFile",
    ],
    ["no file of bodies", request("{ path: /a, bodiesFile: nope }"), "10:38", 'cannot read "nope"'],
    [
      "lines for wrk2",
      request("{ pathsFile: body.json }").replace("2000/s", "2000/s\n    generator: wrk2"),
      "10:5",
      "wrk2 draws nothing from lines of a file",
    ],
    ["a reserved key", FIRST.replace("  echo:", "  __proto__:"), "9:3", "__proto__"],
    ["a mapping as a key", `${FIRST}? {a: 1}\n: 2\n`, "12:3", "plain text"],
    ["unclosed", `${FIRST}metrics: {\n`, "13:1", "flow"],
    ["deep", `${FIRST}metrics: ${"[".repeat(2000)}`, "12:", "nested too deeply"],
    [
      "another version",
      FIRST.replace("version: 1", "version: 2"),
      "1:10",
      "version: got 2, expected 1",
    ],
    ["no version", FIRST.replace("version: 1\n", ""), "1:1", "version: missing, expected 1"],
    [
      "no rate",
      FIRST.replace("    rate: 2000/s\n", ""),
      "9:3",
      "scenarios.echo.rate: missing, expected a rate",
    ],
    [
      "a mistyped key",
      service("artefakt: x"),
      "7:5",
      'services.api.artefakt: unknown key "artefakt"; did you mean "artifact"?',
    ],
    ["a strange key", service("banana: x"), "7:5", "known: dir, build, inputs, artifact"],
    [
      "a mistyped metric",
      `${FIRST}metrics: { p98: { level: gate } }\n`,
      "12:12",
      'unknown key "p98"; did you mean "p90"?',
    ],
    ["a bad name", FIRST.replace("  echo:", "  echo/x:"), "9:3", "is not a name"],
    [
      "a number without unit",
      scenario("timeout: 5"),
      "12:14",
      "scenarios.echo.timeout: got 5, expected a duration",
    ],
    [
      "a leading zero",
      scenario("connections: 016"),
      "12:18",
      '016 is read as the number 16; write "016" for text',
    ],
    [
      "a code in a body",
      request("{ path: /, json: { zip: 01234 } }"),
      "10:38",
      '01234 is read as the number 1234; write "01234" for text',
    ],
    [
      "more digits than a number keeps",
      request("{ path: /, json: { id: 12345678901234567890 } }"),
      "10:37",
      'read as the number 12345678901234567000; write "12345678901234567890" for text',
    ],
    ["not a number", scenario("connections: .nan"), "12:18", "got NaN, expected a whole number"],
    [
      "too many",
      scenario("connections: 1e9"),
      "12:18",
      "got 1000000000, expected a whole number from 1 to 100000",
    ],
    [
      "no time",
      scenario("timeout: 0s"),
      "12:14",
      "expected a duration such as 500ms (units: us, ms, s, m, h, d), from 1ms to 10m",
    ],
    ["half a millisecond", scenario("timeout: 1500us"), "12:14", "in steps of 1ms"],
    [
      "an unknown service",
      scenario("services: [apo]"),
      "12:16",
      'unknown service "apo"; did you mean "api"?',
    ],
    ["a service twice", scenario("services: [api, api]"), "12:21", "listed twice"],
    [
      "too little load",
      FIRST.replace("2000/s", "2/s"),
      "11:11",
      "2/s for 12s is 24 requests a slice, of which 8",
    ],
    [
      "too short a slice",
      scenario("slice: { duration: 29ms }"),
      "12:24",
      "2000/s for 29ms is 58 requests a slice",
    ],
    [
      "a request without a path",
      request("GET hello"),
      "10:14",
      "expected a request such as GET /hello",
    ],
    ["a URL", request("{ path: http://x/ }"), "10:22", "starts with /"],
    [
      "a header that breaks out",
      request('{ path: /, headers: { a: "b\\nc: d" } }'),
      "10:39",
      "one line",
    ],
    [
      "a header of the generator",
      request("{ path: /, headers: { Host: a } }"),
      "10:36",
      "load generator",
    ],
    [
      "two bodies",
      request("{ path: /, body: a, json: 1 }"),
      "10:5",
      "got body and json, expected one of",
    ],
    [
      "a missing body file",
      request("{ path: /, bodyFile: nope }"),
      "10:35",
      'cannot read "nope": there is no such file',
    ],
    [
      "nothing to repeat",
      request("{ path: /, bodyRepeat: { times: 2 } }"),
      "10:25",
      "repeats a bodyFile",
    ],
    ["a body file elsewhere", request("{ path: /, bodyFile: ../x }"), "10:35", "leads out"],
    ["a folder elsewhere", service("dir: ../x"), "7:10", "inside the repository"],
    ["an absolute folder", service("dir: /etc"), "7:10", "inside the repository"],
    ["a missing folder", service("dir: missing"), "7:10", 'no folder "missing"'],
    ["a shell", FIRST.replace("cargo build", "cd x && cargo build"), "4:12", "would need a shell"],
    [
      "no artifact to run",
      FIRST.replace("    artifact: target/release/api\n", ""),
      "3:3",
      "services.api.run: missing",
    ],
    [
      "an artifact that is not named",
      FIRST.replace("artifact: target/release/api", 'run: "{artifact}"'),
      "5:10",
      "names none",
    ],
    [
      "a mistyped placeholder",
      service('run: "{artifacts} {port}"'),
      "7:10",
      "did you mean {artifact}?",
    ],
    [
      "a placeholder in the wrong place",
      FIRST.replace("127.0.0.1:{port}", "{dir}:{port}"),
      "6:18",
      "{dir} is not replaced here",
    ],
    ["inputs elsewhere", service("inputs: [src, ../x]"), "7:19", "a path inside the repository"],
    ["inputs in braces", service("inputs: ['*.{ts,js}']"), "7:14", "a path inside the repository"],
    ["inputs that take nothing in", service("inputs: ['!docs']"), "7:13", "must take files in"],
    ["no inputs", service("inputs: []"), "7:13", "expected a list of paths"],
    ["no port", FIRST.replace(":{port}", ":80"), "3:3", "nothing tells the service its port"],
    ["a port for two", service("port: 8080"), "7:11", "set scheme: alternate"],
    [
      "a bad variable",
      FIRST.replace("ADDR:", "A-B:"),
      "6:12",
      '"A-B" is not the name of a variable',
    ],
    ["no readiness", service("ready: { timeout: 1s }"), "7:5", "expected one of http, tcp, log"],
    ["a bad expression", service('ready: { log: "(" }'), "7:19", "expected a regular expression"],
    [
      "a margin below tolerance",
      `${FIRST}metrics: { rss: { margin: 1% } }\n`,
      "12:27",
      "tolerance 1% is not below margin 1%",
    ],
    [
      "a need that no dependency meets",
      FIRST.replace("    ready", "    needs: [dbs]\n    ready").replace(
        "scenarios:",
        "dependencies: { db: { kind: redis } }\nscenarios:",
      ),
      "7:13",
      'did you mean "db"?',
    ],
    [
      "a place of a dependency that is not needed",
      FIRST.replace('" }', '", DB: "{db.url}" }').replace(
        "scenarios:",
        "dependencies: { db: { kind: redis } }\nscenarios:",
      ),
      "6:42",
      "because db is not in the service's needs",
    ],
    [
      "a place that dependencies do not have",
      FIRST.replace('" }', '", DB: "{db.uri}" }').replace(
        "scenarios:",
        "dependencies: { db: { kind: redis } }\nscenarios:",
      ),
      "6:42",
      "db has url, host, port, database",
    ],
    [
      "a place that programs do not have",
      FIRST.replace('" }', '", DB: "{db.user}" }').replace(
        "scenarios:",
        "dependencies: { db: { kind: program, run: './stub {port}' } }\nscenarios:",
      ),
      "6:42",
      "db has url, host, port",
    ],
    [
      "a place of a dependency that there is not",
      FIRST.replace("scenarios:", "dependencies: { db: { kind: redis } }\nscenarios:").replace(
        'env: { ADDR: "127.0.0.1:{port}" }',
        'env: { ADDR: "{port}", X: "{warehouse.url}" }',
      ),
      "6:31",
      "{warehouse.url} is not replaced; dependencies are: db",
    ],
    [
      "a seed of no service",
      beside("kind: redis, seed: { by: apo }"),
      "8:48",
      'did you mean "api"?',
    ],
    [
      "a seed of a service that does not need it",
      beside("kind: redis, seed: { by: api }"),
      "8:48",
      "api does not need db, so that it cannot fill it",
    ],
    [
      "another isolation",
      beside("kind: redis, isolation: own"),
      "8:47",
      "expected shared or separate",
    ],
    [
      "a build that needs a program",
      beside("kind: program, run: './stub {port}'", BUILD),
      "4:37",
      "db is a program; expected a postgresql or redis",
    ],
    [
      "a build that needs what a service fills",
      beside("kind: redis, seed: { by: api }", `${BUILD}\n    needs: [db]`),
      "4:37",
      "db is filled by a service, which is built first; seed it by a command",
    ],
    [
      "a place that is not needed by the build",
      beside("kind: redis", 'build: { command: make, needs: [db], env: { A: "{dc.url}" } }'),
      "4:52",
      "did you mean {db.url}?",
    ],
    [
      "a dependency of an unknown kind",
      FIRST.replace("scenarios:", "dependencies: { db: { kind: mysql } }\nscenarios:"),
      "8:29",
      "kind",
    ],
    [
      "a variant of nothing",
      FIRST.replace("scenarios:", "  other: { variantOf: apx }\nscenarios:"),
      "8:23",
      'there is no other service "apx"',
    ],
    [
      "a variant of a variant",
      FIRST.replace("scenarios:", "  a: { variantOf: api }\n  b: { variantOf: a }\nscenarios:"),
      "9:19",
      "is a variant itself",
    ],
    [
      "a path and a pattern",
      FIRST.replace("GET /hello", "{ path: /a, pathPattern: /b }"),
      "10:5",
      "got path and pathPattern, expected one of path, pathPattern, pathsFile",
    ],
    [
      "a pattern that is none",
      FIRST.replace("GET /hello", '{ pathPattern: "/(" }'),
      "10:29",
      "expected a regular expression",
    ],
    [
      "a floor above the margin of one scenario",
      `${FIRST}    metrics: { p99: { floor: 11% } }\n`,
      "12:30",
      "floor 11% is above margin 10%",
    ],
    [
      "a service's metric in a scenario",
      `${FIRST}    metrics: { rss: { margin: 6% } }\n`,
      "12:16",
      "rss",
    ],
    [
      "a floor above the margin of one service",
      service("metrics: { rss: { floor: 6% } }"),
      "7:30",
      "floor 6% is above margin 5%",
    ],
    [
      "latency of a service, which is a scenario's",
      service("metrics: { p99: { margin: 6% } }"),
      "7:16",
      "p99",
    ],
    [
      "memory before the slices have ended",
      FIRST.replace("    ready: /healthz", "    ready: /healthz\n    memory: { requests: 2000 }"),
      "8:25",
      "a round sends 2200; expected that many or more",
    ],
    [
      "memory after requests without a rate, which wrk2 cannot send",
      `${FIRST.replace("    ready: /healthz", "    ready: /healthz\n    memory: { requests: 90000 }")}    generator: wrk2\n`,
      "8:25",
      "can only keep a rate",
    ],
    [
      "a floor above the margin",
      `${FIRST}metrics: { rss: { floor: 6% } }\n`,
      "12:26",
      "could neither pass nor fail",
    ],
    [
      "a CPU twice",
      `${FIRST}runner: { cpus: { service: [1, 1], generator: [0] } }\n`,
      "12:32",
      "CPU 1 is listed twice",
    ],
    [
      "a service without load",
      `${FIRST}`
        .replace("scenarios:", '  b: { run: "x {port}" }\nscenarios:')
        .replace("    request", "    services: [api]\n    request"),
      "8:3",
      "no scenario loads it",
    ],
    ["a before of a number", service("before: 1"), "7:13", "or a mapping with request and values"],
    [
      "a before of nothing",
      login(""),
      "7:24",
      "request: got null, expected a request such as POST /login",
    ],
    [
      "a request for nothing",
      service("before: { request: POST /login }"),
      "7:5",
      "values: missing, expected a mapping of places by name",
    ],
    ["a request without a method that exists", login("post /login"), "7:24", "such as GET /hello"],
    ["many paths to log in", login("{ pathsFile: a }"), "7:26", 'unknown key "pathsFile"'],
    [
      "a login of no path",
      login("{ json: 1 }"),
      "7:15",
      "services.api.before.request.path: missing, expected a path such as /login",
    ],
    [
      "two bodies of a login",
      login("{ path: /, body: a, json: 1 }"),
      "7:15",
      "got body and json, expected one of",
    ],
    [
      "a login's body elsewhere",
      login("{ path: /, bodyFile: ../x }"),
      "7:45",
      "it leads out of the service's dir",
    ],
    [
      "a value of a bad name",
      login("POST /", "a-b: c"),
      "7:42",
      '"a-b" is not a name; expected a name of letters, digits and underscores',
    ],
    ["a value of no place", login("POST /", "a: b..c"), "7:45", "a place such as user.token"],
    [
      "a value that a login does not give",
      login("POST /", "a: b").replace("GET /hello", '{ path: "/{token}" }'),
      "10:14",
      "scenarios.echo.request: {token} in the path is not among what `before` gives (a)",
    ],
    ["half a day", `${FIRST}baselines: { maxAge: 36h }\n`, "12:22", "in steps of 1d"],
  ];
  test.each(cases)("%s", (_name, text, position, words) => {
    const message = refusal(text);
    expect(message).toContain(`tailgate.yml:${position}`);
    expect(message).toContain(words);
  });

  test("everything at once, in the order of the file", async () => {
    const text = `version: 2
sevrices: {}
services:
  api:
    dir: missing
    build: make && make install
    run: "{artifact} --port {ports}"
    env: { A-B: 1, X: ~ }
  old:
    run: ./old
    port: 8080
  older:
    run: ./older
    port: 8080
    scheme: alternate
    artefact: x
scenarios:
  echo:
    services: [oldest, api]
    request: { path: /echo, bodyFile: nope.json }
    rate: 2/s
  slow:
    request: POST /slow
    rate: fast
metrics:
  p98: { level: gate }
  rss: { margin: 5, absoluteFloor: 1MB }
`;
    await checkGolden("config/refused.txt", `${refusal(text)}\n`);
  });

  test("problems carry their place, for annotations", () => {
    try {
      parse(FIRST.replace("2000/s", "fast"));
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      expect(error.file).toBe("tailgate.yml");
      expect(error.problems).toMatchObject([
        { position: { line: 11, column: 11 }, path: "scenarios.echo.rate" },
      ]);
    }
  });

  test("two services cannot have one port", () => {
    const legacy = "run: ./x\n    port: 8080\n    scheme: alternate\n";
    const text = FIRST.replace(
      / {2}api:[\s\S]*healthz\n/,
      `  a:\n    ${legacy}  b:\n    ${legacy}`,
    );
    expect(refusal(text)).toContain("services.b.port: 8080 is already the port of a");
  });
});
