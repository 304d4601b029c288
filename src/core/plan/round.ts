// Plans one round: launch order and slice order, from seed, service and index, so that a resumed
// run goes on alike.
import { createPrng, type Prng, shuffled } from "../base/prng.ts";
import { ARMS, type Arm } from "../model/samples.ts";

export interface SlicePairPlan {
  scenario: string;
  pair: number;
  /** Arms in the order they are loaded; one arm only when there is no reference. */
  order: readonly Arm[];
}

export interface RoundPlan {
  service: string;
  index: number;
  launchOrder: readonly Arm[];
  pairs: readonly SlicePairPlan[];
  /** Whether memory is read at its end, which takes a moment of rest and perhaps more requests. */
  readsMemory: boolean;
}

interface RoundRequest {
  service: string;
  index: number;
  seed: number;
  arms: "both" | "candidate";
  /** Scenarios still in the rotation, with the pairs each gets. */
  scenarios: readonly { id: string; pairs: number }[];
  readsMemory?: boolean;
}

/** FNV-1a, 32 bits: makes the random streams of rounds unrelated. */
function mixSeed(seed: number, service: string, index: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const char of `${service}#${index}`) {
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash >>> 0;
}

/**
 * Deals pairs round-robin in a new random order each time, so that scenarios share the round's
 * drift; within a pair the arms' order is a fair coin.
 */
export function planRound(request: RoundRequest): RoundPlan {
  const prng = createPrng(mixSeed(request.seed, request.service, request.index));
  const arms: readonly Arm[] = request.arms === "both" ? ARMS : ["candidate"];
  const launchOrder = shuffled(arms, prng);
  const pairs: SlicePairPlan[] = [];
  const most = Math.max(0, ...request.scenarios.map((scenario) => scenario.pairs));
  for (let pair = 0; pair < most; pair++) {
    const dealt = request.scenarios.filter((scenario) => pair < scenario.pairs);
    for (const { id } of shuffled(dealt, prng)) {
      pairs.push({ scenario: id, pair, order: coinOrder(arms, prng) });
    }
  }
  const { service, index, readsMemory = true } = request;
  return { service, index, launchOrder, pairs, readsMemory };
}

export function planServiceOrder(
  services: readonly string[],
  turn: number,
  seed: number,
): string[] {
  return shuffled(services, createPrng(mixSeed(seed, "services", turn)));
}

function coinOrder(arms: readonly Arm[], prng: Prng): Arm[] {
  return prng.below(2) === 0 ? [...arms] : [...arms].reverse();
}
