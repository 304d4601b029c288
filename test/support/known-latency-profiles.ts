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

export function profileNamed(wanted: string): Profile {
  const profile = PROFILES.find(({ name }) => name === wanted);
  if (profile === undefined) throw new Error(`no profile ${wanted}`);
  return profile;
}

/** Requests of several kinds at once, each of so many of all. */
export interface KnownMix {
  name: string;
  title: string;
  parts: readonly { name: string; weight: number; profile: Profile }[];
}

const part = (name: string, weight: number, profile: string): KnownMix["parts"][number] => ({
  name,
  weight,
  profile: profileNamed(profile),
});

export const MIXES: readonly KnownMix[] = [
  {
    name: "slow-tenth",
    title: "nine tenths constant, a tenth with the heavy tail",
    parts: [part("fast", 9, "constant"), part("slow", 1, "tail")],
  },
  {
    name: "eight",
    title: "eight parts of two modes each",
    parts: Array.from({ length: 8 }, (_, i) => part(`part${i + 1}`, i === 0 ? 7 : 1, "modes")),
  },
  {
    name: "stalled",
    title: "nine tenths and a tenth, both in the same stalls",
    parts: [part("most", 9, "stalls"), part("few", 1, "stalls")],
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

/** Of the requests of all parts together. */
export function mixedQuantileUs({ parts }: KnownMix, p: number): number {
  const all = parts.reduce((sum, { weight }) => sum + weight, 0);
  const shareUpTo = (us: number): number =>
    parts.reduce((sum, { weight, profile }) => {
      const isUpTo = (u: number): boolean => trueQuantileUs(profile, u) <= us;
      return sum + (weight / all) * bisect([0, 1], (u) => !isUpTo(u));
    }, 0);
  return bisect([0, LONGEST_MIXED_US], (us) => shareUpTo(us) >= p);
}

const LONGEST_MIXED_US = 1_000_000;

/** Where `holds` begins to be true, which it stays from there on. */
function bisect([from, to]: readonly [number, number], holds: (x: number) => boolean): number {
  let [low, high] = [from, to];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
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
