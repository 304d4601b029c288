// What only one arm has, in the most ordinary pull requests: a route or a service is added, moved or
// removed. The rest gets its verdict. The load is a fake oha's, to which the service announces what a
// request takes.
import { expect, onTestFinished, test } from "vitest";
import { gatedIn, Project } from "../support/project.ts";
import { fewRounds, leftBehind, samplesOf } from "./tiny.ts";

type Routes = Readonly<Record<string, number>>;

/** Answers its routes, each after so many microseconds, and `*` by one page for all else. */
const server = (routes: Routes): string => `
const routes = ${JSON.stringify(routes)};
const server = require("node:http").createServer((request, response) => {
  const us = request.url === "/healthz" ? 0 : routes[request.url];
  const status = (us ?? routes["*"]) === undefined ? 404 : 200;
  const page = "no page " + request.url + " here";
  response.writeHead(status, { "x-latency-us": us ?? routes["*"] ?? 0 }).end(us === undefined ? page : "hello");
});
process.on("SIGTERM", () => process.exit(0));
server.listen(Number(process.argv[2]), "127.0.0.1");
`;

interface Commit {
  /** By service: its routes. */
  services: Readonly<Record<string, Routes>>;
  /** By name: `GET /`. */
  scenarios: Readonly<Record<string, string>>;
  /** Absolute limits of the p99 and of memory; default: none. */
  max?: { p99: string; rss?: string };
}

function write(project: Project, { services, scenarios, max }: Commit): void {
  for (const [name, routes] of Object.entries(services)) {
    project.write(`${name}/server.cjs`, server(routes));
  }
  const recipes = Object.keys(services).map(
    (name) =>
      `  ${name}: { dir: ${name}, run: [${process.execPath}, server.cjs, "{port}", ${project.root}], ready: /healthz }\n`,
  );
  const load = "rate: 2000/s, connections: 4, warmup: 4, slice: { duration: 80ms, pairs: 1 }";
  const asked = Object.entries(scenarios).map(([id, request]) => {
    const [service, name] = id.split("/");
    return `  ${name}: { services: [${service}], request: ${request}, ${load} }\n`;
  });
  const p99 = max === undefined ? "" : `, max: ${max.p99}`;
  const rss = max?.rss === undefined ? "" : `, max: ${max.rss}`;
  project.write("tailgate.yml", fewRounds(recipes.join(""), asked.join(""), { p99, rss }));
}

/** A commit, and a branch of one more. */
function branch(base: Commit, head: Commit): Project {
  const project = new Project([], { oha: "fake" });
  onTestFinished(() => project.remove());
  project.write(".gitignore", "/.tailgate/\n");
  write(project, base);
  project.commit("base");
  write(project, head);
  return project;
}

const BASE: Commit = { services: { api: { "/": 1000 } }, scenarios: { "api/home": "GET /" } };
const ADDED: Commit = {
  services: { api: { "/": 1000, "/search": 2000 } },
  scenarios: { "api/home": "GET /", "api/search": "GET /search" },
};

test("a route that is added is measured alone, and the rest gets its verdict", async () => {
  const project = branch(BASE, ADDED);
  const { code, stdout, stderr } = await project.run("gate", "--seed", "1");
  expect(code, stdout + stderr).toBe(0);
  const { verdict } = project.report();
  expect(gatedIn(project.report(), "pass")).toEqual(["api rss", "api/home p99 typical"]);
  expect(gatedIn(project.report(), "new")).toEqual(["api/search p99 typical"]);
  const row = verdict.comparisons.find(({ id }) => id === "api/search p99 typical");
  expect(row).toMatchObject({ reference: null, estimate: null });
  expect(row?.candidate).toBeGreaterThan(1900);
  expect(verdict.oneArm).toEqual({ new: ["api/search"], changed: [], gone: [] });
  expect(verdict.headline).toContain("; new: api/search");
  // What is new takes no share of alpha: two questions are left.
  expect(verdict.comparisons[0]?.trail[0]?.regress).toBeGreaterThan((0.05 * 0.2) / 2);
  // Both arms had the same load when their memory was read.
  for (const { index, launches } of samplesOf(project).rounds) {
    const requests = [launches?.candidate.requests, launches?.reference?.requests];
    if (index > 1) expect(requests[0]).toBe(requests[1]);
  }
  expect(leftBehind(project)).toEqual([]);

  const again = await project.run("judge", ".tailgate/samples.v1.json", "--json");
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout)).toEqual(JSON.parse(project.read(".tailgate/report.v1.json")));
});

test("a regression beside a route that is added is found", async () => {
  const project = branch(BASE, {
    ...ADDED,
    services: { api: { "/": 7000, "/search": 2000 } },
  });
  const { code, stdout, stderr } = await project.run("gate", "--seed", "2");
  expect(code, stdout + stderr).toBe(1);
  expect(gatedIn(project.report(), "regressed")).toEqual(["api/home p99 typical"]);
  expect(gatedIn(project.report(), "new")).toEqual(["api/search p99 typical"]);
});

test("a build is held to its limits, and what is added too", async () => {
  const green = branch(BASE, { ...ADDED, max: { p99: "20ms", rss: "1GiB" } });
  const { code, stdout, stderr } = await green.run("gate", "--seed", "9");
  expect(code, stdout + stderr).toBe(0);
  expect(gatedIn(green.report(), "pass")).toEqual([
    "api rss",
    "api rss limit",
    "api/home p99 typical",
    "api/home p99 typical limit",
    "api/search p99 typical limit",
  ]);
  expect(gatedIn(green.report(), "new")).toEqual(["api/search p99 typical"]);

  const services = { api: { "/": 1000, "/search": 9000 } };
  const red = branch(BASE, { ...ADDED, services, max: { p99: "4ms" } });
  const over = await red.run("gate", "--answer-all", "--seed", "10");
  expect(over.code, over.stdout + over.stderr).toBe(1);
  expect(gatedIn(red.report(), "regressed")).toEqual(["api/search p99 typical limit"]);
  expect(gatedIn(red.report(), "pass")).toContain("api/home p99 typical limit");
  expect(red.report().verdict.headline).toMatch(
    /^regressed: p99 of api\/search is \d+\.\d+ ms \(limit 4 ms\)$/,
  );
  expect(over.stdout).toMatch(
    /OVER LIMIT +\+\d+(?:\.\d)? % +api\/search p99 limit +\d+\.\d+ ms +4 ms/,
  );
  const told = await red.run("export", ".tailgate/report.v1.json", "--format", "junit");
  expect(told.stdout).toMatch(
    /<testcase classname="api\/search" name="p99-typical-limit"><failure/,
  );
});

test("without anything to compare with, a build is held to its limits all the same", async () => {
  const held = (rss: string) => {
    const project = branch(BASE, { ...BASE, max: { p99: "20ms", rss } });
    return { project, run: project.run("gate", "--compare", "stored", "--seed", "11") };
  };
  const below = held("1GiB");
  expect((await below.run).code).toBe(2);
  const { verdict } = below.project.report();
  expect([verdict.state, gatedIn(below.project.report(), "pass")]).toEqual([
    "no-baseline",
    ["api rss limit", "api/home p99 typical limit"],
  ]);
  const over = held("1MiB");
  expect((await over.run).code).toBe(1);
  expect(gatedIn(over.project.report(), "regressed")).toEqual(["api rss limit"]);
});

test.each(["sliced", "alternate"])("a route that moved is compared, %s", async (scheme) => {
  const project = branch(BASE, {
    services: { api: { "/v2": 1000 } },
    scenarios: { "api/home": "GET /v2" },
  });
  const scheduled = project
    .read("tailgate.yml")
    .replace("{ dir: api", `{ scheme: ${scheme}, dir: api`);
  project.write("tailgate.yml", scheduled);
  const { code, stdout, stderr } = await project.run("gate", "--seed", "3");
  expect(code, stdout + stderr).toBe(0);
  expect(gatedIn(project.report(), "pass")).toEqual(["api rss", "api/home p99 typical"]);
  expect(project.report().verdict.warnings.map(({ caution }) => caution)).toContainEqual({
    code: "moved",
    scenario: "api/home",
    candidate: "GET /v2",
    reference: "GET /",
  });
});

/** Seeds by which one arm or the other is started, and so asked, first. */
const STARTS = [
  ["reference", 4],
  ["candidate", 3],
] as const;

test.each(
  ["sliced", "alternate"].flatMap((scheme) => STARTS.map((start) => [scheme, ...start] as const)),
)(
  "a route behind a page for all else is new, and one that moved is compared, %s, %s first",
  async (scheme, _arm, seed) => {
    const project = branch(
      { ...BASE, services: { api: { "/": 1000, "*": 9000 } } },
      {
        services: { api: { "/v2/home": 1000, "/search?q=tail": 2000, "*": 9000 } },
        scenarios: { "api/home": "GET /v2/home", "api/search": "GET /search?q=tail" },
      },
    );
    const scheduled = project
      .read("tailgate.yml")
      .replace("{ dir: api", `{ scheme: ${scheme}, dir: api`);
    project.write("tailgate.yml", scheduled);
    const { code, stdout, stderr } = await project.run("gate", "--seed", `${seed}`);
    expect(code, stdout + stderr).toBe(0);
    expect(gatedIn(project.report(), "pass")).toEqual(["api rss", "api/home p99 typical"]);
    expect(gatedIn(project.report(), "new")).toEqual(["api/search p99 typical"]);
    const { rounds } = samplesOf(project);
    expect(rounds[0]?.launches && rounds[0].scenarios.length).toBe(2);
    for (const { scenarios } of rounds) {
      const [home, search] = ["api/home", "api/search"].map((id) =>
        scenarios.find(({ scenario }) => scenario === id),
      );
      expect(home?.referenceAsked).toBe("GET /");
      // What is new has its rounds sooner than the others their answers on a busy host.
      expect(search?.arms.reference ?? null).toBeNull();
      expect([home?.answers?.reference?.bytes ?? 5, search?.answers?.reference]).toEqual([
        5,
        undefined,
      ]);
    }
  },
);

test("a page that both builds have for every path is compared", async () => {
  const project = branch(
    { services: { api: { "*": 1000 } }, scenarios: { "api/home": "GET /" } },
    {
      services: { api: { "*": 7000 } },
      scenarios: { "api/home": "GET /", "api/cart": "GET /cart" },
    },
  );
  const longer = project.read("api/server.cjs").replace('"no page "', '"there is no page "');
  project.write("api/server.cjs", longer);
  const { code, stdout, stderr } = await project.run("gate", "--answer-all", "--seed", "12");
  expect(code, stdout + stderr).toBe(1);
  expect(gatedIn(project.report(), "regressed")).toEqual([
    "api/cart p99 typical",
    "api/home p99 typical",
  ]);
});

test("one that a change keeps for one path alone is compared there", async () => {
  const project = branch(
    { ...BASE, services: { api: { "/": 1000, "*": 1000 } } },
    {
      services: { api: { "/": 1000, "/cart": 7000 } },
      scenarios: { "api/home": "GET /", "api/cart": "GET /cart" },
    },
  );
  const kept = project
    .read("api/server.cjs")
    .replace('"hello"', 'request.url === "/" ? "hello" : page');
  project.write("api/server.cjs", kept);
  const { code, stdout, stderr } = await project.run("gate", "--seed", "13");
  expect(code, stdout + stderr).toBe(1);
  expect(gatedIn(project.report(), "regressed")).toEqual(["api/cart p99 typical"]);
});

test("a moved route that is slower is red", async () => {
  const project = branch(BASE, {
    services: { api: { "/v2": 7000 } },
    scenarios: { "api/home": "GET /v2" },
  });
  const { code, stdout, stderr } = await project.run("gate", "--seed", "4");
  expect(code, stdout + stderr).toBe(1);
  expect(gatedIn(project.report(), "regressed")).toEqual(["api/home p99 typical"]);
});

test("a service that is added is measured alone, whatever the rest comes to", async () => {
  const project = branch(BASE, {
    services: { api: { "/": 7000 }, billing: { "/pay": 3000 } },
    scenarios: { "api/home": "GET /", "billing/pay": "GET /pay" },
  });
  const { code, stdout, stderr } = await project.run("gate", "--answer-all", "--seed", "5");
  expect(code, stdout + stderr).toBe(1);
  const report = project.report();
  expect(gatedIn(report, "regressed")).toEqual(["api/home p99 typical"]);
  expect(gatedIn(report, "new")).toEqual(["billing rss", "billing/pay p99 typical"]);
  expect(report.verdict.oneArm).toEqual({ new: ["billing/pay"], changed: [], gone: [] });
});

test("where nothing is compared, the words say so", async () => {
  const project = branch(BASE, {
    services: { ...BASE.services, billing: { "/pay": 3000 } },
    scenarios: { ...BASE.scenarios, "billing/pay": "GET /pay" },
  });
  const { code, stdout, stderr } = await project.run("gate", "--seed", "6");
  expect(code, stdout + stderr).toBe(0);
  expect(project.report().verdict.headline).toMatch(
    /^nothing to compare yet: 1 new scenario; new: billing\/pay$/,
  );
  expect(samplesOf(project).rounds.every(({ service }) => service === "billing")).toBe(true);
});

test("scenarios and services that are gone are named", async () => {
  const project = branch(
    {
      services: { api: { "/": 1000, "/old": 1000 }, billing: { "/pay": 1000 } },
      scenarios: { "api/home": "GET /", "api/old": "GET /old", "billing/pay": "GET /pay" },
    },
    BASE,
  );
  const { code, stdout, stderr } = await project.run("gate", "--seed", "7");
  expect(code, stdout + stderr).toBe(0);
  const { verdict } = project.report();
  expect(verdict.oneArm).toEqual({ new: [], changed: [], gone: ["api/old", "billing/pay"] });
  expect(verdict.headline).toContain("gone: api/old, billing/pay");
});

test("a request that no build answers is a wrong request", async () => {
  const project = branch(BASE, { ...ADDED, services: BASE.services });
  const { code, stdout, stderr } = await project.run("gate", "--measure-unchanged", "--seed", "8");
  expect(code, stdout + stderr).toBe(2);
  expect(stderr).toMatch(/api \(candidate\), search: GET \/search got 404/);
});

test("a request that the change wrote, and its own build does not answer, is one too", async () => {
  const project = branch(BASE, { ...BASE, scenarios: { "api/home": "GET /mistyped" } });
  const { code, stdout, stderr } = await project.run("gate", "--measure-unchanged", "--seed", "8");
  expect(code, stdout + stderr).toBe(2);
  expect(stderr).toMatch(/api \(candidate\), home: GET \/mistyped got 404/);
  expect(stderr).toContain("Correct `request` of the scenario home in tailgate.yml");
});

test.each<[string, Commit, Commit, string[]]>([
  [
    "a route and a service that are new, one that is gone and one that moved",
    {
      services: { api: { "/": 1000 }, old: { "/": 1000 } },
      scenarios: { "api/home": "GET /", "api/find": "GET /find", "old/was": "GET /" },
    },
    {
      services: { api: { "/": 1000 }, web: { "/": 1000 } },
      scenarios: { "api/home": "GET /v2", "api/search": "GET /search", "web/page": "GET /" },
    },
    [
      "Beside the reference: new: api/search, web/page; changed: api/home; gone: api/find, old/was\n  (what the reference does not answer",
      "Gated questions: 2,",
      "A pass at the earliest after ",
    ],
  ],
  ["nothing of the kind", BASE, BASE, ["\n\nGated questions: 2,"]],
])("a plan names %s, and asks what it can", async (_name, base, head, says) => {
  const project = branch(base, head);
  const { code, stdout, stderr } = await project.run("plan");
  expect(code, stdout + stderr).toBe(0);
  for (const text of says) expect(stdout).toContain(text);
  if (base === head) expect(stdout).not.toContain("Beside the reference");
});

test("a plan of a first configuration is what it was", async () => {
  const project = new Project([], { oha: "fake" });
  onTestFinished(() => project.remove());
  write(project, ADDED);
  const { code, stdout, stderr } = await project.run("plan");
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toContain("Gated questions: 3,");
});
