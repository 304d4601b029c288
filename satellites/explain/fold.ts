// Launches → families of columns: what each function, call, kind of mapping or of wait took in each
// round of each arm.
import type { Frame, Own, Profiled, Session, Stack } from "./model.ts";
import { onceFor } from "./once-for.ts";
import { functionOf, isOwn } from "./own.ts";

/** Of the CPU clock: in step with no timer. */
export const SAMPLES_A_SECOND = 4999;
/** Of x86, and of ARM as it is usually built. */
const PAGE_BYTES = 4096;

/** A stack by functions, the leaf first. */
export interface Path {
  names: readonly string[];
  /** Places in `names` of the repository's own functions, nearest to the leaf first. */
  own: readonly number[];
  weight: number;
}

/** Stacks, and how much one sample of them stands for. */
interface Sampled {
  paths: readonly Path[];
  unit: number;
  /** How many times as large the candidate's whole is as the reference's, at one pace; absent: 1. */
  growth?: number;
}

interface Folded {
  launch: Profiled;
  /** CPU ms per 1,000 requests, at one pace of the machine: `atOnePace`. */
  cpu: Sampled;
  /** CPU ms of a start. */
  start: Sampled;
  /** Bytes, by page faults. */
  memory: Sampled;
}

/** Both arms of a round. */
export interface Pair {
  reference: Folded;
  candidate: Folded;
}

/** What one name took, by round; `unit` is the least of it that can be seen, 0 for what is exact. */
export interface Column {
  name: string;
  reference: readonly number[];
  candidate: readonly number[];
  unit: readonly number[];
  /** The candidate's values are tested divided by it, as shares of one whole; absent: 1. */
  growth?: number;
}

export function foldPairs({ launches, own }: Pick<Session, "launches" | "own">): Pair[] {
  const path = pathMaker(own);
  const fold = (launch: Profiled): Folded => {
    const { stacks, faults, start } = launch;
    const ofStart = start.cpuMs / Math.max(1, totalWeight(start.stacks));
    return {
      launch,
      cpu: { paths: stacks.map(path), unit: msPerSample(launch) },
      start: { paths: start.stacks.map(path), unit: ofStart },
      memory: { paths: faults.map(path), unit: PAGE_BYTES },
    };
  };
  const pairs = [...Map.groupBy(launches, ({ round }) => round)]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([, both]) => {
      const reference = both.find(({ arm }) => arm === "reference");
      const candidate = both.find(({ arm }) => arm === "candidate");
      if (reference === undefined || candidate === undefined) return [];
      if (!(reference.requests > 0 && candidate.requests > 0)) return [];
      return { reference: fold(reference), candidate: fold(candidate) };
    });
  return atOnePace(pairs);
}

/**
 * On a busy machine the same code takes up to twice as long in one launch as in another, all of it alike. So a
 * launch counts by shares of its CPU, of one whole for all. Where the candidate does more, most of its code
 * has a smaller share: by so much its whole is larger.
 */
function atOnePace(pairs: readonly Pair[]): Pair[] {
  const all = pairs.flatMap(({ reference, candidate }) => [reference.cpu, candidate.cpu]);
  const whole = mean(all.map(({ paths, unit }) => totalWeight(paths) * unit));
  const scaled = (one: Folded, by: number, growth?: number): Folded => {
    const unit = (whole * by) / Math.max(1, totalWeight(one.cpu.paths));
    return { ...one, cpu: { ...one.cpu, unit, growth } };
  };
  const both = (of: number, growth: number): Pair[] =>
    pairs.map(({ reference, candidate }) => ({
      reference: scaled(reference, of),
      candidate: scaled(candidate, of * growth, growth),
    }));
  const leaves = columnsOf(both(1, 1), ({ cpu }) => summed(cpu, ({ names }) => names.slice(0, 1)));
  const growth = 1 / paceOf(leaves);
  return both(2 / (1 + growth), growth);
}

/** Of all that is counted: the most of one column, so that none that changed is the measure of the others. */
const MOST_COUNTED = 0.25;
const TURNS = 20;

/** By how much most columns differ: the median ratio, weighted by what both arms took. */
export function paceOf(columns: readonly Column[]): number {
  const ratios = columns
    .map((one) => ({ before: sum(one.reference), after: sum(one.candidate) }))
    .map(({ before, after }) => ({ ratio: after / before, weight: Math.min(before, after) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => a.ratio - b.ratio);
  let most = Number.POSITIVE_INFINITY;
  const counted = (): number => sum(ratios.map(({ weight }) => Math.min(weight, most)));
  for (let turn = 0; turn < TURNS; turn++) most = MOST_COUNTED * counted();
  let left = counted() / 2;
  for (const { ratio, weight } of ratios) {
    left -= Math.min(weight, most);
    if (left <= 0) return ratio;
  }
  return 1;
}

function pathMaker(own: Own): (stack: Stack) => Path {
  const told = onceFor(
    (frame: Frame) => ({ name: functionOf(frame.name), isOwn: isOwn(frame, own) }),
    ({ name, file }) => `${name}\n${file}`,
  );
  return ({ frames, weight }) => {
    const all = frames.map(told);
    return {
      names: all.map(({ name }) => name),
      own: all.flatMap((one, at) => (one.isOwn ? at : [])),
      weight,
    };
  };
}

/**
 * Samples that were lost are made up for by the scheduler's clock, which counts both halves; where
 * only one is seen, samples count for themselves.
 */
export function msPerSample({ halves, cpuMs, requests, stacks }: Profiled): number {
  const samples = totalWeight(stacks);
  const each = halves === "both" && samples > 0 ? cpuMs / samples : 1000 / SAMPLES_A_SECOND;
  return (each * 1000) / requests;
}

export function totalWeight(stacks: readonly { weight: number }[]): number {
  return sum(stacks.map(({ weight }) => weight));
}

/** Parts a function from the one that it calls, in the names of `calls`. */
export const CALLS = "\n";

/** What each name of a family took in a launch. */
interface Taken extends Omit<Sampled, "paths"> {
  byName: ReadonlyMap<string, number>;
}

interface FamilyOf {
  /** Chance that any of its names is given though nothing differs. */
  alpha: number;
  /** The share of the family, over both arms, below which a name is not asked about; null: none. */
  least: number | null;
  taken: (one: Folded) => Taken;
}

/** Together 5 %; the least p of eight rounds is 1/256, below each. */
export const FAMILIES = {
  /** Up to the lowest own frame: with what it calls, without what calls it. */
  own: { alpha: 0.012, least: 0.0005, taken: ({ cpu }) => summed(cpu, lowestOwn) },
  calls: { alpha: 0.008, least: 0.002, taken: ({ cpu }) => summed(cpu, lowestCall) },
  inclusive: { alpha: 0.01, least: 0.002, taken: ({ cpu }) => summed(cpu, allOf) },
  start: { alpha: 0.004, least: 0.05, taken: ({ start }) => summed(start, lowestOwn) },
  memory: { alpha: 0.004, least: 0.01, taken: ({ memory }) => summed(memory, lowestOwn) },
  waits: { alpha: 0.004, least: 0.01, taken: ({ launch }) => exact(launch.waits) },
  mappings: { alpha: 0.004, least: 0.01, taken: ({ launch }) => exact(launch.mappings) },
  // Of latencies ratios are alike from round to round, differences are not.
  totals: { alpha: 0.004, least: null, taken: (one) => exact(totalsOf(one), logarithm) },
} as const satisfies Readonly<Record<string, FamilyOf>>;
export type Family = keyof typeof FAMILIES;

type Total = "cpuMs" | "meanUs" | "p99Us" | "startMs" | "startCpuMs" | "bytes";

/** Of one launch; CPU per 1,000 requests. The family `totals` has their logarithms. */
function totalsOf({ launch }: Folded): Record<Total, number> {
  const { cpuMs, halves, requests, latencyMs, start, mappings } = launch;
  return {
    cpuMs:
      halves === "both"
        ? (cpuMs * 1000) / requests
        : totalWeight(launch.stacks) * msPerSample(launch),
    meanUs: latencyMs.mean * 1000,
    p99Us: latencyMs.p99 * 1000,
    startMs: start.ms,
    startCpuMs: start.cpuMs,
    bytes: sum(Object.values(mappings)),
  };
}

/** Of a mean over the launches, or of an exact count for a request. */
export interface Change {
  name: string;
  before: number;
  after: number;
}

export const rise = ({ before, after }: Omit<Change, "name">): number => after - before;

export function meanTotal(pairs: readonly Pair[], name: Total): Change {
  const of = (arm: "reference" | "candidate"): number =>
    mean(pairs.map((pair) => totalsOf(pair[arm])[name]));
  return { name, before: of("reference"), after: of("candidate") };
}

const logarithm = (value: number): number => Math.log(Math.max(value, 1e-9));

/** None where no frame is the repository's own. */
export function lowestOwn({ names, own: [at] }: Path): string[] {
  return at === undefined ? [] : names.slice(at, at + 1);
}

/** The same with what it calls. */
export function lowestCall({ names, own: [at] }: Path): string[] {
  return at === undefined ? [] : [`${names[at]}${CALLS}${names[at - 1] ?? ""}`];
}

export const allOf = ({ names }: Path): Set<string> => new Set(names);

export function summed(
  { paths, ...sampled }: Sampled,
  namesOf: (path: Path) => Iterable<string>,
): Taken {
  const byName = new Map<string, number>();
  for (const path of paths)
    for (const name of namesOf(path)) add(byName, name, path.weight * sampled.unit);
  return { byName, ...sampled };
}

function exact(values: Readonly<Record<string, number>>, scaled = (value: number) => value): Taken {
  const entries = Object.entries(values).map(([name, value]) => [name, scaled(value)] as const);
  return { byName: new Map(entries), unit: 0 };
}

/** Of every name that any launch took, one for each. */
export function columnsOf(pairs: readonly Pair[], take: (one: Folded) => Taken): Column[] {
  const taken = pairs.map(({ reference, candidate }) => ({
    reference: take(reference),
    candidate: take(candidate),
  }));
  const names = new Set(
    taken.flatMap((one) => [...one.reference.byName.keys(), ...one.candidate.byName.keys()]),
  );
  const unit = taken.map((one) => (one.reference.unit + one.candidate.unit) / 2);
  const [first] = taken;
  return [...names].map((name) => ({
    name,
    growth: first?.candidate.growth,
    reference: taken.map((one) => one.reference.byName.get(name) ?? 0),
    candidate: taken.map((one) => one.candidate.byName.get(name) ?? 0),
    unit,
  }));
}

export function add<K>(amounts: Map<K, number>, name: K, amount: number): void {
  amounts.set(name, (amounts.get(name) ?? 0) + amount);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function mean(values: readonly number[]): number {
  return sum(values) / Math.max(1, values.length);
}
