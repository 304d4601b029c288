// What `init` learns from real programs that it builds and starts.
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { afterAll, expect, type TestContext, test } from "vitest";
import { describePlan } from "../../src/app/gate/plan.ts";
import { initKernel } from "../../src/app/init.ts";
import { silentProgress } from "../../src/app/progress.ts";
import { openProject } from "../../src/app/project/project.ts";
import { findPostgresFolder } from "../../src/machine/run/dependency/server-program.ts";
import { readProcessTree } from "../../src/machine/run/probe/process-tree.ts";
import { findFreePort } from "../../src/machine/run/service/free-port.ts";
import { tryFindProgram } from "../../src/machine/sys/find-program.ts";
import { readOrEmpty } from "../../src/machine/sys/or-null.ts";
import { makeTestFolder, makeTestRepository } from "../../test/support/build.ts";
import { skipUnlessInstalled } from "../../test/support/dependency.ts";
import { makeEnvironment } from "../../test/support/environment.ts";
import { tellPlan } from "../sheets/plan.ts";
import { initConfiguration } from "./init.ts";
import { MYSQL_SERVERS, SERVER_FOLDER } from "./mysql.ts";

const FIXTURES = resolve(import.meta.dirname, "fixtures");

/** Without a load generator no rate is measured, and none is installed. */
const WITHOUT_OHA = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((folder) => !existsSync(join(folder, "oha")))
  .join(delimiter);

interface Case {
  fixture?: string;
  /** The real one measures. */
  withOha?: boolean;
  files?: Readonly<Record<string, string>>;
  run?: boolean;
}

const proposed = async (input: Case): Promise<string> => (await tried(input)).text;

/** The proposal, what was said on the way, and what `plan` says of the proposal. */
async function tried({ fixture, files = {}, run = false, withOha = false }: Case) {
  const said: string[] = [];
  using repository = makeTestRepository();
  using cache = makeTestFolder();
  if (fixture !== undefined) {
    cpSync(join(FIXTURES, fixture), repository.path, { recursive: true });
  }
  for (const [path, text] of Object.entries(files)) repository.write(path, text);
  repository.commit("first");
  const environment = makeEnvironment(repository.path, {
    env: {
      ...process.env,
      PATH: withOha ? process.env.PATH : WITHOUT_OHA,
      TAILGATE_LOCK: join(cache.path, "lock"),
    },
    cache: join(cache.path, "cache"),
    progress: { ...silentProgress, note: (line) => void said.push(line) },
  });
  const asked = { run, print: false, workflow: null, workingFolder: repository.path };
  const { files: made } = await initConfiguration(
    { ...asked, path: environment.env.PATH },
    initKernel(environment),
  );
  const [{ path = "", text = "" } = {}] = made;
  writeFileSync(path, text);
  const plan = describePlan(await openProject({}, environment), tellPlan);
  return { text, said, plan };
}

afterAll(() => {
  const left = readProcessTree(process.pid)
    .map(({ pid }) => readOrEmpty(`/proc/${pid}/cmdline`))
    .filter((line) => /server\.(?:mjs|py)|greeter|mysql/.test(line));
  expect(left).toEqual([]);
});

function needs(program: string, context: TestContext, path?: string): void {
  if (tryFindProgram(program, path) !== null) return;
  console.warn(`skipped: ${program} not on PATH`);
  context.skip(`${program} not on PATH`);
}

test("a Go server is built, started twice by its flag, and asked", async (context) => {
  needs("go", context);
  const text = await proposed({ fixture: "go-net-http", run: true });
  expect(text).toContain("    # Not proposed: GET /gone answered 410.\n");
  expect(text).toContain("    ready: /healthz\n");
  // A parameter with an answer is no guess any more.
  expect(text).toContain("    request: GET /greet/example\n");
  expect(text).not.toContain("request: GET /gone");
});

test.for([
  ["node-http", "node", "request: GET /greet\n", "ready: /health\n"],
  ["python-http", "python3", "request: GET /greet\n", "ready: /greet\n"],
] as const)("%s needs no build, and is started where it lies", async (input, context) => {
  const [fixture, program, request, ready] = input;
  needs(program, context);
  const text = await proposed({ fixture });
  expect(text).toContain(request);
  expect(text).toContain(ready);
  expect(text).not.toContain("Could not start it");
});

const server = (port: string): Record<string, string> => ({
  "server.mjs": `import { createServer } from "node:http";
createServer((request, response) => response.writeHead(request.url === "/" ? 200 : 404).end())
  .listen(${port}, "127.0.0.1");
`,
});

/** Answers what `answer` says of a path with its text, and everything else with this status. */
const answering = (
  answer: Readonly<Record<string, string>>,
  missing = 404,
): Record<string, string> => ({
  "server.mjs": `import { createServer } from "node:http";
const answers = new Map(Object.entries(${JSON.stringify(answer)}));
createServer(({ url }, response) =>
  response.writeHead(answers.has(url) ? 200 : ${missing}).end(answers.get(url)),
).listen(process.env.PORT, "127.0.0.1");
`,
});

test.concurrent("what no source shows is asked of the service, by its description", async () => {
  const description = (path: string): string =>
    JSON.stringify({ openapi: "3.1.0", paths: { [path]: { get: {} }, "/gone": { get: {} } } });
  const text = await proposed({
    files: answering({ "/openapi.json": description("/things"), "/things": "[]" }),
  });
  expect(text).toContain("    request: GET /things\n");
  expect(text).toContain("    # Not proposed: GET /gone answered 404.\n");
  const spring = await proposed({
    files: answering({ "/v3/api-docs": description("/a/{b}"), "/a/1": "1" }),
  });
  expect(spring).toContain("    request: GET /a/1\n");
});

test.concurrent("any path that answers 200 says better than an open port that it is ready", async () => {
  const home = await proposed({ files: answering({ "/": "", "/openapi.json": "[]" }) });
  expect(home).toContain("    ready: /\n");
  const nothing = await proposed({ files: answering({}) });
  expect(nothing).toContain("    ready: { tcp: true } ");
});

/** Answers each path, and what matches `all` with one page. */
const withPageFor = (all: RegExp, own: string): Record<string, string> => ({
  "server.mjs": `import { createServer } from "node:http";
createServer(({ url }, response) => {
  const isOwn = ${JSON.stringify(own)} === url;
  response.writeHead(isOwn || ${all}.test(url) ? 200 : 404, { "content-type": isOwn ? "text/plain" : "text/html" });
  response.end(isOwn ? "fine" : \`<p>no \${url}</p>\`);
}).listen(process.env.PORT, "127.0.0.1");
`,
});

test.concurrent.each([
  ["all of two parts", /^\/\w+\/\w+$/, "/", "/"],
  ["all, and its own health", /./, "/health/live", "/health/live"],
  ["all", /./, "/greet", "/"],
])("a page for %s is no sign that it is ready", async (_name, all, own, ready) => {
  expect(await proposed({ files: withPageFor(all, own) })).toContain(`    ready: ${ready}\n`);
});

test.concurrent("what is compressed for whoever asks is asked for so", async () => {
  const text = await proposed({
    files: {
      "server.mjs": `import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
createServer(({ headers }, response) => {
  const isAsked = headers["accept-encoding"] !== undefined;
  response.writeHead(200, isAsked ? { "content-encoding": "gzip" } : {}).end(isAsked ? gzipSync("a") : "a");
}).listen(process.env.PORT, "127.0.0.1");
`,
    },
  });
  expect(text).toContain(
    "    request: { path: /, headers: { accept-encoding: gzip } } # it compresses",
  );
});

test.concurrent.each([
  [404, "answered 404: ask for something that exists"],
  [401, "answered 401: log in by `before`, or ask for what needs no login"],
  [403, "answered 403: log in by `before`, or ask for what needs no login"],
])("a request that must stand in for another says that it answered %i", async (status, comment) => {
  const text = await proposed({ files: answering({ "/openapi.json": "[]" }, status) });
  expect(text).toContain(`    request: GET /               # ${comment}\n`);
  expect(text).not.toContain("Not proposed");
});

test.concurrent("a variable that nobody could see is found by trying", async () => {
  const text = await proposed({
    files: server('process.env[["SERVER", "PORT"].join("_")] ?? 0'),
  });
  expect(text).toContain('env: { SERVER_PORT: "{port}" }');
});

test.concurrent("a port that nothing changes is fixed", async () => {
  const port = await findFreePort();
  const text = await proposed({ files: server(`parseInt("${port}")`) });
  expect(text).toContain(`    port: ${port} `);
  expect(text).toContain("    scheme: alternate\n");
});

test.concurrent("a port that changes by itself cannot be proposed, and that is said", async () => {
  const text = await proposed({ files: server("0") });
  expect(text).toMatch(
    / {4}# Could not start it: it was (?:not ready within|given up after) .*; it listens on \S+:\d+\.\n/,
  );
});

test("a service that ends is not waited for", async () => {
  const { text, said } = await tried({
    files: {
      "server.mjs": `console.error("no licence");\nprocess.exit(3);\ncreateServer().listen(process.env.PORT);\n`,
    },
  });
  expect(said.slice(-2)).toEqual([
    "could not start it: it ended with code 3 before it was ready",
    "  no licence",
  ]);
  expect(text).toContain(
    "    # Could not start it: it ended with code 3 before it was ready (no licence).\n",
  );
});

test("a service that does not start is no part of the gate of one that does", async () => {
  const { text, plan } = await tried({
    files: {
      "a/server.mjs": server("process.env.PORT")["server.mjs"] ?? "",
      "b/server.mjs": "process.exit(3);\ncreateServer().listen(process.env.PORT);\n",
    },
  });
  expect(text).toContain("  #   # Could not start it: it ended with code 3 before it was ready.\n");
  expect(text).toContain("  # b-home:\n");
  expect(plan.value.scenarios.map(({ id }) => id)).toEqual(["a/a-home"]);
});

test("a build that fails leaves the proposal as it was read", async (context) => {
  needs("go", context);
  const { text, said } = await tried({ fixture: "go-echo", run: true });
  expect(text).toMatch(
    / {4}# Could not start it: build of notes .* failed after .*: go build exited with code 1 \(.+\)\.\n/,
  );
  expect(text).toContain("request: GET /notes ");
  // With what go printed.
  expect(said.some((line) => line.includes("github.com/labstack/echo"))).toBe(true);
});

test("beside PostgreSQL a service is asked what is in its tables, and measured", async (context) => {
  skipUnlessInstalled(() => findPostgresFolder(), "postgresql", context);
  needs("npm", context);
  needs("oha", context);
  const { text, plan } = await tried({ fixture: "node-postgresql", run: true, withOha: true });
  expect(text).toContain("  postgres: { kind: postgresql, schema: [schema.sql] }");
  // Of milliseconds, most of which PostgreSQL takes to read its rows.
  const [, rps = "", ms = ""] =
    / request: GET \/books\n.* (\d+)\/s .* took ([\d.]+)\sms of CPU here\n/.exec(text) ?? [];
  // A third of a second's CPU time; both numbers are rounded to two digits, each by up to 5 %.
  expect(Number(rps) * Number(ms)).toBeLessThanOrEqual((1000 / 3) * 1.05 ** 2);
  expect(Number(rps)).toBeGreaterThanOrEqual(5);
  const { scenarios, dependencies } = plan.value;
  expect(scenarios.map(({ rateRps }) => rateRps)).toEqual([Number(rps)]);
  expect(dependencies.map(({ name }) => name)).toEqual(["postgres"]);
});

test("so it is asked beside MySQL, which is a program of the proposal's own", async (context) => {
  if (!MYSQL_SERVERS.some((name) => tryFindProgram(name, `${process.env.PATH}:${SERVER_FOLDER}`))) {
    needs("mysqld", context);
  }
  needs("npm", context);
  const { text, said, plan } = await tried({ fixture: "node-mysql", run: true });
  expect(said).toContainEqual(expect.stringMatching(/^mysql: on port \d+, started in /));
  expect(text).toContain("    request: GET /books\n");
  expect(plan.value.dependencies.map(({ name }) => name)).toEqual(["mysql"]);
});
