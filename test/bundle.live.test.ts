// What is shipped is what the source says, and it starts.
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { Project } from "./support/project.ts";
import { makeSamples } from "./support/samples.ts";

const ROOT = resolve(import.meta.dirname, "..");

function run(...args: string[]): { code: number; stdout: string; stderr: string } {
  try {
    const stdout = execFileSync(process.execPath, [join(ROOT, "dist/cli.cjs"), ...args], {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    return { code: 0, stdout, stderr: "" };
  } catch (error) {
    const failed = error as { status: number; stdout: string; stderr: string };
    return { code: failed.status, stdout: failed.stdout, stderr: failed.stderr };
  }
}

test("dist is built from this source: npm run build", () => {
  const out = mkdtempSync(join(tmpdir(), "tailgate-dist-"));
  try {
    execFileSync(process.execPath, [join(ROOT, "scripts/build.ts"), "--out", out]);
    const files = readdirSync(out).sort();
    expect(readdirSync(join(ROOT, "dist")).sort()).toEqual(files);
    for (const file of files) {
      const fresh = readFileSync(join(out, file), "utf8");
      expect(readFileSync(join(ROOT, "dist", file), "utf8") === fresh, file).toBe(true);
    }
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
});

const sizeOf = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + statSync(join(ROOT, "dist", file)).size, 0);

test("all of dist is at most 1.7 MB", () => {
  expect(sizeOf(readdirSync(join(ROOT, "dist")))).toBeLessThanOrEqual(1.7 * 1000 * 1000);
});

/** Tells at its end, on standard error, which files the program has loaded. */
const TELLER = `
import { createRequire } from "node:module";
const { cache } = createRequire("/");
process.on("exit", () => console.error("loaded", JSON.stringify(Object.keys(cache))));`;
const TELLING = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TELLER)}` };

const loadedBy = (stderr: string): string[] =>
  (JSON.parse(/^loaded (.*)$/m.exec(stderr)?.[1] ?? "[]") as string[]).map((path) =>
    basename(path),
  );

test("what the action loads is at most 1.4 MB, and no satellite", () => {
  const { status, stderr } = step({ mode: "plan", shards: "2" }, TELLING);
  expect(status).toBe(0);
  const files = loadedBy(stderr);
  expect(files.sort()).toEqual(["action.cjs", "main.cjs"]);
  expect(sizeOf(files)).toBeLessThanOrEqual(1.4 * 1000 * 1000);
});

test.each([
  { args: ["--version"], files: ["cli.cjs"] },
  { args: ["--help"], files: ["cli.cjs", "commands.cjs", "completion.cjs", "main.cjs"] },
  {
    args: ["export", "nowhere.json", "--format", "csv"],
    files: ["cli.cjs", "commands.cjs", "main.cjs"],
  },
  {
    args: ["history", "--html", "--history", ".", "--output", "/dev/null"],
    files: ["cli.cjs", "commands.cjs", "main.cjs", "pages.cjs"],
  },
])("tailgate $args loads $files", ({ args, files }) => {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-loads-"));
  try {
    const { stderr } = spawnSync(process.execPath, [join(ROOT, "dist/cli.cjs"), ...args], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, ...TELLING },
    });
    expect(loadedBy(stderr).sort()).toEqual(files);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The bundled action, started as a runner does. */
function step(inputs: Record<string, string>, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-step-"));
  const file = (name: string, text = ""): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  try {
    const given = Object.entries(inputs).map(([name, value]) => [
      `INPUT_${name.toUpperCase()}`,
      value,
    ]);
    const output = file("output");
    const summary = file("summary");
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, "dist/action.cjs")],
      {
        cwd: folder,
        encoding: "utf8",
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          GITHUB_ACTIONS: "true",
          GITHUB_REPOSITORY: "acme/shop",
          GITHUB_RUN_ID: "1",
          GITHUB_WORKSPACE: ROOT,
          GITHUB_EVENT_NAME: "workflow_dispatch",
          GITHUB_EVENT_PATH: file("event.json", "{}"),
          GITHUB_OUTPUT: output,
          GITHUB_STEP_SUMMARY: summary,
          ...env,
          ...Object.fromEntries(given),
        },
      },
    );
    const outputs = readFileSync(output, "utf8");
    return { status, stdout, stderr, outputs, summary: readFileSync(summary, "utf8") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("the action plans this repository's shards", () => {
  const { status, stdout, outputs } = step({ mode: "plan", shards: "2" });
  expect(stdout).toMatch(/^tailgate \S+, mode plan, on workflow_dispatch\n/);
  expect(outputs).toContain('{"include":[{"shard":"1/2"');
  expect(status).toBe(0);
});

test("the action says what is wrong with an input, and ends red", () => {
  const { status, stdout, outputs, summary } = step({ compare: "main", token: "ghs_secret" });
  expect(status).toBe(1);
  expect(stdout).toContain("::error title=Tailgate::the input `compare` is");
  expect(outputs).toMatch(/verdict<<(\S+)\nerror\n\1/);
  expect(summary).toContain("This is not a pass");
  // Only where the runner is told what to hide.
  expect(stdout.replaceAll(/^::add-mask::.*$/gm, "")).not.toContain("ghs_secret");
});

/** A copy of dist, without one of its files. */
function distWithout(missing: string, use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-damaged-"));
  try {
    cpSync(join(ROOT, "dist"), folder, { recursive: true });
    rmSync(join(folder, missing));
    use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test.each(["commands.cjs", "main.cjs"])(
  "without %s it says so, and ends as no verdict",
  (missing) => {
    distWithout(missing, (folder) => {
      const args = [join(folder, "cli.cjs"), "plan"];
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
      expect(stderr).toMatch(/^tailgate: cannot start: .*cjs.*\n {2}Install Tailgate anew/);
      expect(stderr).not.toMatch(/\n\s+at /);
      expect(status).toBe(70);
    });
  },
);

test("without its pages a verdict is told, and its other files are written", () => {
  distWithout("pages.cjs", (folder) => {
    const samples = join(folder, "samples.v1.json");
    writeFileSync(samples, JSON.stringify(makeSamples({ rounds: 12, noise: 0.01 })));
    const args = [join(folder, "cli.cjs"), "judge", samples, "--out", join(folder, "out")];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(stdout).toContain("PASS");
    expect(stderr).toContain("there is no report.html: a part of Tailgate cannot be loaded");
    expect(readdirSync(join(folder, "out"))).toEqual(
      expect.arrayContaining(["report.md", "report.v1.json"]),
    );
    expect(status).toBe(0);
  });
});

test("what a build puts in place of the action's own files is not run by it", async () => {
  const project = new Project([], { oha: "fake" });
  const folder = join(project.root, ".git/dist");
  try {
    cpSync(join(ROOT, "dist"), folder, { recursive: true });
    const ran = join(project.root, ".git/ran");
    const planted = `require("node:fs").appendFileSync(${JSON.stringify(ran)}, __filename);`;
    const plant = `const fs = require("node:fs"), folder = ${JSON.stringify(folder)};
for (const name of fs.readdirSync(folder)) fs.writeFileSync(folder + "/" + name, ${JSON.stringify(planted)});`;
    project.write("plant.cjs", plant);
    project.write(
      "tailgate.yml",
      `version: 1
services:
  api:
    build: [node, plant.cjs]
    run: [node, -e, "require('node:http').createServer((_, to) => to.end()).listen(process.env.PORT)"]
    env: { PORT: "{port}" }
    ready: { tcp: true }
runner: { keepAwake: false }
scenarios:
  home: { request: GET /, rate: 2000/s, connections: 4, slice: { duration: 80ms, pairs: 1 }, warmup: 0 }
metrics:
  p99: { margin: 100%, absoluteFloor: 10us }
  slow: { level: warn }
  rss: { margin: 50%, absoluteFloor: 8MiB }
policy: { alpha: 20%, beta: 20%, timeBudget: 6s }
`,
    );
    const head = project.commit("a service");
    project.write(".git/event.json", JSON.stringify({ before: head, after: head }));
    const { stdout, stderr } = await project.runAction(
      {
        GITHUB_REPOSITORY: "acme/shop",
        GITHUB_RUN_ID: "1",
        GITHUB_WORKSPACE: project.root,
        GITHUB_EVENT_NAME: "push",
        GITHUB_EVENT_PATH: join(project.root, ".git/event.json"),
        INPUT_REFERENCE: "HEAD",
        "INPUT_MEASURE-UNCHANGED": "true",
        INPUT_EXPORTS: "junit",
      },
      join(folder, "action.cjs"),
    );
    expect(readFileSync(join(folder, "pages.cjs"), "utf8"), stdout + stderr).toBe(planted);
    expect(project.files("tailgate-output"), stdout + stderr).toContain("report.html");
    expect(existsSync(ran)).toBe(false);
  } finally {
    project.remove();
  }
});

test("output that is lost is an error; a reader that went away is none, and changes no verdict", () => {
  const samples = join(mkdtempSync(join(tmpdir(), "tailgate-lost-")), "samples.v1.json");
  const worse = { rounds: 16, noise: 0.01, p99Ratio: { "api/echo": 1.3 } };
  writeFileSync(samples, JSON.stringify(makeSamples(worse)));
  const sh = (script: string) =>
    spawnSync("bash", ["-c", script, "-", process.execPath, join(ROOT, "dist/cli.cjs"), samples], {
      encoding: "utf8",
    });
  try {
    const lost = sh('"$1" "$2" judge "$3" > /dev/full');
    expect(lost.stderr).toContain("cannot write standard output: ENOSPC");
    expect(lost.status).toBe(2);
    expect(sh('"$1" "$2" judge "$3" | true; exit $PIPESTATUS').status).toBe(1);
  } finally {
    rmSync(dirname(samples), { recursive: true, force: true });
  }
});

test("the version, help, and words for what is wrong", () => {
  expect(run("--version")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^tailgate \d/),
  });
  expect(run("--help").stdout).toContain("tailgate <command> [flags]");
  expect(run("gate", "--help").stdout).toContain("--reference <revision>");
  const check = (args: string[], message: RegExp): void => {
    const { code, stderr } = run(...args);
    expect(code, args.join(" ")).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  };
  check(["gates"], /unknown command: gates\nDid you mean gate\?/);
  check(["gate", "--refrence", "x"], /unknown flag: --refrence\nDid you mean --reference\?/);
  check(["gate", "--seed", "-1"], /--seed/);
  check(["gate", "--time-budget", "soon"], /expected a duration such as 90s or 10m/);
  check(["gate", "--compare", "best"], /expected one of auto, base, replay, stored/);
  check(["judge"], /name a samples file/);
  check(["judge", "/nowhere.json"], /cannot read the samples file \/nowhere\.json/);
  check(["judge", join(ROOT, "README.md")], /is not JSON/);
  check(["report", join(ROOT, "package.json")], /is not a report of this version/);
  check(["baseline", "forget"], /unknown: forget/);
});
