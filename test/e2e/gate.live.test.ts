// What a gate does: which verdict it ends with, what it writes, how it is stopped and resumed, and
// that nothing of it is left. The services are real processes; the load is a fake oha's, whose
// latencies are what a service announces (test/support/fake-oha): it needs no quiet machine.
// real-gate.e2e.test.ts and gate.night.test.ts have real load.
import { expect, test } from "vitest";
import { gatedIn } from "../support/project.ts";
import { leftBehind, samplesOf, samplesWith, tinyProject } from "./tiny.ts";

const FILES = [".gitignore", "report.html", "report.md", "report.v1.json", "samples.v1.json"];

test("a slower service and a heavier one are both found, and nothing else", async () => {
  const project = tinyProject({
    reference: { api: "good", web: "good" },
    candidate: { api: "slow", web: "heavy" },
  });
  const { code, stdout, stderr } = await project.run("gate", "--answer-all", "--seed", "1");
  expect(code, stdout + stderr).toBe(1);
  const report = project.report();
  expect(gatedIn(report, "regressed")).toEqual(["api/hello p99 typical", "web rss"]);
  expect(gatedIn(report, "pass")).toEqual(["api rss", "web/hello p99 typical"]);
  expect(stdout).toContain("REGRESSED");
  expect(leftBehind(project)).toEqual([]);
  expect(project.git("worktree", "list").split("\n")).toHaveLength(1);
  expect(project.git("status", "--porcelain", "--untracked-files=all")).toBe("M tailgate.yml");
  expect(project.files(".tailgate")).toEqual(FILES);

  const again = await project.run("judge", ".tailgate/samples.v1.json", "--json");
  expect(again.code).toBe(1);
  expect(JSON.parse(again.stdout)).toEqual(JSON.parse(project.read(".tailgate/report.v1.json")));
});

test("a part of a mix that is slower is found, where the whole hides it", async () => {
  const mix = "{ look: { weight: 9, request: GET /list }, buy: { request: POST /buy } }";
  const project = tinyProject({
    candidate: { api: "slow-buy" },
    // As many requests of each part as its typical p99 takes.
    load: `mix: ${mix}, rate: 20000/s, connections: 8, slice: { duration: 100ms, pairs: 1 }`,
  });
  const { code, stdout, stderr } = await project.run("gate", "--answer-all", "--seed", "4");
  expect(code, stdout + stderr).toBe(1);
  const report = project.report();
  expect(gatedIn(report, "regressed")).toEqual(["api/hello[buy] p99 typical"]);
  expect(gatedIn(report, "pass")).toEqual([
    "api rss",
    "api/hello p99 typical",
    "api/hello[look] p99 typical",
  ]);
  expect(stdout).toContain("hello[buy]");
  expect(leftBehind(project)).toEqual([]);
});

test("a generator that is late in every slice costs the pass and nothing else, and more time may mend it", async () => {
  const project = tinyProject({ lateUs: 30_000 });
  const budget = ["--measure-unchanged", "--time-budget", "5s"];
  const first = await project.run("gate", "--seed", "12", ...budget);
  expect(first.code, first.stdout + first.stderr).toBe(4);
  const { verdict, run } = project.report();
  expect(verdict.state).toBe("inconclusive");
  expect(verdict.advice?.[0]).toEqual({ code: "relieve-generator" });
  expect(run.end).toBe("out-of-time");
  expect(run.voidSlices).toBe(0);
  expect(run.disturbedByRule).toEqual({ lag: run.slices });
  const kept = samplesOf(project);
  const slices = kept.rounds.flatMap(({ scenarios }) => scenarios[0]?.slices ?? []);
  expect(new Set(slices.map(({ attempt }) => attempt))).toEqual(new Set([0]));

  const second = await project.run("gate", "--resume", ...budget);
  expect(second.stderr).not.toContain("cannot be continued");
  const whole = samplesOf(project);
  expect(whole.rounds.slice(0, kept.rounds.length)).toEqual(kept.rounds);
  expect(whole.rounds.length).toBeGreaterThan(kept.rounds.length);
  expect(whole.run.continuedAfter).toEqual([kept.rounds.length]);
  expect(project.report().run.continuedAfter).toEqual([kept.rounds.length]);
});

test("and it hides no regression", async () => {
  const project = tinyProject({ candidate: { api: "slow" }, lateUs: 30_000 });
  const { code, stdout, stderr } = await project.run("gate", "--seed", "13");
  expect(code, stdout + stderr).toBe(1);
  expect(gatedIn(project.report(), "regressed")).not.toEqual([]);
});

test("a regression that a waiver covers does not fail the gate, and is shown", async () => {
  const expires = new Date(Date.now() + 7 * 24 * 3600 * 1000).toISOString().slice(0, 10);
  const project = tinyProject({
    candidate: { api: "slow" },
    more: `waivers:
  - { metric: p99, service: api, upTo: 900%, reason: a safer cipher, owner: "@payments", expires: ${expires} }\n`,
  });
  const { code, stdout, stderr } = await project.run("gate", "--seed", "3");
  expect(code, stdout + stderr).toBe(0);
  expect(gatedIn(project.report(), "regressed")).toEqual([]);
  expect(stdout).toContain("a safer cipher");
});

test("a baseline is recorded, and the next gate compares with it", async () => {
  // As many as a baseline rests on.
  const project = tinyProject({ rounds: 8 });
  // Where a calibration has just left its profile.
  const profile = "baselines/other/_profile.json";
  project.write(profile, "{}\n");
  const recorded = await project.run("baseline", "record");
  expect(recorded.code, recorded.stdout + recorded.stderr).toBe(0);
  const shown = await project.run("baseline", "show");
  expect(shown.stdout).toMatch(/hello\/p99 .*over 8 launches/);
  const status = project.git("status", "--porcelain", "--untracked-files=all");
  const paths = status.split("\n").map((line) => line.replace("?? ", ""));
  expect(paths.sort()).toEqual([
    expect.stringMatching(/^baselines\/.*\/api@[a-z0-9.-]+\.json$/),
    profile,
  ]);
  project.commit("baseline");
  const { code, stdout, stderr } = await project.run("gate", "--compare", "stored");
  // One record tells nothing of how the machine drifts, so nothing is measured for it and nothing
  // passes.
  expect(code, stdout + stderr).toBe(4);
  expect(project.report().verdict.state).toBe("inconclusive");
});

test("a service that crashes under load is named, with what it printed", async () => {
  const project = tinyProject({ candidate: { api: "dies" }, warmup: 20 });
  const { code, stdout, stderr } = await project.run("gate", "--seed", "4");
  expect(code, stdout + stderr).toBe(3);
  const { verdict } = project.report();
  expect(verdict.state).toBe("invalid");
  expect(verdict.headline).toMatch(/api.*candidate.*round 1/);
  expect(stdout).toContain("out of cheese");
  expect(leftBehind(project)).toEqual([]);
});

test("a service that does not start is an invalid measurement", async () => {
  const project = tinyProject({ candidate: { api: "exits" } });
  const { code, stdout, stderr } = await project.run("gate", "--seed", "5");
  expect(code, stdout + stderr).toBe(3);
  expect(stdout).toContain("no configuration found");
});

test("errors under load are an invalid measurement that names the status", async () => {
  const project = tinyProject({ candidate: { api: "flaky" } });
  const { code, stdout, stderr } = await project.run("gate", "--seed", "6");
  expect(code, stdout + stderr).toBe(3);
  expect(stdout).toMatch(/api\/hello.*\b500\b/);
});

test("an interrupted run keeps what it measured, leaves nothing behind, and passes when resumed", async () => {
  const project = tinyProject();
  const { child, finished } = project.start("gate", "--measure-unchanged", "--seed", "7");
  await samplesWith(project, 2);
  child.kill("SIGINT");
  const first = await finished;
  expect(first.code, first.stderr).toBe(130);
  const kept = samplesOf(project);
  expect(kept.run.state).toBe("interrupted");
  expect(leftBehind(project)).toEqual([]);

  const second = await project.run("gate", "--resume");
  expect(second.code, second.stdout + second.stderr).toBe(0);
  const whole = samplesOf(project);
  expect(whole.run.seed).toBe(7);
  expect(whole.rounds.slice(0, kept.rounds.length)).toEqual(kept.rounds);
  expect(whole.run.ended).toBe("answered");
  expect(whole.rounds.length).toBeGreaterThan(kept.rounds.length);
  expect(gatedIn(project.report(), "pass")).toHaveLength(2);
  expect(project.report().verdict.unchanged).toBeUndefined();
});

test("a killed run leaves no process, running or frozen, and no worktree", async () => {
  const project = tinyProject();
  const { child, finished } = project.start("gate", "--measure-unchanged", "--seed", "8");
  await samplesWith(project, 1);
  await expect.poll(() => leftBehind(project).length).toBeGreaterThan(0);
  child.kill("SIGKILL");
  await finished;
  await expect.poll(() => leftBehind(project), { timeout: 60_000 }).toEqual([]);
  const worktrees = (): number => project.git("worktree", "list").split("\n").length;
  await expect.poll(worktrees, { timeout: 60_000 }).toBe(1);
  expect(samplesOf(project).rounds.length).toBeGreaterThanOrEqual(1);
});

test("a second gate on the machine waits, says so, and gives up in time", async () => {
  const project = tinyProject({ rounds: 20 });
  project.write("README.md", "Better words.\n");
  const answered = await project.run("gate");
  expect(answered.code, answered.stderr).toBe(0);
  const { child, finished } = project.start("gate", "--measure-unchanged", "--seed", "9");
  await samplesWith(project, 1);
  const wait = ["--out", ".tailgate/other", "--wait", "500ms"];
  const other = await project.run("gate", "--measure-unchanged", ...wait);
  const idle = await project.run("gate", "--out", ".tailgate/idle", "--wait", "500ms");
  child.kill("SIGTERM");
  const first = await finished;
  expect(other.code, other.stderr).toBe(2);
  expect(other.stderr).toMatch(/waiting for another gate/);
  // With nothing to measure there is nothing to wait for.
  expect(idle.code, idle.stderr).toBe(0);
  expect(idle.stderr).not.toContain("waiting");
  expect(first.code).toBe(143);
});

test("a build that fails is told before anything is measured", async () => {
  const project = tinyProject();
  const broken = project
    .read("tailgate.yml")
    .replace("ready: /healthz", 'build: ["false"], ready: /healthz');
  project.write("tailgate.yml", broken);
  const { code, stderr } = await project.run("gate");
  expect(code, stderr).toBe(2);
  expect(project.files(".tailgate")).toEqual([".gitignore"]);
});
