// What is wrong with a configuration is told before any load, with what was seen and what to write.
// The load is a fake oha's, to which the service states what a request takes.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Project } from "../support/project.ts";
import { leftBehind } from "./tiny.ts";

const SERVER = `
const [port, body] = process.argv.slice(2);
const server = require("node:http").createServer((request, response) => {
  const status = ["/healthz", "/hello"].includes(request.url) ? 200 : 404;
  response.writeHead(status, { "content-type": "text/plain", "x-latency-us": "300" }).end(status === 200 ? body : "no such page");
});
process.on("SIGTERM", () => process.exit(0));
server.listen(Number(port), "127.0.0.1", () => console.log("listening on " + server.address().port));
`;

interface Wanted {
  request?: string;
  run?: string;
  scenario?: string;
}

const configuration = (mark: string, { request, run, scenario }: Wanted): string => `version: 1
compare: base
runner: { keepAwake: false }
services:
  api: { run: [${run ?? `${process.execPath}, server.cjs, "{port}", hello`}, ${mark}], ready: /healthz }
scenarios:
  hello: { request: ${request ?? "GET /hello"}, rate: 2000/s, connections: 4, warmup: 0, slice: { duration: 80ms, pairs: 1 }${scenario ?? ""} }
metrics:
  p99: { margin: 100%, absoluteFloor: 10us }
  rss: { margin: 50%, absoluteFloor: 8MiB }
  rssPeak: { level: info }
  startup: { level: info }
  cpuPer1k: { level: info }
policy: { alpha: 20%, beta: 20%, timeBudget: 5m }
`;

/** Both builds are of `both`; the working tree's differs by `candidate`. */
function project(both: Wanted, candidate: Wanted = {}): Project {
  const made = new Project([], { oha: "fake" });
  onTestFinished(() => made.remove());
  made.write(".gitignore", "/.tailgate/\n");
  made.write("server.cjs", SERVER);
  made.write("tailgate.yml", configuration(made.root, both));
  made.commit("first");
  made.write("tailgate.yml", configuration(made.root, { ...both, ...candidate }));
  return made;
}

const node = process.execPath;

test.for<[string, Wanted, RegExp[]]>([
  [
    "path",
    { request: "GET /helo" },
    [
      /api \((candidate|reference)\), hello: GET \/helo got 404 with the body "no such page", expected 200; the service listens on 127\.0\.0\.1:\d+/,
      /listening on \d+/,
      /Correct `request` of the scenario hello in tailgate.yml, or set its `expect` to 404/,
    ],
  ],
  [
    "status",
    { scenario: ", expect: 201" },
    [/GET \/hello got 200 with the body "hello", expected 201/],
  ],
  [
    "program",
    { run: 'no-such-program, "{port}"' },
    [/api \(\w+\) could not be started: there is no no-such-program on PATH/, /Correct `run`/],
  ],
  [
    "port",
    { run: `${node}, server.cjs, "0", hello, "{port}"` },
    [
      /was given up after [\d.]+ s: nothing listened on 127\.0\.0\.1:\d+; it listens on 127\.0\.0\.1:\d+/,
      /listening on \d+/,
      /Tell the service its port/,
    ],
  ],
])("a wrong %s ends with 2 before any load", async ([, wanted, seen]) => {
  const made = project(wanted);
  const { code, stdout, stderr } = await made.run("gate", "--measure-unchanged", "--seed", "1");
  expect(code, stdout + stderr).toBe(2);
  for (const line of seen) expect(stderr).toMatch(line);
  expect(stdout + stderr).not.toMatch(/time-budget/);
  expect(existsSync(join(made.root, ".git/fake-oha-calls"))).toBe(false);
  expect(leftBehind(made)).toEqual([]);
});

test("an answer that the change alone made wrong is its fault, told before any load", async () => {
  const made = project({ run: `${node}, server.cjs, "{port}", hello` });
  made.write("server.cjs", SERVER.replace('"/hello"', '"/hallo"'));
  const { code, stdout, stderr } = await made.run("gate", "--measure-unchanged", "--seed", "1");
  expect(code, stdout + stderr).toBe(3);
  expect(made.report().verdict.headline).toMatch(
    /api \(candidate\), hello: GET \/hello got 404 with the body "no such page", expected 200/,
  );
  expect(existsSync(join(made.root, ".git/fake-oha-calls"))).toBe(false);
});

test("what both builds answer is told before any load", async () => {
  const { code, stdout, stderr } = await project({}).run("gate", "--measure-unchanged");
  expect(code, stdout + stderr).toBe(0);
  expect(stderr).toMatch(
    /api\/hello: 200, 5 bytes of text\/plain from both builds\n[\s\S]*round 1: \d/,
  );
});

test("other answers are warned of, and fail where they must be the same", async () => {
  const candidate = { run: `${node}, server.cjs, "{port}", "[]"` };
  const warned = project({}, candidate);
  const first = await warned.run("gate", "--measure-unchanged", "--seed", "1");
  expect(first.code, first.stdout + first.stderr).toBe(0);
  expect(first.stderr).toContain(
    "api/hello: 200, 2 bytes of text/plain from the candidate; 200, 5 bytes of text/plain from the reference\n",
  );
  expect(first.stdout).toMatch(/answers differ: 2 bytes of text\/plain from the candidate, 5/);
  expect(existsSync(join(warned.root, ".git/fake-oha-calls"))).toBe(true);

  const failed = project({ scenario: ", answers: same" }, candidate);
  const second = await failed.run("gate", "--measure-unchanged", "--seed", "1");
  expect(second.code, second.stdout + second.stderr).toBe(3);
  expect(failed.report().verdict.headline).toMatch(/api\/hello: answers differ: 2 bytes/);
  expect(failed.report().run.slices).toBe(4);
});
