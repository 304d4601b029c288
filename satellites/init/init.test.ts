import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { configFromText } from "../../src/app/config/load.ts";
import { refuseTooLittleTime } from "../../src/app/gate/time-to-answer.ts";
import { initKernel } from "../../src/app/init.ts";
import type { InitFlags } from "../../src/core/model/try.ts";
import { makeEnvironment } from "../../test/support/environment.ts";
import { checkGolden } from "../../test/support/golden.ts";
import { treeOf } from "../../test/support/tree.ts";
import { firstWorkflow } from "./first-workflow.ts";
import { initConfiguration, proposeConfiguration } from "./init.ts";
import type { ServiceProposal } from "./proposal.ts";
import { proposeServices } from "./propose.ts";
import { renderConfiguration } from "./render-configuration.ts";
import { readTree, type Tree } from "./tree.ts";
import { withPortAsTold } from "./trial.ts";

const FIXTURES = resolve(import.meta.dirname, "fixtures");
/** Each for one peculiarity. */
const SMALL = join(FIXTURES, "small");
const namesIn = (path: string): string[] => readdirSync(path).sort();
const REPOSITORIES = namesIn(FIXTURES).filter((name) => name !== "small");
/** With it or without it on this machine. */
const MYSQL = "mysql";

const folder = mkdtempSync(join(tmpdir(), "tailgate-init-"));
afterAll(() => rmSync(folder, { recursive: true }));

const KERNEL = initKernel(makeEnvironment(folder));
/** Whatever this machine has. */
const WITHOUT_MYSQL = { hasMysql: false };

/** Of services that differ in their port alone the files of one, and the folders of all. */
const COPIES: Readonly<Record<string, { folders: string; port(i: number): number }>> = {
  // Two have the same.
  many: { folders: "abcdefghijk", port: (i) => (i === 1 ? 8080 : 8080 + i) },
  "many-slow": { folders: "abcdefgh", port: () => 8080 },
};

function smallTree(name: string): Tree {
  const tree = readTree(join(SMALL, name));
  const copies = COPIES[name];
  if (copies === undefined) return tree;
  const files = [...copies.folders].flatMap((copy, i) =>
    tree.paths.map((path) => [
      `${copy}/${path}`,
      tree.read(path).replace("8080", String(copies.port(i))),
    ]),
  );
  return treeOf(Object.fromEntries(files));
}

describe("a proposal for each kind of repository", () => {
  test.each(REPOSITORIES)("%s", async (name) => {
    const root = join(FIXTURES, name);
    const text = proposeConfiguration(readTree(root), WITHOUT_MYSQL, KERNEL);
    await checkGolden(`init/${name}.yml`, text);
    const config = configFromText(text, join(root, "tailgate.yml"), root);
    expect(config.services.length).toBeGreaterThan(0);
    refuseTooLittleTime(config);
  });

  test.each(namesIn(SMALL).filter((name) => name !== MYSQL))("%s", async (name) => {
    const text = proposeConfiguration(smallTree(name), WITHOUT_MYSQL, KERNEL);
    await checkGolden(`init/small/${name}.yml`, text);
    refuseTooLittleTime(configFromText(text, "tailgate.yml"));
  });

  test.each([true, false])("with MySQL on this machine: %s", async (hasMysql) => {
    const text = proposeConfiguration(smallTree(MYSQL), { hasMysql }, KERNEL);
    await checkGolden(`init/small/mysql${hasMysql ? "" : "-absent"}.yml`, text);
    refuseTooLittleTime(configFromText(text, "tailgate.yml"));
  });
});

describe("of services that were tried", () => {
  const root = join(FIXTURES, "monorepo");
  test.each([
    ["one that did not start is left out", ["users"], ["search"]],
    ["where none started, all stay", ["search", "users"], ["search", "users"]],
  ])("%s", async (name, failed, gated) => {
    const services = proposeServices(readTree(root), { most: 1, ...WITHOUT_MYSQL }).map(
      (service): ServiceProposal => ({
        ...service,
        trial: failed.includes(service.program.name)
          ? { kind: "failed", text: "it ended with code 1" }
          : { kind: "ran", startupMs: 20, refused: [] },
      }),
    );
    const text = renderConfiguration({ services, others: [], timeBudgetMinutes: null });
    await checkGolden(`init/tried/${name.replaceAll(/\W+/g, "-")}.yml`, text);
    const gatedBy = (written: string): string[] =>
      configFromText(written, join(root, "tailgate.yml"), root).services.map((one) => one.name);
    expect(gatedBy(text).sort()).toEqual(gated);
    // All are there once the marks are gone.
    expect(gatedBy(text.replaceAll(/^( {2})?# (?!What )/gm, "$1")).sort()).toEqual([
      ...["search", "users"],
    ]);
  });
});

describe("how a program is started that a container starts", () => {
  const check = (files: Record<string, string>, expected: unknown): void => {
    const [service] = proposeServices(treeOf(files), { most: 1, ...WITHOUT_MYSQL });
    expect(service?.program.run).toEqual(expected);
  };
  const code = "createServer().listen(process.env.PORT);";
  const node = (dockerfile: string, scripts: object = {}): Record<string, string> => ({
    "services/api/package.json": JSON.stringify({ scripts: { start: "ts-node a.ts", ...scripts } }),
    "services/api/a.ts": code,
    Dockerfile: `FROM node\n# api\n${dockerfile}\n`,
  });
  const go = (dockerfile: string): Record<string, string> => ({
    "go.mod": "module example.com/api\n",
    "main.go": `package main
func main() { switch os.Args[1] { case "serve": http.ListenAndServe(":8080", nil) } }
`,
    Dockerfile: `FROM scratch\n${dockerfile}\n`,
  });
  test.each<[string, Record<string, string>, unknown]>([
    ["in its folder", node("CMD node dist/a.js"), ["node", "dist/a.js"]],
    ["from the root", node("CMD node services/api/dist/a.js"), ["node", "dist/a.js"]],
    ["in its image", node("CMD node /app/services/api/dist/a.js"), ["node", "dist/a.js"]],
    ["for developers", node("CMD node --watch --inspect=0.0.0.0 a.js"), ["node", "a.js"]],
    ["with a step before", node("CMD node dist/a.js", { prestart: "x" }), "npm start"],
    ["by nothing but options", node("CMD node --watch"), "npm start"],
    ["with its command", go('ENTRYPOINT ["/api"]\nCMD ["serve"]'), ["{artifact}", "serve"]],
    ["without one", go('ENTRYPOINT ["/api"]'), null],
    ["as something else", go('ENTRYPOINT ["/other"]'), ["{artifact}", "serve"]],
  ])("%s", (_name, files, expected) => check(files, expected));
});

describe("what a container is given", () => {
  const check = (files: Record<string, string>, expected: string): void => {
    const code = "createServer().listen(process.env.PORT, process.env.CITY, process.env.API_KEY);";
    const tree = treeOf({
      "package.json": '{"scripts":{"start":"node a.js"}}',
      "a.js": code,
      ...files,
    });
    const [service] = proposeServices(tree, { most: 1, ...WITHOUT_MYSQL });
    const seen = [...(service?.samples ?? [])].map(([name, { value }]) => `${name}=${value}`);
    expect(seen.join(" ")).toBe(expected);
  };
  const composed = (values: string): string =>
    `services: { a: { build: ., environment: { ${values} } } }`;
  test.each<[string, Record<string, string>, string]>([
    ["a value", { "compose.yaml": composed("CITY: Rome") }, "CITY=Rome"],
    ["a secret", { "docker-compose.yml": composed("API_KEY: x1") }, "API_KEY=null"],
    [
      "a secret that a sample has",
      { "compose.yml": composed("API_KEY: x1"), ".env.example": "API_KEY=any\n" },
      "API_KEY=any",
    ],
    ["a file of its image", { "compose.yml": composed("CITY: /etc/city") }, ""],
    ["what overrides it", { "docker-compose.override.yml": composed("CITY: Rome") }, ""],
    ["a variant of it", { "compose.local.yaml": composed("CITY: Rome") }, ""],
  ])("%s", (_name, files, expected) => check(files, expected));
});

describe("servers that a program has drivers for", () => {
  const check = (sample: string, expected: string[], files: Record<string, string> = {}): void => {
    const dependencies = { pg: "8", mysql2: "3", ioredis: "5" };
    const tree = treeOf({
      "package.json": JSON.stringify({ scripts: { start: "node a.js" }, dependencies }),
      "a.js": "createServer().listen(process.env.PORT);",
      ".example.env": sample,
      ...files,
    });
    const [service] = proposeServices(tree, { most: 1, hasMysql: true });
    expect(service?.needs.servers.map(({ kind }) => kind)).toEqual(expected);
  };
  const both = "DB_HOST=localhost\nDB_PORT=5432\n";
  const composed = {
    "compose.yml": "services: { a: { build: ., depends_on: [b] }, b: { image: 'mysql:8' } }",
  };
  test.each<[string, string, string[], Record<string, string>?]>([
    ["all, where nothing says more", "", ["mysql", "postgresql", "redis"]],
    ["one address of a database", both, ["postgresql", "redis"]],
    ["one for each", `${both}MYSQL_HOST=localhost\n`, ["mysql", "postgresql", "redis"]],
    ["one that runs beside it", both, ["mysql", "postgresql", "redis"], composed],
    ["one that is off", "REDIS_ENABLED=false\n", ["mysql", "postgresql"]],
    ["one that is on", "REDIS_ENABLED=true\n", ["mysql", "postgresql", "redis"]],
  ])("%s", (_name, sample, expected, files) => check(sample, expected, files));
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
  writeFileSync(join(root, "main.go"), "package main\n");
  const { files } = await initConfiguration({ ...ASKED, workingFolder: join(root, "a/b") }, KERNEL);
  expect(files.map(({ path }) => path)).toEqual([join(root, "tailgate.yml")]);
  expect(files[0]?.text).toContain("go build");
});

const ASKED = { run: false, print: false, workflow: null, path: "" };
const WORKFLOW = ".github/workflows/tailgate.yml";

/** What is there already, what is asked for, and the files that come of it or why none do. */
const EXISTING: [string, string[], Partial<InitFlags>, string[] | string][] = [
  ["nothing", [], {}, ["tailgate.yml"]],
  ["nothing, with a workflow", [], { workflow: "hosted" }, ["tailgate.yml", WORKFLOW]],
  ["a configuration", ["tailgate.yml"], { run: true }, "tailgate.yml exists already"],
  ["one that is printed anew", ["tailgate.yml"], { print: true }, ["tailgate.yml"]],
  ["one that lacks a workflow", ["tailgate.yml"], { workflow: "self-hosted" }, [WORKFLOW]],
  ["a workflow of this name", [WORKFLOW], { workflow: "hosted" }, `${WORKFLOW} exists already`],
  [
    "a workflow of another name",
    [".github/workflows/perf.yaml"],
    { workflow: "hosted" },
    ".github/workflows/perf.yaml exists already",
  ],
];

test.each(EXISTING)("where there is %s", async (name, paths, flags, expected) => {
  const root = join(folder, name);
  mkdirSync(join(root, ".github/workflows"), { recursive: true });
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, "go.mod"), "module x\n");
  writeFileSync(join(root, "main.go"), "package main\n");
  for (const path of paths) writeFileSync(join(root, path), "uses: tailgate/tailgate@v0\n");
  const kernel = { ...KERNEL, tryServices: () => Promise.reject(new Error("it was tried")) };
  const made = initConfiguration({ ...ASKED, ...flags, workingFolder: root }, kernel);
  if (typeof expected === "string") await expect(made).rejects.toThrow(expected);
  else expect((await made).files.map(({ path }) => relative(root, path))).toEqual(expected);
});

const CRASH = `node:internal/modules/package_json_reader:314
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'express' imported from /a/server.mjs
    at Object.getPackageJSONURL (node:internal/modules/package_json_reader:314:9) {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v24.18.0`;

test.each([
  [" (node: .env: not found)", "node: .env: not found"],
  [
    " (Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'express' imported from /a/server.mjs)",
    CRASH,
  ],
  [
    " (thread 'main' (7) panicked at src/main.rs:1:50: called `Result::unwrap()`: NotPresent)",
    "thread 'main' (7) panicked at src/main.rs:1:50:\ncalled `Result::unwrap()`: NotPresent\nnote: run with `RUST_BACKTRACE=1`",
  ],
  [
    " (Error: no key)",
    `/a/dist.js:1\n${"a=1;".repeat(200)}throw new Error("error: a")\n\nError: no key\n    at b`,
  ],
  [
    ' (npm error Missing script: "serve")',
    'npm error Missing script: "serve"\nnpm error A complete log of this run can be found in: /l.log',
  ],
  [" (no licence)", "reading settings\n  no licence\n"],
  ["", ""],
])("why a service did not start is in the file, though no other did: %j", async (why, detail) => {
  const root = mkdtempSync(join(folder, "ended-"));
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, "server.mjs"), "createServer().listen(process.env.PORT);");
  const launch = { kind: "failed", text: "it ended with code 9", detail, next: null } as const;
  const service = { name: "server", dir: ".", run: [], launch, scenarios: [], asked: [] };
  const tryServices: typeof KERNEL.tryServices = async () => ({
    schema: "tailgate.try.v1",
    services: [service],
  });
  const asked = { ...ASKED, workingFolder: root };
  const { files } = await initConfiguration(asked, { ...KERNEL, tryServices });
  expect(files[0]?.text).toContain(`    # Could not start it: it ended with code 9${why}.\n`);
});

test.each([
  ["self-hosted", "smallest.yml"],
  ["hosted", "hosted-runner/perf-gate.yml"],
] as const)("the workflow of a %s machine is the example", (runner, example) => {
  const text = readFileSync(resolve(FIXTURES, "../../../docs/examples", example), "utf8");
  expect(firstWorkflow(runner)).toBe(text.replace(/^# Copy to .*\n/m, ""));
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
  writeFileSync(join(root, ".example.env"), "PORT=3000");
  const tree = readTree(root);
  expect(tree.paths).toEqual([".example.env", "app.js"]);
  expect(tree.read("app.js")).toBe("");
});

test.each([
  [{ kind: "fixed", port: 9090 }, [9100]],
  [{ kind: "variable", name: "PORT", form: "port" }, [9090, 9100]],
  [{ kind: "configured" }, [9090, 9100]],
] as const)("beside the port that it was told: %j", (told, expected) => {
  const [service] = proposeServices(readTree(join(FIXTURES, "go-chi")), {
    most: 1,
    hasMysql: false,
  });
  if (service === undefined) throw new Error("no service");
  const alsoListens = [9090, 9100].map((one) => ({ port: one, seenIn: "f", flag: null }));
  const found = withPortAsTold({ ...service, alsoListens }, told).alsoListens;
  expect(found.map((one) => one.port)).toEqual(expected);
});

/** Of one route at this rate, in a service that was tried. */
function proposalAt(name: string, rps: number, startupMs = 20): ServiceProposal {
  const tree = readTree(join(FIXTURES, name));
  const [service] = proposeServices(tree, { most: 1, ...WITHOUT_MYSQL });
  if (service === undefined) throw new Error("no service");
  const rate = { kind: "measured", rps, cpuUs: 300_000 / rps } as const;
  const requests = service.requests.map((request) => ({ ...request, rate }));
  return { ...service, requests, trial: { kind: "ran", startupMs, refused: [] } };
}

const proposedAt = (...of: Parameters<typeof proposalAt>): string =>
  renderConfiguration({ services: [proposalAt(...of)], others: [], timeBudgetMinutes: null });

test.each([
  [1000, 5000],
  [35, 1050],
])("a JVM at %d/s is warmed up with %d requests", (rps, warmup) => {
  expect(proposedAt("java-maven", rps)).toContain(` warmup: ${warmup} `);
});

test.each([
  ["java-maven", 100, 15_000, 7],
  ["java-maven", 1000, 15_000, 12],
  ["java-maven", 10, 15_000, null],
  ["node-express", 500, 400, null],
  ["node-express", 500, 4000, 5],
  ["go-chi", 500, 20, null],
] as const)("%s at %d/s, ready after %d ms: %s pairs", (name, rps, startupMs, pairs) => {
  const [, written = null] =
    /slice: \{ pairs: (\d+) \}/.exec(proposedAt(name, rps, startupMs)) ?? [];
  expect(written).toBe(pairs === null ? null : String(pairs));
});

test("of one that is slow to start more pairs are proposed, and time for so many starts", async () => {
  const root = join(folder, "slow");
  mkdirSync(join(root, ".git"), { recursive: true });
  writeFileSync(join(root, "go.mod"), "module x\n");
  writeFileSync(join(root, "main.go"), "package main\n");
  const told = { kind: "configured" } as const;
  const launch = { kind: "ready", told, port: 1, startupMs: 15_000 } as const;
  const service = { name: "x", dir: ".", run: [], launch, scenarios: [], asked: [] };
  const tryServices = () =>
    Promise.resolve({ schema: "tailgate.try.v1" as const, services: [service] });
  const { files } = await initConfiguration(
    { ...ASKED, run: true, workingFolder: root },
    { ...KERNEL, tryServices },
  );
  expect(files[0]?.text).toContain("slice: { pairs: 5 }          # it took 15 s to start");
  expect(files[0]?.text).toContain("timeBudget: 16m");
});
