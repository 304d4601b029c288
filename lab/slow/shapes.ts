// How often the question of a service is wrong (docs/adr/0028), for noise of many shapes: red at a
// wealth of 100 where 1 % may be, pass at 20 where 5 % may be. Scenarios' noise is independent.
//
//   node lab/slow/shapes.ts [series]
import { createPrng, type Prng } from "../../src/core/base/prng.ts";
import type { Bet } from "../../src/core/stats/betting.ts";
import { methodOf, weightedBySize } from "../../src/core/verdict/slow.ts";
import { usualLimits } from "../../test/support/configurations.ts";
import { normal } from "../../test/support/samples.ts";

const SERIES = Number(process.argv[2] ?? 20_000);
const ROUNDS = 150;
const SD = [0.1, 0.3];
const AMONG = [2, 3];
const CLIP = 2.5;
const { margin, tolerance } = usualLimits("slow");
const METHOD = methodOf({ policy: { estimator: "windows" }, clip: CLIP }, { margin });
const MOST = CLIP * Math.log1p(margin);

/** Noise of one scenario, round by round. */
type Noise = (prng: Prng) => () => number;

const independent =
  (one: (prng: Prng) => number): Noise =>
  (prng) =>
  () =>
    one(prng);
const exponential = (prng: Prng): number => -Math.log(1 - prng.next());
const sum = (count: number, one: () => number): number =>
  Array.from({ length: count }, one).reduce((a, b) => a + b, 0);
const autoregressive =
  (rho: number): Noise =>
  (prng) => {
    let last = normal(prng);
    return () => {
      const now = last;
      last = rho * last + Math.sqrt(1 - rho * rho) * normal(prng);
      return now;
    };
  };

const SHAPES: Readonly<Record<string, Noise>> = {
  normal: independent(normal),
  "t, 3 degrees": independent(
    (prng) => normal(prng) / Math.sqrt(sum(3, () => normal(prng) ** 2) / 3),
  ),
  Cauchy: independent((prng) => normal(prng) / normal(prng)),
  "two clusters": independent((prng) => (prng.below(2) === 0 ? 2 : -2) + 0.1 * normal(prng)),
  "three clusters": independent((prng) => ([6, -6][prng.below(10)] ?? 0) + 0.3 * normal(prng)),
  "8 times as much in a fifth of the time": (prng) => {
    let round = 0;
    let factor = 1;
    return () => {
      if (round++ % 10 === 0) factor = prng.below(5) === 0 ? 8 : 1;
      return factor * normal(prng);
    };
  },
  "autoregressive, .2": autoregressive(0.2),
  "autoregressive, .4": autoregressive(0.4),
  "gamma(4) about its mean": independent((prng) => sum(4, () => exponential(prng)) / 2 - 2),
  "exponential about its mean": independent((prng) => exponential(prng) - 1),
  "the same mirrored": independent((prng) => 1 - exponential(prng)),
};

/** A round's value of each series, with each scenario's log ratios moved by `by`. */
function valuesOf(shape: Noise, among: number, sd: number, by: number, series = SERIES) {
  const prng = createPrng(1);
  return Array.from({ length: series }, () => {
    const noises = Array.from({ length: among }, () => shape(prng));
    return Array.from({ length: ROUNDS }, () =>
      weightedBySize(noises.map((next) => by + sd * next())),
    );
  });
}

/** Percent of the series in which a bettor ever owns `enough`. */
function reached(series: readonly (readonly number[])[], bet: Omit<Bet, "scale">, enough: number) {
  const hits = series.filter((values) => {
    const bettor = METHOD.bettor({ ...bet, scale: 1 });
    return values.some((value) => {
      bettor.take(value);
      return bettor.wealth >= enough;
    });
  });
  return ((100 * hits.length) / series.length).toFixed(2);
}

/** By how much all log ratios are to be moved so that the mean that is tested is the margin. */
function toMargin(shape: Noise, among: number, sd: number): number {
  let [low, high] = [-2, 4];
  for (let step = 0; step < 12; step++) {
    const middle = (low + high) / 2;
    const values = valuesOf(shape, among, sd, middle, 400).flat();
    const mean =
      values.reduce((all, one) => all + Math.max(-MOST, Math.min(MOST, one)), 0) / values.length;
    if (mean < Math.log1p(margin)) low = middle;
    else high = middle;
  }
  return high;
}

for (const [name, shape] of Object.entries(SHAPES)) {
  for (const among of AMONG) {
    const cells = SD.map((sd) => {
      const bound = among * Math.log1p(tolerance);
      const worse = { bound, direction: "+" } as const;
      const equal = reached(valuesOf(shape, among, sd, 0), worse, 100);
      const tolerated = reached(valuesOf(shape, among, sd, bound / among), worse, 100);
      const within = { bound: Math.log1p(margin), direction: "-" } as const;
      const passed = reached(valuesOf(shape, among, sd, toMargin(shape, among, sd)), within, 20);
      return `sd ${sd}: red ${equal} %, each at its tolerance ${tolerated} %; pass at the margin ${passed} %`;
    });
    console.log(`${name}, ${among} scenarios: ${cells.join("; ")}`);
  }
}
