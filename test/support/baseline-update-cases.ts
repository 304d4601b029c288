// Baseline updates planned from made-up runs: what a pull request's text is shown with, and what a
// use case proposes.

import { recordBaseline } from "../../src/core/baseline/record.ts";
import type { ProposedUpdate } from "../../src/core/baseline/update/model.ts";
import { planBaselineUpdate } from "../../src/core/baseline/update/update.ts";
import type { Baseline } from "../../src/core/model/baseline.ts";
import type { Waiver } from "../../src/core/model/config.ts";
import type { HistoryRecord } from "../../src/core/model/history.ts";
import type { Samples } from "../../src/core/model/samples.ts";
import { daysFrom, nightOf, SERIES, timeOf } from "./history.ts";
import { HOSTILE } from "./report-cases.ts";
import { makeSamples, type SamplesRecipe } from "./samples.ts";

/** A run of the default branch that measures the candidate alone, as for a baseline. */
export function nightly(day: number, recipe: Partial<SamplesRecipe> = {}): Samples {
  const samples = makeSamples({
    rounds: 20,
    noise: 0.02,
    seed: day + 1,
    compare: "stored",
    ...recipe,
  });
  samples.run = { ...samples.run, id: `alone-${day}`, startedAt: timeOf(day) };
  samples.sources.candidate = {
    ...samples.sources.candidate,
    commit: String(day % 10).repeat(40),
    subject: `Change of day ${day}`,
    label: "main",
  };
  return samples;
}

export function recorded(day: number, recipe: Partial<SamplesRecipe> = {}): Baseline {
  return recordBaseline(nightly(day, recipe), "api");
}

/** Nights whose anchor is nearly the same every time: its memory to 0.2 %, its latency to 9 %. */
export const NIGHTS: readonly HistoryRecord[] = daysFrom(-20, 50).map((day) =>
  nightOf({
    day,
    anchor: Object.fromEntries(
      SERIES.map((id) => [id, id.endsWith("rss") ? 2e7 + 4e4 * (day & 1) : 300 + 25 * (day & 1)]),
    ),
  }),
);

export const RSS_WAIVER: Waiver = {
  metric: "rss",
  estimator: "launch",
  scenario: null,
  service: "api",
  upTo: 0.15,
  reason: "a cache of parsed routes",
  owner: "@shop/api",
  expires: "2026-06-30",
};

function proposed(stored: readonly Baseline[], fresh: Samples): ProposedUpdate {
  const plan = planBaselineUpdate({ stored, fresh, history: NIGHTS });
  if (plan.kind !== "update") throw new Error(`planned ${JSON.stringify(plan)}`);
  return plan;
}

export const UPDATE_CASES = {
  /** Memory grew as a waiver allows, one p99 grew as nobody allows, the other shrank. */
  moved: (): ProposedUpdate => {
    const fresh = nightly(12, {
      rssRatio: { api: 1.08 },
      p99Ratio: { "api/echo": 4, "api/hello": 0.3 },
    });
    fresh.config.waivers = [RSS_WAIVER];
    return proposed([recorded(7)], fresh);
  },
  first: (): ProposedUpdate => proposed([], nightly(0)),
  stale: (): ProposedUpdate => proposed([recorded(7)], nightly(45)),
  machine: (): ProposedUpdate => {
    const baseline = recorded(2);
    const fingerprint = { ...baseline.fingerprint, kernel: "5.15.0" };
    return proposed([{ ...baseline, fingerprint }], nightly(9));
  },
  hostile: (): ProposedUpdate => {
    const fresh = nightly(12, { rssRatio: { api: 1.3 } });
    fresh.sources.candidate.subject = `${HOSTILE.markdown} ${HOSTILE.terminal}`;
    fresh.config.waivers = [
      { ...RSS_WAIVER, upTo: 0.5, reason: HOSTILE.markdown, owner: HOSTILE.html },
    ];
    return proposed([recorded(1)], fresh);
  },
} as const;
