// Gates that are ended at random moments, by every signal, with services that do all they can to
// leave something: nothing is left. The load is a fake oha's. KILLS=2 tries each kind twice.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, type TestContext, test } from "vitest";
import { findPostgresFolder } from "../../src/machine/run/dependency/server-program.ts";
import { GateTemporary } from "../support/gate-temporary.ts";
import { leaveDaemon, until } from "../support/processes.ts";
import { Project } from "../support/project.ts";
import { betaFor } from "./tiny.ts";

const KILLS = Number(process.env.KILLS ?? 50);
/** Builds, launches and slices: a gate takes longer than this. */
const LATEST_MS = 5000;
/** As long as it serves. */
const SERVING_MS = 1000;
const SIGNALS = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const;

/** Each process has the mark in its command line, which tells it from those of others. */
const SERVER = `
const { spawn } = require("node:child_process");
const [port, kind, mark] = process.argv.slice(2);
const idle = ["-e", "setInterval(() => {}, 1000)", mark];
const start = (options) => spawn(process.execPath, idle, { stdio: "ignore", ...options }).unref();
/** Its parent ends at once, and so it is nobody's child. */
const orphan = (env) =>
  spawn("/bin/sh", ["-c", '"$0" "$@" &', process.execPath, ...idle], { stdio: "ignore", detached: true, env }).unref();
if (kind === "forking") for (let i = 0; i < 3; i++) start({});
if (kind === "setsid") (start({ detached: true }), orphan(process.env));
if (kind === "cleared" || kind === "container") orphan({});
require("node:http")
  .createServer((request, response) => response.writeHead(200, { "x-latency-us": "300" }).end("hello"))
  .listen(Number(port), "127.0.0.1");
`;

/** As a compile server: it outlives the build. */
const BUILD = leaveDaemon('exec "$0" -e "setInterval(() => {}, 1000)" "$1"');

let project: Project;
let temporary: GateTemporary;
let sharedBefore: readonly string[];

beforeEach(() => {
  project = new Project([], { oha: "fake" });
  temporary = new GateTemporary();
  sharedBefore = sharedMemory();
});
afterEach(() => {
  temporary.remove();
  project.remove();
});

function sharedMemory(): string[] {
  const files = readdirSync("/dev/shm").filter((name) => name.startsWith("PostgreSQL"));
  const [, ...segments] = readFileSync("/proc/sysvipc/shm", "utf8").trim().split("\n");
  return [...files, ...segments.map((line) => `segment ${line.trim().split(/\s+/)[1]}`)];
}

function isServing(): boolean {
  return temporary.processes().some(({ command }) => command.includes("server.cjs"));
}

function leftBehind(): string[] {
  const cache = join(".git/tailgate-cache/build");
  const worktrees = project.git("worktree", "list").split("\n").slice(1);
  const shared = sharedMemory().filter((name) => !sharedBefore.includes(name));
  const processes = temporary.processes().map(({ pid, command }) => `${pid} ${command}`);
  return [...processes, ...temporary.folders(), ...project.files(cache), ...worktrees, ...shared];
}

/** What a container's runtime makes for it, without a daemon that would be its parent. */
const CONTAINER = [
  ...["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"],
  ...["--ipc", "--uts"],
];

test.for(["plain", "forking", "setsid", "cleared", "postgresql", "container"])(
  "of a gate with a service of the kind %s nothing is left, whenever it is ended",
  async (kind, context: TestContext) => {
    if (kind === "postgresql") assertPostgresql(context);
    if (kind === "container") assertNamespaces(context);
    const inside = kind === "container" ? CONTAINER : [];
    const run = [...inside, process.execPath, "server.cjs", "{port}", kind, temporary.mark];
    const needs = kind === "postgresql" ? ", needs: [database]" : "";
    const dependencies = needs && "dependencies:\n  database: { kind: postgresql }\n";
    project.write("server.cjs", SERVER);
    project.write("build.cjs", BUILD);
    project.write(
      "tailgate.yml",
      `version: 1
compare: base
runner: { keepAwake: false }
${dependencies}services:
  api:
    { build: [${process.execPath}, build.cjs, ${temporary.mark}], run: ${JSON.stringify(run)}, ready: /healthz${needs} }
scenarios:
  hello: { request: GET /hello, rate: 2000/s, connections: 4, warmup: 0, slice: { duration: 80ms, pairs: 1 } }
policy: { alpha: 20%, beta: ${betaFor(20)}, timeBudget: 2m }
`,
    );
    project.commit("first");
    for (let i = 0; i < KILLS; i++) {
      const signal = SIGNALS[i % SIGNALS.length] ?? "SIGKILL";
      const afterMs = Math.round(Math.random() * (i % 2 === 1 ? SERVING_MS : LATEST_MS));
      const { child, finished } = project.start("gate", "--measure-unchanged");
      // Every other time it is ended in the middle of a round.
      if (i % 2 === 1) expect(await until(isServing, 60_000), "a service is started").toBe(true);
      await Promise.race([sleep(afterMs), finished]);
      child.kill(signal);
      const { stdout, stderr } = await finished;
      await expect
        .poll(leftBehind, {
          timeout: 20_000,
          message: `${signal} after ${afterMs} ms\n${stdout}${stderr}`,
        })
        .toEqual([]);
    }
  },
);

function assertNamespaces(context: TestContext): void {
  const [program = "", ...flags] = CONTAINER;
  if (spawnSync(program, [...flags, "true"]).status === 0) return;
  console.warn("skipped: no user namespaces for a container");
  context.skip("no user namespaces for a container");
}

function assertPostgresql(context: TestContext): void {
  try {
    findPostgresFolder();
  } catch {
    console.warn("skipped: postgresql not installed");
    context.skip("postgresql not installed");
  }
}
