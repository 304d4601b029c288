// `explain` of a small service with the machine's own perf, without one, and ended by a signal. The
// load is a fake oha's: what is asked is what is recorded, not what a machine measures.
import { type ChildProcess, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, type TestContext, test } from "vitest";
import { readPprof } from "../../../lab/explain/plain.ts";
import { ExplanationSchema } from "../../../scripts/generate/satellite-schemas.ts";
import { Project, processesMentioning, type Started } from "../../../test/support/project.ts";
import type { ExplanationRecord } from "../explain.ts";

/** A request takes so many turns of a loop, and looks so often at a file that is not there. */
const serving = (turns: number, looks: number): string => `import { existsSync } from "node:fs";
import { createServer } from "node:http";
function digest(turns) {
  let sum = 0;
  for (let i = 0; i < turns; i++) sum += i % 7;
  return sum;
}
createServer((_, response) => {
  for (let look = 0; look < ${looks}; look++) existsSync("/absent");
  response.end(String(digest(${turns})));
}).listen(Number(process.argv[2]), "127.0.0.1");
`;

/** A request fills so many megabytes, by a function of the C library. */
const filling = (megabytes: number): string => `#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char all[1 << 20];
__attribute__((noinline)) static int fill(int times) {
  for (int i = 0; i < times; i++) memset(all, i, sizeof all);
  return all[0];
}
int main(int count, char **words) {
  static const char answer[] = "HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n";
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(atoi(words[1]))};
  int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 64)) return 1;
  for (;;) {
    char asked[4096];
    int one = accept(listener, 0, 0);
    if (read(one, asked, sizeof asked) > 0 && fill(${megabytes}) < 256) write(one, answer, sizeof answer - 1);
    close(one);
  }
}
`;

const COMPILED = {
  build: "build: cc -g -O1 -o server server.c, artifact: server, ",
  server: "./server",
};

/** The service has its folder in its command line, which tells it from those of other tests. */
const config = (
  root: string,
  { build, server }: Record<"build" | "server", string>,
): string => `version: 1
services:
  api: { dir: ., ${build}run: "${server} {port} ${root}", ready: / }
scenarios:
  digest: { request: GET /, rate: 100/s, connections: 2, warmup: 10 }
`;

/** `perf`: the text of a program of that name, found before the machine's own. */
function project({ turns = 4_000_000, perf = "", isCompiled = false } = {}) {
  const it = new Project([], { oha: "fake", program: "source" });
  onTestFinished(() => it.remove());
  const { file, first, second, ...program } = isCompiled
    ? { ...COMPILED, file: "server.c", first: filling(4), second: filling(5) }
    : {
        ...{ build: "", server: "node server.mjs", file: "server.mjs" },
        first: serving(1_000_000, 0),
        second: serving(turns, turns > 1_000_000 ? 3 : 0),
      };
  it.write("tailgate.yml", config(it.root, program));
  it.write(file, first);
  it.commit("first");
  it.write(file, second);
  // Which reaches no process.
  it.write("README.md", "of this change");
  it.commit("second");
  if (perf !== "") {
    it.write(".git/bin/perf", perf);
    chmodSync(join(it.root, ".git/bin/perf"), 0o755);
  }
  const start = (...more: string[]): Started =>
    it.start("explain", "api", "--reference", "HEAD~1", ...more);
  return { root: it.root, start };
}

async function explained({ finished }: Started): Promise<ExplanationRecord> {
  const { code, stdout, stderr } = await finished;
  expect(code, stdout + stderr).toBe(0);
  return ExplanationSchema.parse(JSON.parse(stdout));
}

/** Where perf records for a command; undefined: it does not yet. */
function scratchOf({ pid }: ChildProcess): string | undefined {
  const argv = ["--ppid", String(pid), "-o", "args="];
  const { stdout } = spawnSync("ps", argv, { encoding: "utf8" });
  return /^perf record .* -o (\S+)\/perf\.data/m.exec(stdout)?.[1];
}

const MAY_RECORD = spawnSync("perf", ["record", "-q", "-o", "-", "--", "true"]).status === 0;

const TIMEOUT_MS = 120_000;

test("a service is profiled from its start, by the machine's perf", {
  timeout: TIMEOUT_MS,
}, async (context: TestContext) => {
  const { root, start } = project();
  const result = await explained(start("--seconds", "15", "--json"));
  if (result.refused !== null) context.skip(result.refused.why);
  expect(result.rounds).toBeGreaterThanOrEqual(1);
  expect(result.samples).toBeGreaterThan(50);
  const { latencyUs, cpuMs, startMs } = result;
  for (const { before, after } of [latencyUs, cpuMs, startMs]) {
    expect(before).toBeGreaterThan(0);
    expect(after).toBeGreaterThan(0);
  }
  expect(result.again).toMatch(/^tailgate explain api --scenario digest --reference [0-9a-f]{40}$/);
  // Four times the turns: by the scheduler's clock, which no noise doubles.
  expect(cpuMs.after / cpuMs.before).toBeGreaterThan(1.2);
  // As strace counts, where it is there and may; the fake load says more requests than it sent.
  const looks = result.calls.filter(({ name }) => /^(?:access|faccessat2?|statx?)$/.test(name));
  const uncounted = result.notes.some((note) => note.startsWith("system calls are not counted"));
  expect(looks.map((one) => one.after > one.before)).toEqual(uncounted ? [] : [true]);
  expect(processesMentioning(root)).toEqual([]);
});

test("of a function of the C library its callers are known, wherever that lies in memory", {
  timeout: TIMEOUT_MS,
}, async (context: TestContext) => {
  if (!MAY_RECORD) context.skip("perf may not record");
  const { root, start } = project({ isCompiled: true });
  await explained(start("--seconds", "30", "--json"));
  for (const arm of ["reference", "candidate"]) {
    const all = readPprof(readFileSync(join(root, `.tailgate/${arm}.pprof`)));
    const took = (names: RegExp[]): number =>
      all
        .filter((one) => names.every((name) => one.names.some((own) => name.test(own))))
        .reduce((sum, { value }) => sum + value, 0);
    expect(took([/memset/])).toBeGreaterThan(0);
    expect(took([/memset/, /^fill$/]) / took([/memset/])).toBeGreaterThan(0.95);
  }
});

/** perf 6.1 where only root may, as of `perf record -e cpu-clock:k`. */
const REFUSES = `#!/bin/sh
cat >&2 <<'END'
Error:
Access to performance monitoring and observability operations is limited.
Consider adjusting /proc/sys/kernel/perf_event_paranoid setting to open
access to performance monitoring and observability operations for processes
without CAP_PERFMON, CAP_SYS_PTRACE or CAP_SYS_ADMIN Linux capability.
END
exit 255
`;

test("where perf is refused, counts are taken all the same", { timeout: TIMEOUT_MS }, async () => {
  const { start } = project({ perf: REFUSES });
  const result = await explained(start("--seconds", "10", "--json"));
  expect(result.refused).toMatchObject({ next: expect.stringMatching(/./) });
  expect(result).toMatchObject({ samples: 0, rows: [] });
  expect(result.rounds).toBeGreaterThanOrEqual(1);
  expect(result.cpuMs.after / result.cpuMs.before).toBeGreaterThan(1.2);
});

test("a signal ends it, and leaves nothing", { timeout: TIMEOUT_MS }, async (context) => {
  if (!MAY_RECORD) context.skip("perf may not record");
  const { root, start } = project();
  const { child, finished } = start("--seconds", "60");
  let scratch = "";
  const isUnderWay = (): string => {
    scratch = scratchOf(child) ?? "";
    return scratch;
  };
  await expect.poll(isUnderWay, { timeout: TIMEOUT_MS / 2 }).not.toBe("");
  expect(existsSync(scratch)).toBe(true);
  child.kill("SIGTERM");
  const { code, stderr } = await finished;
  expect(code, stderr).toBe(143);
  expect(processesMentioning(root)).toEqual([]);
  expect(existsSync(scratch)).toBe(false);
});

test("where one build's answers are wrong nothing is explained", {
  timeout: TIMEOUT_MS,
}, async () => {
  const it = new Project([], { oha: "fake", program: "source" });
  onTestFinished(() => it.remove());
  const own = config(it.root, { build: "", server: "node server.mjs" });
  it.write("tailgate.yml", own.replace("GET /,", "GET /new,"));
  const server = serving(1_000_000, 0);
  const only = "(request, response) => {\n  if (request.url !== '/') response.statusCode = 404;";
  it.write("server.mjs", server.replace("(_, response) => {", only));
  it.commit("first");
  it.write("server.mjs", server);
  it.commit("second");
  const { finished } = it.start("explain", "api", "--reference", "HEAD~1", "--seconds", "10");
  const { code, stderr } = await finished;
  expect(code, stderr).toBe(2);
  expect(stderr).toContain("no profiled round of both builds counts: the reference: ");
});

test("the same build in both arms is nothing to explain", { timeout: TIMEOUT_MS }, async () => {
  const { start } = project({ turns: 1_000_000 });
  const { code, stderr } = await start().finished;
  expect(code).toBe(2);
  expect(stderr).toContain("there is nothing to explain: api is unchanged");
});
