// Whether whole runs lean to one side, as they would if where a program's pages lie, fixed for a run, made it faster: rounds would not average it
// out. Given what the tests take for granted, that log ratios of identical arms are symmetric and independent, each round's sign is a
// fair coin, and tossing the coins again says what chance alone makes of the runs' means. Pure.
import type { Prng } from "../../src/base/prng.ts";
import type { Stretch } from "./pool.ts";

export interface Lean {
  /** Runs with at least `LEAST_ROUNDS` of the hypothesis. */
  runs: number;
  /**
   * n · (mean d)² / mean d² of a run with n rounds, averaged over runs: 1 on average where no run leans, n where all its rounds are
   * equal. NaN without runs.
   */
  ratio: number;
  /** Share of tosses, these signs among them, whose ratio is at least as large (Fisher's randomisation test). 1 without runs. */
  p: number;
}

const LEAST_ROUNDS = 4;

/** The key of all hypotheses together, whose `runs` counts a run once for each of them. */
export const ALL = "all";

/** By hypothesis, and under `ALL`. A round's coin is one for all its hypotheses, which keeps what they share. */
export function leanOf(
  stretches: readonly Stretch[],
  hypotheses: readonly string[],
  { tosses, prng }: { tosses: number; prng: Prng },
): Map<string, Lean> {
  const series = hypotheses.flatMap((id) => stretches.flatMap((stretch) => seriesOf(stretch, id)));
  const measured = ratios(series, hypotheses, () => 1);
  const atLeast = new Map<string, number>();
  for (let toss = 0; toss < tosses; toss++) {
    const coins = new Map(
      stretches.map((one) => [one.run, one.turns.map(() => (prng.below(2) === 0 ? 1 : -1))]),
    );
    const tossed = ratios(series, hypotheses, (run, turn) => coins.get(run)?.[turn] ?? 1);
    for (const [id, { ratio }] of tossed) {
      // A sum in another order may differ in its last bits.
      if (ratio >= (measured.get(id)?.ratio ?? 0) * (1 - 1e-9))
        atLeast.set(id, (atLeast.get(id) ?? 0) + 1);
    }
  }
  return new Map(
    [...measured].map(([id, one]) => [
      id,
      { ...one, p: one.runs === 0 ? 1 : (1 + (atLeast.get(id) ?? 0)) / (1 + tosses) },
    ]),
  );
}

function ratios(
  series: readonly Series[],
  hypotheses: readonly string[],
  signOf: (run: string, turn: number) => number,
): Map<string, Omit<Lean, "p">> {
  const found = new Map<string, Omit<Lean, "p">>();
  for (const id of [...hypotheses, ALL]) {
    const own = id === ALL ? series : series.filter((one) => one.hypothesis === id);
    const sum = own.reduce((total, { run, rounds, squares }) => {
      const signed = rounds.reduce((s, { turn, d }) => s + d * signOf(run, turn), 0);
      return total + signed ** 2 / squares;
    }, 0);
    found.set(id, { runs: own.length, ratio: sum / own.length });
  }
  return found;
}

/** Of one hypothesis in one run. */
interface Series {
  run: string;
  hypothesis: string;
  rounds: readonly { turn: number; d: number }[];
  /** Sum of d², which no sign changes. */
  squares: number;
}

function seriesOf({ run, turns }: Stretch, hypothesis: string): Series[] {
  const rounds = turns.flatMap(({ values }, turn) => {
    const pair = values[hypothesis];
    return pair === undefined ? [] : [{ turn, d: Math.log(pair.candidate / pair.reference) }];
  });
  const squares = rounds.reduce((sum, { d }) => sum + d * d, 0);
  if (rounds.length < LEAST_ROUNDS || squares === 0) return [];
  return [{ run, hypothesis, rounds, squares }];
}
