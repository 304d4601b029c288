// Whether the time left can still answer what is open, if the host stays as noisy and ratios go on
// spreading as they did: rounds that are not calm prove no pass, and wide ones need many. docs/adr/0026
// has what this says of recorded runs.
import { wholeId } from "../model/mix.ts";
import type { Round, Samples } from "../model/samples.ts";
import type { JudgedComparison } from "../model/verdict.ts";
import { binomialLowerTail } from "../stats/proportion.ts";
import { decide, type Observation, ruleOf } from "./decide.ts";
import { STORED_LOOKS } from "./decide-stored.ts";
import { type HostNoise, hostNoise } from "./disturbances.ts";
import { gatingCount, type Hypothesis, isOfLaunches } from "./hypotheses.ts";
import { readSeries } from "./series.ts";
import { methodOf } from "./slow.ts";

/** What 150 rounds leave open differs from its limit by too little for any time budget. */
export const MOST_ROUNDS = 150;

/** Stored values are compared at a few numbers of launches only. A shard has its part of them. */
export function mostRoundsOf({
  compare,
  shard,
}: Pick<Samples["run"], "compare" | "shard">): number {
  const most = compare === "stored" ? Math.max(...STORED_LOOKS) : MOST_ROUNDS;
  return Math.ceil(most / (shard?.parts ?? 1));
}

export interface Futility extends HostNoise {
  /** Open questions that the time left will hardly answer; 1 or more. */
  questions: number;
}

/** Chance that rounds which are calm as often as needed have shown as few as were seen. */
const DOUBT = 0.1;
/** Fewer calm rounds tell too little of how far ratios spread. */
const FEWEST_SPREAD = 10;

/**
 * Null: no open question lacks calm rounds, or one may yet be proven worse. A question lacks them if
 * too few of the rounds left will be calm for a pass even if those show no difference: of ratios that
 * spread as the calm ones seen or, if they were few, of none that differs. It may be worse if more
 * rounds like those seen would prove it. `gated`: all questions; `open`: those without an answer from
 * a reference measured alongside; `isSteady`: the cores are, so that ratios to come spread as those
 * seen.
 */
export function findFutility(
  { config, rounds, run }: Samples,
  gated: readonly Hypothesis[],
  open: readonly JudgedComparison[],
  { leftMs, isSteady }: { leftMs: number; isSteady: boolean },
): Futility | null {
  const noise = hostNoise(rounds);
  const calmShare = 1 - noise.disturbed / noise.slices;
  // Wrong answers need no calm round.
  if (noise.slices === 0 || open.some(({ answers }) => answers !== undefined)) return null;
  // Memory is answered soon, and services of which nothing else is open then leave their time.
  const noisy = new Set(open.flatMap((one) => (isOfLaunches(one) ? [] : one.service)));
  const turnMs = [...noisy].reduce((sum, name) => sum + shortestMs(name, rounds), 0);
  const turns = Math.floor(leftMs / turnMs);

  const forecasts = gated.flatMap((hypothesis) => {
    const comparison = open.find(({ id, waiver }) => id === hypothesis.id && waiver === null);
    // Noise keeps nothing from passing below a limit.
    if (comparison === undefined || hypothesis.against === "limit") return [];
    const { values: all, beforeZero } = readSeries(hypothesis, rounds);
    const values = all.slice(0, beforeZero);
    const rule = ruleOf(comparison, config.policy, gatingCount(gated));
    const left = Math.max(0, Math.min(turns, mostRoundsOf(run) - values.length));
    const best = { d: Math.min(0, comparison.estimate ?? 0), calm: true };
    const method = methodOf(hypothesis, rule);
    const after = (some: readonly Observation[]) => {
      const more = Array.from({ length: left }, (_, k) => some[k % some.length] ?? best);
      return decide([...values, ...more], rule, method);
    };
    const calmSeen = values.filter((value) => value.calm);
    const worse = Math.max(0, method.estimate(calmSeen.map(({ d }) => d)));
    // As little as the true spread is with a chance of DOUBT: a sample's varies by 1 / sqrt(2 n).
    const share = 1 - 1.28 / Math.sqrt(2 * calmSeen.length);
    const equal = calmSeen.map(({ d }) => ({ d: share * (d - worse), calm: true }));
    const passed = after(isSteady && equal.length >= FEWEST_SPREAD ? equal : []);
    const needed = (passed.rounds - values.length) / left;
    const whole = wholeId(hypothesis.scenario ?? hypothesis.among?.[0] ?? "");
    const seen = rounds.filter((one) => one.scenarios.some(({ scenario }) => scenario === whole));
    // Of half of its slices a round is calm: so many were if no calm slice was in another.
    const most = Math.floor(2 * calmShare * seen.length);
    const calm = Math.max(most, calmSeen.length);
    const isLate = passed.state !== "pass" || binomialLowerTail(calm, seen.length, needed) < DOUBT;
    return [{ isLate, mayBeWorse: () => after(values).state === "regressed" }];
  });
  const questions = forecasts.filter(({ isLate }) => isLate).length;
  const isOver = questions > 0 && !forecasts.some(({ mayBeWorse }) => mayBeWorse());
  return isOver ? { ...noise, questions } : null;
}

function shortestMs(name: string, rounds: readonly Round[]): number {
  const own = rounds.filter(({ service }) => service === name);
  return Math.min(...own.map(({ startedAtMs, endedAtMs }) => endedAtMs - startedAtMs));
}
