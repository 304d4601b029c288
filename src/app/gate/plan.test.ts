// What `plan` says of time, and a time budget that it refuses.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tellPlan } from "../../../satellites/sheets/plan.ts";
import { profileOfSpreads } from "../../../test/support/calibration.ts";
import { usualLimits } from "../../../test/support/configurations.ts";
import { makeFolder } from "../../../test/support/files.ts";
import { makeConfig, makeHost, makeSamples, withLimits } from "../../../test/support/samples.ts";
import { UserError } from "../../core/base/errors.ts";
import type { Fingerprint } from "../../core/model/host.ts";
import { listHypotheses } from "../../core/verdict/hypotheses.ts";
import { profilePath, writeProfile } from "../documents/profile.ts";
import { writeSamples } from "../documents/samples.ts";
import type { Project } from "../project/project.ts";
import { configFor } from "./measure.ts";
import { describePlan } from "./plan.ts";

const EARLIEST =
  "A pass at the earliest after 0.8 minutes (5 rounds), a regression after 1.6 minutes (10 rounds)";

function planned(timeBudgetMs: number): string | UserError {
  const config = makeConfig();
  const policy = { ...config.policy, timeBudgetMs };
  try {
    const project = { root: makeFolder(), config: { ...config, policy } } as Project;
    return describePlan(project, tellPlan).text;
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

test("a plan says first when a pass and when a regression can come at the earliest", () => {
  expect(planned(120_000)).toMatch(
    new RegExp(
      `^${RegExp.escape(EARLIEST)}; at most 2 minutes; builds come on top, and slow starts that no run here has seen\n`,
    ),
  );
});

test("too short a time budget is refused, with the plan", () => {
  const refusal = planned(60_000);
  expect(refusal).toMatchObject({
    message: expect.stringContaining("10 rounds, the fewest for a regression, take 1.6 minutes"),
    detail: expect.stringContaining(EARLIEST),
  });
});

test("a plan counts how long services took to start in the last run there, and refuses nothing by it", () => {
  const out = makeFolder();
  const config = makeConfig();
  // Enough for a gate, which does not know how long they took.
  config.policy.timeBudgetMs = 120_000;
  const project = { root: makeFolder(), out, config } as Project;
  const earliest = () => describePlan(project, tellPlan).value.earliest;
  const before = earliest();
  if (before === null) throw new Error("nothing is gated");
  const samples = makeSamples({ rounds: 4, noise: 0.02 });
  for (const [i, { launches }] of samples.rounds.entries())
    Object.assign(launches?.candidate.values ?? {}, { startup: [4000, 5000, 6000, 30_000][i] });
  writeSamples(join(out, "samples.v1.json"), samples);
  const { loadMs, otherMs } = before.turn;
  // Each arm in each round.
  const minutes = ({ rounds }: typeof before) => (rounds.pass * 2 * 5500) / 60_000;
  const after = earliest();
  expect(after?.turn).toEqual({ loadMs, otherMs: otherMs + 2 * 5500 });
  expect(after?.minutes.pass).toBeCloseTo(before.minutes.pass + minutes(before), 9);
  expect(after?.minutes.regress).toBeGreaterThan(2);
  writeFileSync(join(out, "samples.v1.json"), "{");
  expect(earliest()).toEqual(before);
});

test("a plan's questions have the names that reports give them", () => {
  const config = makeConfig();
  const { metrics } = config.policy;
  const [first] = metrics;
  if (first === undefined) throw new Error("no metric");
  metrics.push({ ...first, ...usualLimits("slow"), metric: "slow", estimator: "windows" });
  const { value, text } = describePlan({ root: makeFolder(), config } as Project, tellPlan);
  const named = value.hypotheses.flatMap((id) => (/^api(\/echo slow| rss)/.test(id) ? [id] : []));
  expect(named).toEqual(["api/echo slow windows", "api rss"]);
  expect(text).toMatch(/^ {2}api\/echo slowest answer$[\s\S]*^ {2}api RSS after load$/m);
  for (const id of named) expect(text).not.toContain(id);
});

test("a plan says which margins are auto, and what they come to here", () => {
  const config = makeConfig();
  const [p99] = config.policy.metrics;
  if (p99 !== undefined) p99.auto = true;
  const project = { root: makeFolder(), config } as Project;
  expect(describePlan(project, tellPlan).text).toMatch(
    /^ {2}api\/echo p99: margin 10 % \(auto, but no profile tells of this here\)$/m,
  );
  writeProfile(profilePath(project), profileOfSpreads(config));
  const { text, value } = describePlan(project, tellPlan);
  expect(text).toMatch(/^About \S+ m?s when nothing changed\nA pass at the earliest /);
  expect(text).toMatch(/^ {2}api\/echo p99: margin 7 % \(auto, from the profile of 2026-01-01\)$/m);
  expect(text).toMatch(/^ {2}api RSS after load$/m);
  // What was chosen to pass is not said to be out of reach.
  const expected = value.runner?.expectations.find(({ id }) => id === "api/echo p99 typical");
  expect(expected?.kept).toBe(true);
});

test("a run has the margins of its plan, on the machine that was calibrated", () => {
  const config = makeConfig();
  const [p99] = config.policy.metrics;
  if (p99 !== undefined) p99.auto = true;
  const profile = profileOfSpreads(config);
  const marginOn = (fingerprint: Fingerprint) => {
    const resolved = configFor({ config, shard: null }, {}, { profile, fingerprint });
    return listHypotheses(resolved)[0]?.policy.margin;
  };
  const { fingerprint } = makeHost();
  expect(marginOn(fingerprint)).toBe(0.07);
  expect(marginOn({ ...fingerprint, kernel: "another" })).toBe(0.1);
});

test("a plan counts limits, by the names that reports give them", () => {
  const samples = withLimits(makeSamples({ rounds: 0, noise: 0 }), { p99: 900, rss: 2e8 });
  const { config } = samples;
  const { value, text } = describePlan({ root: makeFolder(), config } as Project, tellPlan);
  expect(value.hypotheses.filter((id) => id.endsWith(" limit"))).toHaveLength(3);
  expect(text).toMatch(/^Gated questions: 8,[\s\S]*^ {2}api RSS after load limit$/m);
  expect(value.earliest?.rounds).toEqual({ pass: 5, regress: 11 });
});

test("a plan of what is partly new has its time, and none of its questions", () => {
  const config = makeConfig();
  const [first] = config.scenarios;
  if (first === undefined) throw new Error("no scenario");
  const added = { ...first, id: "api/added", name: "added" };
  const both = { ...config, scenarios: [...config.scenarios, added] };
  const planOf = (of: typeof config, names: string[]) =>
    describePlan({ root: makeFolder(), config: of } as Project, tellPlan, {
      ...{ new: names, changed: [], gone: ["api/old", "cache"] },
    });
  const [without, shared, partly] = [
    planOf(config, []),
    planOf(both, []),
    planOf(both, ["api/added"]),
  ];
  expect(partly.value.hypotheses).toEqual(without.value.hypotheses);
  expect(partly.text).toContain("new: api/added; gone: api/old, dependency cache");
  const loadMs = [without, shared, partly].map(({ value }) => value.earliest?.turn.loadMs ?? 0);
  expect(loadMs[2]).toBe(((loadMs[0] ?? 0) + (loadMs[1] ?? 0)) / 2);
  // What is all new is loaded five times, and nothing of it can be worse.
  expect(
    planOf(
      both,
      both.scenarios.map(({ id }) => id),
    ).value.earliest,
  ).toBeNull();
});

const SCRIPTS = {
  start: "npm run build && node dist/server.js",
  prod: "node dist/server.js",
  preserve: "tsc -p .",
  serve: "node dist/server.js",
  test: "tsc --noEmit",
};

/** Of a plan for a service that is started like this. */
function launchesOf(run: string, packageJson: string | null): string[] {
  const root = makeFolder();
  if (packageJson !== null) writeFileSync(join(root, "package.json"), packageJson);
  const config = makeConfig();
  const services = config.services.map((one) => ({
    ...one,
    recipe: { ...one.recipe, dir: ".", run: run.split(" ") },
  }));
  const project = { root, config: { ...config, services } } as Project;
  return describePlan(project, tellPlan).value.launches;
}

test.each<[string, string | null]>([
  ["npm start", 'is "npm run build && node dist/server.js", which compiles'],
  ["npm run start -- --port 1", 'is "npm run build && node dist/server.js", which compiles'],
  ["pnpm --silent serve", 'is "tsc -p . && node dist/server.js", which compiles'],
  ["npm run prod", null],
  ["yarn gone", null],
  ["node dist/tsc-report.js", null],
  ["go run ./cmd/api", "compiles"],
  ["sh -c cargo run --release", "compiles"],
  ["./gradlew bootRun", "compiles"],
  ["java -jar build/libs/api.jar", null],
])("a plan says which launches compile: %s %s", (run, says) => {
  expect(launchesOf(run, JSON.stringify({ scripts: SCRIPTS }))).toEqual(
    says === null ? [] : [expect.stringContaining(`api: "${run}" ${says} at each launch`)],
  );
});

test.each([null, "", "{}", '{"scripts":{}}', '{"scripts":null}', "[1"])(
  "of a package %j none does",
  (text) => {
    expect(launchesOf("npm start", text)).toEqual([]);
  },
);
