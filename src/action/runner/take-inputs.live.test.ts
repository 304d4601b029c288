// What the runner gives to the step alone reaches the step, and nobody whom the step starts: a build
// and a service that look for it wherever a process of the same user may look.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { REPOSITORY } from "../../../test/support/action.ts";
import { fakeLoad, Project, QUIET_HOST } from "../../../test/support/project.ts";
import { givenInputs } from "./take-inputs.ts";

const ENTRY = resolve(import.meta.dirname, "../../entry/action.ts");

test("inputs come by name, in lower case, dashes and all", () => {
  const given = givenInputs({ "INPUT_TIME-BUDGET": "5m", INPUT_MODE: "gate", OTHER: "x" });
  expect(given).toEqual([
    ["time-budget", "5m"],
    ["mode", "gate"],
  ]);
});

/** Its own environment is one of those in /proc. Not in pipes, whose content it would take away, nor in memory. */
const SEARCH = (words: readonly string[], folders: readonly string[], result: string): string => `
import { constants, closeSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
// Backwards, or it would find itself.
const words = ${JSON.stringify(words.map((word) => [...word].reverse().join("")))}.map((word) => [...word].reverse().join(""));
const list = (folder) => { try { return readdirSync(folder); } catch { return []; } };
const found = [];
function look(path) {
  let text = "";
  try {
    if (!statSync(path).isFile() || statSync(path).size > 5e7) return;
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    text = readFileSync(file, "latin1");
    closeSync(file);
  } catch {}
  words.forEach((word, at) => { if (text.includes(word)) found.push([at, path]); });
}
for (const pid of list("/proc").filter((name) => /^\\d+$/.test(name))) {
  for (const name of ["environ", "cmdline"]) look("/proc/" + pid + "/" + name);
  for (const fd of list("/proc/" + pid + "/fd")) look("/proc/" + pid + "/fd/" + fd);
}
for (const folder of ${JSON.stringify(folders)})
  for (const name of readdirSync(folder, { recursive: true })) look(folder + "/" + name);
// Node starts a debugger for whoever sends this, and that shows what is in memory.
for (let pid = process.ppid; pid > 1; pid = Number(/^PPid:\\t(\\d+)/m.exec(readFileSync("/proc/" + pid + "/status", "utf8"))[1]))
  if (readFileSync("/proc/" + pid + "/cmdline", "utf8").includes("--inputs-on-stdin")) process.kill(pid, "SIGUSR1");
writeFileSync(${JSON.stringify(result)}, JSON.stringify(found));
`;

/** `PUBLIC` shows that a search looks where it says. */
async function searched(env: Record<string, string>, sought: Record<string, string>) {
  const project = new Project([]);
  onTestFinished(() => project.remove());
  const own = join(project.root, ".git/runner");
  const [temp, home] = [join(own, "temp"), join(own, "home")];
  for (const folder of [temp, home]) mkdirSync(folder, { recursive: true });
  const place = (path: string, text: string): string => {
    writeFileSync(path, text);
    return path;
  };
  const results = { build: join(own, "build"), service: join(own, "service") };
  const words = Object.values(sought);
  for (const [who, result] of Object.entries(results))
    project.write(`${who}.mjs`, SEARCH(words, [temp, home, project.root], result));
  project.write(
    "tailgate.yml",
    `version: 1
services:
  api:
    build: [node, build.mjs]
    run: [sh, -c, "node service.mjs; exec sleep 61"]
    env: { PORT: "{port}" }
    ready: { tcp: true }
scenarios:
  home: { request: GET /, rate: 100/s }
`,
  );
  const head = project.commit("a service");
  place(join(home, "public"), sought.PUBLIC ?? "");
  const started: ChildProcess[] = [];
  onTestFinished(() => {
    for (const child of started) child.kill("SIGKILL");
  });
  const held = join(temp, "held");
  const hold = `const fs = require("fs"), [, word] = process.argv, file = fs.openSync("${held}", "w+");
    fs.writeSync(file, word); fs.rmSync("${held}"); fs.writeFileSync("${held}-no-more", ""); setTimeout(() => {}, 61e3)`;
  started.push(
    spawn(process.execPath, ["-e", hold, sought.PUBLIC ?? ""], { env: { PUBLIC: sought.PUBLIC } }),
  );
  await expect.poll(() => existsSync(`${held}-no-more`)).toBe(true);
  const child = spawn(process.execPath, ["--require", QUIET_HOST, ENTRY], {
    cwd: project.root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...fakeLoad(project.root),
      HOME: home,
      TMPDIR: temp,
      RUNNER_TEMP: temp,
      GITHUB_REPOSITORY: REPOSITORY,
      GITHUB_RUN_ID: "7",
      GITHUB_REF: "refs/heads/main",
      GITHUB_WORKSPACE: project.root,
      GITHUB_EVENT_NAME: "push",
      GITHUB_EVENT_PATH: place(
        join(own, "event.json"),
        JSON.stringify({ before: head, after: head, ref: "refs/heads/main" }),
      ),
      GITHUB_API_URL: "http://127.0.0.1:9",
      GITHUB_OUTPUT: place(join(own, "output"), ""),
      INPUT_REFERENCE: "HEAD",
      "INPUT_MEASURE-UNCHANGED": "true",
      ...env,
    },
  });
  started.push(child);
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      log += chunk;
    });
  const ended = new Promise((done) => child.on("close", done));
  await expect.poll(() => existsSync(results.service) || log, { timeout: 120_000 }).toBe(true);
  child.kill("SIGTERM");
  expect(await ended, log).toBe(1);
  expect(log).not.toMatch(/debugger|inspector/i);
  const names = Object.keys(sought);
  return Object.values(results).map((result) =>
    (JSON.parse(readFileSync(result, "utf8")) as [number, string][]).map(([at, path]) => ({
      what: names[at],
      path,
    })),
  );
}

test("builds and services find the runner's secrets nowhere", async () => {
  const secret = (): string => `ghs_${randomBytes(16).toString("hex")}`;
  const secrets = {
    INPUT_TOKEN: secret(),
    ACTIONS_RUNTIME_TOKEN: secret(),
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret(),
    ACTIONS_ID_TOKEN_REQUEST_URL: `https://token.actions.example/${secret()}`,
    ACTIONS_CACHE_URL: `https://cache.actions.example/${secret()}`,
    ACTIONS_RESULTS_URL: `https://results.actions.example/${secret()}`,
  };
  const PUBLIC = secret();
  for (const found of await searched(secrets, { ...secrets, PUBLIC })) {
    expect(found.filter(({ what }) => what !== "PUBLIC")).toEqual([]);
    const places = found.map(({ path }) =>
      path
        .replace(/.*\/(\w+)\/\d+$/, "$1")
        .split("/")
        .at(-1),
    );
    expect(new Set(places)).toEqual(new Set(["environ", "cmdline", "fd", "public"]));
  }
});

/** A step that ends by what it finds wrong with an input. */
function badStep(env: Record<string, string>, node: readonly string[] = []) {
  const options = { encoding: "utf8", env: { PATH: process.env.PATH, ...env } } as const;
  return spawnSync(process.execPath, [...node, ENTRY], options);
}

test("as much as an environment takes is handed over, with the flags of Node", () => {
  const needs = JSON.stringify({ full: { result: "x".repeat(120 * 1024), outputs: {} } });
  const NAMES = `data:text/javascript,${encodeURIComponent('console.log("flag", process.argv.length)')}`;
  const { status, stdout, stderr } = badStep(
    { INPUT_NEEDS: needs, INPUT_MODE: "nightly", "INPUT_TIME-BUDGET": "soon" },
    ["--import", NAMES],
  );
  expect(stdout).toContain('the input `time-budget` is "soon"');
  expect(stdout).toMatch(/^flag 2\nflag 3\n/);
  expect(stderr).toBe("");
  expect(status).toBe(1);
});

test("where no process can be replaced, the inputs are read all the same, and it is said", () => {
  const OLD = `data:text/javascript,${encodeURIComponent("process.execve = undefined")}`;
  const { status, stdout } = badStep({ INPUT_TOKEN: "ghs_x", INPUT_WAIT: "long" }, [
    "--import",
    OLD,
  ]);
  expect(stdout).toMatch(
    /^::warning title=Tailgate::builds and services can read this step's token/,
  );
  expect(stdout).toContain('the input `wait` is "long"');
  expect(status).toBe(1);
});
