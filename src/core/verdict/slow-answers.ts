// Slowest answers that changed, told as events: in how many windows and requests they took how long.
import type { Scenario } from "../model/config.ts";
import { METRIC_FACTS } from "../model/metric.ts";
import { withParts } from "../model/mix.ts";
import { entriesOf } from "../model/parts.ts";
import { ARMS, type Round } from "../model/samples.ts";
import type { JudgedComparison, SlowCount } from "../model/verdict.ts";
import { median } from "../stats/dispersion.ts";
import { requestsBeyond } from "../stats/quantile.ts";
import { slowestOf } from "./series.ts";
import type { Slowest } from "./slow.ts";

/**
 * Adds to a change of the slowest answers what it is made of, as far as one latency tells it; of a
 * service, in the scenario where that is clearest.
 */
export function withSlowAnswers(
  comparison: JudgedComparison,
  rounds: readonly Round[],
  scenarios: readonly Scenario[],
): JudgedComparison {
  const { metric, state, scenario, among = [] } = comparison;
  if (metric !== "slow" || (state !== "regressed" && state !== "improved")) return comparison;
  const [clearest] = withParts(scenarios)
    .filter(({ id }) => (scenario === null ? among.includes(id) : id === scenario))
    .flatMap((one) => tell(one, rounds, state === "improved") ?? [])
    .sort((a, b) => b.score - a.score);
  return clearest === undefined ? comparison : { ...comparison, slowAnswers: clearest.told };
}

/** Null: the arm that should have more nowhere has. */
function tell({ id, rateRps }: Scenario, rounds: readonly Round[], isMirrored: boolean) {
  const used = entriesOf(rounds, id).map((entry) => slowestOf(entry).used);
  const arms = ARMS.map((_, arm) => used.flatMap((own) => own[arm] ?? []));
  const [more = [], fewer = []] = isMirrored ? arms.toReversed() : arms;
  const found = clearestIn(more, fewer);
  if (found === null) return null;
  const { us, score } = found;
  const typicalUs = median(more.map((one) => one.us).filter((slowest) => slowest >= us));
  const windowMs = (1000 * (more[0]?.window.requests ?? 0)) / rateRps;
  const [candidate, reference] = arms.map((own) => countFrom(us, own)) as [SlowCount, SlowCount];
  return { score, told: { scenario: id, us, typicalUs, windowMs, candidate, reference } };
}

/** By how much more requests may have been slow than surely were, for a number of them to be told. */
const NEAR = 1.5;
/** In a larger share of windows slow requests do not come by themselves. */
const MOST_SINGLE = 0.75;

function countFrom(us: number, windows: readonly Slowest[]): SlowCount {
  const slow = windows.filter((one) => one.us >= us);
  const [least, most] = slow
    .map(({ window }) => requestsFrom(us, window))
    .reduce(([least, most], one) => [least + one[0], most + one[1]], [0, 0]);
  // As many as leave so many windows without one, if each comes by itself: none waits for another.
  const single = -windows.length * Math.log1p(-slow.length / windows.length);
  const isSingle = slow.length <= MOST_SINGLE * windows.length && single >= least && single <= most;
  const requests = isSingle ? single : most <= NEAR * least ? Math.sqrt(least * most) : 0;
  const all = windows.reduce((sum, { window }) => sum + window.requests, 0);
  return {
    windows: windows.length,
    slow: slow.length,
    oneIn: requests > 0 ? all / requests : undefined,
  };
}

/** At least and at most so many requests of a window with one that took `us`, by its quantiles. */
function requestsFrom(us: number, window: Slowest["window"]): [number, number] {
  const { requests } = window;
  const names = ["p50", "p90", "p95", "p99"] as const;
  const beyond = names.map((name) => requestsBeyond(requests, METRIC_FACTS[name].quantile ?? 1));
  // By nearest rank each quantile is a request's own latency.
  const below = names.filter((name) => window[name] < us).length;
  const least = 1 + (beyond[below] ?? 0);
  return [least, Math.max(least, beyond[below - 1] ?? requests)];
}

/** Of the best score: fewer windows tell as well, and the ordinary ones are out of them. */
const NEARLY_BEST = 0.97;

/**
 * From which latency on the windows of two arms differ clearest in how many have an answer that slow,
 * c and r of equal numbers: the largest with nearly the best (c − r) / √(c + r). Null: `more` nowhere
 * has more.
 */
function clearestIn(more: readonly Slowest[], fewer: readonly Slowest[]) {
  const [ofMore = [], ofFewer = []] = [more, fewer].map((windows) =>
    windows.map(({ us }) => us).sort((a, b) => b - a),
  );
  let slow = 0;
  const scored = ofMore.map((us, k) => {
    while ((ofFewer[slow] ?? Number.NEGATIVE_INFINITY) >= us) slow++;
    const [c, r] = [k + 1, (slow * ofMore.length) / ofFewer.length];
    return { us, score: (c - r) / Math.sqrt(c + r) };
  });
  const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
  return scored.find(({ score }) => score > 0 && score >= NEARLY_BEST * best) ?? null;
}
