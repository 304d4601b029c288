import { describe, expect, test } from "vitest";
import { identicalArms } from "../../../test/support/calibration.ts";
import { makeSamples } from "../../../test/support/samples.ts";
import { UserError } from "../base/errors.ts";
import { renderReviewableJson } from "../base/reviewable-json.ts";
import { ProfileSchema } from "../model/profile.ts";
import { median, robustSd } from "../stats/dispersion.ts";
import { runnerFactsOf } from "./expect.ts";
import { profileOf } from "./profile.ts";

/** Enough to tell what is kept from what is not, in seconds. */
const FEW = { seed: 1, trials: 40 };

const samples = identicalArms({ noise: 0.04 });
const profile = profileOf(samples, FEW);
const echo = profile.metrics.find(({ id }) => id === "api/echo p99 typical");

describe("a profile", () => {
  test("is one of its own schema, as written too", () => {
    expect(ProfileSchema.parse(JSON.parse(renderReviewableJson(profile)))).toEqual(profile);
  });

  test("has a value of every round, their spread and centre", () => {
    expect(echo?.d).toHaveLength(16);
    expect(echo?.sd.robust).toBeCloseTo(robustSd(echo?.d ?? []), 4);
    expect(echo?.sd.low).toBeLessThan(echo?.sd.robust ?? 0);
    expect(echo?.sd.high).toBeGreaterThan(echo?.sd.robust ?? 1);
    expect(Math.abs((echo?.bias.estimate ?? 1) - median(echo?.d ?? []))).toBeLessThan(0.02);
  });

  test("pairs of a made-up round all have its ratio: all of their spread is the launch's", () => {
    expect(echo?.components).toMatchObject({ slice: 0 });
    expect(echo?.components?.launch).toBeCloseTo(echo?.sd.plain ?? 0, 1);
  });

  test("components are of what a slice adds to the estimate: its windows, not its own quantile", () => {
    const stopped = structuredClone(samples);
    for (const { scenarios } of stopped.rounds) {
      for (const [i, slice] of scenarios.flatMap(({ slices }) => slices).entries()) {
        if (slice.latency === null) continue;
        const { requests, p50, p90, p95, p99 } = slice.latency;
        const window = { requests, p50, p90, p95, p99 };
        // Every third slice has a stop: in one of its windows.
        slice.windows = [window, window, i % 3 === 0 ? { ...window, p99: 20 * p99 } : window];
        if (i % 3 === 0) slice.latency = { ...slice.latency, p99: 20 * p99 };
      }
    }
    const found = profileOf(stopped, FEW).metrics.find(({ id }) => id === "api/echo p99 typical");
    expect(found?.components).toEqual(echo?.components);
    for (const { scenarios } of stopped.rounds) {
      for (const slice of scenarios.flatMap(({ slices }) => slices)) delete slice.windows;
    }
    const uncut = profileOf(stopped, FEW).metrics.find(({ id }) => id === "api/echo p99 typical");
    expect(uncut?.components?.slice).toBeGreaterThan(0.5);
  });

  test("costs more to margin 5 % than 20 %, and proposes what it keeps", () => {
    const cost = (margin: number) => echo?.costs.find((one) => one.margin === margin);
    expect(echo?.costs.map(({ margin }) => margin)).toEqual([0.05, 0.1, 0.2]);
    expect(cost(0.2)?.kept).toBe(true);
    expect(cost(0.2)?.unchanged.rounds?.median).toBeLessThanOrEqual(
      cost(0.05)?.unchanged.rounds?.median ?? Number.POSITIVE_INFINITY,
    );
    expect(echo?.proposed?.margin).toBeLessThanOrEqual(0.2);
    expect(echo?.proposed?.margin).toBeGreaterThan(0.01);
  });

  test("follows from samples and seed alone", () => {
    expect(profileOf(samples, FEW)).toEqual(profile);
  });

  test("is of the configured load alone: rounds with the time of decided scenarios do not count", () => {
    const longer = samples.rounds.slice(0, 9).map((round, i) => ({
      ...round,
      index: 16 + i,
      scenarios: round.scenarios.slice(0, 1).map((entry) => ({
        ...entry,
        slices: [...entry.slices, ...entry.slices.map((s) => ({ ...s, pair: s.pair + 4 }))],
      })),
    }));
    const found = profileOf({ ...samples, rounds: [...samples.rounds, ...longer] }, FEW);
    expect(found).toEqual({ ...profile, slices: found.slices });
    const few = { ...samples, rounds: [...samples.rounds.slice(0, 7), ...longer] };
    expect(() => profileOf(few, FEW)).toThrow(
      expect.objectContaining({ detail: expect.stringMatching(/^9 more are without/) }),
    );
  });

  test("counts void slices by rule", () => {
    const voided = profileOf(identicalArms({ voidShare: 0.05 }), FEW).slices;
    expect(voided.void).toBeGreaterThan(0);
    expect(voided.byRule).toEqual({ lag: voided.void });
    expect(voided.examples.lag).toContain("9.1 ms");
  });

  test("counts the discarded slices of a round that does not count", () => {
    const samples = identicalArms();
    const [given] = samples.rounds[0]?.scenarios ?? [];
    if (given?.arms.reference == null) throw new Error("the round has a scenario");
    given.arms.candidate.pooled = given.arms.reference.pooled = null;
    for (const slice of given.slices) slice.void = { rule: "status", detail: "503" };
    expect(profileOf(samples, FEW).slices.void).toBe(given.slices.length);
  });

  test("counts slices that the host disturbed, which count", () => {
    const samples = identicalArms();
    for (const { scenarios } of samples.rounds.slice(0, 2)) {
      for (const { host } of scenarios.flatMap(({ slices }) => slices)) host.foreign = 0.4;
    }
    const { disturbed, void: voided } = profileOf(samples, FEW).slices;
    expect([disturbed, voided]).toEqual([{ "foreign-cpu": 32 }, 0]);
  });
});

describe("refused", () => {
  const wrong: [string, () => unknown, string][] = [
    [
      "two programs",
      () => profileOf(makeSamples({ rounds: 16, noise: 0.1 }), FEW),
      "not the same program",
    ],
    [
      "one arm",
      () => profileOf(makeSamples({ rounds: 16, noise: 0.1, compare: "stored" }), FEW),
      "one build only",
    ],
    ["few rounds", () => profileOf(identicalArms({ rounds: 7 }), FEW), "7 rounds"],
  ];
  test.each(wrong)("%s", (_, run, words) => {
    expect(run).toThrow(UserError);
    expect(run).toThrow(words);
  });
});

describe("what a run is told to expect", () => {
  const { config, host } = samples;

  test("of the calibrated machine and load: every gated metric, and the gate's time", () => {
    const facts = runnerFactsOf(profile, config, host.fingerprint);
    expect(facts).toMatchObject({ unusable: null, rounds: 16 });
    expect(facts.expectations.map(({ id }) => id)).toContain("api rss");
    expect(facts.gateMs).toBe(profile.gate.medianMs);
    const expected = facts.expectations.find(({ id }) => id === "api/echo p99 typical");
    expect(expected?.passMs).toBe((expected?.rounds ?? 0) * (profile.services[0]?.roundMs ?? 0));
  });

  test("of another machine nothing", () => {
    const facts = runnerFactsOf(profile, config, { ...host.fingerprint, kernel: "6.2.0" });
    expect(facts.expectations).toEqual([]);
    expect(facts.unusable).toContain("kernel");
  });

  test("of a scenario that is now another load nothing, nor of the service's own metrics", () => {
    const [first, ...rest] = config.scenarios;
    if (first === undefined) throw new Error("the configuration has a scenario");
    const changed = { ...config, scenarios: [{ ...first, rateRps: 3000 }, ...rest] };
    const ids = runnerFactsOf(profile, changed, null).expectations.map(({ id }) => id);
    expect(ids).toEqual(["api/hello p99 typical", "api/hello p99 pooled"]);
  });

  test("a margin closer than the closest kept one is not kept, a wider one is", () => {
    const withPromise = (margin: number) => ({
      ...config,
      policy: {
        ...config.policy,
        metrics: config.policy.metrics.map((metric) => ({ ...metric, margin })),
      },
    });
    const kept = (margin: number) =>
      runnerFactsOf(profile, withPromise(margin), null).expectations.map((one) => one.kept);
    expect(new Set(kept(0.011))).toEqual(new Set([false]));
    expect(new Set(kept(3))).toEqual(new Set([true]));
  });

  test("a margin that its floor raises is that of the calibration, kept if an unchanged build passes", () => {
    const [first, ...rest] = profile.metrics;
    const [cost] = first?.costs ?? [];
    if (first === undefined || cost === undefined) throw new Error("nothing is gated");
    const expected = (passed: number) => {
      const [fromFloor] = runnerFactsOf(
        {
          ...profile,
          metrics: [
            {
              ...first,
              limits: { ...first.limits, margin: 0.7, floor: 0.7 },
              costs: [
                { ...cost, margin: 0.7, kept: false, unchanged: { ...cost.unchanged, passed } },
              ],
            },
            ...rest,
          ],
        },
        config,
        null,
      ).expectations;
      return fromFloor;
    };
    expect(expected(1)).toMatchObject({ id: first.id, kept: true, rounds: expect.any(Number) });
    expect(expected(0.9)).toMatchObject({ id: first.id, kept: false });
  });
});
