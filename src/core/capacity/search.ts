// The search for a service's capacity in one launch, as a generator function that yields rates and
// receives verdicts, so that a file of slices replays it.

import type { CapacitySettings } from "./model.ts";

export type TryVerdict =
  /** `clear`: far from the limit on its side, so that noise of a slice is no explanation. */
  | { kind: "sustained" | "exceeded"; clear: boolean }
  /** No evidence: the generator or the host was not fit. */
  | { kind: "void"; by: "generator" | "host" };

type SearchSettings = Pick<CapacitySettings, "startRps" | "leastRps" | "mostRps" | "precision">;

/** What stops the search from going higher. */
export type Limit = "service" | "generator" | "host" | "range";

/** The launch's capacity lies between the two. */
export interface Bracket {
  /** Highest rate that was sustained; null: not even the least was. */
  lowRps: number | null;
  /** Lowest rate not sustained; null: none. Only with `limit: service` a fact of the service. */
  highRps: number | null;
  limit: Limit;
}

type CapacitySearch = Generator<number, Bracket, TryVerdict>;

/** Void slices at one rate before it is given up. */
const MAX_VOIDS = 3;
/** Factor between rates until there is a bracket. */
const WIDEST_STEP = 2;
/** How often a narrow bracket may turn out wrong at an end before it is taken as it is. */
const MAX_REOPENINGS = 6;

interface End {
  rateRps: number;
  /** Held when it was tried a second time, with the bracket already narrow. */
  checked: boolean;
}

interface HighEnd extends End {
  limit: Limit;
}

/**
 * Doubles or halves until a sustained rate lies below one that is not, then bisects on the
 * logarithm. As slices near the limit are noisy, an unclear decision is the majority of three, and
 * a narrow bracket is tried again at both ends and reopened where one does not hold (the noisy
 * binary search of Feige, Raghavan, Peleg and Upfal, SIAM J. Comput. 23, 1994). It converges to the
 * rate at which half the slices are sustained; in simulations a bracket's middle has a standard
 * deviation of 1.1 % (quiet) to 5.7 % (noisy, and 2.5 % too low).
 */
export function* searchCapacity(settings: SearchSettings): CapacitySearch {
  const { leastRps, mostRps, precision } = settings;
  const startRps = Math.min(mostRps, Math.max(leastRps, settings.startRps));
  const smallStep = (1 + precision) ** 2;
  let low: End | null = null;
  let high: HighEnd | null = null;
  let step = WIDEST_STEP;
  let reopenings = 0;
  for (;;) {
    const narrow: boolean =
      low !== null && high !== null && high.rateRps / low.rateRps < 1 + precision;
    const doubtful: End | null =
      narrow && reopenings < MAX_REOPENINGS ? unchecked(low, high) : null;
    if (narrow && doubtful === null) return bracketOf(low, high);

    let rateRps: number;
    if (doubtful !== null) rateRps = doubtful.rateRps;
    else if (low !== null && high !== null) rateRps = Math.sqrt(low.rateRps * high.rateRps);
    else if (low !== null) {
      if (low.rateRps >= mostRps) return bracketOf(low, high);
      rateRps = Math.min(mostRps, low.rateRps * step);
    } else if (high !== null) {
      if (high.rateRps <= leastRps) return bracketOf(low, high);
      rateRps = Math.max(leastRps, high.rateRps / step);
    } else rateRps = startRps;
    if ((low === null) !== (high === null)) step = Math.min(WIDEST_STEP, step ** 2);

    const decision: Decision = yield* decideRate(rateRps, doubtful === null ? "first" : "check");
    const sustained = decision.kind === "sustained";
    if (doubtful === null) {
      if (sustained) low = { rateRps, checked: false };
      else high = { rateRps, checked: false, limit: limitOf(decision) };
      continue;
    }
    doubtful.checked = true;
    // A void slice contradicts nothing.
    if (decision.kind === "void" || sustained === (doubtful === low)) {
      if (high !== null && doubtful === high) high.limit = limitOf(decision);
      continue;
    }
    reopenings++;
    step = smallStep;
    if (sustained) {
      low = { rateRps, checked: true };
      high = null;
    } else {
      high = { rateRps, checked: true, limit: "service" };
      low = null;
    }
  }
}

function unchecked(low: End | null, high: End | null): End | null {
  if (low?.checked === false) return low;
  return high?.checked === false ? high : null;
}

type Decision = { kind: "sustained" } | { kind: "exceeded" } | { kind: "void"; by: Limit };

/** One clear slice (unless a check), or two that agree; void ones are repeated. */
function* decideRate(
  rateRps: number,
  purpose: "first" | "check",
): Generator<number, Decision, TryVerdict> {
  const votes = { sustained: 0, exceeded: 0 };
  let voids = 0;
  for (;;) {
    const verdict = yield rateRps;
    if (verdict.kind === "void") {
      voids++;
      if (voids === MAX_VOIDS) return verdict;
      continue;
    }
    const enough = purpose === "first" && votes.sustained + votes.exceeded === 0 && verdict.clear;
    votes[verdict.kind]++;
    if (enough || votes[verdict.kind] === 2) return { kind: verdict.kind };
  }
}

function limitOf(decision: Decision): Limit {
  return decision.kind === "void" ? decision.by : "service";
}

function bracketOf(low: End | null, high: HighEnd | null): Bracket {
  const limit = high?.limit ?? "range";
  return { lowRps: low?.rateRps ?? null, highRps: high?.rateRps ?? null, limit };
}
