// Old against new, value by value: an exact rank-sum test on logs against what counts as noise on
// this machine. Pure.
import { finiteOrNull } from "../../base/finite.ts";
import type { Baseline } from "../../model/baseline.ts";
import type { Waiver } from "../../model/config.ts";
import type { HistoryRecord } from "../../model/history.ts";
import type { Samples } from "../../model/samples.ts";
import { baselineKey, incomparable } from "../../model/workload.ts";
import { median } from "../../stats/dispersion.ts";
import { rankSumUpperTail, shiftEstimate, shiftInterval } from "../../stats/rank-sum.ts";
import { type Hypothesis, listStorable } from "../../verdict/hypotheses.ts";
import { driftFor } from "../../verdict/stored.ts";
import { waiverOf } from "../../verdict/waiver.ts";
import { MOVES, type ValueChange } from "./model.ts";

interface ValuesRequest {
  /** The new one, recorded from `samples`. */
  baseline: Baseline;
  previous: Baseline | null;
  samples: Samples;
  history: readonly HistoryRecord[];
  /** Those that count. */
  waivers: readonly Waiver[];
}

const INTERVAL_LEVEL = 0.95;

/** Of one service, what moved most first within each kind of move; kinds in the order of MOVES. */
export function changedValues(request: ValuesRequest): ValueChange[] {
  const { baseline, previous, samples } = request;
  const storable = listStorable(samples.config).filter(
    ({ service }) => service === baseline.service,
  );
  const judged = storable.filter(({ policy }) => policy.level !== "info").length;
  const changes = storable.flatMap((hypothesis) => {
    const key = baselineKey(hypothesis);
    const fresh = baseline.metrics[key];
    const old = previous?.metrics[key];
    if (fresh === undefined && old === undefined) return [];
    return [changeOf({ ...request, hypothesis, fresh: fresh ?? [], old: old ?? [], judged })];
  });
  return changes.sort(
    (a, b) =>
      MOVES.indexOf(a.move) - MOVES.indexOf(b.move) ||
      Math.abs(b.estimate ?? 0) - Math.abs(a.estimate ?? 0),
  );
}

interface OneValue extends ValuesRequest {
  hypothesis: Hypothesis;
  fresh: readonly number[];
  old: readonly number[];
  /** Values that share the chance of a false move. */
  judged: number;
}

function changeOf(value: OneValue): ValueChange {
  const { hypothesis, previous, samples, fresh, old } = value;
  const { service, scenario, policy } = hypothesis;
  const comparable =
    previous !== null &&
    fresh.length > 0 &&
    old.length > 0 &&
    incomparable(previous, samples, hypothesis) === null;
  const shared = {
    service,
    scenario,
    metric: policy.metric,
    estimator: policy.estimator,
    judged: policy.level !== "info",
    old: old.length === 0 ? null : median(old),
    new: fresh.length === 0 ? null : median(fresh),
    launches: { old: old.length, new: fresh.length },
  };
  if (!comparable) {
    const move = fresh.length === 0 ? "dropped" : "new";
    return { ...shared, move, estimate: null, interval: null, noise: null, waiver: null };
  }
  const x = fresh.map(Math.log);
  const y = old.map(Math.log);
  const noise = noiseOf(value, previous);
  const estimate = shiftEstimate(x, y);
  const { low, high, level } = shiftInterval(x, y, INTERVAL_LEVEL);
  const move = moveOf(x, y, noise.margin, samples.config.policy.alpha / Math.max(1, value.judged));
  return {
    ...shared,
    // Another median would show another change.
    new: median(old) * Math.exp(estimate),
    move,
    estimate,
    interval: { low: finiteOrNull(low), high: finiteOrNull(high), level },
    noise,
    waiver: move === "loosened" ? acceptedBy(value, estimate) : null,
  };
}

/**
 * Moved is what an exact one-sided rank-sum test puts beyond the margin, either way, with a chance
 * of at most `level` that it is within it. Nights differ by more than launches do: the margin is
 * there for that.
 */
function moveOf(x: readonly number[], y: readonly number[], margin: number, level: number) {
  if (rankSumUpperTail(x, y, margin) <= level / 2) return "loosened";
  return rankSumUpperTail(y, x, margin) <= level / 2 ? "tightened" : "steady";
}

function noiseOf(
  { hypothesis, old, samples: { run, config }, history }: OneValue,
  previous: Baseline,
): NonNullable<ValueChange["noise"]> {
  const { tolerance, floor, absoluteFloor } = hypothesis.policy;
  const drift = driftFor(hypothesis, previous, { history, config, now: run.startedAt });
  return drift.known
    ? { margin: Math.max(drift.margin, Math.log1p(tolerance)), from: "drift" }
    : { margin: Math.log1p(Math.max(floor, absoluteFloor / median(old))), from: "floor" };
}

function acceptedBy({ waivers, hypothesis }: OneValue, estimate: number): ValueChange["waiver"] {
  const waiver = waiverOf(waivers, hypothesis);
  if (waiver === null) return null;
  return { waiver, holds: estimate <= Math.log1p(waiver.upTo) ? "within" : "beyond" };
}
