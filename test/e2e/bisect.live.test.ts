// `bisect` from the command line to the commit, in a repository of eight commits of which the fifth
// makes the service slower and the fourth does not build.
import { spawn } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { BisectSchema } from "../../scripts/generate/satellite-schemas.ts";
import { fakeLoad, Project, processesMentioning, QUIET_HOST } from "../support/project.ts";
import { fewRounds } from "./tiny.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SERVER = join(ROOT, "test/fixtures/service/server.mjs");
const SLOW = 5;
const BROKEN = 4;

/** From the sources: what is asked here is not the bundle. */
function run(project: Project, ...args: string[]) {
  const child = spawn(
    process.execPath,
    ["--require", QUIET_HOST, join(ROOT, "src/entry/cli.ts"), "bisect", ...args],
    { cwd: project.root, env: { ...process.env, ...fakeLoad(project.root) } },
  );
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      said[name] += chunk;
    });
  }
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((done) =>
    child.on("close", (code) => done({ code, ...said })),
  );
}

/** As many commits as behaviours, of which HEAD is the last. */
function line(behaviours: readonly string[]): { project: Project; ids: string[] } {
  const project = new Project([], { oha: "fake" });
  onTestFinished(() => project.remove());
  cpSync(SERVER, join(project.root, "server.mjs"));
  project.write(".gitignore", "/.tailgate/\n");
  const ids = behaviours.map((behaviour, k) => {
    const build = k === BROKEN ? 'build: ["false"], ' : "";
    const argv = `[${process.execPath}, server.mjs, "{port}", ${behaviour}, ${project.root}]`;
    const services = `  api: { ${build}run: ${argv}, ready: /healthz }\n`;
    const load = "request: GET /hello, rate: 2000/s, connections: 4, warmup: 0";
    const scenarios = `  hello: { ${load}, slice: { duration: 80ms, pairs: 1 } }\n`;
    project.write("tailgate.yml", fewRounds(services, scenarios));
    project.write("note.mjs", `// commit ${k}\n`);
    return project.commit(k === SLOW ? "Ask twice" : `Note ${k}`);
  });
  return { project, ids };
}

const eightCommits = () => line(Array.from({ length: 8 }, (_, k) => (k >= SLOW ? "slow" : "good")));

test("the planted commit is named with what is before it and cannot be told from it", async () => {
  const { project, ids } = eightCommits();
  const ended = await run(project, `${ids[0]}..`, "--metric", "p99");
  expect(ended, ended.stderr).toMatchObject({ code: 4 });
  const record = JSON.parse(project.read(".tailgate/bisect.v1.json"));
  expect(record.state).toBe("one-of");
  expect(record.suspects.map(({ id }: { id: string }) => id).sort()).toEqual(
    [ids[BROKEN], ids[SLOW]].sort(),
  );
  expect(ended.stdout).toContain("build of api");

  // Where the one that does not build is not on the line, it is one commit alone.
  rmSync(join(project.root, ".tailgate"), { recursive: true });
  project.git("checkout", "--quiet", "-b", "without", ids[BROKEN - 1] ?? "");
  project.git("cherry-pick", "--strategy-option=theirs", ids[SLOW] ?? "", ids[SLOW + 1] ?? "");
  const asked = [`${ids[0]}..HEAD`, "--metric", "p99"];
  const stopped = await run(project, ...asked, "--for", "1ms");
  expect(stopped, stopped.stderr).toMatchObject({ code: 4 });
  expect(stopped.stdout).toContain("UNDECIDED: the time is over; --resume goes on");
  const other = await run(project, `${ids[1]}..HEAD`, "--metric", "p99", "--resume");
  expect(other.stderr).toContain("it is of other commits or questions");
  const alone = await run(project, ...asked, "--resume", "--json");
  expect(alone, alone.stderr).toMatchObject({ code: 0 });
  const told = BisectSchema.parse(JSON.parse(alone.stdout));
  expect(told).toMatchObject({ state: "found", suspects: [{ subject: "Ask twice" }] });
  expect(told.again).toMatch(/^tailgate bisect \w+\.\.\w+ --scenario api\/hello --metric p99$/);
  expect(processesMentioning(project.root)).toEqual([]);
});

test("a commit that does not start is told from the one it is measured against", async () => {
  const { project, ids } = line(["exits", "good"]);
  project.write("note.mjs", "// not committed\n");
  const { code, stdout, stderr } = await run(project, `${ids[0]}..`, "--metric", "p99");
  expect(code, stderr).toBe(3);
  expect(stderr).toContain("of what is not committed only the configuration counts");
  expect(stdout).toMatch(new RegExp(`skipped +${ids[0]?.slice(0, 10)} Note 0: `));
  const { state, seen } = JSON.parse(project.read(".tailgate/bisect.v1.json"));
  expect(state).toBe("invalid");
  expect(seen.at(-1)).toMatchObject({ kind: "skipped", at: 0 });
});

const REFUSED: [string, string[], RegExp][] = [
  ["no range", ["HEAD"], /expected a good and a bad commit/],
  ["three dots", ["HEAD~2...HEAD"], /expected a good and a bad commit/],
  ["nothing", [], /name a good and a bad commit/],
  ["an unknown commit", ["v9..HEAD"], /no commit is named 'v9'/],
  ["one commit", ["HEAD..HEAD"], /HEAD and HEAD are the same commit/],
  ["backwards", ["HEAD..HEAD~3"], /HEAD is not before HEAD~3/],
  ["an unknown scenario", ["HEAD~3..", "--scenario", "hallo"], /--scenario hallo: .*[\s\S]*hello/],
  ["nothing to go on with", ["HEAD~3..", "--resume"], /cannot read the bisection/],
];

test("what cannot be bisected is refused before anything is built", async () => {
  const { project } = eightCommits();
  for (const [name, args, says] of REFUSED) {
    const { code, stderr } = await run(project, ...args);
    expect(code, `${name}: ${stderr}`).toBe(2);
    expect(stderr, name).toMatch(says);
  }
});
