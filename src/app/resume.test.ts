import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeArtifactFacts, makeSamples, type SamplesRecipe } from "../../test/support/samples.ts";
import { UserError } from "../base/errors.ts";
import type { DependencyFacts, Samples } from "../model/samples.ts";
import { continued, readEarlier, withDependencies } from "./resume.ts";
import { OUT_OF_TIME } from "./rotation.ts";
import { writeSamples } from "./samples-file.ts";

const folder = mkdtempSync(join(tmpdir(), "tailgate-resume-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const begun = makeSamples({ rounds: 1, noise: 0.01 });

const facts = (contents: string): DependencyFacts[] => [
  {
    name: "db",
    program: "PostgreSQL 15.18",
    contents: { candidate: contents, reference: contents },
    settings: { fsync: "off" },
  },
];

test("a run goes on only with what its services found before", () => {
  const first = withDependencies(begun, facts("a"), "s.json");
  expect(first.dependencies).toEqual(facts("a"));
  expect(withDependencies(first, facts("a"), "s.json")).toEqual(first);
  expect(() => withDependencies(first, facts("b"), "s.json")).toThrow(UserError);
  expect(() => withDependencies(first, facts("b"), "s.json")).toThrow(
    "--resume: s.json cannot be continued: what the services need differs",
  );
});

function read(recipe: Partial<SamplesRecipe>, run: Partial<Samples["run"]> = {}): Samples {
  const samples = makeSamples({ rounds: 5, noise: 0.01, ...recipe });
  const path = join(folder, "s.json");
  writeSamples(path, { ...samples, run: { ...samples.run, ...run } });
  return readEarlier(path);
}

test("what was stopped, killed or ran out of time may go on; what has its answer may not", () => {
  expect(read({ state: "interrupted" }).rounds).toHaveLength(5);
  expect(read({ state: "running" }).rounds).toHaveLength(5);
  expect(read({ state: "complete" }, { ended: OUT_OF_TIME }).rounds).toHaveLength(5);
  expect(() => read({ state: "complete" })).toThrow(/is complete \(every question is answered\)/);
});

test("a crash is not erased by going on", () => {
  const crash = /failed and cannot go on: api \(candidate\) exited with code 70 in round 3/;
  expect(() => read({ state: "failed", crashInRound: 2 })).toThrow(crash);
  // Killed between the round and the end of the run.
  expect(() => read({ state: "running", crashInRound: 2 })).toThrow(crash);
  expect(() => read({ state: "failed" }, { ended: "too many void slices" })).toThrow(
    /failed and cannot go on: too many void slices/,
  );
});

test("all earlier rounds are kept, so that no index and no seed is used twice", () => {
  const earlier = makeSamples({ rounds: 5, noise: 0.01, state: "interrupted" });
  const fresh = makeSamples({ rounds: 0, noise: 0.01, seed: 9 });
  fresh.config.policy.alpha = 0.02;
  const samples = continued(earlier, { ...fresh, rounds: [] }, "s.json");
  expect(samples.rounds).toEqual(earlier.rounds);
  expect(samples.run).toEqual({ ...earlier.run, state: "running", ended: "" });
  expect(samples.config.policy.alpha).toBe(0.02);
});

test("only the same is gone on with", () => {
  const earlier = makeSamples({ rounds: 5, noise: 0.01, state: "interrupted" });
  const check = (change: (fresh: Samples) => void, why: string): void => {
    const fresh = makeSamples({ rounds: 0, noise: 0.01 });
    change(fresh);
    expect(() => continued(earlier, fresh, "s.json")).toThrow(`cannot be continued: ${why}`);
  };
  const [service] = earlier.config.services;
  if (service === undefined) throw new Error("no service");
  check(({ config }) => config.scenarios.pop(), "services, scenarios or dependencies differ");
  check((fresh) => {
    fresh.host.fingerprint.cpus = 99;
  }, "it is another machine");
  check((fresh) => {
    fresh.run.compare = "replay";
  }, "it compared with something else");
  check((fresh) => {
    fresh.artifacts.push(makeArtifactFacts("another"));
  }, "the builds differ");
});

test("without more time nothing is gone on with", () => {
  const earlier = makeSamples({ rounds: 5, noise: 0.01, state: "interrupted" });
  const fresh = makeSamples({ rounds: 0, noise: 0.01 });
  fresh.config.policy.timeBudgetMs = earlier.run.measuredMs;
  expect(() => continued(earlier, fresh, "s.json")).toThrow(
    "the run in s.json has measured for 50 s, and the time budget of all its sessions is 50 s",
  );
  fresh.config.policy.timeBudgetMs++;
  expect(continued(earlier, fresh, "s.json").rounds).toHaveLength(5);
});
