import fc from "fast-check";
import { expect, test } from "vitest";
import { profileOfSpreads } from "../../../test/support/calibration.ts";
import { makeConfig, makeSamples } from "../../../test/support/samples.ts";
import { UserError } from "../base/errors.ts";
import { withAutoMargins } from "../calibration/auto-margin.ts";
import type { Config } from "../model/config.ts";
import { referenceOf, type Samples } from "../model/samples.ts";
import { spreadOverShards } from "../plan/shards.ts";
import { implausible } from "../untrusted/implausible.ts";
import { judge } from "./judge.ts";
import { mergeShards, type ShardSamples } from "./merge-shards.ts";

/** Two services measured at once, as one run. */
function whole(p99Ratio: number, rounds = 20): Samples {
  const one = makeSamples({ rounds, noise: 0.03, p99Ratio: { "api/echo": p99Ratio } });
  const web = makeSamples({ rounds, noise: 0.03, seed: 2 });
  const base = makeConfig();
  const rename = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('"api', '"web'));
  const config: Config = {
    ...base,
    services: [...base.services, ...rename(base.services)],
    scenarios: [...base.scenarios, ...rename(base.scenarios)],
  };
  return { ...one, config, rounds: [...one.rounds, ...rename(web.rounds)] };
}

/** What so many shards of it write: their rounds, and their share of the false-alarm chance. */
function dealt(samples: Samples, shards: number): ShardSamples[] {
  const { config, run } = samples;
  const spread = spreadOverShards(config, shards);
  return spread.map(({ services, ...shard }, i) => ({
    name: `shard-${i + 1}`,
    samples: {
      ...samples,
      run: { ...run, ended: "share", shard: { index: i + 1, of: spread.length, ...shard } },
      config: {
        ...config,
        services: config.services.filter(({ name }) => services.includes(name)),
        scenarios: config.scenarios.filter(({ service }) => services.includes(service)),
        policy: { ...config.policy, alpha: (config.policy.alpha * services.length) / 2 },
      },
      rounds: samples.rounds.filter(
        ({ service, index }) => services.includes(service) && index % shard.parts === shard.part,
      ),
    },
  }));
}

const verdictOf = (samples: Samples) => judge({ samples, baselines: [] });

/** In which each service's rounds are, whatever comes between them. */
const orderOf = ({ rounds }: Samples): string[] =>
  ["api", "web"].map((name) =>
    rounds.flatMap(({ service, index }) => (service === name ? index : [])).join(" "),
  );

test.each([
  [1, "pass"],
  [1.5, "regressed"],
])("shards together are judged as one run (candidate × %s)", (ratio, state) => {
  const run = whole(ratio);
  for (const shards of [1, 2, 3, 4, 6]) {
    const merged = mergeShards(dealt(run, shards), run.config);
    expect(merged.machines).toBe("alike");
    expect(merged.samples.run.merged).toEqual({ of: shards, lost: [] });
    expect(verdictOf(merged.samples)).toEqual(verdictOf(run));
    expect(verdictOf(merged.samples).state).toBe(state);
  }
});

/** Of some of the shards, each ended after some of its rounds, and in some order. */
const parts = fc.integer({ min: 1, max: 6 }).chain((shards) =>
  fc.record({
    shards: fc.constant(shards),
    kept: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: shards, maxLength: shards }),
    arrival: fc.shuffledSubarray(
      Array.from({ length: shards }, (_, i) => i),
      { minLength: 1 },
    ),
  }),
);

test("rounds are in the order of their index, whoever has how many, comes first, or is lost", () => {
  const measured = whole(1);
  const run: Samples = { ...measured, run: { ...measured.run, ended: "share" } };
  fc.assert(
    fc.property(parts, ({ shards, kept, arrival }) => {
      const all = dealt(run, shards).map(({ name, samples }, i) => ({
        name,
        samples: { ...samples, rounds: samples.rounds.slice(0, kept[i]) },
      }));
      const arrived = arrival.flatMap((i) => all[i] ?? []);
      const { samples } = mergeShards(arrived, run.config);
      const sorted = arrived
        .flatMap((shard) => shard.samples.rounds)
        .toSorted((a, b) => a.index - b.index);
      expect(orderOf(samples)).toEqual(orderOf({ ...run, rounds: sorted }));
      expect(implausible(samples)).toBeNull();
      expect(verdictOf(samples).comparisons).toEqual(
        verdictOf({ ...run, rounds: sorted }).comparisons,
      );
      expect(mergeShards(arrived.toReversed(), run.config).samples).toEqual(samples);
      const lost = all.flatMap((_, i) => (arrival.includes(i) ? [] : i + 1));
      expect(samples.run.merged).toEqual({ of: all.length, lost });
    }),
    { numRuns: 60 },
  );
});

test("what all shards measured before they were resumed comes first", () => {
  const run = whole(1, 6);
  const [one, two] = dealt(run, 2) as [ShardSamples, ShardSamples];
  const resumed = (
    { name, samples }: ShardSamples,
    continuedAfter: number[] | undefined,
  ): ShardSamples => ({ name, samples: { ...samples, run: { ...samples.run, continuedAfter } } });
  // Three rounds of each service: those of api, then those of web.
  const { samples } = mergeShards([resumed(one, [2]), resumed(two, [4, 5])], run.config);
  expect(orderOf(samples)).toEqual(["0 1 2 3 5 4", "1 0 2 3 4 5"]);
  expect(samples.run.continuedAfter).toEqual([6, 11]);
  const before = mergeShards(
    [one, two].map(({ name, samples }, i) => ({
      name,
      samples: { ...samples, rounds: samples.rounds.slice(0, i === 0 ? 2 : 4) },
    })),
    run.config,
  );
  expect(samples.rounds.slice(0, 6)).toEqual(before.samples.rounds);
});

test("questions keep the margins that the machines of their shards had by the profile", () => {
  const run = whole(1);
  const [p99] = run.config.policy.metrics;
  if (p99 !== undefined) p99.auto = true;
  const profile = profileOfSpreads(run.config);
  const shards = dealt(run, 3).map(({ name, samples }, i) => {
    const config = withAutoMargins(samples.config, profile, run.host.fingerprint);
    return { name, samples: i === 1 ? samples : { ...samples, config } };
  });
  const { comparisons } = verdictOf(mergeShards(shards, run.config).samples);
  const margins = comparisons.flatMap(({ id, margin }) => (/p99 typical/.test(id) ? margin : []));
  expect(margins).toEqual([0.07, 0.07, 0.07, 0.07]);
  const host = { ...run.host, fingerprint: { ...run.host.fingerprint, cpuModel: "Other CPU" } };
  const unlike = shards.map(({ name, samples }, i) => ({
    name,
    samples: i === 0 ? { ...samples, host } : samples,
  }));
  const mixed = mergeShards(unlike, run.config);
  expect(mixed.machines).toBe("different");
  expect(mixed.samples.config.policy.autoMargins).toEqual({});
  const unknown = verdictOf(mergeShards(dealt(run, 3), run.config).samples).comparisons;
  expect(unknown.find(({ id }) => id === "api/echo p99 typical")?.margin).toBe(0.1);
});

test("a question is answered in the shard of a service as it is in the whole", () => {
  const run = whole(1.5);
  const [shard] = dealt(run, 1) as [ShardSamples];
  const inShard = verdictOf(shard.samples).comparisons;
  const inWhole = verdictOf(run).comparisons;
  for (const { id, state, evidence } of inShard) {
    const same = inWhole.find((one) => one.id === id);
    expect(same?.state, id).toBe(state);
    expect(same?.evidence.regress, id).toBeCloseTo(evidence.regress, 12);
  }
});

test("what only one arm has is named once, whichever shard saw it", () => {
  const run = whole(1);
  const shards = dealt(run, 2).map(({ name, samples }, i) => {
    const oneArm = { new: ["cache"], changed: i === 0 ? [] : ["db"], gone: ["api/old"] };
    return { name, samples: { ...samples, oneArm } };
  });
  const { samples } = mergeShards(shards, run.config);
  expect(samples.oneArm).toEqual({ new: ["cache"], changed: ["db"], gone: ["api/old"] });
});

test("a lost shard costs its rounds, and is named", () => {
  const run = whole(1.5);
  const [one, , three] = dealt(run, 3) as [ShardSamples, ShardSamples, ShardSamples];
  const verdict = verdictOf(mergeShards([three, one], run.config).samples);
  expect(verdict.state).toBe("regressed");
  expect(verdict.cautions).toContainEqual({ code: "lost-shards", lost: [2], of: 3 });
  const few = { ...three.samples, rounds: three.samples.rounds.filter(({ index }) => index < 6) };
  const open = verdictOf(mergeShards([{ name: "c", samples: few }], run.config).samples);
  expect(open.state).toBe("inconclusive");
  expect(open.advice).toContainEqual({ code: "resume-shards" });
  expect(open.faults).toEqual([]);
});

test("a service that no shard has is invalid, never a pass", () => {
  const run = whole(1);
  const shards = dealt(run, 4).filter(({ samples }) => samples.config.services[0]?.name === "api");
  const { samples } = mergeShards(shards, run.config);
  const verdict = verdictOf(samples);
  expect(verdict.state).toBe("invalid");
  expect(verdict.faults[0]).toMatchObject({ kind: "missing", scenario: "web/echo" });
});

test("a shard that broke off, or was killed, leaves the run unfinished", () => {
  const run = whole(1);
  const [one, two] = dealt(run, 2) as [ShardSamples, ShardSamples];
  for (const [state, expected] of [
    ["failed", "failed"],
    ["interrupted", "interrupted"],
    ["running", "interrupted"],
  ] as const) {
    const { name, samples } = two;
    const ended = { name, samples: { ...samples, run: { ...samples.run, state } } };
    expect(mergeShards([one, ended], run.config).samples.run.state).toBe(expected);
  }
});

test("machines of different kinds are told, and stored values need one kind", () => {
  const run = whole(1);
  const host = { ...run.host, fingerprint: { ...run.host.fingerprint, cpuModel: "Other CPU" } };
  const shards = dealt(run, 2).map(({ name, samples }, i) => ({
    name,
    samples: i === 0 ? samples : { ...samples, host },
  }));
  const merged = mergeShards(shards, run.config);
  expect(merged.machines).toBe("different");
  expect(merged.samples.host.findings[0]?.text).toContain("2 kinds of machines");
  // Each log ratio is of one machine.
  expect(verdictOf(merged.samples)).toEqual(verdictOf(run));
  const stored = shards.map(({ name, samples }) => ({
    name,
    samples: { ...samples, run: { ...samples.run, compare: "stored" as const } },
  }));
  expect(() => mergeShards(stored, run.config)).toThrow(/different machines/);
});

test("what one machine alone found to be the same is measured all the same", () => {
  const run = whole(1);
  const unchanged = [{ service: "web", by: "artifact" as const, key: "k" }];
  const shards = dealt(run, 2).map(({ name, samples }, i) => {
    const left = samples.rounds.filter(({ service }) => service === "api");
    return { name, samples: i === 0 ? samples : { ...samples, unchanged, rounds: left } };
  });
  const { samples } = mergeShards(shards, run.config);
  expect(samples.unchanged).toBeUndefined();
  expect(implausible(samples)).toBeNull();
  const nowhere = shards.map(({ name, samples }) => ({
    name,
    samples: {
      ...samples,
      unchanged,
      rounds: samples.rounds.filter(({ service }) => service === "api"),
    },
  }));
  expect(mergeShards(nowhere, run.config).samples.unchanged).toEqual(unchanged);
});

test("replayed, each service keeps the commit of its own baseline", () => {
  const merge = (...commits: [string, string]) => {
    const run = whole(1);
    const shards = dealt(run, 4).map(({ name, samples }): ShardSamples => {
      const own = samples.config.services[0]?.name === "api" ? commits[0] : commits[1];
      const reference = { commit: own, label: "baseline", dirty: false, subject: "" };
      const sources = { ...samples.sources, reference };
      return { name, samples: { ...samples, run: { ...samples.run, compare: "replay" }, sources } };
    });
    return mergeShards(shards, run.config).samples.sources;
  };
  const apart = merge("a".repeat(40), "b".repeat(40));
  expect(["api", "web"].map((name) => referenceOf(apart, name)?.commit)).toEqual([
    "a".repeat(40),
    "b".repeat(40),
  ]);
  expect(merge("a".repeat(40), "a".repeat(40)).references).toBeUndefined();
});

const changed = (change: (samples: Samples) => Samples): ShardSamples[] => {
  const [one, two] = dealt(whole(1), 2) as [ShardSamples, ShardSamples];
  return [one, { ...two, samples: change(two.samples) }];
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
    "another class of runner",
    changed((it) => ({
      ...it,
      config: { ...it.config, runner: { ...it.config.runner, class: "b" } },
    })),
    /class of runner differs/,
  ],
  [
    "a shard of another number",
    [...dealt(whole(1), 2).slice(0, 1), ...dealt(whole(1), 3).slice(1)],
    /number of shards differs/,
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
    "one shard twice",
    changed((it) => ({ ...it, run: { ...it.run, shard: { index: 1, of: 2, part: 0, parts: 2 } } })),
    /are both shard 1/,
  ],
  ["a run that is no shard", [{ name: "run", samples: whole(1) }], /is no shard of a run/],
])("%s is refused", (_, shards, message) => {
  expect(() => mergeShards(shards, whole(1).config)).toThrow(message);
  expect(() => mergeShards(shards, whole(1).config)).toThrow(UserError);
});
