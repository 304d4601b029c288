// What the margin of the slowest answers costs and finds: the log ratios of recorded gates in which
// nothing is planted, drawn anew, as they are and with a stall of 150 ms in a share of the rounds.
//
//   node lab/slow/margins.ts [gates]
import { createPrng, type Prng } from "../../src/core/base/prng.ts";
import { quantile, sortSample } from "../../src/core/stats/quantile.ts";
import { decide } from "../../src/core/verdict/decide.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import { methodOf } from "../../src/core/verdict/slow.ts";
import { DEFAULT_POLICY, usualLimits } from "../../test/support/configurations.ts";
import { readRuns } from "../evidence/runs.ts";
import { RUNS } from "../evidence/working-copy.ts";

const gates = Number(process.argv[2] ?? 400);
const MARGINS = [0.25, 0.3, 0.35, 0.4, 0.5];
const MOST_ROUNDS = 80;
const HYPOTHESES = 10;
/** A 150 ms stall in nine windows of 53 ms made the geometric mean e to the .9 to 1.4 times as large. */
const STALL = { least: 0.9, most: 1.4 };

const series = readRuns(RUNS)
  .filter(({ kind }) => kind === "aa-calm")
  .flatMap(({ samples }) => judge({ samples, baselines: [] }).comparisons)
  .filter(({ metric }) => metric === "slow");

for (const [id, own] of Map.groupBy(series, ({ id }) => id)) {
  const values = own.flatMap((one) => one.series.map(({ d }) => d));
  for (const margin of MARGINS) {
    console.log(
      `${id}, margin ${margin}: unchanged ${simulate(values, margin, 0)}; stall in a third of the rounds ${simulate(values, margin, 1 / 3)}`,
    );
  }
}

/** Share and median of the rounds of each answer. */
function simulate(values: readonly number[], margin: number, stalled: number): string {
  const prng = createPrng(1);
  const { alpha, beta } = DEFAULT_POLICY;
  const rule = { ...usualLimits("slow"), margin, alpha, beta, hypotheses: HYPOTHESES };
  const method = methodOf({ policy: { estimator: "windows" } }, rule);
  const decisions = Array.from({ length: gates }, () =>
    decide(
      Array.from({ length: MOST_ROUNDS }, () => ({ d: draw(values, stalled, prng), calm: true })),
      rule,
      method,
    ),
  );
  return [...Map.groupBy(decisions, ({ state }) => state)]
    .map(([state, all]) => {
      const rounds = quantile(sortSample(all.map((one) => one.rounds)), 0.5);
      return `${state} ${((100 * all.length) / gates).toFixed(1)} % (${rounds.toFixed(0)})`;
    })
    .sort()
    .join(", ");
}

/** Which arm is called candidate is a coin. */
function draw(values: readonly number[], stalled: number, prng: Prng): number {
  const value = (values[prng.below(values.length)] ?? 0) * (prng.below(2) === 0 ? 1 : -1);
  return prng.next() < stalled
    ? value + STALL.least + (STALL.most - STALL.least) * prng.next()
    : value;
}
