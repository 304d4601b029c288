// Whether a run may become a baseline: complete, of a commit, valid, and able to tell what it was asked. Pure.
import type { Baseline } from "../model/baseline.ts";
import type { Samples } from "../model/samples.ts";
import type { Comparison } from "../model/verdict.ts";
import { wholeRounds } from "../model/whole-rounds.ts";
import { driftOf } from "../verdict/drift.ts";
import { listHypotheses } from "../verdict/hypotheses.ts";
import { judge } from "../verdict/judge.ts";
import { seriesOf } from "../verdict/series.ts";
import { findFaults } from "../verdict/validity.ts";
import { baselineKey } from "./key.ts";

/** Every reason against it; empty when there is none. Lines after a reason's first are what a service or a tool said. */
export function refusalsOf(samples: Samples, stored: readonly Baseline[]): string[] {
  const { run, sources } = samples;
  const reasons = findFaults(samples).map(({ text, detail }) =>
    detail === "" ? text : `${text}\n${detail}`,
  );
  if (run.state !== "complete") {
    reasons.push(`the run is not complete: ${run.ended === "" ? run.state : run.ended}`);
  }
  if (sources.candidate.dirty) reasons.push("its candidate had uncommitted changes");
  if (reasons.length > 0) return reasons;
  const short = tooFewLaunches(samples);
  return short.length > 0 ? short : undecided(samples, stored);
}

/** A value that the first look could not have judged is no value to judge others by. */
function tooFewLaunches(samples: Samples): string[] {
  const { config } = samples;
  const rounds = wholeRounds(samples);
  const needed = config.policy.looks[0] ?? 1;
  return listHypotheses(config)
    .filter(({ policy }) => policy.level === "gate")
    .map((hypothesis) => ({
      name: `${hypothesis.service} ${baselineKey(hypothesis)}`,
      launches: seriesOf(hypothesis, rounds).length,
    }))
    .filter(({ launches }) => launches < needed)
    .map(
      ({ name, launches }) =>
        `inconclusive: ${name} has ${launches} launches under the whole load, ${needed} are needed`,
    );
}

/**
 * A gated question that stayed open. Against a stored baseline that is young nothing can be decided, however good the run, and
 * the close promise of a typical value seldom against another day's: there openness says nothing about the run.
 */
function undecided(samples: Samples, stored: readonly Baseline[]): string[] {
  const verdict = judge({ samples, baselines: stored });
  return verdict.comparisons
    .filter(({ level, state }) => level === "gate" && state === "inconclusive")
    .filter(
      (one) =>
        samples.run.compare !== "stored" ||
        (one.estimator !== "typical" && driftIsKnown(one, samples, stored)),
    )
    .map(({ reason }) => `inconclusive: ${reason}`);
}

function driftIsKnown(
  { service, scenario, metric, estimator }: Comparison,
  samples: Samples,
  stored: readonly Baseline[],
): boolean {
  const baseline = stored.find(
    (one) => one.service === service && one.runnerClass === samples.config.runner.class,
  );
  const key = baselineKey({ service, scenario, policy: { metric, estimator } });
  return baseline !== undefined && driftOf(baseline, key) !== null;
}
