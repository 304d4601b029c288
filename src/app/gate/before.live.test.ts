// A gate of a service behind a login: every request has the token of its own launch, and no file and
// no line of the gate has one. All that an action publishes is made of these files.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fakeLoad, Project, QUIET_HOST } from "../../../test/support/project.ts";
import { filesWith, tracesOf, withoutMasks } from "../../../test/support/traces.ts";
import { SamplesSchema } from "../../core/model/samples.ts";
import { memoryFolder } from "../../machine/sys/files.ts";

const SERVER = resolve(import.meta.dirname, "../../../test/fixtures/service/login.mjs");
const CLI = resolve(import.meta.dirname, "../../entry/cli.ts");

const COMMAND = `${process.execPath} login.mjs ask {port}`;
const REQUEST =
  "{ request: { path: /session, json: { pass: open } }, values: { token: session.token, user: users.0.name } }";

interface Case {
  candidate?: "good" | "dies" | "refuses";
  before?: string;
  authorization?: string;
  onGitHub?: boolean;
}

async function gate({
  candidate = "good",
  before = COMMAND,
  authorization = "Bearer {token}",
  onGitHub = false,
}: Case) {
  const project = new Project([], { oha: "fake" });
  const aside = mkdtempSync(join(tmpdir(), "tailgate-tokens-"));
  onTestFinished(() => {
    project.remove();
    rmSync(aside, { recursive: true, force: true });
  });
  const issued = join(aside, "tokens");
  const temporary = join(aside, "temporary");
  mkdirSync(temporary);
  const write = (behaviour: string): void =>
    project.write(
      "tailgate.yml",
      `version: 1
compare: base
runner: { keepAwake: false }
services:
  api:
    run: [${process.execPath}, login.mjs, "{port}", ${issued}, ${behaviour}]
    before: ${before}
scenarios:
  mine:
    request:
      path: "/{user}/{token}"
      headers: { Authorization: "${authorization}" }
      json: { token: "{token}" }
    rate: 2000/s
    connections: 4
    warmup: 0
    slice: { duration: 80ms, pairs: 1 }
metrics: { slow: { level: warn }, rss: { level: warn } }
policy: { alpha: 40%, beta: 40%, timeBudget: 3s }
`,
    );
  cpSync(SERVER, join(project.root, "login.mjs"));
  project.write(".gitignore", "/.tailgate/\n");
  write("good");
  project.commit("first");
  write(candidate);
  const child = spawn(
    process.execPath,
    ["--require", QUIET_HOST, CLI, "gate", "--seed", "1", "--measure-unchanged"],
    {
      cwd: project.root,
      env: {
        ...process.env,
        GITHUB_ACTIONS: String(onGitHub),
        TMPDIR: temporary,
        ...fakeLoad(project.root),
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
    });
  }
  const code = await new Promise<number | null>((done) => child.on("close", done));
  const tokens = readFileSync(issued, "utf8").trim().split("\n");
  const places = [project.root, temporary, memoryFolder()];
  return {
    project,
    code,
    said,
    tokens,
    found: places.flatMap((root) => filesWith(tokens.flatMap(tracesOf), root)),
  };
}

const samplesOf = (project: Project) =>
  SamplesSchema.parse(JSON.parse(project.read(".tailgate/samples.v1.json")));

test.for([
  ["good", "command", true],
  ["good", "request", true],
  ["refuses", "request", true],
  ["dies", "command", false],
] as const)(
  "a candidate that is %s, before by %s: no token is in any file or line, and GitHub is told to mask each",
  async ([candidate, by, onGitHub]) => {
    const before = by === "command" ? COMMAND : REQUEST;
    const { project, said: all, tokens, found } = await gate({ candidate, onGitHub, before });
    const { text: said, masked } = withoutMasks(all);
    expect(masked).toEqual(onGitHub ? expect.arrayContaining(tokens) : []);
    // The user's name, of three letters.
    expect(masked).not.toContain("ada");
    expect(tokens.length, said).toBeGreaterThanOrEqual(2);
    const { rounds, config } = samplesOf(project);
    expect(found).toEqual([]);
    expect(project.files(".tailgate")).toEqual(
      expect.arrayContaining(["report.html", "report.md", "report.v1.json", "samples.v1.json"]),
    );
    for (const trace of tokens.flatMap(tracesOf)) expect(said).not.toContain(trace);
    expect(config.scenarios[0]?.request.path).toBe("/{user}/{token}");
    const [round] = rounds;
    if (candidate === "good") {
      const slices = rounds.flatMap(({ scenarios }) => scenarios[0]?.slices ?? []);
      expect(slices.length).toBeGreaterThan(1);
      for (const { statuses } of slices) expect(Object.keys(statuses)).toEqual(["200"]);
    } else if (candidate === "refuses") {
      expect(round?.failure?.text).toMatch(
        /^api \(candidate\), mine: POST \/\{user\}\/\{token\} got 401 with the body "401 refuses \*\*\* /,
      );
    } else {
      expect(round?.failure?.detail).toContain("Bearer ***");
    }
  },
);

test("a before that fails, says something else, or lacks a name ends the run", async () => {
  const check = async (input: Case, ...words: string[]): Promise<void> => {
    const { code, said, tokens, found } = await gate(input);
    expect(code, said).toBe(2);
    for (const word of words) expect(said).toContain(word);
    expect(found).toEqual([]);
    for (const secret of ["hush", ...tokens.flatMap(tracesOf)]) expect(said).not.toContain(secret);
  };
  const by = (script: string): string => `${process.execPath} -e '${script}'`;
  await check(
    { before: by('console.log("hush"); console.error("hush"); process.exit(3)') },
    "`before` exited with code 3, in round 1",
    "Correct `before` of the service in tailgate.yml",
  );
  await check(
    { before: by('console.log("hush")') },
    "`before` exited with code 0, and its standard output is not JSON, in round 1",
  );
  await check(
    { authorization: "Bearer {tokens}" },
    ", mine: {tokens} in header Authorization is not among what `before` gives (token, user), in round 1",
    "Correct `request` of the scenario mine",
  );
  await check(
    { before: REQUEST.replace("open", "shut") },
    "api (reference) was ready, and its `before` sent POST /session and got 401, expected 2xx, in round 1",
    "its request must be answered with a 2xx",
    "have `ready.log` wait for the line that says so",
  );
  await check(
    { before: REQUEST.replace("session.token", "session.jwt") },
    "sent POST /session and got 200, and values.token: the answer has no session.jwt, in round 1",
  );
});
