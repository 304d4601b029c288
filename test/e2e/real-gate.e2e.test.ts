// The whole chain once with nothing replaced but the view of the host: a real build, a real
// service, the real oha, a slower route and a heavier service, both planted. What is planted is 30
// ms on about 1 ms and 40 MB on about 15, so that a busy machine does not hide it: with a loop on
// each CPU the gate must be red as well. Three things keep it decided there. A slice has fewer than
// 100 counted requests, so that of the generator's lag only a stop of 20 ms voids it (and the p99
// is judged over whole rounds alone); any share of slices may be void; and CPU time that others
// take voids none (test/support/fake-oha/quiet-host.cjs).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gatedIn, Project, processesMentioning } from "../support/project.ts";

function configuration(faults: { slow?: string; heavy?: string } = {}): string {
  const env = (planted = ""): string =>
    `env: { ADDR: "127.0.0.1:{port}", GOMAXPROCS: "1"${planted && `, TAILGATE_FAULTS: "${planted}"`} }`;
  return `version: 1
compare: base
services:
  slow:
    dir: services/gin-api
    build: go build -trimpath -buildvcs=false -o bin/gin-api .
    artifact: bin/gin-api
    ready: /healthz
    ${env(faults.slow)}
  heavy: { variantOf: slow, ${env(faults.heavy)} }
scenarios:
  echo:
    request: { path: /echo, json: { id: 7, user_agent: tailgate, metadata: [a, b, c] } }
    rate: 200/s
    connections: 4
    warmup: 20
    slice: { duration: 500ms, pairs: 1 }
metrics:
  p99: { margin: 400%, floor: 200%, absoluteFloor: 8ms }
  p99.pooled: { margin: 400%, floor: 200%, absoluteFloor: 8ms }
  slow: { margin: 400%, floor: 200% }
  rss: { margin: 50%, floor: 25%, absoluteFloor: 4MiB }
policy: { alpha: 20%, beta: 40%, answerAll: true, timeBudget: 6m }
`;
}

test("a slower route and a heavier service are both found, and nothing else", async () => {
  const project = new Project(["services"]);
  onTestFinished(() => project.remove());
  project.write("tailgate.yml", configuration());
  project.commit("clean");
  const plants = { slow: "route=/echo,latency_us=30000", heavy: "keep_bytes=40000000" };
  project.write("tailgate.yml", configuration(plants));
  const { code, stdout, stderr } = await project.run("gate", "--seed", "1");
  expect(code, stdout + stderr).toBe(1);
  const red = gatedIn(project.report(), "regressed");
  expect(red, stdout).toEqual(["heavy rss", "slow/echo p99 pooled", "slow/echo slow windows"]);
  expect(processesMentioning(project.root)).toEqual([]);
  expect(project.git("worktree", "list").split("\n")).toHaveLength(1);

  const again = await project.run("judge", ".tailgate/samples.v1.json", "--json");
  expect(again.code).toBe(1);
  expect(JSON.parse(again.stdout)).toEqual(
    JSON.parse(readFileSync(join(project.root, ".tailgate/report.v1.json"), "utf8")),
  );
});
