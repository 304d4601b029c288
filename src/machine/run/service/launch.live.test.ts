// Launches against real processes that misbehave: around their port, their process group, their
// answers.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isRunning } from "../../../../test/support/processes.ts";
import type { Recipe } from "../../../core/model/config.ts";
import { type Clock, systemClock } from "../../sys/clock.ts";
import { readOrEmpty } from "../../sys/or-null.ts";
import { fetchText } from "../probe/exchange.ts";
import { readStat } from "../probe/process-tree.ts";
import { readUsage } from "../probe/service-probe.ts";
import { findFreePort } from "./free-port.ts";
import { type LaunchOptions, type LaunchResult, launchService } from "./launch.ts";
import type { RunningService } from "./running-service.ts";

const SERVER = join(import.meta.dirname, "../../../../test/fixtures/service/odd.mjs");

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
  // What a failed test shows to have been left burns CPU.
  for (const pid of readOrEmpty(join(folder, "pids")).split("\n").filter(Boolean)) {
    if (isRunning(Number(pid))) process.kill(Number(pid), "SIGKILL");
  }
  rmSync(folder, { recursive: true, force: true });
});

async function launch(
  kind: string,
  change: Partial<Recipe> = {},
  {
    abort = new AbortController().signal,
    clock = systemClock,
    ...more
  }: Partial<LaunchOptions> = {},
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
    { cpus: [0], clock, abort, ...more },
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
  const cpuMs = (): number => readUsage(service.pid).cpuMs;
  expect(await service.freeze()).toBeNull();
  // Each thread after the first takes some microseconds of CPU to stop.
  await systemClock.sleep(50);
  const frozenMs = cpuMs();
  await systemClock.sleep(300);
  expect(cpuMs()).toBe(frozenMs);
  service.thaw();
  await expect.poll(cpuMs, { timeout: 60_000 }).toBeGreaterThan(frozenMs);
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

/** In its session, and in an environment of nothing. */
const DAEMONS = ["", "cleared "];

test.for(DAEMONS)("a %sdaemon of a service that is not ready ends with it", async (kind) => {
  expect(await launch(`${kind}daemon`)).toMatchObject({
    reason: "start",
    text: expect.stringContaining("code 0"),
    next: expect.stringContaining("in the foreground"),
  });
  await expect.poll(states).toBe("--");
});

test.for(DAEMONS)("a %sdaemon of a service that crashes ends with it", async (kind) => {
  const service = await launched(`${kind}late daemon`);
  await fetchText(service, "/leave", new AbortController().signal);
  expect(await service.settledExit()).toMatchObject({ code: 1 });
  await expect.poll(states).toBe("--");
});

test("freezing a service that is gone returns", async () => {
  const service = await launched("good");
  process.kill(service.pid, "SIGKILL");
  expect(await service.freeze()).toBeNull();
});

test("an end that the kernel knows of is known, though nobody was told yet", async () => {
  const service = await launched("good");
  expect(await service.settledExit()).toBeNull();
  process.kill(service.pid, "SIGKILL");
  // Busy, so that the event of the end cannot come.
  while (readStat(service.pid)?.isEnding === false);
  expect(service.exit()).toBeNull();
  expect(await service.settledExit()).toMatchObject({ signal: "SIGKILL" });
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

const LOST: [string, string][] = [
  ["Go", "bind: address already in use"],
  ["Node", "Error: listen EADDRINUSE"],
  ["musl", "Address in use (os error 98)"],
  ["Spring Boot", "Web server failed to start. Port 8080 was already in use."],
  ["gunicorn", "[ERROR] Connection in use: ('127.0.0.1', 8000)"],
];
test.each(LOST)(
  "a port that was lost to somebody between choice and start is replaced: %s",
  async (_, words) => {
    // The first start finds the marker missing, makes it, and fails as a server does that lost its
    // port.
    const script = `[ -e lost ] && exec "$@"; : > lost; echo "${words}" >&2; exit 1`;
    const server = [process.execPath, SERVER, "{port}", "good", join(folder, "pids")];
    const service = await launched("good", { run: ["/bin/sh", "-c", script, "sh", ...server] });
    expect(service.exit()).toBeNull();
  },
);

/** Stands still until this file is there. */
function clockFrom(path: string): Clock {
  let startMs: number | null = null;
  return {
    ...systemClock,
    nowMs: () => {
      if (startMs === null && existsSync(path)) startMs = systemClock.nowMs();
      return startMs === null ? 0 : systemClock.nowMs() - startMs;
    },
  };
}

test("a port that is open but silent is ready for tcp and not for http", async () => {
  const silent = (mark: string): string[] => [
    process.execPath,
    "-e",
    `require("node:net").createServer(() => {}).listen({port}, "127.0.0.1", () =>
      require("node:fs").writeFileSync(${JSON.stringify(mark)}, ""))`,
  ];
  const tcp = { kind: "tcp", timeoutMs: 10_000 } as const;
  const first = await launch("", { run: silent(join(folder, "first")), ready: tcp });
  expect(first.kind).toBe("running");
  const open = join(folder, "second");
  const http = { kind: "http", path: "/", timeoutMs: 300 } as const;
  expect(
    await launch("", { run: silent(open), ready: http }, { clock: clockFrom(open) }),
  ).toMatchObject({
    kind: "failed",
    reason: "not-ready",
    text: "was not ready within 0.3 s: GET / was not answered",
  });
});

test("a service that hangs is waited for no longer than the run may take", async () => {
  const silent = `require("node:net").createServer(() => {}).listen({port}, "127.0.0.1")`;
  const run = [process.execPath, "-e", silent];
  const patience = { timeBudgetMs: 300 };
  expect(await launch("", { run }, patience)).toMatchObject({
    reason: "not-ready",
    outOfTime: true,
    text: expect.stringMatching(/^was not ready within 0\.3 s, all that the time budget gives: /),
  });
  const ready = { kind: "http", path: "/", timeoutMs: 200 } as const;
  const own = await launch("", { run, ready }, patience);
  expect(own).toMatchObject({ text: expect.stringMatching(/^was not ready within 0\.2 s: /) });
  expect(own).not.toHaveProperty("outOfTime");
  const before = ["/bin/sh", "-c", "sleep 60"];
  expect(await launch("good", { before }, { timeBudgetMs: 5000 })).toMatchObject({
    outOfTime: true,
    text: "was ready, and its `before` did not end within 5 s, all that the time budget gives",
  });
});

test.for([
  {
    program: "nowhere-to-be-found",
    text: /^could not be started: there is no nowhere-to-be-found on PATH$/,
    detail: /^searched PATH=\/none:\/bin$/,
  },
  {
    program: "./nowhere",
    text: /^could not be started: there is no \/.*\/nowhere$/,
    detail: /^$/,
  },
])(
  "a missing program is named, where it was looked for, and what to correct: $program",
  async ({ program, text, detail }) => {
    const env = { PATH: "/none:/bin" };
    expect(await launch("", { run: [program], env })).toMatchObject({
      kind: "failed",
      reason: "start",
      text: expect.stringMatching(text),
      detail: expect.stringMatching(detail),
      next: expect.stringMatching(/`run`.*Its environment is minimal: PATH, HOME, LANG/),
    });
  },
);

test("a `before` that is missing is named, and where it was looked for", async () => {
  const env = { PATH: "/none" };
  expect(await launch("good", { before: ["login"], env })).toMatchObject({
    kind: "failed",
    text: "was ready, and its `before` could not be started: there is no login on PATH",
    detail: "searched PATH=/none",
  });
});

test("a service that does not heed its signal is known for it", async () => {
  const deaf = await launched("deaf", { stop: { signal: "SIGTERM", graceMs: 50 } });
  await deaf.stop();
  expect(deaf.outlasted).toEqual({ signal: "SIGTERM", graceMs: 50 });
  const good = await launched("good");
  await good.stop();
  expect(good.outlasted).toBeNull();
});

/** Listens on a port of its own choice and says so. */
const elsewhere = (answer: string): string[] => [
  process.execPath,
  "-e",
  `const it = require("node:http").createServer((_, response) => response.${answer}.end());
  it.listen(0, "127.0.0.1", () => console.log("listening on " + it.address().port));`,
];

test("a service that is ready on another port is told within a second or so", async () => {
  const startedMs = systemClock.nowMs();
  const result = await launch("", { run: elsewhere("writeHead(200)") });
  expect(systemClock.nowMs() - startedMs).toBeLessThan(5000);
  if (result.kind !== "failed") throw new Error(result.kind);
  const [, port = ""] = /^listening on (\d+)$/.exec(result.detail) ?? [];
  expect(result.text).toMatch(
    new RegExp(
      String.raw`^was given up after .* s: nothing listened on 127\.0\.0\.1:\d+; it listens on 127\.0\.0\.1:${port}$`,
    ),
  );
  expect(result).toMatchObject({ reason: "not-ready", next: expect.stringContaining("{port}") });
});

test("so is one that only listens there and rests", async () => {
  const ready = { kind: "tcp", timeoutMs: 30_000 } as const;
  const startedMs = systemClock.nowMs();
  const result = await launch("", { run: elsewhere("writeHead(503)"), ready });
  expect(systemClock.nowMs() - startedMs).toBeLessThan(10_000);
  expect(result).toMatchObject({
    text: expect.stringMatching(
      /^was given up after .* s: nothing listened on 127\.0\.0\.1:\d+; it listens on 127\.0\.0\.1:\d+$/,
    ),
    next: expect.stringMatching(/{port}.*`ready`/),
  });
});

test("one that listens there and still works is given its time", async () => {
  const busyMs = 1500;
  const [program = "", flag = "", script = ""] = elsewhere("writeHead(200)");
  const own = `setTimeout(() => require("node:net").createServer().listen({port}, "127.0.0.1"), 200);`;
  const work = `const from = Date.now(); while (Date.now() - from < ${busyMs}); ${own}`;
  const run = [
    program,
    flag,
    `${script} it.on("listening", () => setImmediate(() => { ${work} }))`,
  ];
  const result = await launch("", { run, ready: { kind: "tcp", timeoutMs: 30_000 } });
  expect(result.kind).toBe("running");
});

test("one that is not ready there is given its time", async () => {
  const ready = { kind: "http", path: "/", timeoutMs: 1500 } as const;
  const startedMs = systemClock.nowMs();
  const result = await launch("", { run: elsewhere("writeHead(503)"), ready });
  expect(systemClock.nowMs() - startedMs).toBeGreaterThan(1500);
  expect(result).toMatchObject({
    text: expect.stringMatching(/^was not ready within 1.5 s: .*; it listens on 127\.0\.0\.1:\d+$/),
    next: expect.stringContaining("{port}"),
  });
});

/** `node -e`, with a server that calls `listen` so and has this to say before. */
const serving = (listen: string, before = ""): string[] => [
  process.execPath,
  "-e",
  `${before}; require("node:http").createServer((request, response) => {
    const isMeant = request.headers["x-ready"] === "yes" || request.headers.host === "api.example";
    response.writeHead(isMeant ? 204 : 401).end();
  }).${listen};`,
];

test.each<[string, string[], Recipe["ready"]]>([
  [
    "a 2xx to its own headers",
    serving('listen({port}, "127.0.0.1")'),
    { kind: "http", path: "/", headers: { "x-ready": "yes" }, timeoutMs: 10_000 },
  ],
  [
    "a 2xx of the host that is asked for",
    serving('listen({port}, "127.0.0.1")'),
    { kind: "http", path: "/", headers: { Host: "api.example" }, timeoutMs: 10_000 },
  ],
  [
    "a line of standard error",
    serving('listen({port}, "127.0.0.1", () => console.error("Listening on {port}"))'),
    { kind: "log", pattern: "^Listening on", timeoutMs: 10_000 },
  ],
  [
    "a line in colour",
    serving(
      'listen({port}, "127.0.0.1", () => console.log("\\x1b[32mListening\\x1b[0m on {port}"))',
    ),
    { kind: "log", pattern: "^Listening on", timeoutMs: 10_000 },
  ],
])("%s says ready", async (_name, run, ready) => {
  const result = await launch("", { run, ready });
  expect(result.kind, JSON.stringify(result)).toBe("running");
});

test.each<[string, string[], Recipe["ready"], RegExp, string | null]>([
  [
    "a service on ::1",
    serving('listen({port}, "::1")'),
    { kind: "tcp", timeoutMs: 30_000 },
    /^was given up after [\d.]+ s: nothing listened on 127\.0\.0\.1:(\d+); it listens on \[::1\]:\1$/,
    "Let the service listen on 127.0.0.1, or on all addresses (0.0.0.0): requests are sent to 127.0.0.1.",
  ],
  [
    "a line that never comes",
    serving('listen({port}, "127.0.0.1")', 'console.log("hello")'),
    { kind: "log", pattern: "^ready", timeoutMs: 800 },
    /^was not ready within 0.8 s: no line of its standard output or standard error matched \^ready$/,
    null,
  ],
  [
    "another answer",
    serving('listen({port}, "127.0.0.1")'),
    { kind: "http", path: "/", timeoutMs: 800 },
    /^was not ready within 0.8 s: GET \/ answered 401, expected 2xx$/,
    null,
  ],
])("of %s is told where it was looked for", async (_name, run, ready, text, next) => {
  const result = await launch("", { run, ready });
  expect(result).toMatchObject({ kind: "failed", text: expect.stringMatching(text) });
  expect(result.kind === "failed" ? (result.next ?? null) : "").toBe(next);
});

test("one that prints 20 MB before it listens, and 4 kB for each request, is ready and answers", async () => {
  // Blocks where nobody reads it, as most languages' output does.
  const say = (lines: number) =>
    `require("node:fs").writeSync(1, ("x".repeat(999) + "\\n").repeat(${lines}))`;
  const loud = `${say(20_000)}; require("node:http").createServer((_, response) => {
    ${say(4)}; response.end("said");
  }).listen({port}, "127.0.0.1")`;
  const service = await launched("", { run: [process.execPath, "-e", loud] });
  const never = new AbortController().signal;
  for (let i = 0; i < 500; i++) expect(await fetchText(service, "/", never)).toBe("said");
});

test("a page that never ends is no page, in bounded time", async () => {
  const service = await launched("trickles");
  const never = new AbortController().signal;
  const startedMs = systemClock.nowMs();
  expect(await fetchText(service, "/metrics", never)).toBeNull();
  expect(systemClock.nowMs() - startedMs).toBeLessThan(5000);
});

test("an abort at any moment of the start leaves no process", async () => {
  for (const afterMs of [0, 5, 20, 40, 60, 80, 120]) {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), afterMs);
    const result = await launch("good", {}, { abort: abort.signal });
    clearTimeout(timer);
    if (result.kind === "running") await result.service.stop();
  }
  await (await launched("good")).stop();
  expect(states()).toMatch(/^-+$/);
});
