// Launches against real processes that misbehave: around their port, their process group, their answers.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Recipe } from "../../model/config.ts";
import { systemClock } from "../../sys/clock.ts";
import { fetchText } from "../probe/fetch-text.ts";
import { readStat } from "../probe/process-tree.ts";
import { readUsage } from "../probe/service-probe.ts";
import { findFreePort } from "./free-port.ts";
import { type LaunchResult, launchService } from "./launch.ts";
import type { RunningService } from "./running-service.ts";

const SERVER = join(import.meta.dirname, "../../../test/fixtures/service/odd.mjs");

let folder = "";
let services: RunningService[] = [];
let strangers: Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tailgate-launch-"));
});
afterEach(async () => {
  await Promise.all(services.map((service) => service.stop()));
  for (const stranger of strangers) stranger.close();
  services = [];
  strangers = [];
  rmSync(folder, { recursive: true, force: true });
});

async function launch(
  kind: string,
  change: Partial<Recipe> = {},
  abort: AbortSignal = new AbortController().signal,
): Promise<LaunchResult> {
  const result = await launchService(
    {
      folder,
      artifact: null,
      recipe: {
        dir: ".",
        build: [],
        artifact: null,
        run: [process.execPath, SERVER, "{port}", kind, join(folder, "pids")],
        env: {},
        ready: { kind: "http", path: "/", timeoutMs: 10_000 },
        stop: { signal: "SIGTERM", graceMs: 1000 },
        prometheus: null,
        port: null,
        needs: [],
        ...change,
      },
    },
    { cpus: [0], clock: systemClock, abort },
  );
  if (result.kind === "running") services.push(result.service);
  return result;
}

async function launched(kind: string, change: Partial<Recipe> = {}): Promise<RunningService> {
  const result = await launch(kind, change);
  if (result.kind === "failed") throw new Error(`${result.text}\n${result.detail}`);
  return result.service;
}

/** State letters of all processes that the service wrote down; `-` for one that is gone. */
function states(): string {
  return readFileSync(join(folder, "pids"), "utf8")
    .trim()
    .split("\n")
    .map((pid) => readStat(Number(pid))?.state.replace("Z", "-") ?? "-")
    .join("");
}

/** Listens on a port and never says anything. */
async function occupy(port: number): Promise<void> {
  const server = createServer(() => {});
  strangers.push(server);
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
}

test("a frozen service gets no CPU until it is thawed", async () => {
  const service = await launched("busy");
  const cpuOver = async (ms: number): Promise<number> => {
    const before = readUsage(service.pid).cpuMs;
    await systemClock.sleep(ms);
    return readUsage(service.pid).cpuMs - before;
  };
  expect(await service.freeze()).toBeNull();
  expect(await cpuOver(300)).toBe(0);
  service.thaw();
  expect(await cpuOver(300)).toBeGreaterThan(0);
});

test("a process that left the group is frozen, thawed and ended with it", async () => {
  const service = await launched("escapes");
  expect(await service.freeze()).toBeNull();
  expect(states()).toBe("TT");
  service.thaw();
  expect(states()).not.toContain("T");
  await service.stop();
  await expect.poll(states).toBe("--");
});

test("freezing a service that is gone returns", async () => {
  const service = await launched("good");
  process.kill(service.pid, "SIGKILL");
  expect(await service.freeze()).toBeNull();
});

test("a fixed port that somebody has is no place to start on: the stranger would be measured", async () => {
  const port = await findFreePort();
  await occupy(port);
  expect(await launch("good", { port })).toMatchObject({
    kind: "failed",
    reason: "start",
    text: `was not started: another process listens on its port ${port}`,
  });
});

test("a port that was lost to somebody between choice and start is replaced", async () => {
  // The first start finds the marker missing, makes it, and fails as a server does that lost its port.
  const script = `[ -e lost ] && exec "$@"; : > lost; echo "bind: address already in use" >&2; exit 1`;
  const server = [process.execPath, SERVER, "{port}", "good", join(folder, "pids")];
  const service = await launched("good", { run: ["/bin/sh", "-c", script, "sh", ...server] });
  expect(service.exit()).toBeNull();
});

const silent = (kind: "http" | "tcp"): Recipe["ready"] =>
  kind === "http" ? { kind, path: "/", timeoutMs: 300 } : { kind, timeoutMs: 300 };

test("a port that is open but silent is ready for tcp and not for http", async () => {
  const run = [
    process.execPath,
    "-e",
    `require("node:net").createServer(() => {}).listen({port}, "127.0.0.1")`,
  ];
  expect((await launch("", { run, ready: silent("tcp") })).kind).toBe("running");
  expect(await launch("", { run, ready: silent("http") })).toMatchObject({
    kind: "failed",
    reason: "not-ready",
    text: "was not ready within 0.3 s: GET / was not answered",
  });
});

test("a page that never ends is no page, in bounded time", async () => {
  const service = await launched("trickles");
  const never = new AbortController().signal;
  const startedMs = systemClock.nowMs();
  expect(await fetchText(service.port, "/metrics", never)).toBeNull();
  expect(systemClock.nowMs() - startedMs).toBeLessThan(5000);
});

test("an abort at any moment of the start leaves no process", async () => {
  for (const afterMs of [0, 5, 20, 40, 60, 80, 120]) {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), afterMs);
    const result = await launch("good", {}, abort.signal);
    clearTimeout(timer);
    if (result.kind === "running") await result.service.stop();
  }
  await (await launched("good")).stop();
  expect(states()).toMatch(/^-+$/);
});
