import { expect, test } from "vitest";
import { makeConfig, makeSamples } from "../../../test/support/samples.ts";
import { UserError } from "../base/errors.ts";
import type { Config } from "../model/config.ts";
import { referenceOf, type Samples } from "../model/samples.ts";
import { judge } from "./judge.ts";
import { mergeShards, type ShardSamples } from "./merge-shards.ts";

/** Two services measured at once, as one run. */
function whole(p99Ratio: number): Samples {
  const one = makeSamples({ rounds: 20, noise: 0.03, p99Ratio: { "api/echo": p99Ratio } });
  const web = makeSamples({ rounds: 20, noise: 0.03, seed: 2 });
  const base = makeConfig();
  const rename = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('"api', '"web'));
  const config: Config = {
    ...base,
    services: [...base.services, ...rename(base.services)],
    scenarios: [...base.scenarios, ...rename(base.scenarios)],
  };
  return { ...one, config, rounds: [...one.rounds, ...rename(web.rounds)] };
}

/** What a shard of it writes: its services, and its share of the false-alarm chance. */
function shardOf(samples: Samples, service: string): ShardSamples {
  const { config } = samples;
  return {
    name: service,
    samples: {
      ...samples,
      config: {
        ...config,
        services: config.services.filter(({ name }) => name === service),
        scenarios: config.scenarios.filter((scenario) => scenario.service === service),
        policy: { ...config.policy, alpha: config.policy.alpha / 2 },
      },
      rounds: samples.rounds.filter((round) => round.service === service),
    },
  };
}

test.each([1, 1.5])("shards together are judged as one run (candidate × %s)", (ratio) => {
  const run = whole(ratio);
  const merged = mergeShards([shardOf(run, "api"), shardOf(run, "web")], run.config);
  expect(merged.machines).toBe("alike");
  const verdict = judge({ samples: merged.samples, baselines: [] });
  expect(verdict).toEqual(judge({ samples: run, baselines: [] }));
  expect(verdict.state).toBe(ratio > 1 ? "regressed" : "pass");
});

test("a question is answered in its shard as it is in the whole", () => {
  const run = whole(1.5);
  const { samples } = shardOf(run, "api");
  const inShard = judge({ samples, baselines: [] }).comparisons;
  const inWhole = judge({ samples: run, baselines: [] }).comparisons;
  for (const { id, state, evidence } of inShard) {
    const same = inWhole.find((one) => one.id === id);
    expect(same?.state, id).toBe(state);
    expect(same?.evidence.regress, id).toBeCloseTo(evidence.regress, 12);
  }
});

test("what only one arm has is named once, whichever shard saw it", () => {
  const run = whole(1);
  const seen = (service: string, changed: string[]): ShardSamples => {
    const { name, samples } = shardOf(run, service);
    return {
      name,
      samples: { ...samples, oneArm: { new: ["cache"], changed, gone: ["api/old"] } },
    };
  };
  const { samples } = mergeShards([seen("api", []), seen("web", ["db"])], run.config);
  expect(samples.oneArm).toEqual({ new: ["cache"], changed: ["db"], gone: ["api/old"] });
});

test("a service that no shard has is invalid, never a pass", () => {
  const run = whole(1);
  const { samples } = mergeShards([shardOf(run, "api")], run.config);
  const verdict = judge({ samples, baselines: [] });
  expect(verdict.state).toBe("invalid");
  expect(verdict.faults[0]).toMatchObject({ kind: "missing", scenario: "web/echo" });
});

test("a shard that broke off, or was killed, leaves the run unfinished", () => {
  const run = whole(1);
  const api = shardOf(run, "api");
  for (const [state, expected] of [
    ["failed", "failed"],
    ["interrupted", "interrupted"],
    ["running", "interrupted"],
  ] as const) {
    const web = shardOf({ ...run, run: { ...run.run, state } }, "web");
    expect(mergeShards([api, web], run.config).samples.run.state).toBe(expected);
  }
});

test("machines of different kinds are told, and stored values need one kind", () => {
  const run = whole(1);
  const host = { ...run.host, fingerprint: { ...run.host.fingerprint, cpuModel: "Other CPU" } };
  const shards = [shardOf(run, "api"), shardOf({ ...run, host }, "web")];
  const merged = mergeShards(shards, run.config);
  expect(merged.machines).toBe("different");
  expect(merged.samples.host.findings[0]?.text).toContain("2 kinds of machines");
  const stored = shards.map(({ name, samples }) => ({
    name,
    samples: { ...samples, run: { ...samples.run, compare: "stored" as const } },
  }));
  expect(() => mergeShards(stored, run.config)).toThrow(/different machines/);
});

test("replayed, each service keeps the commit of its own baseline", () => {
  const of = (service: string, commit: string): ShardSamples => {
    const { name, samples } = shardOf(whole(1), service);
    const reference = { commit, label: "baseline", dirty: false, subject: "" };
    const run = { ...samples.run, compare: "replay" as const };
    return { name, samples: { ...samples, run, sources: { ...samples.sources, reference } } };
  };
  const merge = (...commits: [string, string]) =>
    mergeShards([of("api", commits[0]), of("web", commits[1])], whole(1).config).samples.sources;
  const apart = merge("a".repeat(40), "b".repeat(40));
  expect(["api", "web"].map((name) => referenceOf(apart, name)?.commit)).toEqual([
    "a".repeat(40),
    "b".repeat(40),
  ]);
  expect(merge("a".repeat(40), "a".repeat(40)).references).toBeUndefined();
});

const changed = (change: (samples: Samples) => Samples): ShardSamples[] => {
  const run = whole(1);
  const web = shardOf(run, "web");
  return [shardOf(run, "api"), { ...web, samples: change(web.samples) }];
};

test.each<[string, ShardSamples[], RegExp]>([
  ["nothing", [], /no shard to merge/],
  [
    "another version",
    changed((it) => ({ ...it, tool: "tailgate 9" })),
    /version of tailgate differs/,
  ],
  [
    "another commit",
    changed((it) => ({
      ...it,
      sources: { ...it.sources, candidate: { ...it.sources.candidate, commit: "d".repeat(40) } },
    })),
    /the candidate differs/,
  ],
  [
    "another reference",
    changed((it) => ({ ...it, sources: { ...it.sources, reference: null } })),
    /the reference differs/,
  ],
  [
    "another way to compare",
    changed((it) => ({ ...it, run: { ...it.run, compare: "replay" } })),
    /way to compare differs/,
  ],
  [
    "another policy",
    changed((it) => ({
      ...it,
      config: { ...it.config, policy: { ...it.config.policy, beta: 0.4 } },
    })),
    /another configuration/,
  ],
  [
    "one service twice",
    [...changed((it) => it), shardOf(whole(1), "web")],
    /measured by two shards/,
  ],
])("%s is refused", (_, shards, message) => {
  expect(() => mergeShards(shards, whole(1).config)).toThrow(message);
  expect(() => mergeShards(shards, whole(1).config)).toThrow(UserError);
});
