// How many slices a round should have: what each costs, what it adds to the noise, and where more
// rounds are better. Pure.
import type { Scenario } from "../model/config.ts";
import type { PairsChoice, SlicePlan } from "../model/profile.ts";
import type { Round, ScenarioRound, Slice } from "../model/samples.ts";
import { roundsNeeded } from "../stats/detectable-effect.ts";
import { median } from "../stats/dispersion.ts";
import { fewestRounds, type Rule } from "../verdict/decide.ts";
import { MOST_ROUNDS } from "../verdict/most-rounds.ts";

/** More pairs than this make a round too long to share a machine's drift. */
const MOST_PAIRS = 32;
/** A slice's quantile is judged by its quieter slices: that takes two. */
const FEWEST_PAIRS = 2;

/** What a round's log ratio varies by. Standard deviations. */
interface Components {
  launch: number;
  slice: number;
}

/** Milliseconds of wall time. */
export interface SliceCosts {
  /** Of a pair: both arms' load and what surrounds it. */
  pairMs: number;
  gapMs: number;
  /** Of a round without slices, as far as it is this scenario's. */
  overheadMs: number;
}

/**
 * What slices cost in these rounds; null without a whole one. What a round takes beyond its slices
 * is shared among its scenarios by their load.
 */
export function sliceCosts(
  scenario: Scenario,
  scenarios: readonly Scenario[],
  rounds: readonly Round[],
): SliceCosts | null {
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
  return { pairMs: 2 * (scenario.slice.durationMs + gapMs), gapMs, overheadMs };
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
 * Variance of the log ratio of a round of `pairs` pairs: launch² + slice² / pairs. Variance times
 * time is least at √(slice² · overhead / (launch² · pair)) pairs, the optimum of two-stage sampling
 * (Cochran, Sampling Techniques, 1977, §10.6; Kalibera & Jones, ISMM 2013, for benchmarks); as many
 * as allowed where launches add nothing.
 */
export function leastVariancePairs({ launch, slice }: Components, costs: SliceCosts): number {
  const product = (pairs: number): number =>
    (launch ** 2 + slice ** 2 / pairs) * (costs.overheadMs + pairs * costs.pairMs);
  return leastOf(product);
}

/**
 * The pairs with which a verdict of `pass` takes the least time when nothing changed: no pass takes
 * fewer than some rounds, so that fewer pairs than the least variance asks for can do. Null: with no
 * number within the most rounds that are looked at.
 */
export function soonestPairs(components: Components, costs: SliceCosts, rule: Rule): number | null {
  const passMs = (pairs: number): number =>
    choiceOf(pairs, components, costs, rule).passMs ?? Number.POSITIVE_INFINITY;
  const soonest = leastOf(passMs);
  return passMs(soonest) === Number.POSITIVE_INFINITY ? null : soonest;
}

function leastOf(cost: (pairs: number) => number): number {
  let best = FEWEST_PAIRS;
  for (let pairs = FEWEST_PAIRS + 1; pairs <= MOST_PAIRS; pairs++) {
    if (cost(pairs) < cost(best)) best = pairs;
  }
  return best;
}

export function choiceOf(
  pairs: number,
  { launch, slice }: Components,
  costs: SliceCosts,
  rule: Rule,
): PairsChoice {
  const sd = Math.sqrt(launch ** 2 + slice ** 2 / pairs);
  const roundMs = costs.overheadMs + pairs * costs.pairMs;
  // A pass is the mirrored test: from nothing down from the margin, as a regression is from the
  // tolerance up.
  const rounds = roundsNeeded({
    sd,
    tolerance: 0,
    wealth: 1 / rule.beta,
    effect: rule.margin,
  });
  const needed = Math.max(rounds, fewestRounds(rule).pass);
  return { pairs, sd, roundMs, passMs: needed > MOST_ROUNDS ? null : needed * roundMs };
}

interface SlicePlanInput {
  scenario: Scenario;
  /** All of the run. */
  scenarios: readonly Scenario[];
  /** Those that count. */
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
 * The typical estimate is no mean of pairs, so that its slice part is not that of one pair: it is
 * what the round's own variance holds beyond the launch, times the pairs.
 */
export function planSlices(input: SlicePlanInput): SlicePlan | null {
  const { scenario, rounds, slices, sd, rule } = input;
  const costs = sliceCosts(scenario, input.scenarios, rounds);
  if (costs === null || !Number.isFinite(sd)) return null;
  const { pairs, durationMs } = scenario.slice;
  const launch = Math.min(input.launch, sd);
  const components = { launch, slice: Math.sqrt(pairs * (sd ** 2 - launch ** 2)) };
  const choose = (count: number): PairsChoice => choiceOf(count, components, costs, rule);
  const now = choose(pairs);
  const leastVariance = leastVariancePairs(components, costs);
  return {
    scenario: scenario.id,
    durationMs,
    gapMs: costs.gapMs,
    overheadMs: costs.overheadMs,
    slices: slices.length,
    void: slices.filter((slice) => slice.void !== null).length,
    now,
    leastVariance: choose(leastVariance),
    soonest: choose(soonestPairs(components, costs, rule) ?? leastVariance),
    varianceSeconds: (sd ** 2 * now.roundMs) / 1000,
    alternatives: [],
  };
}
