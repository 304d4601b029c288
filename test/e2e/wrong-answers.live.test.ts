// An error that comes once in 500 requests, planted in the source of a service, under a real load: the
// fake one sends too few to meet it. Noise of this machine touches no count.
import { expect, onTestFinished, test } from "vitest";
import { gatedIn, Project } from "../support/project.ts";
import { fewRounds, leftBehind, samplesOf } from "./tiny.ts";

/** `build`: a text that tells two builds apart which do the same. */
const server = ({ fails, build }: { fails: boolean; build: string }): string => `
// ${build}
let served = 0;
const server = require("node:http").createServer((request, response) => {
  if (request.url === "/healthz") return response.end();
  served++;
  const status = ${fails ? "served % 500 === 0 ? 500 : 200" : "200"};
  response.writeHead(status).end("hello");
});
process.on("SIGTERM", () => process.exit(0));
server.listen(Number(process.argv[2]), "127.0.0.1");
`;

/** A commit whose service fails or not, and a working tree. */
function branch(fails: Readonly<Record<"base" | "head", boolean>>, errors = "gate"): Project {
  const project = new Project([]);
  onTestFinished(() => project.remove());
  project.write(".gitignore", "/.tailgate/\n");
  const service = `  api: { run: [${process.execPath}, server.cjs, "{port}", ${project.root}], ready: /healthz }\n`;
  const scenario =
    "  home: { request: GET /, rate: 2000/s, connections: 4, warmup: 4, slice: { duration: 500ms, pairs: 1 } }\n";
  project.write("tailgate.yml", fewRounds(service, scenario, { errors }));
  project.write("server.cjs", server({ fails: fails.base, build: "base" }));
  project.commit("base");
  project.write("server.cjs", server({ fails: fails.head, build: "head" }));
  return project;
}

test("a candidate that answers 1 in 500 wrongly is red in a few rounds, by its counts", async () => {
  const project = branch({ base: false, head: true });
  const { code, stdout, stderr } = await project.run("gate", "--seed", "1");
  expect(code, stdout + stderr).toBe(1);
  const report = project.report();
  const { verdict } = report;
  expect(gatedIn(report, "regressed")).toEqual(["api/home errors"]);
  // Nothing is said of latency from what is left of such slices.
  expect(gatedIn(report, "invalid")).toEqual(["api/home p99 typical"]);
  expect(samplesOf(project).run.ended).toBe("regressed");
  expect(verdict.headline).toMatch(
    /^regressed: api\/home: \d+ of [\d,]+ answers were wrong \(0\.\d+ %: \d+ × 500\); none of [\d,]+ before$/,
  );
  expect(stdout).toContain(verdict.headline.replace("regressed: ", ""));
  const row = verdict.comparisons.find(({ id }) => id === "api/home errors");
  expect(row?.rounds).toBeLessThanOrEqual(6);
  expect(row?.reference).toBe(0);
  expect(row?.candidate).toBeCloseTo(1 / 500, 3);
  expect(leftBehind(project)).toEqual([]);

  const again = await project.run("judge", ".tailgate/samples.v1.json", "--json");
  expect(again.code).toBe(1);
  expect(JSON.parse(again.stdout)).toEqual(JSON.parse(project.read(".tailgate/report.v1.json")));
});

test.each([
  ["both builds fail alike", { base: true, head: true }, "gate"],
  ["the reference alone fails", { base: true, head: false }, "gate"],
  ["wrong answers are only watched", { base: false, head: true }, "warn"],
])("where %s nothing is red, and nothing passes", async (_, fails, level) => {
  const project = branch(fails, level);
  const { code, stdout, stderr } = await project.run("gate", "--seed", "2");
  expect(code, stdout + stderr).toBe(3);
  expect(gatedIn(project.report(), "regressed")).toEqual([]);
  expect(project.report().verdict.headline).toMatch(
    /^invalid measurement: api\/home: requests to /,
  );
});
