// A service that is the same in both arms passes without a question; nothing else passes by it.
import { expect, test } from "vitest";
import { makeConfig, makeSamples } from "../../../test/support/samples.ts";
import type { Config } from "../model/config.ts";
import type { Samples, Unchanged } from "../model/samples.ts";
import { describeRun } from "../report/words/verdict.ts";
import { judge, openQuestions } from "./judge.ts";
import { mergeShards } from "./merge-shards.ts";

const SAME: Unchanged[] = [{ service: "web", by: "artifact", key: "k" }];

/** `api` and a `web` like it. */
function withWeb(config: Config): Config {
  const [api] = config.services;
  const likeIt = config.scenarios.map((one) => ({ ...one, id: `web/${one.name}`, service: "web" }));
  return {
    ...config,
    services: [...config.services, ...(api === undefined ? [] : [{ ...api, name: "web" }])],
    scenarios: [...config.scenarios, ...likeIt],
  };
}

/** Rounds of `api` alone. */
function samplesOf(unchanged: Unchanged[], p99 = 1): Samples {
  const samples = makeSamples({ rounds: 16, noise: 0.02, p99Ratio: { "api/echo": p99 } });
  return { ...samples, config: withWeb(samples.config), unchanged };
}

const stateOf = (samples: Samples) => judge({ samples, baselines: [] }).state;

test("what is unchanged is asked nothing and takes no share of alpha", () => {
  const alone = makeSamples({ rounds: 16, noise: 0.02 });
  const both = judge({ samples: samplesOf(SAME), baselines: [] });
  const before = judge({ samples: alone, baselines: [] });
  expect(both.state).toBe("pass");
  expect(both.faults).toEqual([]);
  expect(both.comparisons).toEqual(before.comparisons);
  const asked = openQuestions({ samples: { ...samplesOf(SAME), rounds: [] }, baselines: [] });
  expect([...asked.hypotheses].filter((id) => id.startsWith("web"))).toEqual([]);
  expect(asked.services).toEqual(new Set(["api"]));
});

test("beside it a regression is one, and what was not measured is no pass", () => {
  expect(stateOf(samplesOf(SAME, 1.5))).toBe("regressed");
  expect(stateOf(samplesOf([]))).toBe("invalid");
  expect(stateOf({ ...samplesOf(SAME), rounds: [] })).toBe("invalid");
});

test("with every service unchanged there is nothing to measure, and it passes", () => {
  const all = [...SAME, { service: "api", by: "sources" as const, key: "k" }];
  const samples = { ...samplesOf(all), rounds: [] };
  const { verdict } = describeRun(samples, judge({ samples, baselines: [] }));
  expect(verdict).toMatchObject({
    state: "pass",
    headline: "nothing to measure: web, api unchanged: the same build before and after",
    comparisons: [],
    next: [],
    unchanged: all,
  });
});

test("where nothing is gated nothing is shown by it", () => {
  const samples = samplesOf(SAME);
  const metrics = samples.config.policy.metrics.map((one) => ({ ...one, level: "info" as const }));
  const policy = { ...samples.config.policy, metrics };
  expect(stateOf({ ...samples, config: { ...samples.config, policy } })).toBe("inconclusive");
});

test("shards are merged with what each of them left out", () => {
  const measured = makeSamples({ rounds: 16, noise: 0.02 });
  const config = withWeb(makeConfig());
  const part = (name: string): Config => ({
    ...config,
    services: config.services.filter((service) => service.name === name),
    scenarios: config.scenarios.filter(({ service }) => service === name),
  });
  const { fingerprint } = measured.host;
  const shard = (index: number) => ({
    run: { ...measured.run, shard: { index, of: 2, part: 0, parts: 1 } },
  });
  const left: Samples = {
    ...measured,
    ...shard(2),
    config: part("web"),
    rounds: [],
    unchanged: SAME,
    // No generator was looked for.
    host: { ...measured.host, fingerprint: { ...fingerprint, generator: "" } },
  };
  const shards = [
    { name: "2", samples: left },
    { name: "1", samples: { ...measured, ...shard(1), config: part("api") } },
  ];
  const { samples, machines } = mergeShards(shards, config);
  expect(machines).toBe("alike");
  expect(samples.host.fingerprint).toEqual(fingerprint);
  expect(samples.unchanged).toEqual(SAME);
  expect(judge({ samples, baselines: [] })).toMatchObject({ state: "pass", faults: [] });
});
