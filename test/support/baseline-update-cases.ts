// Baseline updates planned from made-up runs: what a pull request's text is shown with, and what a
// use case proposes.

import { recordBaseline } from "../../src/core/baseline/record.ts";
import type { ProposedUpdate } from "../../src/core/baseline/update/model.ts";
import { planBaselineUpdate } from "../../src/core/baseline/update/update.ts";
import type { Baseline } from "../../src/core/model/baseline.ts";
import type { Waiver } from "../../src/core/model/config.ts";
import type { Samples } from "../../src/core/model/samples.ts";
import { HOSTILE } from "./report-cases.ts";
import { makeSamples, type SamplesRecipe } from "./samples.ts";

const DAY_MS = 24 * 3600 * 1000;
const START = Date.parse("2026-01-01T02:00:00.000Z");

/** A nightly run of the default branch, candidate alone. */
export function nightly(day: number, recipe: Partial<SamplesRecipe> = {}): Samples {
  const samples = makeSamples({
    rounds: 20,
    noise: 0.02,
    seed: day + 1,
    compare: "stored",
    ...recipe,
  });
  const startedAt = new Date(START + day * DAY_MS).toISOString();
  samples.run = { ...samples.run, id: `night-${day}`, startedAt };
  samples.sources.candidate = {
    ...samples.sources.candidate,
    commit: String(day % 10).repeat(40),
    subject: `Change of day ${day}`,
    label: "main",
  };
  return samples;
}

export function recorded(days: number, recipe: Partial<SamplesRecipe> = {}): Baseline {
  let baseline: Baseline | null = null;
  for (let day = 0; day < days; day++) {
    const samples = nightly(day, recipe);
    baseline = recordBaseline(samples, "api", samples.run.startedAt, baseline);
  }
  if (baseline === null) throw new Error("no day");
  return baseline;
}

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

function proposed(stored: readonly Baseline[], ...fresh: Samples[]): ProposedUpdate {
  const plan = planBaselineUpdate({ stored, fresh });
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
    return proposed([recorded(8)], nightly(11), fresh);
  },
  first: (): ProposedUpdate => proposed([], nightly(0)),
  stale: (): ProposedUpdate => proposed([recorded(8)], nightly(45)),
  machine: (): ProposedUpdate => {
    const baseline = recorded(3);
    const fingerprint = { ...baseline.fingerprint, kernel: "5.15.0" };
    return proposed([{ ...baseline, fingerprint }], nightly(9));
  },
  hostile: (): ProposedUpdate => {
    const fresh = nightly(12, { rssRatio: { api: 1.3 } });
    fresh.sources.candidate.subject = `${HOSTILE.markdown} ${HOSTILE.terminal}`;
    fresh.config.waivers = [
      { ...RSS_WAIVER, upTo: 0.5, reason: HOSTILE.markdown, owner: HOSTILE.html },
    ];
    return proposed([recorded(2)], fresh);
  },
} as const;
