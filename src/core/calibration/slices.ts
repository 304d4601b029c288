// How many slice pairs a round should have, by what they cost and add to the noise.
import type { Scenario } from "../model/config.ts";
import type { PairsChoice, SlicePlan } from "../model/profile.ts";
import type { Round, ScenarioRound, Slice } from "../model/samples.ts";
import { roundsNeeded } from "../stats/detectable-effect.ts";
import { median } from "../stats/dispersion.ts";
import { fewestRounds, type Rule } from "../verdict/decide.ts";
import { MOST_ROUNDS } from "../verdict/most-rounds.ts";

/** Fewer have no quieter half; more make a round too long to share a machine's drift. */
const PAIRS = Array.from({ length: 31 }, (_, i) => i + 2);

interface SlicePlanInput {
  scenario: Scenario;
  scenarios: readonly Scenario[];
  rounds: readonly Round[];
  /** Of all rounds. */
  slices: readonly Slice[];
  /** Robust, of the round's log ratio as measured. */
  sd: number;
  /** Of the launch, from the pairs' log ratios. */
  launch: number;
  rule: Rule;
}

/**
 * Wall time of a slice pair and of the rest of a round, shared by load; null without a whole round.
 */
function sliceCosts({ scenario, scenarios, rounds }: SlicePlanInput) {
  const durationOf = (id: string): number =>
    scenarios.find((one) => one.id === id)?.slice.durationMs ?? 0;
  const whole = rounds.filter(
    (round) =>
      round.failure === null && round.scenarios.some((entry) => entry.scenario === scenario.id),
  );
  const gaps = whole.flatMap((round) => gapsOf(round, durationOf));
  if (gaps.length === 0) return null;
  const gapMs = Math.max(0, median(gaps));
  const overheadMs = median(
    whole.map((round) => {
      const loadOf = (entry: ScenarioRound): number =>
        entry.slices.length * durationOf(entry.scenario);
      const loadMs = round.scenarios.reduce((sum, entry) => sum + loadOf(entry), 0);
      const slices = round.scenarios.reduce((sum, entry) => sum + entry.slices.length, 0);
      const restMs = round.endedAtMs - round.startedAtMs - loadMs - slices * gapMs;
      const own = round.scenarios.filter((entry) => entry.scenario === scenario.id);
      const share = own.reduce((sum, entry) => sum + loadOf(entry), 0) / loadMs;
      return Math.max(0, restMs) * share;
    }),
  );
  return { pairMs: 2 * (scenario.slice.durationMs + gapMs), overheadMs };
}

/** From the end of each slice's load to the start of the next slice. */
function gapsOf(round: Round, durationOf: (id: string) => number): number[] {
  const slices = round.scenarios
    .flatMap((entry) =>
      entry.slices.map(({ startedAtMs }) => ({
        startedAtMs,
        durationMs: durationOf(entry.scenario),
      })),
    )
    .sort((a, b) => a.startedAtMs - b.startedAtMs);
  return slices.slice(1).map((slice, i) => {
    const before = slices[i] ?? slice;
    return slice.startedAtMs - before.startedAtMs - before.durationMs;
  });
}

/**
 * The pairs with which an unchanged build passes soonest: a round's log ratio varies by launch² +
 * slice² / pairs. As the typical estimate is no mean of pairs, `slice` is the round's variance
 * beyond the launch, times the pairs.
 */
export function planSlices(input: SlicePlanInput): SlicePlan | null {
  const { scenario, slices, sd, rule } = input;
  const costs = sliceCosts(input);
  if (costs === null || !Number.isFinite(sd)) return null;
  const launch = Math.min(input.launch, sd);
  const slice = Math.sqrt(scenario.slice.pairs * (sd ** 2 - launch ** 2));
  const fewest = fewestRounds(rule).pass;
  const choose = (pairs: number): PairsChoice => {
    const own = Math.sqrt(launch ** 2 + slice ** 2 / pairs);
    const roundMs = costs.overheadMs + pairs * costs.pairMs;
    // A pass is the mirrored test: from nothing down from the margin.
    const precision = { sd: own, tolerance: 0, wealth: 1 / rule.beta, effect: rule.margin };
    const rounds = Math.max(roundsNeeded(precision), fewest);
    return { pairs, sd: own, roundMs, passMs: rounds > MOST_ROUNDS ? null : rounds * roundMs };
  };
  const now = choose(scenario.slice.pairs);
  const timeOf = ({ passMs }: PairsChoice): number => passMs ?? Number.POSITIVE_INFINITY;
  return {
    scenario: scenario.id,
    durationMs: scenario.slice.durationMs,
    slices: slices.length,
    void: slices.filter((one) => one.void !== null).length,
    now,
    soonest: PAIRS.map(choose).reduce((best, next) => (timeOf(next) < timeOf(best) ? next : best)),
    varianceSeconds: (sd ** 2 * now.roundMs) / 1000,
    alternatives: [],
  };
}
