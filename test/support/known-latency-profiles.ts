// Latencies whose distribution is known in closed form: what a generator should measure of the
// server in known-latency/.
import { createPrng, shuffled } from "../../src/core/base/prng.ts";

export interface Profile {
  name: string;
  /** For people. */
  title: string;
  /** Quantile function of how long a request is held, microseconds; u in [0, 1). */
  heldUs(u: number): number;
  /** The server stands still for `lengthMs` in every `everyMs`; null: never. */
  stall: { everyMs: number; lengthMs: number } | null;
}

const BASE_US = 1000;
/** Beyond it the Pareto tail is cut: one request in 10,000. */
const LONGEST_US = 100_000;

export const PROFILES: readonly Profile[] = [
  { name: "constant", title: "constant: 1 ms", heldUs: () => BASE_US, stall: null },
  {
    name: "modes",
    title: "two modes: 1 ms, and 10 ms for 3 % of the requests",
    heldUs: (u) => (u < 0.97 ? BASE_US : 10 * BASE_US),
    stall: null,
  },
  {
    name: "tail",
    title: "heavy tail: Pareto from 1 ms with exponent 2, cut at 100 ms",
    heldUs: (u) => Math.min(LONGEST_US, BASE_US / Math.sqrt(1 - u)),
    stall: null,
  },
  {
    name: "stalls",
    title: "1 ms, and every 2 s the server stands still for 200 ms",
    heldUs: () => BASE_US,
    stall: { everyMs: 2000, lengthMs: 200 },
  },
];

/** For a server whose own timers are a millisecond coarse. */
export const FAR_PROFILES: readonly Profile[] = [
  {
    name: "far-modes",
    title: "20 ms, and 100 ms for 3 %",
    heldUs: (u) => (u < 0.97 ? 20 : 100) * BASE_US,
    stall: null,
  },
  {
    name: "far-stalls",
    title: "20 ms, and a stall of 200 ms every 2 s",
    heldUs: () => 20 * BASE_US,
    stall: { everyMs: 2000, lengthMs: 200 },
  },
];

/**
 * The p-quantile of the time from a request's ideal instant to its answer, for a client that sends
 * evenly and never waits. Who comes in a stall waits for the rest of it, a time uniform over its
 * length, and is held only then; closed only for requests that are all held alike.
 */
export function trueQuantileUs({ heldUs, stall }: Profile, p: number): number {
  if (stall === null) return heldUs(Math.min(p, 1 - Number.EPSILON));
  const share = stall.lengthMs / stall.everyMs;
  const waited = Math.max(0, (p - (1 - share)) / share);
  return heldUs(0) + waited * stall.lengthMs * 1000;
}

const STRATA = 1000;
const BLOCKS = 64;

/**
 * What the server is given: of every 1,000 requests in turn one from each thousandth of the
 * distribution, in random order. Their quantiles are those of the distribution, without the noise
 * of independent draws.
 */
export function heldTable({ heldUs }: Pick<Profile, "heldUs">, seed: number): number[] {
  const prng = createPrng(seed);
  return Array.from({ length: BLOCKS }, () => {
    const block = Array.from({ length: STRATA }, (_, i) => heldUs((i + prng.next()) / STRATA));
    return shuffled(block, prng);
  }).flat();
}
