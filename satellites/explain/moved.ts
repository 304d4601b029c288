// New cost told from code that moved: a function that was cut out of another takes what that one took.
import { sum } from "./fold.ts";
import type { Tested } from "./max-t.ts";

/**
 * Functions around one, the nearest first, each with the share of its samples that say so: where
 * stacks are cut, what is around it rises by so much.
 */
export type Around = ReadonlyMap<string, number>;

/** A function that takes more than before. */
export interface Rise {
  function: string;
  ms: number;
  around: Around;
}

type Amount = Omit<Rise, "function">;

export interface Known {
  /** Own functions, each without those that it calls: together all own CPU. */
  own: readonly Tested[];
  /** All functions with what they call. */
  inclusive: readonly Tested[];
  /** The rise of all CPU. */
  ofAll: number;
  above: (name: string) => Around;
}

/** A function is new cost only if what is around it rose by so much of its own rise. */
export const LEAST_RISE_AROUND = 0.5;
/** More rises below one function are no puzzle to solve: the largest are. */
const MOST_MEMBERS = 12;

/** The nearest function around a rise that was there before; undefined: none was seen. */
export function heldBy({ ms, around }: Amount, inclusive: readonly Tested[]): Tested | undefined {
  return [...around.keys()]
    .flatMap((name) => inclusive.find((one) => one.name === name) ?? [])
    .find(({ reference }) => reference >= LEAST_RISE_AROUND * ms);
}

/** What share of a rise is also what is around it took more, where that is known. */
export function shareAround({ ms, around }: Amount, inclusive: readonly Tested[]): number {
  const holder = heldBy({ ms, around }, inclusive);
  return holder === undefined ? 1 : holder.difference / (ms * (around.get(holder.name) ?? 1));
}

/** What holds rises: a function around them, or where none was seen, all. */
type Holder = Pick<Tested, "difference" | "reference"> & { name: string | null };

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
  const allOwn: Holder = { name: null, difference: ofOwn, reference: Number.MAX_VALUE };
  const everything: Holder = { name: null, difference: ofAll, reference: Infinity };
  const holderOf = (one: T): Holder =>
    heldBy(one, inclusive) ?? (own.some(({ name }) => name === one.function) ? allOwn : everything);

  const isNew = new Set<T>();
  const fromWithin = [...Map.groupBy(rises, holderOf)].toSorted(
    ([a], [b]) => a.reference - b.reference,
  );
  for (const [{ name, difference: whole }, members] of fromWithin) {
    const isWithin = (around: Around): boolean => name === null || around.has(name);
    const beside = rises.filter(
      (one) =>
        !members.includes(one) &&
        (one.function === name || (isNew.has(one) && isWithin(one.around))),
    );
    const least = LEAST_RISE_AROUND * Math.min(...members.map(({ ms }) => ms));
    const fell = own.filter(
      (one) => -one.difference >= least && (one.name === name || isWithin(above(one.name))),
    );
    const seenOf = ({ around }: T): number => (name === null ? 1 : (around.get(name) ?? 1));
    const seen = sum(members.map((one) => one.ms * seenOf(one))) / total(members);
    const left = Math.min(
      whole / seen - total(beside),
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

export const firstOf = (around: Around): string | null => [...around.keys()][0] ?? null;

/** The own function of which so much went away, or what is around; null: neither is known. */
export function sourceOf({ ms, around }: Rise, own: readonly Tested[]): string | null {
  const [source] = own.toSorted((a, b) => a.difference - b.difference);
  const fell = -(source?.difference ?? 0);
  return (fell >= LEAST_RISE_AROUND * ms ? source?.name : undefined) ?? firstOf(around);
}
