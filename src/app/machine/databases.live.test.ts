// Databases that a service makes or writes to itself, with a real PostgreSQL: each arm has its own,
// and nobody has to say so. The load is a fake oha's.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, type TestContext, test, vi } from "vitest";
import { skipUnlessInstalled } from "../../../test/support/dependency.ts";
import { makeEnvironment } from "../../../test/support/environment.ts";
import { GateTemporary } from "../../../test/support/gate-temporary.ts";
import { fakeLoad, Project, quietHost } from "../../../test/support/project.ts";
import type { Samples } from "../../core/model/samples.ts";
import { describeVerdict } from "../../core/report/words/verdict.ts";
import { judge } from "../../core/verdict/judge.ts";
import { findPostgresFolder } from "../../machine/run/dependency/server-program.ts";
import { measure } from "../gate/measure.ts";
import { silentProgress } from "../progress.ts";
import { openProject } from "../project/project.ts";
import { runWithDependencies } from "../with-dependencies.ts";

const APP = readFileSync(
  resolve(import.meta.dirname, "../../../test/fixtures/service/migrating.mjs"),
  "utf8",
);
const TABLES = `CREATE TABLE users AS SELECT id, 'user ' || id AS name FROM generate_series(1, 10000) AS id;
CREATE INDEX users_id ON users (id);
CREATE TABLE visits (at timestamptz);
ANALYZE users;
`;
/** What the app writes of each migration. */
const MARKS = "CREATE TABLE migrations (name text); INSERT INTO migrations VALUES ('1.sql');\n";

/** A seed by which the reference starts first in the first round. */
const REFERENCE_FIRST = 1;

vi.setConfig({ testTimeout: 120_000 });
quietHost();

let project: Project;
let temporary: GateTemporary;
/** Of the variables that a test sets. */
let usual: [name: string, value: string | undefined][];

beforeEach((context: TestContext) => {
  skipUnlessInstalled(() => findPostgresFolder(), "postgresql", context);
  temporary = new GateTemporary();
  project = new Project([], { oha: "fake" });
  const own = fakeLoad(project.root);
  usual = Object.keys(own).map((name) => [name, process.env[name]]);
  Object.assign(process.env, own);
  project.write("server.mjs", APP);
  project.write("migrations/1.sql", TABLES);
});

afterEach(() => {
  for (const [name, value] of usual ?? []) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  temporary?.remove();
  project?.remove();
});

interface Setup {
  dependency?: string;
  strict?: boolean;
  method?: string;
}

function configuration({ dependency = "", strict = false, method = "GET" }: Setup): string {
  return `version: 1
runner: { keepAwake: false }
dependencies:
  db: { kind: postgresql${dependency} }
services:
  api:
    run: ["${process.execPath}", server.mjs]
    needs: [db]
    env: { PORT: "{port}", DATABASE_URL: "{db.url}", SEEN: ${seenFile()}${strict ? ", STRICT: 1" : ""} }
    ready: /
scenarios:
  user: { request: ${method} /visits, rate: 1000/s, connections: 2, warmup: 10, slice: { duration: 90ms, pairs: 1 } }
policy: { alpha: 20% }
`;
}

function seenFile(): string {
  return join(temporary.path, "seen.jsonl");
}

interface Seen {
  DATABASE_URL: string;
  found: string[];
  applied: string[];
  plan: string;
  visits: string;
}

function seen(): Seen[] {
  const lines = readFileSync(seenFile(), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

/** Of the starts that found the arm's own database. */
function startsOf(arm: string): Seen[] {
  return seen().filter(({ DATABASE_URL }) => DATABASE_URL.endsWith(`/${arm}_copy`));
}

const environmentFor = (notes: string[], secrets: string[] = []) =>
  makeEnvironment(project.root, {
    env: { ...process.env, TAILGATE_LOCK: join(temporary.path, "lock") },
    // Not below the repository, so that checkouts stand in it.
    cache: join(temporary.path, "cache"),
    progress: {
      ...silentProgress,
      note: (line) => notes.push(line),
      secret: (value) => secrets.push(value),
    },
  });

/** The working tree against its last commit, whatever else runs on this machine. */
async function measured(
  rounds = 1,
): Promise<{ samples: Samples; notes: string[]; secrets: string[] }> {
  const notes: string[] = [];
  const secrets: string[] = [];
  const environment = environmentFor(notes, secrets);
  const options = { config: null, measureUnchanged: true, seed: REFERENCE_FIRST };
  const opened = await openProject(options, environment);
  const samples = await measure(
    {
      project: { ...opened, reference: "HEAD" },
      baselines: [],
      path: join(project.root, ".tailgate/samples.v1.json"),
      earlier: null,
      plan: { kind: "rounds", rounds, reference: "base" },
    },
    environment,
  );
  const isServers = (name: string) => existsSync(join(temporary.path, name, "data"));
  expect(temporary.folders().filter(isServers)).toEqual([]);
  expect(segments().filter((line) => !EARLIER.includes(line))).toEqual([]);
  return { samples, notes, secrets };
}

/** Shared memory that no process uses any more: nothing else tells whose it was. */
function segments(): string[] {
  return readFileSync("/proc/sysvipc/shm", "utf8")
    .split("\n")
    .slice(1)
    .filter((line) => line !== "" && line.trim().split(/\s+/)[6] === "0");
}

/** Whatever was killed on this machine before. */
const EARLIER = segments();

function expectMeasured(samples: Samples, rounds = 1): void {
  expect(samples.rounds).toHaveLength(rounds);
  expect(samples.rounds.flatMap(({ failure }) => failure ?? [])).toEqual([]);
}

test("a service that migrates itself is measured without a word", async () => {
  project.write("tailgate.yml", configuration({}));
  project.commit("first");
  const { samples } = await measured(2);
  expectMeasured(samples, 2);
  expect(samples.dependencies?.[0]).toMatchObject({ isolation: "separate" });
  for (const arm of ["reference", "candidate"]) {
    const applied = startsOf(arm).map((one) => one.applied);
    expect(applied).toEqual([["1.sql"], ["1.sql"]]);
  }
});

/** An index that the candidate's new migration drops, of a service that refuses a newer database. */
async function expectIndexMissed(
  dependency: string,
  { found }: { found: string[] },
): Promise<void> {
  project.write("tailgate.yml", configuration({ strict: true, dependency }));
  project.commit("first");
  project.write("migrations/2.sql", "DROP INDEX users_id");
  const { samples } = await measured();
  expectMeasured(samples);
  const unseen = (all: string[]): string[] => all.filter((name) => !found.includes(name));
  const reference = startsOf("reference").at(-1);
  expect(reference).toMatchObject({ found, applied: unseen(["1.sql"]) });
  expect(reference?.plan).toContain("Index Scan");
  const candidate = startsOf("candidate").at(-1);
  expect(candidate).toMatchObject({ found, applied: unseen(["1.sql", "2.sql"]) });
  expect(candidate?.plan).toContain("Seq Scan");
}

test("an index that a strict migrator's new migration drops is missed by the candidate alone", () =>
  expectIndexMissed(", seed: { by: api }", { found: ["1.sql"] }));

test("the same is measured where nobody says what fills the database", () =>
  expectIndexMissed("", { found: [] }));

test("the same in a shared database ends with the reference that refuses it", async () => {
  const dependency = ", seed: { by: api }, isolation: shared";
  project.write("tailgate.yml", configuration({ strict: true, dependency }));
  project.commit("first");
  project.write("migrations/2.sql", "DROP INDEX users_id");
  const { samples } = await measured(2);
  expect(samples.rounds.at(-1)?.failure).toMatchObject({ kind: "start", arm: "reference" });
  const { next } = describeVerdict(judge({ samples, baselines: [] }));
  expect(next.join("\n")).toContain("set its isolation to separate in tailgate.yml");
});

/** `edit`: of a configuration whose service writes under requests alone. */
async function expectOwnRows(edit: (text: string) => string): Promise<{ secrets: string[] }> {
  project.write("db/tables.sql", TABLES + MARKS);
  const dependency = ", dir: db, schema: tables.sql";
  project.write("tailgate.yml", edit(configuration({ dependency, method: "POST" })));
  project.commit("first");
  const { samples, secrets } = await measured(2);
  expectMeasured(samples, 2);
  expect(samples.dependencies?.[0]).toMatchObject({ isolation: "separate" });
  expect(seen().map(({ visits }) => visits)).toEqual(["0", "0", "0", "0"]);
  return { secrets };
}

test("what requests write is gone at the next launch", async () => {
  await expectOwnRows((text) => text);
});

test("so is what they write behind a login, whose token is told as a secret", async () => {
  const request = '{ method: POST, path: /visits, headers: { Authorization: "Bearer {token}" } }';
  const { secrets } = await expectOwnRows((text) =>
    text
      .replace("request: POST /visits", `request: ${request}`)
      .replace('PORT: "{port}"', 'PORT: "{port}", TOKEN: open sesame')
      .replace("ready: /", `ready: /\n    before: [echo, '{"token": "open sesame"}']`),
  );
  // Of each arm in each round.
  expect(secrets).toEqual(Array(4).fill("open sesame"));
});

test("so is what they write over a unix socket", async () => {
  await expectOwnRows((text) =>
    text
      .replace('PORT: "{port}"', 'SOCKET: "{socket}"')
      .replace("ready: /", "ready: /\n    socket: true"),
  );
});

test("so is what a rare part of a mix alone writes", async () => {
  project.write("db/tables.sql", TABLES + MARKS);
  const mix = "mix: { read: { weight: 30, request: GET / }, write: { request: POST /visits } }";
  const text = configuration({ dependency: ", dir: db, schema: tables.sql" })
    .replace("request: GET /visits", mix)
    .replace("connections: 2", "connections: 8")
    .replace("90ms", "1s");
  project.write("tailgate.yml", text);
  project.commit("first");
  const { samples } = await measured(2);
  expect(samples.dependencies?.[0]).toMatchObject({ isolation: "separate" });
  expect(seen().map(({ visits }) => visits)).toEqual(["0", "0", "0", "0"]);
  expect(samples.rounds[0]?.scenarios.map(({ scenario }) => scenario)).toEqual([
    "api/user",
    "api/user[read]",
    "api/user[write]",
  ]);
});

test("a service that only reads may share", async () => {
  project.write("db/tables.sql", TABLES + MARKS);
  const dependency = ", dir: db, schema: tables.sql, isolation: shared";
  project.write("tailgate.yml", configuration({ dependency }));
  project.commit("first");
  const { samples } = await measured();
  expectMeasured(samples);
  expect(samples.dependencies?.[0]).toMatchObject({ isolation: "shared" });
  expect(new Set(seen().map(({ DATABASE_URL }) => DATABASE_URL)).size).toBe(1);
  expect(seen().at(-1)?.DATABASE_URL).toMatch(/\/candidate$/);
});

test("a service fills a database without its before, which then finds its place free", async () => {
  const insert = "INSERT INTO accounts VALUES ('ada')";
  const psql = `"${join(findPostgresFolder(), "psql")}" -Xq -v ON_ERROR_STOP=1`;
  project.write("migrations/1.sql", `${TABLES}CREATE TABLE accounts (name text PRIMARY KEY);\n`);
  project.write("sign-up.sh", `${psql} -c "${insert}" "$DATABASE_URL" && echo '{}'\n`);
  const text = configuration({ dependency: ", seed: { by: api }" });
  project.write("tailgate.yml", text.replace("ready: /", "ready: /\n    before: sh sign-up.sh"));
  project.commit("first");
  const { samples } = await measured();
  expectMeasured(samples);
  expect(samples.dependencies?.[0]).toMatchObject({ isolation: "separate" });
});

test("a command seeds each arm's database as its own commit has it, and while it is built too", async () => {
  const psql = join(findPostgresFolder(), "psql");
  const built = join(temporary.path, "built.txt");
  const count = `"${psql}" -XqAt -v ON_ERROR_STOP=1 -c 'SELECT count(*) FROM users' "$DATABASE_URL"`;
  project.write("build.sh", `${count} >> ${built}\n`);
  project.write("db/fill.sh", `"${psql}" -Xq -v ON_ERROR_STOP=1 -f rows.sql "$DATABASE_URL"\n`);
  project.write("db/rows.sql", TABLES + MARKS);
  const beside = 'build: { command: sh build.sh, needs: [db], env: { DATABASE_URL: "{db.url}" } }';
  project.write(
    "tailgate.yml",
    configuration({ dependency: ", dir: db, seed: sh fill.sh" }).replace(
      "needs: [db]",
      `needs: [db]\n    ${beside}`,
    ),
  );
  project.commit("first");
  const rows = TABLES.replace("10000", "5000").replace(/CREATE INDEX.*/, "");
  project.write("db/rows.sql", rows + MARKS);
  const { samples, notes } = await measured();
  expectMeasured(samples);
  expect(notes).toContainEqual(expect.stringMatching(/^db: seeded by sh in \d+\.\d s$/));
  expect(readFileSync(built, "utf8").split("\n").filter(Boolean).sort()).toEqual(["10000", "5000"]);
  const contents = samples.dependencies?.[0]?.contents;
  expect(contents?.candidate).not.toBe(contents?.reference);
  expect(startsOf("reference").at(-1)?.plan).toContain("Index Scan");
  expect(startsOf("candidate").at(-1)?.plan).toContain("Seq Scan");

  project.write("build.sh", `"${psql}" -Xc 'SELECT nothing' "$DATABASE_URL"\n`);
  await expect(measured()).rejects.toMatchObject({
    message: expect.stringMatching(/^build of api \(candidate/),
    detail: expect.stringContaining('column "nothing" does not exist'),
  });
});

test("a command beside a database is told of one that is there, copied or not", async () => {
  project.write("db/tables.sql", TABLES + MARKS);
  const psql = join(findPostgresFolder(), "psql");
  const script = `[ "$("${psql}" -XqAtc 'SELECT count(*) FROM users' "$DATABASE_URL")" = 10000 ]`;
  const check = async (more: string): Promise<void> => {
    const dependency = `, dir: db, schema: tables.sql${more}`;
    project.write("tailgate.yml", configuration({ dependency }));
    project.commit(`first${more}`);
    const command = ["sh", "-c", script];
    const options = { config: null, service: "api", command };
    expect(await runWithDependencies(options, environmentFor([])), more).toBe(0);
  };
  await check("");
  await check(", isolation: shared");
});

test("a seed that fails is said, with its last words", async () => {
  project.write(
    "tailgate.yml",
    configuration({ dependency: ', seed: [sh, -c, "echo no rows >&2; exit 3"]' }),
  );
  project.commit("first");
  await expect(measured()).rejects.toMatchObject({
    message: "db: the seeding command sh exited with code 3, expected code 0",
    detail: "no rows",
  });
  project.write("tailgate.yml", configuration({ dependency: ", seed: { by: api }" }));
  project.write("migrations/1.sql", "SELECT nothing");
  project.commit("broken");
  await expect(measured()).rejects.toMatchObject({
    message: expect.stringMatching(
      /^db: api \(reference\), which fills it, ended with code 1 before/,
    ),
    detail: expect.stringContaining('column "nothing" does not exist'),
  });
});
