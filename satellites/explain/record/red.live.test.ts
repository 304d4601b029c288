// A gate that ends red explains itself, unless nobody wants it or a signal ends it. The load is a fake
// oha's, whose latencies are what a service announces.
import { expect, onTestFinished, test } from "vitest";
import { ExplanationSchema } from "../../../scripts/generate/satellite-schemas.ts";
import { gatedIn, Project, processesMentioning } from "../../../test/support/project.ts";

const TIMEOUT_MS = 200_000;

/** At one path, so many turns of a loop, as many as it takes microseconds. */
const serving = (path: string, turns: number): string => `import { createServer } from "node:http";
function digest(turns) {
  let sum = 0;
  for (let i = 0; i < turns; i++) sum += i % 7;
  return sum;
}
createServer(({ url }, response) => {
  if (url !== "/ready" && url !== "${path}") return response.writeHead(404).end();
  response.setHeader("x-latency-us", "${turns / 1000}");
  response.end(String(digest(${turns})));
}).listen(Number(process.argv[2]), "127.0.0.1");
`;

const config = (root: string, path: string): string => `version: 1
compare: base
seed: 1
runner: { keepAwake: false }
services:
  api: { dir: ., run: "node server.mjs {port} ${root}", ready: /ready }
scenarios:
  digest: { request: GET ${path}, rate: 100/s, connections: 2, warmup: 10, slice: { duration: 1s, pairs: 1 } }
metrics:
  p99: { margin: 100%, absoluteFloor: 10us }
  slow: { level: info }
  errors: { level: info }
  rss: { level: info }
  rssPeak: { level: info }
  startup: { level: info }
  cpuPer1k: { level: info }
policy: { alpha: 20%, beta: 20%, timeBudget: 2m }
`;

/** Of a route that moved, too: each build answers at its own path alone. */
function redGate(...flags: string[]) {
  const it = new Project([], { oha: "fake", program: "source" });
  onTestFinished(() => it.remove());
  for (const [path, turns] of [
    ["/digest", 1_000_000],
    ["/v2/digest", 5_000_000],
  ] as const) {
    it.write("tailgate.yml", config(it.root, path));
    it.write("server.mjs", serving(path, turns));
    it.commit(`${turns} turns at ${path}`);
  }
  return { it, ...it.start("gate", "--reference", "HEAD~1", ...flags) };
}

const FILES = [".gitignore", "report.html", "report.md", "report.v1.json", "samples.v1.json"];
const TITLE = "Why it is red";

test("a red gate says why, in its report and beside it", {
  timeout: TIMEOUT_MS,
}, async (context) => {
  const { it, finished } = redGate();
  const { code, stdout, stderr } = await finished;
  expect(code, stdout + stderr).toBe(1);
  expect(gatedIn(it.report(), "regressed")).toEqual(["api/digest p99 pooled"]);
  expect(stderr).toContain("explaining why, at most 75 s; Ctrl-C keeps the verdict");
  expect(processesMentioning(it.root)).toEqual([]);
  for (const text of [stdout, it.read(".tailgate/report.md"), it.read(".tailgate/report.html")])
    expect(text).toContain(TITLE);
  const own = ["explanation.html", "explanation.md", "explanation.v1.json"];
  expect(it.files(".tailgate")).toEqual(expect.arrayContaining([...FILES, ...own]));
  const { explanation } = it.report();
  const whole = ExplanationSchema.parse(JSON.parse(it.read(".tailgate/explanation.v1.json")));
  // What of so few requests is found is another test's to ask.
  expect(explanation?.rows.map(({ before }) => before)).toEqual(
    whole.rows.map(({ before }) => before),
  );
  expect(whole.rounds).toBeGreaterThanOrEqual(1);
  // Of the very gate that it explains.
  const again = await it.run("judge", ".tailgate/samples.v1.json", "--json");
  expect(JSON.parse(again.stdout)).toEqual(it.report());
  if (whole.refused !== null) context.skip(whole.refused.why);
  expect(stdout).toContain("reference.pprof");
});

test("it does not where nobody wants it", { timeout: TIMEOUT_MS }, async () => {
  const { it, finished } = redGate("--no-explain");
  const { code, stdout, stderr } = await finished;
  expect(code, stdout + stderr).toBe(1);
  expect(it.report().explanation).toBeUndefined();
  expect(stdout).not.toContain(TITLE);
  expect(it.files(".tailgate")).toEqual(FILES);
});

test("a signal ends it and keeps the verdict", { timeout: TIMEOUT_MS }, async () => {
  const { it, child, finished } = redGate();
  let stderr = "";
  child.stderr?.on("data", (text) => {
    stderr += String(text);
  });
  await expect.poll(() => stderr, { timeout: TIMEOUT_MS / 2 }).toContain("explaining why");
  const written = it.read(".tailgate/report.v1.json");
  child.kill("SIGINT");
  const { code, stdout } = await finished;
  expect(code, stdout + stderr).toBe(1);
  expect(stderr).toContain("not explained: it was stopped, or took too long");
  expect(stdout).toContain("REGRESSED");
  expect(it.read(".tailgate/report.v1.json")).toBe(written);
  expect(it.files(".tailgate")).toEqual(FILES);
  expect(processesMentioning(it.root)).toEqual([]);
});
