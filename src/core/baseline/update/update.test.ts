// What a fresh run changes in the baselines: nothing within noise, nothing from a run that cannot
// be trusted.
import { expect, test } from "vitest";
import { describeRefusal } from "../../../../satellites/sheets/baseline-update.ts";
import {
  NIGHTS,
  nightly,
  RSS_WAIVER,
  recorded,
} from "../../../../test/support/baseline-update-cases.ts";
import { withLimits } from "../../../../test/support/samples.ts";
import { createPrng } from "../../base/prng.ts";
import type { Baseline } from "../../model/baseline.ts";
import type { Samples } from "../../model/samples.ts";
import type { BaselineUpdate, ServiceUpdate } from "./model.ts";
import { planBaselineUpdate } from "./update.ts";

const STORED = recorded(7);

function plan(fresh: Samples, stored: readonly Baseline[] = [STORED]): BaselineUpdate {
  const update = planBaselineUpdate({ stored, fresh, history: NIGHTS });
  // JSON has no NaN and no infinity: either would be a null.
  expect(JSON.parse(JSON.stringify(update))).toEqual(update);
  return update;
}

function only(update: BaselineUpdate): ServiceUpdate {
  if (update.kind !== "update") throw new Error(JSON.stringify(update));
  const [service, ...others] = update.services;
  if (service === undefined || others.length > 0) throw new Error("not one service");
  return service;
}

const heavier = (day: number): Samples => nightly(day, { rssRatio: { api: 1.3 } });

const moves = (update: BaselineUpdate): string[] =>
  only(update).values.map(
    ({ scenario, metric, estimator, move }) =>
      `${move} ${scenario ?? ""} ${metric}${estimator === "typical" ? " typical" : ""}`,
  );

test("within noise nothing changes, on any of many nights", () => {
  const prng = createPrng(3);
  for (let night = 0; night < 60; night++) {
    const fresh = nightly(9 + (night % 20), { seed: prng.below(1e6) });
    expect(plan(fresh), `night ${night}`).toMatchObject({ kind: "none" });
  }
});

test("what grew is loosened, what shrank is tightened, loosened first", () => {
  const update = plan(
    nightly(12, { rssRatio: { api: 1.08 }, p99Ratio: { "api/echo": 4, "api/hello": 0.3 } }),
  );
  expect(moves(update)).toEqual([
    "loosened api/echo p99 typical",
    "loosened api/echo p99",
    "loosened  rss",
    "tightened api/hello p99 typical",
    "tightened api/hello p99",
  ]);
  const { cause, baseline, previous } = only(update);
  expect(cause).toBe("moved");
  expect(previous?.run).toBe("alone-7");
  expect(baseline.run).toBe("alone-12");
});

test("the same run proposed again after it was accepted changes nothing", () => {
  const fresh = nightly(12, { rssRatio: { api: 1.3 } });
  const { baseline } = only(plan(fresh));
  expect(plan(fresh, [baseline]).kind).toBe("none");
});

test("a level that was accepted teaches no drift, and the next change of its size is seen again", () => {
  const { baseline } = only(plan(heavier(12)));
  const back = plan(nightly(14), [baseline]);
  expect(moves(back)).toContain("tightened  rss");
  const rss = only(back).values.find(({ metric }) => metric === "rss");
  expect(rss?.noise).toMatchObject({ from: "drift" });
  expect(rss?.noise?.margin).toBeLessThan(0.02);
});

test("planning twice gives the same bytes", () => {
  const fresh = () => nightly(12, { rssRatio: { api: 1.3 } });
  expect(JSON.stringify(plan(fresh()))).toBe(JSON.stringify(plan(fresh())));
});

test("without a baseline, with another machine or other scenarios, or when it is old: all is new or renewed", () => {
  const first = plan(nightly(1), []);
  expect(only(first)).toMatchObject({ cause: "first", previous: null });
  expect(new Set(only(first).values.map(({ move }) => move))).toEqual(new Set(["new"]));

  const elsewhere = nightly(9);
  elsewhere.host.fingerprint.kernel = "7.0";
  const machine = only(plan(elsewhere));
  expect(machine).toMatchObject({ cause: "incomparable" });
  expect(machine.text).toMatch(/another machine \(kernel: then 6\.1\.0, now 7\.0\)/);

  const redefined = nightly(9);
  for (const scenario of redefined.config.scenarios) scenario.rateRps = 999;
  expect(only(plan(redefined)).text).toMatch(/differs from the baseline's in echo, hello/);

  expect(plan(nightly(37)).kind).toBe("none");
  expect(only(plan(nightly(38)))).toMatchObject({
    cause: "stale",
    text: "it is 31 days old (limit 30)",
  });
});

test("each model of machine has a baseline of its own", () => {
  const fresh = nightly(9, { rssRatio: { api: 1.3 } });
  fresh.host.fingerprint.cpuModel = "Other CPU";
  const update = only(plan(fresh));
  expect(update).toMatchObject({
    cause: "first",
    text: "there was no baseline of this machine",
    previous: null,
    baseline: { fingerprint: { cpuModel: "Other CPU" } },
  });
  const own = { ...STORED, fingerprint: fresh.host.fingerprint };
  expect(only(plan(fresh, [STORED, own]))).toMatchObject({
    cause: "moved",
    previous: { run: own.run },
  });
});

test("baselines of other services and classes are not touched", () => {
  const other = { ...STORED, runnerClass: "other" };
  const update = plan(nightly(9), [other]);
  expect(only(update).cause).toBe("first");
});

test("a run that cannot be trusted is refused, with the reason", () => {
  const dirty = nightly(12, { rssRatio: { api: 1.3 } });
  dirty.sources.candidate.dirty = true;
  const cases: [Samples, RegExp][] = [
    [nightly(12, { rssRatio: { api: 1.3 }, crashInRound: 15 }), /exited with code 70/],
    [
      nightly(12, { rssRatio: { api: 1.3 }, saturated: "both" }),
      /beyond what the candidate can serve/,
    ],
    [nightly(12, { rssRatio: { api: 1.3 }, state: "interrupted" }), /not complete/],
    [nightly(12, { rssRatio: { api: 1.3 }, state: "running" }), /not complete/],
    [
      nightly(12, { rssRatio: { api: 1.3 }, rounds: 7 }),
      /inconclusive: api echo\/p99 has 7 launches/,
    ],
    [nightly(12, { rounds: 0 }), /no round was measured/],
    [dirty, /uncommitted changes/],
    // Alongside a reference some questions stayed open.
    [nightly(12, { compare: "base", noise: 0.4 }), /inconclusive: api\/echo p99 is /],
    // Against a baseline whose drift is known: worse than tolerated, not shown to be worse than
    // promised.
    [nightly(12, { rssRatio: { api: 1.035 }, noise: 0.25, rounds: 12 }), /inconclusive: api/],
  ];
  for (const [samples, words] of cases) {
    const update = plan(samples);
    expect(update.kind, String(words)).toBe("refused");
    if (update.kind === "refused")
      expect(update.refusals.map(describeRefusal).join("\n")).toMatch(words);
  }
});

test("a young baseline, against which nothing can be decided, can be updated all the same", () => {
  const update = planBaselineUpdate({ stored: [recorded(1)], fresh: heavier(3), history: [] });
  expect(only(update).cause).toBe("moved");
});

test("a waiver is used up when what it accepts is in the baseline, and not when it went beyond", () => {
  const consumed = (ratio: number): number => {
    const fresh = nightly(12, { rssRatio: { api: ratio } });
    fresh.config.waivers = [RSS_WAIVER];
    const update = plan(fresh);
    if (update.kind !== "update") throw new Error(update.kind);
    const [value] = only(update).values;
    expect(value?.waiver?.holds).toBe(ratio > 1.15 ? "beyond" : "within");
    return update.consumed.length;
  };
  expect(consumed(1.1)).toBe(1);
  expect(consumed(1.3)).toBe(0);
});

test("a limit that a run cannot answer says nothing of its values", () => {
  const fresh = heavier(12);
  const near = withLimits(fresh, { rss: fresh.rounds[0]?.launches?.candidate.values.rss ?? 0 });
  expect(moves(plan(near))).toEqual(moves(plan(fresh)));
});
