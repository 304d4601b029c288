// Which functions take more CPU than before, in amounts that add up: each sample counts for one of
// them at most. What only moved from one function to another is told apart.
import {
  add,
  allOf,
  CALLS,
  type Change,
  type Column,
  columnsOf,
  FAMILIES,
  type Family,
  lowestCall,
  lowestOwn,
  mean,
  type Pair,
  type Path,
  paceOf,
  rise,
  sum,
  summed,
} from "./fold.ts";
import { type Tested, testColumns } from "./max-t.ts";
import {
  type Around,
  findNew,
  firstOf,
  heldBy,
  type Known,
  LEAST_RISE_AROUND,
  type Rise,
  shareAround,
  sourceOf,
} from "./moved.ts";
import { onceFor } from "./once-for.ts";

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
/** Smaller differences are not told: shares of all CPU. */
const LEAST_OWN = 0.005;
const LEAST_OTHER = 0.01;

export function testFamily(pairs: readonly Pair[], family: Family): Tested[] {
  const { alpha, least, taken } = FAMILIES[family];
  const columns = columnsOf(pairs, taken);
  const sizes = columns.map(({ reference, candidate }) => sum(reference) + sum(candidate));
  // Functions within each other are no parts of a whole: a share is of the largest.
  const whole = family === "inclusive" ? Math.max(0, ...sizes) : sum(sizes);
  const asked = columns.filter((_, at) => least === null || (sizes[at] ?? 0) >= least * whole);
  const tested = testColumns(asked, alpha);
  if (family !== "memory") return tested;
  const ofRatios = testColumns(asked.map(inLogarithms), alpha);
  return tested.map((one, at) => {
    const { p, isMore, isLess } = ofRatios[at] as Tested;
    return { ...one, p, isMore, isLess, interval: one.isMore ? one.interval : null };
  });
}

/** Whose allocation comes upon a new page is chance, and many pages of it: ratios are alike from round to round. */
function inLogarithms({ name, reference, candidate, unit }: Column): Column {
  const scaled = (values: readonly number[]): number[] =>
    values.map((value, round) => Math.log1p(value / (unit[round] ?? 1)));
  return { name, reference: scaled(reference), candidate: scaled(candidate), unit: [] };
}

type Candidate = Named & Rise;

/** What is told of functions with all that they call, and how little of it is not. */
type Open = Pick<Known, "inclusive" | "above"> & { least: number };

/** All CPU, at one pace. */
function wholeOf(pairs: readonly Pair[]): Omit<Change, "name"> {
  const [all] = columnsOf(pairs, ({ cpu }) => summed(cpu, () => ["all"]));
  return { before: mean(all?.reference ?? []), after: mean(all?.candidate ?? []) };
}

/** Of CPU, most first. */
export function nameCpu(pairs: readonly Pair[]): { named: Named[]; moved: Moved[] } {
  const total = wholeOf(pairs);
  const paths = pairs.flatMap(({ reference, candidate }) => [
    ...reference.cpu.paths,
    ...candidate.cpu.paths,
  ]);
  const above = onceFor((name: string) => aroundOf(paths, name));
  const own = testFamily(pairs, "own");
  const calls = testFamily(pairs, "calls").map((one) => {
    const [caller = "", callee = ""] = one.name.split(CALLS);
    return { ...one, caller, callee };
  });
  const inclusive = testFamily(pairs, "inclusive");
  const open: Open = { inclusive, above, least: LEAST_OTHER * total.before };

  const owns = own
    .filter((one) => one.isMore && one.difference >= LEAST_OWN * total.before)
    .map((one) => {
      const most = calls.find(
        ({ caller, difference }) => caller === one.name && difference >= MOST * one.difference,
      );
      return candidateOf(one, one.name, above(one.name), most?.callee);
    });
  const ownNames = new Set(owns.map((one) => one.function));
  const called = calls.filter(
    ({ caller, isMore, difference }) => isMore && !ownNames.has(caller) && difference >= open.least,
  );
  const told = new Set([...ownNames, ...called.map(({ name }) => name)]);
  const isTold = (path: Path): boolean =>
    [...lowestOwn(path), ...lowestCall(path)].some((name) => told.has(name));
  const candidates = [
    ...owns,
    ...called.map((one) => {
      const around = above(one.caller);
      const withIt = new Map([[one.caller, 1], ...around]);
      return candidateOf(one, one.caller, withIt, one.callee, firstOf(around));
    }),
    ...unexplained(pairs, isTold, open).map((one) =>
      candidateOf(one, one.name, above(one.name), innermost(one, paths, inclusive)),
    ),
  ].toSorted((a, b) => b.ms - a.ms);

  const isNew = findNew(candidates, {
    own,
    inclusive,
    ofAll: rise(total),
    above,
  });
  const found = candidates.filter((one) => isNew.has(one));
  const moved = candidates.filter((one) => !isNew.has(one));
  const isMoreInAll = testFamily(pairs, "totals").some((one) => one.isMore && one.name === "cpuMs");
  const holders = holdersOf(moved, found, { ...open, isMoreInAll });
  return {
    named: [...found, ...holders].toSorted((a, b) => b.ms - a.ms).map(namedOf),
    moved: moved
      .filter((one) => !holders.some(({ within }) => within === one.function))
      .map((one) => ({ function: one.function, from: sourceOf(one, own), ms: one.ms })),
  };
}

/**
 * Functions around what moved that rose themselves: a loop that was inlined, and is called twice now,
 * is moved for the most part and costs more all the same.
 */
function holdersOf(
  moved: readonly Candidate[],
  found: readonly Candidate[],
  { inclusive, above, least, isMoreInAll }: Open & { isMoreInAll: boolean },
): Candidate[] {
  const holders = new Map<Tested, Candidate>();
  for (const one of moved) {
    const tested = heldBy(one, inclusive);
    if (tested === undefined || holders.has(tested)) continue;
    // Of what takes most of all CPU the share can hardly rise: then all CPU must.
    if (!(tested.isMore || isMoreInAll)) continue;
    const told = found.filter((it) => it.function === tested.name || it.around.has(tested.name));
    const left = tested.difference - sum(told.map(({ ms }) => ms));
    if (left >= Math.max(least, tested.difference / 2))
      holders.set(tested, candidateOf(tested, tested.name, above(tested.name), one.function));
  }
  return [...holders.values()];
}

/**
 * Of memory or of a start: up to the lowest own frames. What rose most beyond what all did comes first:
 * where more is kept, a heap that is collected grows, and all that allocate touch more of its pages.
 */
export function nameOwn(pairs: readonly Pair[], family: "memory" | "start"): Named[] {
  const paths = pairs.flatMap(({ candidate }) => candidate[family].paths);
  const pace = paceOf(columnsOf(pairs, FAMILIES[family].taken));
  return testFamily(pairs, family)
    .filter(({ isMore }) => isMore)
    .map((one) => ({ ...one, difference: one.candidate / pace - one.reference }))
    .map((one) => candidateOf(one, one.name, aroundOf(paths, one.name)))
    .toSorted((a, b) => b.ms - a.ms)
    .map(namedOf);
}

function candidateOf(
  tested: Tested,
  name: string,
  around: Around,
  /** Empty where the function is the leaf. */
  callee = "",
  calledBy = firstOf(around),
): Candidate {
  const { reference: before, candidate: after, interval, p } = tested;
  const told = { function: name, calledBy, within: callee || null, before, after, interval, p };
  return { ...told, ms: tested.difference, around };
}

const namedOf = ({ ms, around, ...named }: Candidate): Named => named;

/**
 * What is above a function in most of its samples, the nearest first, each with the share of samples
 * that say so: its own functions, and then what else stands above most of them. Of own ones the share
 * is of stacks that were not cut; code of libraries has them around it inlined, and is what remains.
 */
function aroundOf(paths: readonly Path[], name: string): Around {
  const chains = new Map<string, number>();
  const weights = new Map<string, number>();
  let [all, cut] = [0, 0];
  for (const { names, own, weight } of paths) {
    const at = names.indexOf(name);
    if (at < 0) continue;
    all += weight;
    for (const one of new Set(names.slice(at + 1))) add(weights, one, weight);
    const above = own.flatMap((place) => (place > at ? (names[place] ?? []) : []));
    const chain = [...new Set(above)].filter((one) => one !== name).join(CALLS);
    if (chain === "" && names.at(-1)?.startsWith("[") === true) cut += weight;
    else add(chains, chain, weight);
  }
  const [[heaviest] = [""]] = [...chains].toSorted(([, a], [, b]) => b - a);
  // Of what is cut in nearly all samples the rest says nothing.
  const chain = heaviest === "" || cut > MOST * all ? [] : heaviest.split(CALLS);
  const whole = chain.map((one) => [one, 1 - cut / all] as const);
  const others = [...weights]
    .filter(([one, weight]) => weight >= MOST * all && one !== name && !one.startsWith("["))
    .map(([one, weight]) => [one, weight / all] as const);
  return new Map(cut > (1 - MOST) * all ? [...others, ...whole] : whole);
}

/** Of what a function calls, nearest to the leaf what most of its rise is in; empty: it has that itself. */
function innermost(
  { name, difference }: Tested,
  paths: readonly Path[],
  inclusive: readonly Tested[],
): string {
  const holding = inclusive.filter((one) => one.difference >= MOST * difference);
  const most = new Set(holding.map((one) => one.name).filter((one) => !one.startsWith("[")));
  const [heaviest] = paths
    .filter(({ names }) => names.includes(name))
    .toSorted((a, b) => b.weight - a.weight);
  const found = heaviest?.names.find((one) => most.has(one)) ?? name;
  return found === name ? "" : found;
}

/** A function of which so much is more than before, and was not called elsewhere, is as good as new. */
const AS_GOOD_AS_NEW = 0.8;
const MOST_UNEXPLAINED = 5;

/**
 * Functions with what they call whose rise is in stacks that no name holds yet: a cost that is spread
 * over many callees, or in stacks without an own frame. One claims its stacks before the next is
 * sought: of a chain of callers each would be told otherwise.
 */
function unexplained(
  pairs: readonly Pair[],
  isTold: (path: Path) => boolean,
  { inclusive, above, least }: Open,
): Tested[] {
  const ownNames = new Set(
    pairs.flatMap(({ candidate: { cpu } }) =>
      cpu.paths.flatMap(({ names, own }) => own.map((at) => names[at] ?? "")),
    ),
  );
  /** New functions first, of which the outermost; then own ones, and what rose by the largest share. */
  const rank = ({ name, candidate, difference, share }: Tested & { share: number }): number => {
    if (Math.min(share, difference / candidate) >= AS_GOOD_AS_NEW) return 2 + difference;
    return difference / candidate + (ownNames.has(name) ? 1 : 0);
  };
  const risen = inclusive
    .filter(({ name, isMore, difference }) => isMore && difference >= least && name[0] !== "[")
    .map((one) => {
      const around = above(one.name);
      return { ...one, share: shareAround({ ms: one.difference, around }, inclusive) };
    })
    .filter(({ share }) => share >= LEAST_RISE_AROUND)
    .toSorted((a, b) => rank(b) - rank(a));
  const found: Tested[] = [];
  const isClaimed = (path: Path): boolean =>
    isTold(path) || found.some(({ name }) => path.names.includes(name));
  const untold = (path: Path) => (isClaimed(path) ? [] : allOf(path));
  while (found.length < MOST_UNEXPLAINED) {
    const rest = columnsOf(pairs, ({ cpu }) => summed(cpu, untold));
    const left = new Map(
      rest.map(({ name, reference, candidate }) => [name, mean(candidate) - mean(reference)]),
    );
    const next = risen.find(
      ({ name, difference }) => (left.get(name) ?? 0) >= Math.max(least, difference / 2),
    );
    if (next === undefined) break;
    found.push(next);
  }
  return found;
}
