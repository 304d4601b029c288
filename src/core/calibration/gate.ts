// How long the whole gate takes on this runner when nothing changed. Pure and seeded.
import { createPrng } from "../base/prng.ts";
import type { Config } from "../model/config.ts";
import {
  configuredCost,
  gatedMetrics,
  type Profile,
  type ProfileMetric,
} from "../model/profile.ts";
import { MOST_ROUNDS } from "../verdict/most-rounds.ts";
import { medianAndP90 } from "./power.ts";

const TRIALS = 2000;

interface GateInput {
  metrics: readonly ProfileMetric[];
  services: Profile["services"];
  /** Rounds of the simulated runs that passed, by hypothesis, at the configured margin. */
  unchangedRounds: ReadonlyMap<string, readonly number[]>;
  config: Config;
  maxRounds: number;
  seed: number;
}

/**
 * Draws a simulated run for every gated metric. A service goes on until its last metric is
 * answered; shorter rounds after decisions are not counted, so the gate is rather faster.
 */
export function planGate(input: GateInput): Profile["gate"] {
  const { config } = input;
  const prng = createPrng(input.seed);
  const gated = gatedMetrics(input);
  const { timeBudgetMs } = config.policy;
  const times: number[] = [];
  let passed = 0;
  for (let trial = 0; trial < TRIALS; trial++) {
    let answered = gated.length > 0;
    let totalMs = 0;
    for (const { service, roundMs } of input.services) {
      let most = 0;
      for (const metric of gated) {
        if (metric.service !== service) continue;
        const rounds = drawRounds(metric);
        if (rounds === null) answered = false;
        most = Math.max(most, rounds ?? MOST_ROUNDS);
      }
      totalMs += most * roundMs;
    }
    if (answered && totalMs <= timeBudgetMs) passed++;
    times.push(Math.min(totalMs, timeBudgetMs));
  }
  const middle = gated.length === 0 ? null : medianAndP90(times);
  return {
    trials: TRIALS,
    passed: passed / TRIALS,
    medianMs: middle?.median ?? null,
    p90Ms: middle?.p90 ?? null,
    timeBudgetMs,
    roomForRounds: input.maxRounds,
  };

  /** Null: a run that did not pass. */
  function drawRounds(metric: ProfileMetric): number | null {
    const rounds = input.unchangedRounds.get(metric.id) ?? [];
    const share = configuredCost(metric)?.unchanged.passed ?? 0;
    if (rounds.length === 0 || prng.next() >= share) return null;
    return rounds[prng.below(rounds.length)] ?? null;
  }
}
