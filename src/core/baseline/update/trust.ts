// Whether a run may become a baseline: complete, of a commit, valid, and able to tell what it was
// asked. Pure.
import type { Baseline } from "../../model/baseline.ts";
import type { HistoryRecord } from "../../model/history.ts";
import { wholeRounds, wholeRoundsOf } from "../../model/parts.ts";
import type { Samples } from "../../model/samples.ts";
import { baselineKey } from "../../model/workload.ts";
import { STORED_LOOKS } from "../../verdict/decide-stored.ts";
import { listStorable } from "../../verdict/hypotheses.ts";
import { judge } from "../../verdict/judge.ts";
import { calmPart, readSeries } from "../../verdict/series.ts";
import { findFaults } from "../../verdict/validity.ts";
import type { Refusal } from "./model.ts";

/** What the run is held against. */
export interface Known {
  stored: readonly Baseline[];
  history: readonly HistoryRecord[];
}

/** Every reason against it; empty when there is none. */
export function refusalsOf(samples: Samples, known: Known): Refusal[] {
  const { run, sources } = samples;
  const refusals: Refusal[] = findFaults(samples).map((fault) => ({ code: "fault", fault }));
  if (run.state !== "complete") refusals.push({ code: "incomplete", ended: run.ended });
  if (sources.candidate.dirty) refusals.push({ code: "uncommitted" });
  if (refusals.length > 0) return refusals;
  const short = tooFewLaunches(samples);
  return short.length > 0 ? short : undecided(samples, known);
}

/** A value that the first look could not have judged is no value to judge others by. */
export const FEWEST_LAUNCHES = STORED_LOOKS[0] ?? 1;

/** Launches of a service under its whole load, of the gated metric that has fewest calm ones. */
export function calmLaunches(samples: Samples, service: string): number {
  const each = launchesOf(samples, service).map(({ launches }) => launches);
  return Math.min(wholeRoundsOf(samples, service).length, ...each);
}

function launchesOf(samples: Samples, service: string): { key: string; launches: number }[] {
  const rounds = wholeRounds(samples);
  return listStorable(samples.config)
    .filter((one) => one.policy.level === "gate" && one.service === service)
    .map((hypothesis) => ({
      key: baselineKey(hypothesis),
      launches: calmPart(readSeries(hypothesis, rounds)).values.length,
    }));
}

function tooFewLaunches(samples: Samples): Refusal[] {
  const needed = FEWEST_LAUNCHES;
  return samples.config.services.flatMap(({ name: service }) =>
    launchesOf(samples, service)
      .filter(({ launches }) => launches < needed)
      .map((few) => ({ code: "few-launches" as const, service, ...few, needed })),
  );
}

/**
 * A gated question that stayed open. Against a stored baseline that is young nothing can be
 * decided, however good the run, and the close margin of a typical value seldom against another
 * day's: there openness says nothing about the run.
 */
function undecided(samples: Samples, { stored, history }: Known): Refusal[] {
  const verdict = judge({ samples, baselines: stored, history });
  return verdict.comparisons
    .filter(({ level, state }) => level === "gate" && state === "inconclusive")
    .filter(({ against }) => against !== "limit")
    .filter(
      (one) =>
        samples.run.compare !== "stored" || (one.estimator !== "typical" && one.drift !== null),
    )
    .map((comparison) => ({ code: "undecided", comparison }));
}
