// How long unchanged gates take by the number of slice pairs of a round: of a run with many pairs, whose
// rounds are cut to their first ones, drawn again and with arms exchanged by a coin.
//
//   node lab/compiled/pairs.ts samples.v1.json [gates]
import { readSamples } from "../../src/app/documents/samples.ts";
import { createPrng } from "../../src/core/base/prng.ts";
import type { Round, Samples } from "../../src/core/model/samples.ts";
import { median, robustSd } from "../../src/core/stats/dispersion.ts";
import { quantile, sortSample } from "../../src/core/stats/quantile.ts";
import { effectiveFloor } from "../../src/core/verdict/compare.ts";
import { decide, ruleOf } from "../../src/core/verdict/decide.ts";
import { gatedOf, isOfAnswers, sharingOf } from "../../src/core/verdict/hypotheses.ts";
import { readSeries } from "../../src/core/verdict/series.ts";
import { methodOf } from "../../src/core/verdict/slow.ts";

const [path = "", gates = "1000"] = process.argv.slice(2);
const samples: Samples = readSamples(path);
const { config } = samples;
const MOST = Math.min(...config.scenarios.map(({ slice }) => slice.pairs));
/** As many as a gate looks at: what is open then counts as answered there. */
const ROUNDS = 150;

const cut = (round: Round, pairs: number): Round => ({
  ...round,
  scenarios: round.scenarios.map((entry) => ({
    ...entry,
    slices: entry.slices.filter(({ pair }) => pair < pairs),
  })),
});
const lengthMs = (round: Round): number => round.endedAtMs - round.startedAtMs;
/** Of a round without its load and generators, and of a pair of each scenario. */
const otherMs = median(samples.rounds.map((round) => lengthMs(round) - round.loadMs));
const loadMs = median(samples.rounds.map((round) => round.loadMs));
/** Around each run of the generator. */
const GENERATOR_MS = 40;
const pairMs = loadMs / MOST + 2 * config.scenarios.length * GENERATOR_MS;

const asked = gatedOf(sharingOf(samples)).filter((one) => !isOfAnswers(one));
console.log(
  `${samples.rounds.length} rounds; a round ${Math.round(otherMs)} ms beside ${Math.round(loadMs)} ms of load in ${MOST} pairs`,
);
for (let pairs = 1; pairs <= MOST; pairs++) {
  const rounds = samples.rounds.map((round) => cut(round, pairs));
  const roundMs = otherMs + loadMs - (MOST - pairs) * pairMs;
  const questions = asked.map((hypothesis) => {
    const { values } = readSeries(hypothesis, rounds);
    const floor = effectiveFloor(hypothesis, values);
    const rule = ruleOf({ ...hypothesis.policy, floor }, config.policy, asked.length);
    return { hypothesis, values, rule, method: methodOf(hypothesis, rule) };
  });
  const prng = createPrng(pairs);
  const took: number[] = [];
  const last = new Map<string, number>();
  for (let gate = 0; gate < Number(gates); gate++) {
    const order = Array.from(
      { length: ROUNDS },
      () => [prng.below(rounds.length), prng.below(2)] as const,
    );
    const needed = questions.map(({ hypothesis, values, rule, method }) => {
      const drawn = order.flatMap(([k, side]) => {
        const value = values[k % values.length];
        return value === undefined ? [] : [{ d: side === 0 ? value.d : -value.d, calm: true }];
      });
      const { state, rounds: at } = decide(drawn, rule, method);
      return { id: hypothesis.id, at: state === "pass" ? at : ROUNDS };
    });
    const slowest = needed.reduce((a, b) => (b.at > a.at ? b : a));
    last.set(slowest.id, (last.get(slowest.id) ?? 0) + 1);
    took.push((slowest.at * roundMs) / 60_000);
  }
  const sorted = sortSample(took);
  const spread = questions.map(
    ({ hypothesis, values }) => `${hypothesis.id} ${robustSd(values.map(({ d }) => d)).toFixed(3)}`,
  );
  const lasts = [...last]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 3)
    .map(([id, n]) => `${id} ${((100 * n) / Number(gates)).toFixed(0)} %`);
  console.log(
    `${pairs} pairs: ${quantile(sorted, 0.5).toFixed(2)} (${quantile(sorted, 0.9).toFixed(2)}) min, ${(roundMs / 1000).toFixed(1)} s a round; sd ${spread.join(", ")}; last ${lasts.join(", ")}`,
  );
}
