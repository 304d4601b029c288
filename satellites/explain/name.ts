// Which functions take more CPU than before, in amounts that add up: each sample counts for one of
// them at most. What only moved from one function to another is told apart.
import {
  CALLS,
  columnsOf,
  FAMILIES,
  type Family,
  lowestCall,
  lowestOwn,
  mean,
  type Pair,
  type Path,
  sum,
  totalsOf,
} from "./fold.ts";
import { type Tested, testColumns } from "./max-t.ts";

export interface Named {
  function: string;
  /** The nearest own function above it; null: none was seen. */
  calledBy: string | null;
  /** What it calls, where that is where most of the change is; null: the function itself. */
  within: string | null;
  /** CPU ms per 1,000 requests; bytes; CPU ms of a start. Means over the rounds. */
  before: number;
  after: number;
  /** Of the difference. */
  interval: { low: number; high: number } | null;
  p: number;
}

/** Code that costs as much as before, elsewhere. */
export interface Moved {
  function: string;
  /** Null: from no function that could be told. */
  from: string | null;
  ms: number;
}

/** Of a difference: what holds so much is where most of it is. */
const MOST = 0.8;
/** A function is new cost only if what is around it rose by so much of its own rise. */
const LEAST_RISE_AROUND = 0.5;
/** Smaller differences are not told: shares of all CPU. */
const LEAST_OWN = 0.005;
const LEAST_OTHER = 0.01;

export function testFamily(pairs: readonly Pair[], family: Family): Tested[] {
  return testColumns(columnsOf(pairs, family), FAMILIES[family].alpha);
}

export const rise = ({ before, after }: { before: number; after: number }): number =>
  after - before;

interface Candidate {
  told: Named;
  /** Own functions around it, the nearest first. */
  around: readonly string[];
}

/** Of CPU, most first. */
export function nameCpu(pairs: readonly Pair[]): { named: Named[]; moved: Moved[] } {
  const all = mean(pairs.map(({ reference }) => totalsOf(reference).cpuMs));
  const paths = pairs.flatMap(({ reference, candidate }) => [...reference.cpu, ...candidate.cpu]);
  const above = (name: string): readonly string[] => ownAbove(paths, name);
  const own = testFamily(pairs, "own");
  const calls = testFamily(pairs, "calls");
  const inclusive = testFamily(pairs, "inclusive");

  const owns = own
    .filter((one) => one.isMore && one.difference >= LEAST_OWN * all)
    .map((one) => candidateOf(one, one.name, above(one.name), mostlyWithin(one, calls)));
  const ownNames = new Set(owns.map(({ told }) => told.function));
  const called = calls.filter(
    ({ name, isMore, difference }) =>
      isMore && !ownNames.has(parts(name).caller) && difference >= LEAST_OTHER * all,
  );
  const callNames = new Set(called.map(({ name }) => name));
  const isTold = (path: Path): boolean =>
    lowestOwn(path).some((name) => ownNames.has(name)) ||
    lowestCall(path).some((name) => callNames.has(name));
  const candidates = [
    ...owns,
    ...called.map((one) => {
      const { caller, callee } = parts(one.name);
      return candidateOf(one, caller, above(caller), callee || null, [caller, ...above(caller)]);
    }),
    ...unexplained(pairs, inclusive, isTold, LEAST_OTHER * all).map((one) =>
      candidateOf(one, one.name, above(one.name), null),
    ),
  ].toSorted((a, b) => rise(b.told) - rise(a.told));

  const isNew = newOf(candidates, pairs, own, inclusive, above);
  return {
    named: candidates.filter((one) => isNew.has(one)).map(({ told }) => told),
    moved: candidates
      .filter((one) => !isNew.has(one))
      .map(({ told, around }) => ({
        function: told.function,
        from: sourceOf(told, own) ?? around[0] ?? null,
        ms: rise(told),
      })),
  };
}

/** The own function of which so much went away. */
function sourceOf(told: Named, own: readonly Tested[]): string | null {
  const [source] = own.toSorted((a, b) => a.difference - b.difference);
  const isIt = -(source?.difference ?? 0) >= LEAST_RISE_AROUND * rise(told);
  return isIt ? (source?.name ?? null) : null;
}

/** Of memory or of a start, most first: up to the lowest own frames. */
export function nameOwn(pairs: readonly Pair[], family: "faults" | "start"): Named[] {
  const paths = pairs.flatMap(({ candidate }) => candidate[family]);
  return testFamily(pairs, family)
    .filter(({ isMore }) => isMore)
    .map((one) => candidateOf(one, one.name, ownAbove(paths, one.name), null).told)
    .toSorted((a, b) => rise(b) - rise(a));
}

function candidateOf(
  tested: Tested,
  name: string,
  above: readonly string[],
  within: string | null,
  around = above,
): Candidate {
  const { reference: before, candidate: after, interval, p } = tested;
  const calledBy = above[0] ?? null;
  return { told: { function: name, calledBy, within, before, after, interval, p }, around };
}

function parts(call: string): { caller: string; callee: string } {
  const [caller = "", callee = ""] = call.split(CALLS);
  return { caller, callee };
}

function mostlyWithin({ name, difference }: Tested, calls: readonly Tested[]): string | null {
  const held = calls.find(
    (one) => parts(one.name).caller === name && one.difference >= MOST * difference,
  );
  return held === undefined ? null : parts(held.name).callee || null;
}

/** Own functions above a function in most of its samples, the nearest first. */
export function ownAbove(paths: readonly Path[], name: string): string[] {
  const weights = new Map<string, number>();
  for (const { names, own, weight } of paths) {
    const at = names.indexOf(name);
    if (at < 0) continue;
    const above = own.flatMap((place) => (place > at ? (names[place] ?? []) : []));
    const others = [...new Set(above)].filter((one) => one !== name);
    // A stack that was cut says nothing of what was above it.
    if (others.length === 0 && names.at(-1)?.startsWith("[") === true) continue;
    const key = others.join(CALLS);
    weights.set(key, (weights.get(key) ?? 0) + weight);
  }
  const [heaviest] = [...weights].toSorted(([, a], [, b]) => b - a);
  return heaviest === undefined || heaviest[0] === "" ? [] : heaviest[0].split(CALLS);
}

/** What holds candidates: a function around them, or where none was seen, all. */
interface Holder {
  name: string | null;
  rise: number;
  /** What it took before. */
  size: number;
}

/** More candidates around one function are no puzzle to solve: the largest are. */
const MOST_MEMBERS = 12;

/**
 * Which candidates are new cost. What is around a function and was there before must have risen too:
 * for one candidate by at least half of its own rise, and for several below the same function those
 * are new whose sum is nearest to its rise. That is the smaller of two: as measured with all that it
 * calls, which is noisy, and as the own functions below it say that rose or fell. A caller that is new
 * itself had nothing that could move.
 */
function newOf(
  candidates: readonly Candidate[],
  pairs: readonly Pair[],
  own: readonly Tested[],
  inclusive: readonly Tested[],
  above: (name: string) => readonly string[],
): Set<Candidate> {
  const totals = pairs.map(
    ({ reference, candidate }) => totalsOf(candidate).cpuMs - totalsOf(reference).cpuMs,
  );
  const ofOwn = sum(own.map(({ difference }) => difference));
  const allOwn: Holder = { name: null, rise: ofOwn, size: Number.MAX_VALUE };
  const everything: Holder = { name: null, rise: mean(totals), size: Number.POSITIVE_INFINITY };
  const byName = new Map(
    inclusive.map(({ name, difference, reference }): [string, Holder] => [
      name,
      { name, rise: difference, size: reference },
    ]),
  );
  const ownNames = new Set(own.map(({ name }) => name));
  const holderOf = ({ told, around }: Candidate): Holder =>
    around
      .flatMap((name) => byName.get(name) ?? [])
      .find(({ size }) => size >= LEAST_RISE_AROUND * rise(told)) ??
    (ownNames.has(told.function) ? allOwn : everything);

  const isNew = new Set<Candidate>();
  const fromWithin = [...Map.groupBy(candidates, holderOf)].toSorted(([a], [b]) => a.size - b.size);
  for (const [{ name, rise: whole }, members] of fromWithin) {
    const beside = candidates.filter(
      (one) =>
        !members.includes(one) &&
        (one.told.function === name ||
          (isNew.has(one) && (name === null || one.around.includes(name)))),
    );
    const rises = members.map(({ told }) => rise(told));
    const fell = own.filter(
      (one) =>
        -one.difference >= LEAST_RISE_AROUND * Math.min(...rises) &&
        (name === null || one.name === name || above(one.name).includes(name)),
    );
    const left = Math.min(
      whole - sum(beside.map(({ told }) => rise(told))),
      sum(rises) + sum(fell.map(({ difference }) => difference)),
    );
    for (const one of nearestSum(members.slice(0, MOST_MEMBERS), left)) isNew.add(one);
  }
  return isNew;
}

/** The members whose rises add up to what is nearest to `target`. */
function nearestSum(members: readonly Candidate[], target: number): Candidate[] {
  let best = { members: [] as Candidate[], distance: Math.abs(target) };
  for (let mask = 1; mask < 2 ** members.length; mask++) {
    const some = members.filter((_, at) => (mask >> at) % 2 === 1);
    const distance = Math.abs(sum(some.map(({ told }) => rise(told))) - target);
    if (distance <= best.distance) best = { members: some, distance };
  }
  return best.members;
}

/** A function of which so much is more than before is as good as new. */
const AS_GOOD_AS_NEW = 0.8;
const MOST_UNEXPLAINED = 5;

/**
 * Functions with what they call whose rise is in stacks that no name holds yet: a cost that is spread
 * over many callees, or in stacks without an own frame. One claims its stacks before the next is
 * sought: of a chain of callers each would be told otherwise.
 */
function unexplained(
  pairs: readonly Pair[],
  inclusive: readonly Tested[],
  isTold: (path: Path) => boolean,
  least: number,
): Tested[] {
  const ownNames = new Set(
    pairs.flatMap(({ candidate: { cpu } }) =>
      cpu.flatMap(({ names, own }) => own.map((at) => names[at] ?? "")),
    ),
  );
  /** New functions first, of which the outermost; then own ones, and what rose by the largest share. */
  const rank = ({ name, candidate, difference }: Tested): number => {
    if (difference >= AS_GOOD_AS_NEW * candidate) return 2 + difference;
    return difference / candidate + (ownNames.has(name) ? 1 : 0);
  };
  const found: Tested[] = [];
  const open = inclusive.filter(
    ({ name, isMore, difference }) => isMore && difference >= least && !name.startsWith("["),
  );
  while (found.length < MOST_UNEXPLAINED) {
    const claimed = new Set(found.map(({ name }) => name));
    const left = restOf(
      pairs,
      (path) => isTold(path) || path.names.some((one) => claimed.has(one)),
    );
    const [next] = open
      .filter(({ name, difference }) => {
        const rest = left.get(name) ?? 0;
        return rest >= least && rest >= difference / 2;
      })
      .toSorted((a, b) => rank(b) - rank(a));
    if (next === undefined) break;
    found.push(next);
  }
  return found;
}

/** The mean difference of each function, over the stacks that are not told yet. */
function restOf(pairs: readonly Pair[], isTold: (path: Path) => boolean): Map<string, number> {
  const rest = new Map<string, number>();
  for (const { reference, candidate } of pairs)
    for (const [sign, { cpu, msPerSample }] of [
      [-1, reference],
      [1, candidate],
    ] as const)
      for (const path of cpu) {
        if (isTold(path)) continue;
        const ms = (sign * path.weight * msPerSample) / pairs.length;
        for (const name of new Set(path.names)) rest.set(name, (rest.get(name) ?? 0) + ms);
      }
  return rest;
}
