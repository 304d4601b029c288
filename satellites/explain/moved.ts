// New cost told from code that moved: a function that was cut out of another takes what that one took.
import { sum } from "./fold.ts";
import type { Tested } from "./max-t.ts";

/** A function that takes more than before. */
export interface Rise {
  function: string;
  ms: number;
  /** Own functions around it, the nearest first. */
  around: readonly string[];
  /** The share of its samples that say so: where stacks are cut, what is around it rises by so much. */
  seen: number;
}

export interface Known {
  /** Own functions, each without those that it calls: together all own CPU. */
  own: readonly Tested[];
  /** All functions with what they call. */
  inclusive: readonly Tested[];
  /** The rise of all CPU. */
  ofAll: number;
  /** Own functions around one, the nearest first. */
  above: (name: string) => readonly string[];
}

/** A function is new cost only if what is around it rose by so much of its own rise. */
const LEAST_RISE_AROUND = 0.5;
/** More rises below one function are no puzzle to solve: the largest are. */
const MOST_MEMBERS = 12;

/** The nearest function around a rise that was there before; undefined: none was seen. */
export function heldBy({ ms, around }: Rise, inclusive: readonly Tested[]): Tested | undefined {
  return around
    .flatMap((name) => inclusive.find((one) => one.name === name) ?? [])
    .find(({ reference }) => reference >= LEAST_RISE_AROUND * ms);
}

/** What holds rises: a function around them, or where none was seen, all. */
interface Holder {
  name: string | null;
  ms: number;
  /** What it took before. */
  size: number;
}

/**
 * Those that are new cost. What is around a function and was there before must have risen too: for one
 * rise by at least half of it, and for several below the same function those are new whose sum is
 * nearest to its rise. That is the smaller of two: as measured with all that it calls, which is noisy,
 * and as the own functions below it say that rose or fell. A caller that is new itself had nothing
 * that could move.
 */
export function findNew<T extends Rise>(
  rises: readonly T[],
  { own, inclusive, ofAll, above }: Known,
): ReadonlySet<T> {
  const ofOwn = sum(own.map(({ difference }) => difference));
  const allOwn: Holder = { name: null, ms: ofOwn, size: Number.MAX_VALUE };
  const everything: Holder = { name: null, ms: ofAll, size: Number.POSITIVE_INFINITY };
  const holders = new Map(
    inclusive.map((one): [Tested, Holder] => [
      one,
      { name: one.name, ms: one.difference, size: one.reference },
    ]),
  );
  const holderOf = (one: T): Holder =>
    holders.get(heldBy(one, inclusive) as Tested) ??
    (own.some(({ name }) => name === one.function) ? allOwn : everything);

  const isNew = new Set<T>();
  const fromWithin = [...Map.groupBy(rises, holderOf)].toSorted(([a], [b]) => a.size - b.size);
  for (const [{ name, ms: whole }, members] of fromWithin) {
    const isWithin = (around: readonly string[]): boolean => name === null || around.includes(name);
    const beside = rises.filter(
      (one) =>
        !members.includes(one) &&
        (one.function === name || (isNew.has(one) && isWithin(one.around))),
    );
    const least = LEAST_RISE_AROUND * Math.min(...members.map(({ ms }) => ms));
    const fell = own.filter(
      (one) => -one.difference >= least && (one.name === name || isWithin(above(one.name))),
    );
    const seen = sum(members.map((one) => one.ms * one.seen)) / total(members);
    const left = Math.min(
      whole / (name === null ? 1 : seen) - total(beside),
      total(members) + sum(fell.map(({ difference }) => difference)),
    );
    for (const one of nearestSum(members.slice(0, MOST_MEMBERS), left)) isNew.add(one);
  }
  return isNew;
}

const total = (rises: readonly Rise[]): number => sum(rises.map(({ ms }) => ms));

/** The members whose rises add up to what is nearest to `target`. */
function nearestSum<T extends Rise>(members: readonly T[], target: number): T[] {
  let best: { some: T[]; distance: number } = { some: [], distance: Math.abs(target) };
  for (let mask = 1; mask < 2 ** members.length; mask++) {
    const some = members.filter((_, at) => (mask >> at) % 2 === 1);
    const distance = Math.abs(total(some) - target);
    if (distance <= best.distance) best = { some, distance };
  }
  return best.some;
}

/** The own function of which so much went away, or what is around; null: neither is known. */
export function sourceOf({ ms, around }: Rise, own: readonly Tested[]): string | null {
  const [source] = own.toSorted((a, b) => a.difference - b.difference);
  const fell = -(source?.difference ?? 0);
  return (fell >= LEAST_RISE_AROUND * ms ? source?.name : around[0]) ?? null;
}
