// Pull requests drawn from the pool: blocks of turns in the order they were measured, no turn twice in one pull request. Pure, seeded.
import { roundLimit } from "../../src/app/rotation.ts";
import { type Prng, shuffled } from "../../src/base/prng.ts";
import { type Stretch, type Terms, type Turn, turnCount } from "./pool.ts";
import { answersOf, type Replayed, replay, type Trial } from "./replay.ts";

/** Turns that stay together: what a machine's minutes do to neighbours stays in. */
export const BLOCK_TURNS = 8;

/** Fewer turns hold no pull request of usual length: what is drawn from them ends because they do. */
export const LEAST_POOL_TURNS = 5 * BLOCK_TURNS;

/** The rotation's own limit: which has room for rounds that do not count. */
export const mostTurns = ({ looks }: Terms): number => roundLimit(looks.at(-1) ?? 0);

/** The pools that pull requests are drawn from: one for each machine that has rounds enough. */
export const poolsOf = (stretches: readonly Stretch[]): Stretch[][] =>
  [...Map.groupBy(stretches, ({ machine }) => machine).values()].filter(
    (pool) => turnCount(pool) >= LEAST_POOL_TURNS,
  );

/** From one machine's pool, each as likely as it is large. */
export function drawTrial(pools: readonly Stretch[][], terms: Terms, prng: Prng): Trial {
  let at = prng.below(pools.reduce((sum, pool) => sum + turnCount(pool), 0));
  const pool = pools.find((one) => {
    at -= turnCount(one);
    return at < 0;
  });
  return drawFrom(pool ?? [], terms, prng);
}

/**
 * Every stretch is cut into blocks from a random place on, the blocks are shuffled and put one after the other: a block bootstrap
 * (Künsch, Ann. Stat. 17, 1989) but without replacement, because the same round twice would look like agreement. Which arm is called
 * candidate is one coin for the pull request, so that a bias of an arm stays a bias.
 */
function drawFrom(stretches: readonly Stretch[], terms: Terms, prng: Prng): Trial {
  const offset = prng.below(BLOCK_TURNS);
  const blocks = stretches.flatMap(({ turns }) => cut(turns, offset));
  const swapped = prng.below(2) === 1;
  const seed = prng.below(2 ** 32);
  return { turns: shuffled(blocks, prng).flat().slice(0, mostTurns(terms)), swapped, seed };
}

function cut(turns: readonly Turn[], offset: number): Turn[][] {
  const starts = [0];
  for (let at = offset === 0 ? BLOCK_TURNS : offset; at < turns.length; at += BLOCK_TURNS)
    starts.push(at);
  return starts.map((start, i) => turns.slice(start, starts[i + 1]));
}

/** Pull requests that share no round: each machine's pool from its first turn to its last, each going on where the one before ended. */
export const disjointVerdicts = (stretches: readonly Stretch[], terms: Terms): Replayed[] =>
  [...Map.groupBy(stretches, ({ machine }) => machine).values()].flatMap((pool) =>
    disjointOf(pool, terms),
  );

function disjointOf(stretches: readonly Stretch[], terms: Terms): Replayed[] {
  const all = stretches.flatMap(({ turns }) => turns);
  const done: Replayed[] = [];
  for (let at = 0; at < all.length; ) {
    const trial = { turns: all.slice(at, at + mostTurns(terms)), swapped: false, seed: at };
    const verdict = replay(trial, answersOf(trial, {}, terms), terms);
    const ranOut = verdict.state === "inconclusive" && at + verdict.turns >= all.length;
    // What the pool was too short for is no verdict.
    if (ranOut || verdict.turns === 0) break;
    done.push(verdict);
    at += verdict.turns;
  }
  return done;
}
