// A gate of a mix with nothing replaced but the view of the host: two real services, the real oha, nine
// cheap requests to one that gets slower in one of the services. What is planted is 30 ms on about 1
// ms, and a slice has fewer than 100 requests of that part, so that a busy machine does not hide it
// (real-gate.e2e.test.ts says why).
import { expect, onTestFinished, test } from "vitest";
import { gatedIn, Project } from "../support/project.ts";
import { samplesOf } from "./tiny.ts";

function configuration(planted: Readonly<Record<string, string>> = {}): string {
  const env = (service: string): string => {
    const fault = planted[service];
    const faults = fault === undefined ? "" : `, TAILGATE_FAULTS: "${fault}"`;
    return `env: { ADDR: "127.0.0.1:{port}", GOMAXPROCS: "1"${faults} }`;
  };
  return `version: 1
compare: base
services:
  same:
    dir: services/gin-api
    build: go build -trimpath -buildvcs=false -o bin/gin-api .
    artifact: bin/gin-api
    ready: /healthz
    ${env("same")}
  slow: { variantOf: same, ${env("slow")} }
scenarios:
  shop:
    mix:
      browse: { weight: 9, request: { path: /echo, json: { id: 7, user_agent: tailgate, metadata: [a] } } }
      buy: { request: GET /process?input=tailgate }
    rate: 400/s
    connections: 8
    warmup: 40
    slice: { duration: 1s, pairs: 1 }
metrics:
  p99: { margin: 400%, floor: 200%, absoluteFloor: 8ms }
  p99.pooled: { margin: 400%, floor: 200%, absoluteFloor: 8ms }
  slow: { level: info }
  rss: { level: info }
  rssPeak: { level: info }
  startup: { level: info }
  cpuPer1k: { level: info }
policy: { alpha: 20%, beta: 40%, answerAll: true, timeBudget: 6m }
`;
}

test("a part that gets slower is red and named, in the shares that were asked for", async () => {
  const project = new Project(["services"]);
  onTestFinished(() => project.remove());
  project.write("tailgate.yml", configuration());
  project.commit("clean");
  project.write("tailgate.yml", configuration({ slow: "route=/process,latency_us=30000" }));
  const { code, stdout, stderr } = await project.run("gate", "--measure-unchanged", "--seed", "1");
  expect(code, stdout + stderr).toBe(1);
  const red = gatedIn(project.report(), "regressed");
  expect(red, stdout).toContain("slow/shop[buy] p99 pooled");
  expect(red.filter((id) => id.startsWith("same/") || id.includes("[browse]"))).toEqual([]);
  expect(stdout).toContain("shop[buy]");

  const { rounds } = samplesOf(project);
  const sent = new Set(
    rounds.flatMap(({ scenarios }) =>
      scenarios.flatMap(({ scenario, slices }) =>
        slices.map(({ arm, scheduled, statuses }) =>
          JSON.stringify([scenario, arm, scheduled, statuses]),
        ),
      ),
    ),
  );
  const arms = ["candidate", "reference"];
  const shares = { "": 400, "[browse]": 360, "[buy]": 40 };
  const asked = ["same", "slow"].flatMap((service) =>
    Object.entries(shares).flatMap(([part, count]) =>
      arms.map((arm) => JSON.stringify([`${service}/shop${part}`, arm, count, { 200: count }])),
    ),
  );
  expect([...sent].sort()).toEqual(asked.sort());
});
