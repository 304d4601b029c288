import { expect, test } from "vitest";
import { createPrng, type Prng } from "../../src/core/base/prng.ts";
import { PRINTS_RATES, trialsOf } from "../../test/support/trials.ts";
import type { Column } from "./fold.ts";
import { testColumns } from "./max-t.ts";

const ROUNDS = 9;
const FUNCTIONS = 24;
const ALPHA = 0.05;

const normal = (prng: Prng): number =>
  Math.sqrt(-2 * Math.log(1 - prng.next())) * Math.cos(2 * Math.PI * prng.next());

/** Of small means, by counting what exponential gaps leave room for. */
function poisson(mean: number, prng: Prng): number {
  let [count, left] = [0, Math.exp(-mean)];
  for (let product = prng.next(); product > left; product *= prng.next()) count++;
  return count;
}

/** CPU of one function in one launch of any arm: all arms are alike. */
type Noise = (prng: Prng, at: number) => (launch: number) => number;

const SHAPES: Readonly<Record<string, Noise>> = {
  normal: (prng, at) => () => 10 * at + normal(prng),
  "heavy tails": (prng) => () => 50 + normal(prng) / Math.sqrt(-Math.log(1 - prng.next())),
  "skewed, as where a launch is unlucky": (prng) => () => Math.exp(2 * normal(prng)),
  "few samples": (prng, at) => () => poisson(0.2 * at, prng),
  // One number for all functions of a launch: they rise and fall together.
  "functions that rise together": (prng, at) => (launch) => (1 + at) * launch + 0.1 * normal(prng),
  "noise that grows by round": (prng) => (launch) => Math.exp(normal(prng) + 3 * launch),
};

function session(noise: Noise, prng: Prng, shift: (at: number) => number = () => 0): Column[] {
  const launches = Array.from({ length: 2 * ROUNDS }, () => normal(prng));
  return Array.from({ length: FUNCTIONS }, (_, at) => {
    const taken = noise(prng, at);
    const of = (arm: number) =>
      Array.from({ length: ROUNDS }, (_, round) => taken(launches[2 * round + arm] ?? 0));
    const candidate = of(1).map((value) => value + shift(at));
    return { name: `f${at}`, reference: of(0), candidate, unit: Array<number>(ROUNDS).fill(0.002) };
  });
}

/** 4 sd of a share, so that one in 30,000 such tests fails by chance. */
const most = (share: number, trials: number): number =>
  share + 4 * Math.sqrt((share * (1 - share)) / trials);

for (const [shape, noise] of Object.entries(SHAPES)) {
  test(`with equal arms any name is given in at most 5 % of sessions: ${shape}`, () => {
    const trials = trialsOf(2000);
    const prng = createPrng(32);
    let named = 0;
    for (let trial = 0; trial < trials; trial++)
      if (testColumns(session(noise, prng), ALPHA).some(({ isMore }) => isMore)) named++;
    if (PRINTS_RATES) console.log(`${shape}: ${named} of ${trials} name something`);
    expect(named / trials).toBeLessThanOrEqual(most(ALPHA, trials));
  });
}

test("intervals hold for all functions together in at least 1 − 2α of sessions", () => {
  const trials = trialsOf(2000);
  const prng = createPrng(33);
  const shift = (at: number): number => (at % 4 === 0 ? 3 : 0);
  let missed = 0;
  for (let trial = 0; trial < trials; trial++) {
    const tested = testColumns(session(SHAPES.normal as Noise, prng, shift), ALPHA);
    const isWrong = tested.some(
      ({ interval }, at) =>
        interval !== null && (interval.low > shift(at) || interval.high < shift(at)),
    );
    if (isWrong) missed++;
  }
  if (PRINTS_RATES) console.log(`intervals: ${missed} of ${trials} miss a function`);
  expect(missed / trials).toBeLessThanOrEqual(most(2 * ALPHA, trials));
});

test("a cost of three times the noise is named, and alone in nearly all sessions", () => {
  const trials = trialsOf(400);
  const prng = createPrng(34);
  let [found, alone] = [0, 0];
  for (let trial = 0; trial < trials; trial++) {
    const names = testColumns(
      session(SHAPES.normal as Noise, prng, (at) => (at === 7 ? 4 : 0)),
      0.015,
    ).flatMap(({ name, isMore }) => (isMore ? name : []));
    if (names.includes("f7")) found++;
    if (names.length === 1) alone++;
  }
  if (PRINTS_RATES) console.log(`planted: found in ${found}, alone in ${alone} of ${trials}`);
  expect(found / trials).toBeGreaterThan(0.9);
  expect(alone / trials).toBeGreaterThan(0.85);
});
