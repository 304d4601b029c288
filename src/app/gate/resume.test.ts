import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedFolder } from "../../../test/support/files.ts";
import {
  makeArtifactFacts,
  makeSamples,
  type SamplesRecipe,
} from "../../../test/support/samples.ts";
import { UserError } from "../../core/base/errors.ts";
import type { DependencyFacts, Samples } from "../../core/model/samples.ts";
import { writeSamples } from "../documents/samples.ts";
import { continued, type Earlier, earlierRun, readEarlier, withDependencies } from "./resume.ts";

const folder = sharedFolder();

const begun = makeSamples({ rounds: 1, noise: 0.01 });

const facts = (contents: string): DependencyFacts[] => [
  {
    name: "db",
    program: "PostgreSQL 15.18",
    contents: { candidate: contents, reference: contents },
    settings: { fsync: "off" },
  },
];

/** As `always` takes it. */
const strict = (samples: Samples): Earlier => ({
  samples,
  misfit: (why) => {
    throw new UserError(`cannot be continued: ${why}`);
  },
});

test("a run continues only with the same dependency contents", () => {
  const earlier = strict(begun);
  const fresh = makeSamples({ rounds: 0, noise: 0.01 });
  const first = withDependencies({ begun, fresh, earlier }, facts("a"));
  expect(first.dependencies).toEqual(facts("a"));
  expect(withDependencies({ begun: first, fresh, earlier }, facts("a"))).toEqual(first);
  expect(() => withDependencies({ begun: first, fresh, earlier }, facts("b"))).toThrow(
    "cannot be continued: what the services need differs",
  );
  const lenient = { samples: first, misfit: () => {} };
  expect(withDependencies({ begun: first, fresh, earlier: lenient }, facts("b"))).toEqual({
    ...fresh,
    dependencies: facts("b"),
  });
});

test("a different number of written transactions is accepted, another isolation is not", () => {
  const earlier = strict(begun);
  const fresh = makeSamples({ rounds: 0, noise: 0.01 });
  const separate = (transactions: number): DependencyFacts[] =>
    facts("a").map((one) => ({
      ...one,
      isolation: "separate",
      written: { service: "api", arm: "reference", transactions, schemaChanged: false },
    }));
  const first = withDependencies({ begun, fresh, earlier }, separate(2));
  expect(withDependencies({ begun: first, fresh, earlier }, separate(3)).dependencies).toEqual(
    separate(3),
  );
  expect(() => withDependencies({ begun: first, fresh, earlier }, facts("a"))).toThrow(
    "cannot be continued: what the services need differs",
  );
});

function read(recipe: Partial<SamplesRecipe>, run: Partial<Samples["run"]> = {}): Samples {
  const samples = makeSamples({ rounds: 5, noise: 0.01, ...recipe });
  const path = join(folder, "s.json");
  writeSamples(path, { ...samples, run: { ...samples.run, ...run } });
  return readEarlier(path);
}

test.each<[string, Partial<SamplesRecipe>, Partial<Samples["run"]>]>([
  ["was stopped", { state: "interrupted" }, {}],
  ["was killed", { state: "running" }, {}],
  ["ran out of time", { state: "complete" }, { ended: "out-of-time" }],
  ["gave up", { state: "complete" }, { ended: "futile" }],
  ["ended at a regression", { state: "complete" }, { ended: "regressed" }],
])("a run that %s may go on", (_, recipe, run) => {
  expect(read(recipe, run).rounds).toHaveLength(5);
});

test("a complete run is not continued", () => {
  expect(() => read({ state: "complete" })).toThrow(
    /is complete \(no open question is left that more rounds could answer\)/,
  );
});

test("a crashed run is not continued", () => {
  const crash = /failed and cannot go on: api \(candidate\) exited with code 70 in round 3/;
  expect(() => read({ state: "failed", crashInRound: 2 })).toThrow(crash);
  // Killed between the round and the end of the run.
  expect(() => read({ state: "running", crashInRound: 2 })).toThrow(crash);
  // Nothing says what failed.
  expect(() => read({ state: "failed" }, { ended: "failed" })).toThrow(/failed and cannot go on/);
});

test("if-it-fits: a mismatch is logged and everything is measured again", () => {
  const path = join(folder, "fits.json");
  const check = (run: Partial<Samples["run"]>, why: RegExp | null): void => {
    const samples = makeSamples({ rounds: 5, noise: 0.01 });
    writeSamples(path, { ...samples, run: { ...samples.run, ...run } });
    const said: string[] = [];
    const earlier = earlierRun("if-it-fits", path, (text) => said.push(text));
    expect(earlier === null).toBe(why !== null);
    expect(said.join()).toMatch(why ?? /^$/);
    if (earlier === null) return;
    const fresh = makeSamples({ rounds: 0, noise: 0.01 });
    fresh.host.fingerprint.cpus = 99;
    expect(continued(earlier, fresh)).toBe(fresh);
    expect(said).toEqual([
      "the earlier rounds are left out, and all is measured anew: it is another machine",
    ]);
  };
  check({ ended: "out-of-time" }, null);
  check(
    {},
    /measured anew: that run has its answer \(no open question is left that more rounds could answer\)/,
  );
  expect(earlierRun("never", path, () => {})).toBeNull();
});

test("all earlier rounds are kept: no index and no seed is used twice", () => {
  const earlier = makeSamples({ rounds: 5, noise: 0.01, state: "interrupted" });
  const fresh = makeSamples({ rounds: 0, noise: 0.01, seed: 9 });
  fresh.config.policy.alpha = 0.02;
  const samples = continued(strict(earlier), { ...fresh, rounds: [] });
  expect(samples.rounds).toEqual(earlier.rounds);
  expect(samples.run).toEqual({
    ...earlier.run,
    state: "running",
    ended: "running",
    continuedAfter: [5],
  });
  expect(continued(strict(samples), fresh).run.continuedAfter).toEqual([5, 5]);
  expect(samples.config.policy.alpha).toBe(0.02);
});

test("a run with another configuration, machine, mode or build is not continued", () => {
  const earlier = makeSamples({ rounds: 5, noise: 0.01, state: "interrupted" });
  const check = (change: (fresh: Samples) => void, why: string): void => {
    const fresh = makeSamples({ rounds: 0, noise: 0.01 });
    change(fresh);
    expect(() => continued(strict(earlier), fresh)).toThrow(`cannot be continued: ${why}`);
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

test("margins stay as they were before the first round, whatever was calibrated since", () => {
  const [earlier, fresh] = [5, 0].map((rounds) =>
    makeSamples({ rounds, noise: 0.01, state: "interrupted" }),
  ) as [Samples, Samples];
  const margins = (margin: number) => ({
    "api/echo p99 typical": { margin, calibratedAt: "2026-11-01T00:00:00.000Z" },
  });
  earlier.config.policy.autoMargins = margins(0.09);
  fresh.config.policy.autoMargins = margins(0.07);
  const { config } = continued(strict(earlier), fresh);
  expect(config.policy.autoMargins).toEqual(margins(0.09));
});

test("each session has a time budget of its own", () => {
  const earlier = makeSamples({ rounds: 5, noise: 0.01, state: "interrupted" });
  const fresh = makeSamples({ rounds: 0, noise: 0.01 });
  fresh.config.policy.timeBudgetMs = 60_000;
  const { config, run } = continued(strict(earlier), fresh);
  expect(config.policy.timeBudgetMs - run.measuredMs).toBe(60_000);
});
