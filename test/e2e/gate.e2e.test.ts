// The gate, end to end: real services, real builds, real load, planted faults. Green means that the gate went red.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { SamplesSchema } from "../../src/model/samples.ts";
import { gatedIn, Project, processesMentioning } from "../support/project.ts";
import { type Plant, shortConfiguration } from "./configuration.ts";

let project: Project | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

/** A repository whose last commit is clean and whose working tree has the plant. */
function planted(plant: Plant): Project {
  const { faults, ...rest } = plant;
  project = new Project(["services"]);
  project.write("tailgate.yml", shortConfiguration(rest));
  project.commit("clean");
  if (faults !== undefined) project.write("tailgate.yml", shortConfiguration(plant));
  return project;
}

/** Services are started from the run's copies and from its checkouts, which stand in the same folder. */
function leftBehind(of: Project): string[] {
  return [...processesMentioning("/build/tailgate-"), ...processesMentioning(of.root)];
}

test("a slower route and a heavier service are both found, and nothing else", async () => {
  // 1.5 ms of CPU more for each of 2,000 requests a second: the candidate falls behind, which is a slower candidate and no invalid run.
  // +40 MB on about 10 MB. Both are several times what a bad hour does.
  const repository = planted({
    faults: { "gin-api": "route=/echo,latency_us=1500", "axum-api": "keep_bytes=40000000" },
  });
  const expected = ["axum-api rss", "gin-api/echo p99 typical"];
  const { code, stdout, stderr } = await repository.undisturbed(expected, "gate");
  expect(code, stdout + stderr).toBe(1);
  // The pooled p99 of the slower route may join: whether it does is up to how many stalls the host has.
  const red = gatedIn(repository.report(), "regressed").filter(
    (id) => id !== "gin-api/echo p99 pooled",
  );
  expect(red).toEqual(expected);
  expect(stdout).toContain("gin-api/echo");
  expect(leftBehind(repository)).toEqual([]);
  expect(repository.git("worktree", "list").split("\n")).toHaveLength(1);
  expect(repository.git("status", "--porcelain", "--untracked-files=all")).toBe("M tailgate.yml");

  const again = await repository.run("judge", ".tailgate/samples.v1.json", "--json");
  expect(again.code).toBe(1);
  expect(JSON.parse(again.stdout)).toEqual(
    JSON.parse(readFileSync(join(repository.root, ".tailgate/report.v1.json"), "utf8")),
  );
});

test("with nothing changed nothing is called", async () => {
  // With the usual 1 % of false alarms, not the 20 % that lets ten rounds prove a planted fault.
  const repository = planted({ scenarios: ["echo"], services: ["axum-api"], alpha: "1%" });
  const { code, stdout, stderr } = await repository.undisturbed([], "gate");
  // A noisy hour may leave it inconclusive (4); a pass is 0. Anything else is a false alarm or a broken measurement.
  expect([0, 4], stdout + stderr).toContain(code);
  expect(gatedIn(repository.report(), "regressed")).toEqual([]);
  expect(gatedIn(repository.report(), "invalid")).toEqual([]);
});

test("a baseline is recorded, and the next gate compares with it", async () => {
  const repository = planted({ scenarios: ["echo"], services: ["gin-api"], alpha: "1%" });
  const recorded = await repository.undisturbed([], "baseline", "record");
  expect(recorded.code, recorded.stdout + recorded.stderr).toBe(0);
  const shown = await repository.run("baseline", "show");
  expect(shown.stdout).toMatch(/echo\/p99 .*over 8 launches/);
  const path = repository.git("status", "--porcelain", "--untracked-files=all").replace("?? ", "");
  expect(path).toMatch(/^baselines\/.*\/gin-api\.json$/);
  repository.commit("baseline");
  const { code, stdout, stderr } = await repository.run("gate", "--compare", "stored");
  // One record tells nothing of how the machine drifts, so nothing is measured for it and nothing passes.
  expect(code, stdout + stderr).toBe(4);
  expect(stdout).toContain(
    "the baseline's history has too few records to know this machine's drift",
  );
});

test("a generator that cannot hold the rate is an invalid measurement", async () => {
  const repository = planted({
    scenarios: ["echo"],
    services: ["axum-api"],
    echoRate: 150_000,
    maxVoid: "75%",
  });
  const { code, stdout, stderr } = await repository.run("gate", "--seed", "3");
  expect(code, stdout + stderr).toBe(3);
  expect(repository.report().verdict.state).toBe("invalid");
  expect(stdout).toContain("axum-api/echo");
});

test("a rate beyond capacity in both arms is invalid, never a pass", async () => {
  // About 2 ms of CPU a request on one CPU: 1,200/s is more than twice what can be served.
  const repository = planted({
    scenarios: ["process"],
    services: ["gin-api"],
    processRate: 1200,
  });
  const { code, stdout, stderr } = await repository.run("gate", "--seed", "4");
  expect(code, stdout + stderr).toBe(3);
  expect(stdout).toMatch(/beyond what the reference can serve/);
});

test("a service that crashes under load is named, with what it printed", async () => {
  const repository = planted({
    scenarios: ["echo"],
    services: ["axum-api"],
    faults: { "axum-api": "crash_after=800" },
  });
  const { code, stdout, stderr } = await repository.run("gate", "--seed", "5");
  expect(code, stdout + stderr).toBe(3);
  const { verdict } = repository.report();
  expect(verdict.state).toBe("invalid");
  expect(verdict.headline).toMatch(/axum-api.*candidate.*round 1/);
  expect(leftBehind(repository)).toEqual([]);
});

test("errors under load are an invalid measurement that names the status", async () => {
  const repository = planted({
    scenarios: ["echo"],
    services: ["gin-api"],
    faults: { "gin-api": "error_one_in=10" },
  });
  const { code, stdout, stderr } = await repository.run("gate", "--seed", "6");
  expect(code, stdout + stderr).toBe(3);
  expect(stdout).toMatch(/gin-api\/echo.*\b500\b/);
});

test("an interrupted run keeps what it measured, leaves nothing behind, and can be resumed", async () => {
  const repository = planted({ scenarios: ["echo"], services: ["gin-api"], alpha: "1%" });
  const { child, finished } = repository.start("gate", "--seed", "7");
  await samplesWith(repository, 2);
  child.kill("SIGINT");
  const first = await finished;
  expect(first.code, first.stderr).toBe(130);
  const kept = samplesOf(repository);
  expect(kept.run.state).toBe("interrupted");
  expect(leftBehind(repository)).toEqual([]);

  const second = await repository.run("gate", "--resume");
  expect([0, 4], second.stdout + second.stderr).toContain(second.code);
  const whole = samplesOf(repository);
  expect(whole.run.seed).toBe(7);
  expect(whole.rounds.slice(0, kept.rounds.length)).toEqual(kept.rounds);
  expect(whole.rounds.length).toBeGreaterThanOrEqual(8);
});

test("a killed run leaves no process, running or frozen, and no worktree", async () => {
  const repository = planted({ scenarios: ["echo"], services: ["gin-api"] });
  const { child, finished } = repository.start("gate", "--seed", "8");
  await samplesWith(repository, 1);
  expect(leftBehind(repository).length).toBeGreaterThan(0);
  child.kill("SIGKILL");
  await finished;
  await expect.poll(() => leftBehind(repository), { timeout: 10_000 }).toEqual([]);
  const worktrees = (): number => repository.git("worktree", "list").split("\n").length;
  await expect.poll(worktrees, { timeout: 10_000 }).toBe(1);
  expect(samplesOf(repository).rounds.length).toBeGreaterThanOrEqual(1);
});

test("a second gate on the machine waits, says so, and gives up in time", async () => {
  const repository = planted({ scenarios: ["echo"], services: ["gin-api"] });
  const { child, finished } = repository.start("gate", "--seed", "9");
  await samplesWith(repository, 1);
  const other = await repository.run("gate", "--out", ".tailgate/other", "--wait", "2s");
  child.kill("SIGTERM");
  const first = await finished;
  expect(other.code, other.stderr).toBe(2);
  expect(other.stderr).toMatch(/waiting for another gate/);
  expect(first.code).toBe(143);
});

function samplesOf(of: Project) {
  return SamplesSchema.parse(
    JSON.parse(readFileSync(join(of.root, ".tailgate/samples.v1.json"), "utf8")),
  );
}

async function samplesWith(of: Project, rounds: number): Promise<void> {
  const ready = () =>
    existsSync(join(of.root, ".tailgate/samples.v1.json")) && samplesOf(of).rounds.length >= rounds;
  await expect.poll(ready, { timeout: 240_000, interval: 200 }).toBe(true);
}
