// What only real load can show: a generator and a service that are asked for too much, and a
// machine's own noise that alarms nobody.
import { afterEach, expect, test } from "vitest";
import { gatedIn, Project } from "../support/project.ts";
import { type Load, shortConfiguration } from "./configuration.ts";

let project: Project | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

function repositoryWith(load: Load): Project {
  project = new Project(["services"]);
  project.write("tailgate.yml", shortConfiguration(load));
  project.commit("clean");
  return project;
}

test("with nothing changed nothing is called", async () => {
  // With the usual 1 % of false alarms, not the 20 % that lets ten rounds prove a planted fault.
  const repository = repositoryWith({ scenarios: ["echo"], services: ["axum-api"], alpha: "1%" });
  const { code, stdout, stderr } = await repository.run(
    "gate",
    "--measure-unchanged",
    "--seed",
    "2",
  );
  // A noisy hour may leave it inconclusive (4); a pass is 0. Anything else is a false alarm or a
  // broken measurement.
  expect([0, 4], stdout + stderr).toContain(code);
  expect(gatedIn(repository.report(), "regressed")).toEqual([]);
  expect(gatedIn(repository.report(), "invalid")).toEqual([]);
});

test("a generator that cannot hold the rate is an invalid measurement", async () => {
  const repository = repositoryWith({
    scenarios: ["echo"],
    services: ["axum-api"],
    echoRate: 150_000,
  });
  const { code, stdout, stderr } = await repository.run(
    "gate",
    "--measure-unchanged",
    "--seed",
    "3",
  );
  expect(code, stdout + stderr).toBe(3);
  expect(repository.report().verdict.state).toBe("invalid");
  expect(stdout).toContain("axum-api/echo");
});

test("a rate beyond capacity in both arms is invalid, never a pass", async () => {
  // About 2 ms of CPU a request on one CPU: 1,200/s is more than twice what can be served.
  const repository = repositoryWith({
    scenarios: ["process"],
    services: ["gin-api"],
    processRate: 1200,
  });
  const { code, stdout, stderr } = await repository.run(
    "gate",
    "--measure-unchanged",
    "--seed",
    "4",
  );
  expect(code, stdout + stderr).toBe(3);
  expect(stdout).toMatch(/beyond what the reference can serve/);
});
