// Bias and coverage of the search on a simulated service: one server with a queue, offered requests
// at a fixed rate as the generator does, whose speed differs from launch to launch and from slice
// to slice, and which stalls. Seeded.
import { expect, test } from "vitest";
import { PRINTS_RATES, trialsOf } from "../../../test/support/trials.ts";
import { createPrng, type Prng } from "../base/prng.ts";
import { median } from "../stats/dispersion.ts";
import { medianRanks } from "../stats/median-interval.ts";
import { quantile, sortSample } from "../stats/quantile.ts";
import { type Bracket, searchCapacity, type TryVerdict } from "./search.ts";

/** Never fewer: the bounds below are those of the mean of so many. */
const RUNS = Math.max(30, trialsOf(30));
const LAUNCHES = 8;
const SLICE_S = 2;
const WARMUP_SHARE = 0.25;
const OBJECTIVE_S = 0.02;
const PRECISION = 0.03;
const SERVICE_S = 0.0025;

interface Noise {
  /** Sd of the log speed of launches, of slices in one, and of single requests. */
  launch: number;
  slice: number;
  request: number;
  /** Stops of the whole service: how many a second, and their mean length. */
  stallsPerS: number;
  stallS: number;
}

const QUIET: Noise = { launch: 0.01, slice: 0.005, request: 0.1, stallsPerS: 0.05, stallS: 0.01 };
const NOISY: Noise = { launch: 0.04, slice: 0.03, request: 0.3, stallsPerS: 0.4, stallS: 0.02 };

function normal(prng: Prng): number {
  return Math.sqrt(-2 * Math.log(1 - prng.next())) * Math.cos(2 * Math.PI * prng.next());
}

/** The p99 from the schedule and the share answered in time, judged as real slices are. */
function simulateSlice(rateRps: number, speed: number, noise: Noise, prng: Prng): TryVerdict {
  const requests = Math.round(rateRps * SLICE_S);
  const dropped = Math.ceil(requests * WARMUP_SHARE);
  const mean = SERVICE_S / (speed * Math.exp(noise.slice * normal(prng)));
  const latencies: number[] = [];
  let free = 0;
  let inTime = 0;
  let stallAt = -Math.log(1 - prng.next()) / noise.stallsPerS;
  for (let i = 0; i < requests; i++) {
    const due = i / rateRps;
    let begin = Math.max(due, free);
    if (begin >= stallAt) {
      begin = Math.max(begin, stallAt) - noise.stallS * Math.log(1 - prng.next());
      stallAt = begin - Math.log(1 - prng.next()) / noise.stallsPerS;
    }
    free = begin + mean * Math.exp(noise.request * normal(prng) - noise.request ** 2 / 2);
    if (i < dropped) continue;
    latencies.push(free - due);
    if (free <= SLICE_S + OBJECTIVE_S) inTime++;
  }
  const p99 = quantile(sortSample(latencies), 0.99);
  const answered = inTime / latencies.length;
  if (answered < 0.99) return { kind: "exceeded", clear: answered < 0.9 };
  if (p99 > OBJECTIVE_S) return { kind: "exceeded", clear: false };
  return { kind: "sustained", clear: p99 <= OBJECTIVE_S / 2 };
}

/**
 * What the search is meant to find: the rate at which half the slices of a launch of usual speed
 * are sustained.
 */
function trueCapacity(noise: Noise, prng: Prng): number {
  let [low, high] = [100, 450];
  while (high / low > 1.002) {
    const rate = Math.sqrt(low * high);
    let sustained = 0;
    for (let i = 0; i < 400; i++) {
      if (simulateSlice(rate, 1, noise, prng).kind === "sustained") sustained++;
    }
    if (sustained >= 200) low = rate;
    else high = rate;
  }
  return Math.sqrt(low * high);
}

function simulateLaunch(noise: Noise, prng: Prng): { bracket: Bracket; slices: number } {
  const speed = Math.exp(noise.launch * normal(prng));
  const search = searchCapacity({
    startRps: 150 * (1 + PRECISION) ** prng.next(),
    leastRps: 7,
    mostRps: 1e6,
    precision: PRECISION,
  });
  let slices = 0;
  let turn = search.next();
  while (!turn.done) {
    slices++;
    turn = search.next(simulateSlice(turn.value, speed, noise, prng));
  }
  return { bracket: turn.value, slices };
}

interface Outcome {
  /** Mean log error of one launch's middle, and its standard deviation. */
  bias: number;
  sd: number;
  /** Share of runs whose interval holds the truth, and the mean width of the interval. */
  coverage: number;
  width: number;
  slices: number;
}

function simulate(noise: Noise): Outcome {
  const prng = createPrng(20_251_107);
  const truth = trueCapacity(noise, prng);
  const ranks = medianRanks(LAUNCHES, 0.95);
  const errors: number[] = [];
  let [covered, width, slices] = [0, 0, 0];
  for (let run = 0; run < RUNS; run++) {
    const launches = Array.from({ length: LAUNCHES }, () => simulateLaunch(noise, prng));
    slices += launches.reduce((sum, launch) => sum + launch.slices, 0);
    const lows = sortSample(launches.map(({ bracket }) => bracket.lowRps ?? 0));
    const highs = sortSample(launches.map(({ bracket }) => bracket.highRps ?? 1e9));
    const low = lows[(ranks?.low ?? 0) - 1] ?? 0;
    const high = highs[(ranks?.high ?? 0) - 1] ?? 0;
    if (low <= truth && truth <= high) covered++;
    width += Math.log(high / low);
    errors.push(
      ...launches.map(({ bracket }) =>
        Math.log(Math.sqrt((bracket.lowRps ?? 0) * (bracket.highRps ?? 0)) / truth),
      ),
    );
  }
  const bias = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  const sd = 1.4826 * median(errors.map((error) => Math.abs(error - median(errors))));
  return {
    bias,
    sd,
    coverage: covered / RUNS,
    width: width / RUNS,
    slices: slices / RUNS / LAUNCHES,
  };
}

test.each([
  { name: "quiet", noise: QUIET, bias: 0.01, sd: 0.02, slices: 24 },
  { name: "noisy", noise: NOISY, bias: 0.03, sd: 0.08, slices: 40 },
])("$name: bias, spread and coverage", ({ name, noise, ...most }) => {
  const outcome = simulate(noise);
  if (PRINTS_RATES) console.info(name, outcome);
  expect(Math.abs(outcome.bias)).toBeLessThan(most.bias);
  expect(outcome.sd).toBeLessThan(most.sd);
  expect(outcome.slices).toBeLessThan(most.slices);
  expect(outcome.coverage).toBeGreaterThanOrEqual(0.95);
});
