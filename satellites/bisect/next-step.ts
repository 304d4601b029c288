// What a bisection does next, by all that it has seen: a pure function, so that one that was stopped
// goes on where it was. First the change itself is shown by the gate's own bets. Then the posterior's
// middle commit is measured against the good one, until one commit holds most of the posterior. That
// one is named only when bets on fresh rounds of it and the commit before show the change once more.
import type { BisectKernel, BisectQuestion } from "../../src/core/model/bisect.ts";
import { type Change, LAYOUT, type Pair, posteriorOf, priorOf, spreadOf, sumOf } from "./belief.ts";
import type { BisectState, Purpose, Seen } from "./record.ts";

/** Chance of naming a wrong commit, over all attempts at a proof. */
export const ALPHA = 0.01;
/** The change that a proof must show, as a share of the whole: another commit may have some of it. */
const SHARE_SHOWN = 1 / 3;
/** From here on a commit is on one side. */
const SIDE = 0.95;
/** From here on it is worth a proof; one that has begun goes on down to the second. */
const WORTH = { begin: 0.8, goOn: 0.5 };
/** A commit that was built already is preferred to one that divides better by so much. */
const BUILT_BONUS = 0.12;
/** Where the next commit is looked for after so many that cannot be measured: away from them. */
const TARGETS = [0.5, 0.3, 0.7, 0.2, 0.8, 0.4, 0.6, 0.1, 0.9] as const;

/** Rounds of the first batch, after which they come one by one, and at most for one question. */
const BATCHES: Readonly<Record<Purpose, { first: number; most: number }>> = {
  change: { first: 6, most: 80 },
  side: { first: 2, most: 24 },
  proof: { first: 6, most: 100 },
};

/** Places on the line: 0 is the good commit. */
interface Measure {
  kind: "measure";
  from: number;
  to: number;
  /** For this purpose, before `rounds` more. */
  measured: number;
  rounds: number;
  question: string | null;
  purpose: Purpose;
}

export type Step = { kind: "build"; at: number } | Measure | ({ kind: "end" } & Ending);

export interface Ending {
  state: BisectState;
  why: string;
  /** What is named, and the rounds that prove it; absent: nothing is. */
  named?: { stretch: Stretch; d: readonly number[] };
}

/** What is known of a line once its change is shown. */
interface Belief {
  question: string;
  change: Change;
  /** Of the places 1 to n. */
  chances: number[];
}

/** A stretch of the line with no measurable commit inside: `to` is measured against `from`. */
interface Stretch {
  from: number;
  to: number;
  /** Places in it that are possible. */
  places: number[];
  chance: number;
}

type Line = Pick<BisectKernel, "commits" | "questions" | "estimate" | "wealth" | "answer">;

export function nextStep(line: Line, seen: readonly Seen[]): Step {
  const bad = line.commits.length - 1;
  const step = wantedStep(line, seen, bad);
  if (step.kind !== "measure") return step;
  const made = builtOf(seen);
  const at = [step.from, step.to].find((place) => !made.has(place));
  return at === undefined ? step : { kind: "build", at };
}

function wantedStep(line: Line, seen: readonly Seen[], bad: number): Step {
  const skipped = skippedOf(seen);
  const why = skipped.get(0) ?? skipped.get(bad);
  if (why !== undefined) return end("invalid", why);
  const belief = believe(line, seen);
  if (belief === null) return showChange(line, seen, bad);
  if (belief === "same") return end("no-change", "the good and the bad commit are the same build");
  const [best, another] = stretchesOf(belief.chances, seen);
  if (best === undefined) return end("undecided", "no commit is left");
  // Then what showed the change is the proof.
  if (another === undefined) return named(best, [], "no other commit is possible");
  const isBegun = roundsFor(seen, "proof").at(-1)?.to === best.to;
  if (best.chance >= (isBegun ? WORTH.goOn : WORTH.begin)) return prove(line, seen, best, belief);
  // What no other commit can divide, a proof may: it is of other builds.
  return divide(seen, belief) ?? prove(line, seen, best, belief);
}

const end = (state: BisectState, why: string): Step => ({ kind: "end", state, why });

function named(stretch: Stretch, d: readonly number[], why: string): Step {
  const state = stretch.places.length === 1 ? "found" : "one-of";
  return { kind: "end", state, why, named: { stretch, d } };
}

/** Null: the change is not shown yet. `same`: the ends are equal, so that there is none. */
export function believe(line: Line, seen: readonly Seen[]): Belief | null | "same" {
  const { commits, estimate } = line;
  const built = builtOf(seen);
  const keys = [commits.map(({ key }) => key), commits.map((_, at) => built.get(at) ?? null)];
  const touched = commits.slice(1).map((one) => one.touched);
  const prior = priorOf(touched, keys);
  if (sumOf(prior) === 0) return "same";
  const question = shownQuestion(line, seen);
  if (question === null) return null;
  const shown = valuesOf(roundsFor(seen, "change"), question);
  const pairs = pairsOf(seen, question);
  const spread = spreadOf(pairs);
  const change = { size: estimate(shown), error: spread / Math.sqrt(shown.length), spread };
  return { question, change, chances: posteriorOf(prior, pairs, change, estimate) };
}

/** Of what the gate calls worse, that with the least spread for its change. */
function shownQuestion({ questions, answer, estimate }: Line, seen: readonly Seen[]) {
  const shown = (id: string): number[] => valuesOf(roundsFor(seen, "change"), id);
  const clearness = ({ id }: BisectQuestion): number =>
    estimate(shown(id)) / Math.hypot(spreadOf([{ from: 0, to: 1, d: shown(id) }]), LAYOUT);
  const worse = questions.filter((one) => answer(one, shown(one.id)) === "regressed");
  const [best] = worse.toSorted((a, b) => clearness(b) - clearness(a));
  return best?.id ?? null;
}

function showChange({ questions, answer }: Line, seen: readonly Seen[], bad: number): Step {
  const rounds = roundsFor(seen, "change");
  const isOver = questions.every((one) => answer(one, valuesOf(rounds, one.id)) === "pass");
  if (rounds.length > 0 && isOver)
    return end("no-change", "the bad commit is worse by less than the margins, if at all");
  const measured = countOf(rounds);
  const next = moreRounds({ from: 0, to: bad, question: null, purpose: "change", measured });
  return next ?? end("no-change", `it is not shown by ${measured} rounds`);
}

/**
 * By rounds of a commit against the one before, since it was to be proven: the k-th that is tried has
 * α / k(k + 1), which is α over all of them.
 */
function prove(line: Line, seen: readonly Seen[], best: Stretch, belief: Belief): Step {
  const { from, to } = best;
  const { question, change } = belief;
  const all = roundsFor(seen, "proof");
  const k = 1 + [...new Set([...all.map((one) => one.to), to])].indexOf(to);
  const own = all.filter((one) => one.to === to);
  const d = valuesOf(own, question);
  const bet = { bound: change.size * SHARE_SHOWN, scale: change.size * (1 - SHARE_SHOWN) };
  if (line.wealth(d, bet) * ALPHA >= k * (k + 1)) return named(best, d, "it is proven");
  const measured = countOf(own);
  const next = moreRounds({ from, to, question, purpose: "proof", measured });
  return next ?? end("undecided", `${measured} rounds do not prove the likeliest commit`);
}

/** Measures the commit that divides best, until it is on one side. Null: none is left. */
function divide(seen: readonly Seen[], { question, chances }: Belief): Step | null {
  const built = builtOf(seen);
  const skipped = skippedOf(seen);
  const measured = (at: number): number =>
    countOf(roundsFor(seen, "side").filter(({ to }) => to === at));
  const open = isBadOf(chances)
    .map((isBad, at) => ({ at, isBad }))
    .filter(({ at, isBad }) => isBad < SIDE && isBad > 1 - SIDE && !skipped.has(at))
    .filter(({ at }) => measured(at) < BATCHES.side.most);
  const last = roundsFor(seen, "side").at(-1)?.to;
  const lost = seen.slice(seen.findLastIndex(({ kind }) => kind !== "skipped") + 1).length;
  const target = TARGETS[lost % TARGETS.length] ?? TARGETS[0];
  const costOf = ({ at, isBad }: (typeof open)[number]): number =>
    Math.abs(isBad - target) - (built.has(at) ? BUILT_BONUS : 0);
  const next =
    open.find(({ at }) => at === last) ?? open.toSorted((a, b) => costOf(a) - costOf(b)).at(0);
  if (next === undefined) return null;
  const at = next.at;
  return moreRounds({ from: 0, to: at, question, purpose: "side", measured: measured(at) });
}

/** Chance of each place from 0 on that the change is in it. */
function isBadOf(chances: readonly number[]): number[] {
  let sum = 0;
  return [0, ...chances].map((chance, at) => {
    sum += chance;
    return at === chances.length ? 1 : Math.min(sum, 1);
  });
}

/** Those with a chance, the likeliest first. What begins one is built where that is the same. */
function stretchesOf(chances: readonly number[], seen: readonly Seen[]): Stretch[] {
  const built = builtOf(seen);
  const skipped = skippedOf(seen);
  const stretches: Stretch[] = [];
  let from = 0;
  let places: number[] = [];
  for (const [k, own] of chances.entries()) {
    const at = k + 1;
    if (own > 0) places.push(at);
    if (skipped.has(at)) continue;
    if (places.length === 0) {
      if (!built.has(from) && built.has(at)) from = at;
      continue;
    }
    const chance = sumOf(places.map((one) => chances[one - 1] ?? 0));
    stretches.push({ from, to: at, places, chance });
    from = at;
    places = [];
  }
  return stretches.sort((a, b) => b.chance - a.chance);
}

/** Null: so many were measured that more say nothing. */
function moreRounds(of: Omit<Measure, "kind" | "rounds">): Measure | null {
  const { first, most } = BATCHES[of.purpose];
  if (of.measured >= most) return null;
  return { kind: "measure", ...of, rounds: of.measured === 0 ? first : 1 };
}

type Rounds = Extract<Seen, { kind: "rounds" }>;

function roundsFor(seen: readonly Seen[], purpose: Purpose): Rounds[] {
  return seen.filter((one) => one.kind === "rounds" && one.purpose === purpose) as Rounds[];
}

/** Those without a value too. */
const countOf = (all: readonly Rounds[]): number => sumOf(all.map(({ rounds }) => rounds));

const valuesOf = (rounds: readonly Rounds[], question: string): number[] =>
  rounds.flatMap(({ d }) => d[question] ?? []);

/** All rounds of each pair of places together. */
export function pairsOf(seen: readonly Seen[], question: string): Pair[] {
  const all = seen.filter((one) => one.kind === "rounds");
  return [...Map.groupBy(all, ({ from, to }) => `${from} ${to}`).values()].flatMap((rounds) => {
    const [first] = rounds;
    return first === undefined ? [] : [{ ...first, d: valuesOf(rounds, question) }];
  });
}

/** Keys by place. */
function builtOf(seen: readonly Seen[]): Map<number, string | null> {
  return new Map(seen.flatMap((one) => (one.kind === "built" ? [[one.at, one.key]] : [])));
}

/** Why, by place. */
export function skippedOf(seen: readonly Seen[]): Map<number, string> {
  return new Map(seen.flatMap((one) => (one.kind === "skipped" ? [[one.at, one.why]] : [])));
}
