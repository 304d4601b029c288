// Where more memory came from: from the requests, as a leak's does, or from the start.
import { type Launch, memoryOf, type Round } from "../model/samples.ts";
import type { Growth, JudgedComparison } from "../model/verdict.ts";
import { median } from "../stats/dispersion.ts";
import { medianRanks } from "../stats/median-interval.ts";

const LEVEL = 0.95;

/** Adds where memory comes from to an RSS regression. */
export function withGrowth(
  comparison: JudgedComparison,
  rounds: readonly Round[],
): JudgedComparison {
  if (comparison.metric !== "rss" || comparison.state !== "regressed") return comparison;
  const growth = growthOf(rounds, comparison.service);
  return growth === null ? comparison : { ...comparison, growth };
}

/** One round's difference of the arms, bytes. */
interface Difference {
  all: number;
  /** Of it, what came since warm-up. */
  grown: number;
  perRequest: number;
  /** Of the candidate, between the two readings. */
  requests: number;
}

/**
 * `leak`: more than half of the candidate's surplus came between the readings after warm-up and at
 * the end; `ballast`: less. By an exact 95 % interval for the median over rounds; null: neither is
 * shown.
 */
export function growthOf(rounds: readonly Round[], service: string): Growth | null {
  const differences = rounds
    .filter((round) => round.service === service && round.failure === null)
    .flatMap((round) => differenceOf(round) ?? []);
  const beyondHalf = differences.map(({ all, grown }) => grown - all / 2).sort((a, b) => a - b);
  const ranks = medianRanks(beyondHalf.length, LEVEL);
  if (ranks === null || ranks.level < LEVEL) return null;
  const low = beyondHalf[ranks.low - 1] ?? 0;
  const high = beyondHalf[ranks.high - 1] ?? 0;
  if (low <= 0 && high >= 0) return null;
  const of = (pick: (difference: Difference) => number): number => median(differences.map(pick));
  return {
    kind: low > 0 ? "leak" : "ballast",
    bytes: of(({ all }) => all),
    bytesPerRequest: of(({ perRequest }) => perRequest),
    requests: of(({ requests }) => requests),
  };
}

function differenceOf(round: Round): Difference | null {
  const { launches } = round;
  const memory = memoryOf(round);
  const candidate = readingsOf(launches?.candidate, memory);
  const reference = readingsOf(launches?.reference, memory);
  if (candidate === null || reference === null) return null;
  const grown = candidate.grown - reference.grown;
  const perRequest = candidate.grown / candidate.requests - reference.grown / reference.requests;
  return { all: candidate.rss - reference.rss, grown, perRequest, requests: candidate.requests };
}

function readingsOf(launch: Launch | null | undefined, memory: "rss" | "pss") {
  const rss = launch?.values[memory];
  const before = launch?.warm?.[memory];
  if (launch?.warm === undefined || rss === undefined || before === undefined) return null;
  const requests = launch.requests - launch.warm.requests;
  return requests <= 0 ? null : { rss, grown: rss - before, requests };
}
