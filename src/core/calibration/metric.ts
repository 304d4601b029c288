// One metric of identical arms: its noise, what that is made of, and what it lets margin. Pure.
import { finiteOrNull } from "../base/finite.ts";
import type { Config } from "../model/config.ts";
import { isLatencyMetric } from "../model/metric.ts";
import type { ProfileMetric } from "../model/profile.ts";
import type { Round, Slice } from "../model/samples.ts";
import { median, NORMAL_CONSISTENCY, robustSd, sampleSd } from "../stats/dispersion.ts";
import { signedRankInterval, trimmedEstimate } from "../stats/hodges-lehmann.ts";
import { medianRanks } from "../stats/median-interval.ts";
import { varianceComponents, winsorized } from "../stats/variance-components.ts";
import { effectiveFloor } from "../verdict/compare.ts";
import { ruleOf } from "../verdict/decide.ts";
import type { Hypothesis } from "../verdict/hypotheses.ts";
import { quietValue, seriesOf, validPairs } from "../verdict/series.ts";
import { methodOf } from "../verdict/slow.ts";
import { closestKept, costOfMargin, keepsMargin, MARGINS, noiseLike } from "./power.ts";

/** With fewer rounds even the spread is a guess. */
export const MIN_ROUNDS = 8;
const SHOWN_PROMISES: readonly number[] = [0.05, 0.1, 0.2];
/** Floor of a margin that is not configured, as a share of it. */
const FLOOR_SHARE = 0.5;
/** Pairs further out count as this many robust sds: a stall is not what pairs usually differ by. */
const WINSOR_LIMIT = 3;
const LEVEL = 0.95;

interface Context {
  config: Config;
  rounds: readonly Round[];
  gating: number;
  maxRounds: number;
  roundMs: number;
  seed: number;
  trials: number;
}

export function describeMetric(
  hypothesis: Hypothesis,
  context: Context,
  unchangedRounds: Map<string, readonly number[]>,
): ProfileMetric | null {
  const series = seriesOf(hypothesis, context.rounds);
  const d = series.map((value) => value.d);
  if (d.length < 2) return null;
  const { policy } = hypothesis;
  const floor = effectiveFloor(hypothesis, series);
  // As the rule has them: the margin is never below the floor.
  const limits = { margin: Math.max(policy.margin, floor), tolerance: policy.tolerance, floor };
  // The absolute floor alone, as a fraction.
  const bare = { ...hypothesis, policy: { ...policy, floor: 0 } };
  const absoluteFloor = effectiveFloor(bare, series);
  const interval = signedRankInterval(d, LEVEL);
  const gated = policy.level === "gate" && d.length >= MIN_ROUNDS;
  const promising = gated
    ? margins(d, { ...limits, absoluteFloor }, hypothesis, context, unchangedRounds)
    : null;
  return {
    id: hypothesis.id,
    service: hypothesis.service,
    scenario: hypothesis.scenario,
    metric: policy.metric,
    estimator: policy.estimator,
    level: policy.level,
    d: d.map((value) => rounded(value, 5)),
    sd: { ...robustSdWithInterval(d), plain: rounded(sampleSd(d), 5) },
    bias: {
      estimate: rounded(trimmedEstimate(d), 5),
      low: finiteOrNull(rounded(interval.low, 5)),
      high: finiteOrNull(rounded(interval.high, 5)),
    },
    components: componentsOf(hypothesis, context.rounds),
    limits,
    costs: promising?.costs ?? [],
    proposed: promising?.proposed ?? null,
  };
}

/**
 * By the order of distances from the centre, taken as known: slightly too narrow for few rounds.
 */
function robustSdWithInterval(d: readonly number[]): { robust: number; low: number; high: number } {
  const centre = median(d);
  const distances = d.map((value) => Math.abs(value - centre)).sort((a, b) => a - b);
  const ranks = medianRanks(distances.length, LEVEL);
  const at = (rank: number): number =>
    rounded((distances[rank - 1] ?? Number.NaN) * NORMAL_CONSISTENCY, 5);
  const high = at(ranks?.high ?? distances.length);
  return { robust: rounded(robustSd(d), 5), low: at(ranks?.low ?? 1), high };
}

/** Of the log ratios of single slice pairs, grouped by round; null: another estimator, or too few. */
function componentsOf(hypothesis: Hypothesis, rounds: readonly Round[]) {
  const { metric, estimator } = hypothesis.policy;
  if (estimator !== "typical" || !isLatencyMetric(metric) || metric === "slow") return null;
  const valueIn = (slice: Slice): number => quietValue(metric, [slice])?.value ?? 0;
  const groups = rounds
    .filter(({ service, failure }) => service === hypothesis.service && failure === null)
    .map((round) =>
      round.scenarios
        .filter(({ scenario }) => scenario === hypothesis.scenario)
        .flatMap(({ slices }) => validPairs(slices))
        .flatMap(({ candidate, reference }) => {
          const [c, r] = [valueIn(candidate), valueIn(reference)];
          return c > 0 && r > 0 ? [Math.log(c / r)] : [];
        }),
    );
  const all = groups.flat();
  const range = { centre: median(all), limit: WINSOR_LIMIT * robustSd(all) };
  const { between, within } = varianceComponents(groups.map((group) => winsorized(group, range)));
  if (Number.isNaN(between) || Number.isNaN(within)) return null;
  return { launch: rounded(Math.sqrt(between), 5), slice: rounded(Math.sqrt(within), 5) };
}

function margins(
  d: readonly number[],
  limits: ProfileMetric["limits"] & { absoluteFloor: number },
  hypothesis: Hypothesis,
  context: Context,
  unchangedRounds: Map<string, readonly number[]>,
): Pick<ProfileMetric, "costs" | "proposed"> {
  const { config, gating, maxRounds, roundMs, seed, trials } = context;
  const floorOf = (margin: number): number =>
    margin === limits.margin ? limits.floor : Math.max(margin * FLOOR_SHARE, limits.absoluteFloor);
  const simulation = (margin: number) => {
    const { tolerance } = limits;
    const rule = ruleOf({ tolerance, margin, floor: floorOf(margin) }, config.policy, gating);
    const method = methodOf(hypothesis, rule);
    return { noise: noiseLike(d), rule, method, maxRounds, roundMs, seed, trials };
  };
  const shown = [...new Set([...SHOWN_PROMISES, limits.margin])]
    .filter((margin) => margin > limits.tolerance && margin >= limits.absoluteFloor)
    .sort((a, b) => a - b);
  const known = new Map<number, boolean>();
  const costs = shown.map((margin) => {
    const { unchangedRounds: own, ...cost } = costOfMargin(simulation(margin));
    known.set(margin, cost.kept);
    if (margin === limits.margin) unchangedRounds.set(hypothesis.id, own);
    return cost;
  });
  const closest = closestKept(
    MARGINS.filter((margin) => margin > limits.tolerance && margin >= limits.absoluteFloor),
    (margin) => known.get(margin) ?? keepsMargin(simulation(margin)),
  );
  const proposed = closest === null ? null : { margin: closest, floor: floorOf(closest) };
  return { costs, proposed };
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
