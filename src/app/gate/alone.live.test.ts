// One scenario fails and the others get their verdicts in the same run: real services, which state
// what a request takes.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeEnvironment } from "../../../test/support/environment.ts";
import { quietCounters } from "../../../test/support/run.ts";
import { makeConfig, makeSamples } from "../../../test/support/samples.ts";
import type { Scenario } from "../../core/model/config.ts";
import type { Arm, Samples } from "../../core/model/samples.ts";
import type { Verdict } from "../../core/model/verdict.ts";
import { describeVerdict } from "../../core/report/words/verdict.ts";
import type { LoadGenerator } from "../../core/slice/load.ts";
import { Secrets } from "../../core/text/secrets.ts";
import { judge } from "../../core/verdict/judge.ts";
import type { ServiceTarget } from "../../machine/run/service/launch.ts";
import type { RunPlace } from "../machine/prepared-run.ts";
import { measureRounds } from "./measure-rounds.ts";

const CPUS = { service: [0], generator: [0], disjoint: true };

/** `/hello` is always good; `/echo` does what `odd` says. */
const server = (odd: string): string => `
let served = 0;
const server = require("node:http").createServer((request, response) => {
  let [status, latencyUs] = [200, 300];
  if (request.url === "/echo") {
    served++;
    ${odd}
  }
  response.writeHead(status, { "x-latency-us": String(latencyUs) }).end("hello");
});
process.on("SIGTERM", () => process.exit(0));
server.listen(Number(process.argv[2]), "127.0.0.1");
`;

const ASKED = 8;
/** A run of the generator that takes longer is ended. */
const SECONDS_TO_END = 35;

/**
 * Asks for a few of a slice's requests and lets them stand for all, in equal parts: each takes what
 * the service announces. They share the scenario's connections, and what finds none free waits for
 * one.
 */
const announced: LoadGenerator = {
  name: "announced",
  run: async ({ port, requests, scenario }) => {
    const answers: { status: string; tookUs: number }[] = [];
    const errors: Record<string, number> = {};
    const part = requests / ASKED;
    for (let i = 0; i < ASKED; i++) {
      try {
        const { status, headers } = await fetch(
          `http://127.0.0.1:${port}${scenario.request.path}`,
          {
            headers: { connection: "close" },
          },
        );
        answers.push({ status: String(status), tookUs: Number(headers.get("x-latency-us")) });
      } catch {
        errors.refused = (errors.refused ?? 0) + part;
      }
    }
    if (answers.some(({ tookUs }) => tookUs > 1e6 * SECONDS_TO_END)) {
      return { kind: "failed", text: "it did not end", detail: "", tookMs: 1e3 * SECONDS_TO_END };
    }
    const statuses: Record<string, number> = {};
    for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + part;
    const free = new Float64Array(scenario.connections);
    const release = Float64Array.from(
      { length: answers.length * part },
      (_, i) => (1e6 * i) / scenario.rateRps,
    );
    const start = new Float64Array(release.length);
    const end = new Float64Array(release.length);
    for (const [i, releasedUs] of release.entries()) {
      const lane = free.indexOf(Math.min(...free));
      start[i] = Math.max(releasedUs, free[lane] ?? 0);
      end[i] = start[i] + (answers[Math.floor(i / part)]?.tookUs ?? 0);
      free[lane] = end[i];
    }
    return { kind: "done", rows: { release, start, end }, statuses, errors, wallMs: 100 };
  },
};

type Arms = Partial<Record<Arm, string>>;

async function measured(arms: Arms, scheme: "sliced" | "alternate"): Promise<Samples> {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-alone-"));
  try {
    const samples = samplesOf(scheme);
    const targetOf = (arm: Arm): ServiceTarget => {
      const [service] = samples.config.services;
      if (service === undefined) throw new Error("no service");
      const file = join(folder, `${arm}.cjs`);
      writeFileSync(file, server(arms[arm] ?? ""));
      const recipe = { ...service.recipe, run: [process.execPath, file, "{port}"] };
      return { folder, artifact: null, recipe };
    };
    const targets = { candidate: targetOf("candidate"), reference: targetOf("reference") };
    const environment = makeEnvironment(folder, { env: {} });
    return await measureRounds(
      {
        goal: { kind: "answers" },
        samples,
        baselines: [],
        place: {
          ...{ cpuSets: CPUS, readCounters: quietCounters, generator: announced, folder },
          ...{ secrets: new Secrets(), clock: environment.clock, abort: environment.abort },
          onProgress: () => {},
        } as Partial<RunPlace> as RunPlace,
        targets: () => targets,
        own: new Map(),
        keep: () => {},
      },
      environment,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Nothing measured yet; wide margins, so that six rounds answer what is good. */
function samplesOf(scheme: "sliced" | "alternate"): Samples {
  const { services, scenarios, policy } = makeConfig();
  const short = (scenario: Scenario): Scenario => ({
    ...scenario,
    connections: 4,
    warmupRequests: 0,
    slice: { durationMs: 100, pairs: 1 },
  });
  const config = makeConfig({
    services: services.map((service) => ({ ...service, scheme })),
    scenarios: scenarios.map(short),
    policy: {
      ...policy,
      alpha: 0.2,
      beta: 0.2,
      metrics: policy.metrics.map((metric) => ({ ...metric, margin: 1, floor: 1 })),
    },
  });
  const samples = makeSamples({ rounds: 0, noise: 0, state: "running" });
  return { ...samples, config, run: { ...samples.run, ended: "running" } };
}

const WRONG_LATER = "if (served > 3) status = 503;";
/** Its child keeps the pipes open, so that the end is told late. */
const CRASH = `if (served > 5) {
  require("node:child_process").spawn("sleep", ["2"], { stdio: "inherit", detached: true });
  console.error("out of cheese");
  process.exit(7);
}`;
/** Four connections serve 400 of 2,000 requests a second. */
const SLOW = "latencyUs = 10_000;";
const STUCK = "latencyUs = 60e6;";

interface Expected {
  headline: RegExp;
  /** Rounds that have the scenario; absent: any number. */
  rounds?: number;
}

async function check(
  arms: Arms,
  { headline, rounds }: Expected,
  scheme: "sliced" | "alternate" = "sliced",
): Promise<Verdict> {
  const samples = await measured(arms, scheme);
  const verdict = describeVerdict(judge({ samples, baselines: [] }));
  expect(verdict.headline).toMatch(headline);
  expect(verdict.state).toBe("invalid");
  const stateOf = (wanted: string): string | undefined =>
    verdict.comparisons.find(({ id }) => id === wanted)?.state;
  expect(stateOf("api/hello p99 pooled")).toMatch(/^(pass|improved)$/);
  expect(stateOf("api/echo p99 pooled")).toBe("invalid");
  const withEcho = samples.rounds.filter(({ scenarios }) =>
    scenarios.some(({ scenario }) => scenario === "api/echo"),
  );
  if (rounds !== undefined) {
    expect(withEcho).toHaveLength(rounds);
    expect(samples.rounds.length).toBeGreaterThan(rounds);
  }
  return verdict;
}

for (const scheme of ["sliced", "alternate"] as const) {
  test(`${scheme}: a first answer that the candidate alone gets wrong`, () =>
    check(
      { candidate: "status = 404;" },
      {
        headline:
          /^invalid measurement: api \(candidate\), echo: GET \/echo got 404 with the body "hello", expected 200;.* other/,
        rounds: 1,
      },
      scheme,
    ));
}

test("wrong answers under load", () =>
  check(
    { candidate: WRONG_LATER },
    {
      headline:
        /^invalid measurement: api\/echo: requests to the candidate went wrong in \d+ of \d+ measurements, mostly 503 \(\d+ ×\); the last: \d+ of 200 answers were not 200/,
      rounds: 4,
    },
  ));

test("a crash under one route", async () => {
  const verdict = await check(
    { candidate: CRASH },
    {
      headline:
        /^invalid measurement: api \(candidate\) exited with code 7 in round 1, during api\/echo; the other/,
      rounds: 1,
    },
  );
  expect(verdict.reasons[0]).toMatch(/\nout of cheese/);
});

test("a rate that the reference cannot keep", () =>
  check(
    { candidate: SLOW, reference: SLOW },
    {
      headline:
        /^invalid measurement: api\/echo: the rate is beyond what the reference can serve: requests queued for a free connection in (\d) of \1 rounds; of 2,000 requests\/s it served about [34]\d0 with \d.* % of its CPUs/,
    },
  ));

for (const scheme of ["sliced", "alternate"] as const) {
  test(`${scheme}: a rate so far beyond capacity that the load does not end`, () =>
    check(
      { candidate: STUCK, reference: STUCK },
      {
        headline:
          /^invalid measurement: api \((candidate|reference)\) did not answer 200 requests within 35 s \(fewer than 5\.7\/s\) in round 1, during api\/echo: lower `rate` \(2000\/s\); the other/,
        rounds: 1,
      },
      scheme,
    ));
}

test("a rate that the candidate alone cannot keep is a regression", async () => {
  const samples = await measured({ candidate: SLOW }, "sliced");
  const verdict = describeVerdict(judge({ samples, baselines: [] }));
  expect(verdict.headline).toMatch(/^regressed: p99 of api\/echo is /);
  expect(verdict.warnings.map(({ text }) => text).join("\n")).toMatch(
    /api\/echo: the rate is beyond what the candidate can serve, and the reference keeps it: .*; of 2,000 requests\/s it served about [34]\d0 /,
  );
});

test("a wrong first answer of the reference is a wrong configuration", async () => {
  await expect(measured({ reference: "status = 404;" }, "sliced")).rejects.toThrow(
    /^api \(reference\), echo: GET \/echo got 404/,
  );
});
