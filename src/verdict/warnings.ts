// What a person should know although it decides nothing: stalls that medians cannot see, changes of shape, thin data.
import { METRIC_FACTS } from "../model/metric.ts";
import type { Samples, Slice } from "../model/samples.ts";
import type { Comparison, Warning } from "../model/verdict.ts";
import { binomialUpperTail } from "../stats/proportion.ts";
import { answerWarnings, isAnswerVoid } from "./answers.ts";
import { generatorWarnings } from "./generator-warnings.ts";
import { runnerWarnings } from "./runner-warnings.ts";
import { validPairs } from "./series.ts";
import { nameOf, percentOf } from "./wording.ts";

/** Fewer requests than this beyond a quantile, in one arm of one round: the quantile is a handful of requests. */
const THIN_BEYOND = 10;
/** A slice is slow when its p99 exceeds the smaller one of its pair's two by this factor (method §4). */
const SLOW_SLICE_FACTOR = 1.5;
/** One-sided level of the advisory tests, shared among all scenarios of a run. */
const ADVISORY_ALPHA = 0.01;

export function findWarnings(samples: Samples, comparisons: readonly Comparison[]): Warning[] {
  return [
    ...voidWarning(samples),
    ...answerWarnings(samples),
    ...samples.config.scenarios.flatMap(({ id }) => stallWarning(samples, id)),
    ...shapeWarnings(comparisons),
    ...thinWarning(comparisons),
    ...vanishedWarnings(comparisons),
    ...setupWarnings(samples),
    ...generatorWarnings(samples),
    ...runnerWarnings(samples, comparisons),
  ];
}

function voidWarning(samples: Samples): Warning[] {
  const slices = samples.rounds.flatMap(({ scenarios }) =>
    scenarios.flatMap((entry) => entry.slices),
  );
  const voided = slices.filter((slice) => slice.void !== null && !isAnswerVoid(slice)).length;
  if (slices.length === 0 || voided / slices.length < 0.05) return [];
  return [
    {
      kind: "void",
      text: `${voided} of ${slices.length} slices were void and measured again (limit ${samples.config.policy.maxVoidShare * 100} %).`,
    },
  ];
}

/**
 * A candidate that stalls more often leaves the median slice untouched. Under the null a slow slice falls on either arm with
 * equal chance, so their number is binomial; slices of a round are not quite independent, which is why this only warns.
 */
function stallWarning(samples: Samples, scenario: string): Warning[] {
  let candidate = 0;
  let reference = 0;
  for (const round of samples.rounds) {
    for (const entry of round.scenarios) {
      if (entry.scenario !== scenario) continue;
      const slow = slowSlices(entry.slices);
      candidate += slow.candidate;
      reference += slow.reference;
    }
  }
  const total = candidate + reference;
  if (total === 0) return [];
  const p = binomialUpperTail(candidate, total, 0.5);
  if (p > ADVISORY_ALPHA / samples.config.scenarios.length) return [];
  return [
    {
      kind: "stall",
      text: `${scenario}: ${candidate} slices of the candidate were at least ${SLOW_SLICE_FACTOR} × slower than the reference's beside them, against ${reference} the other way round (p = ${p.toPrecision(2)}): it may stall more often.`,
    },
  ];
}

function slowSlices(slices: readonly Slice[]): { candidate: number; reference: number } {
  const slow = { candidate: 0, reference: 0 };
  for (const pair of validPairs(slices)) {
    const c = pair.candidate.latency?.p99 ?? Number.NaN;
    const r = pair.reference.latency?.p99 ?? Number.NaN;
    if (c > SLOW_SLICE_FACTOR * r) slow.candidate++;
    if (r > SLOW_SLICE_FACTOR * c) slow.reference++;
  }
  return slow;
}

/** Quantiles that nobody gates got worse: the distribution changed its shape. One line for each scenario. */
function shapeWarnings(comparisons: readonly Comparison[]): Warning[] {
  const worse = comparisons.filter(
    ({ level, state, scenario }) => level !== "gate" && state === "regressed" && scenario !== null,
  );
  return [...Map.groupBy(worse, ({ scenario }) => scenario)].map(([scenario, moved]) => ({
    kind: "shape",
    text: `${scenario}: proven worse, and not gated: ${moved.map(describeMove).join(", ")}.`,
  }));
}

function describeMove({ metric, estimator, estimate }: Comparison): string {
  return `${METRIC_FACTS[metric].label} (${estimator}) ${percentOf(estimate ?? Number.NaN)}`;
}

function thinWarning(comparisons: readonly Comparison[]): Warning[] {
  return comparisons.flatMap((comparison) => {
    const { scenario, level, requestsBeyond } = comparison;
    if (scenario === null || level !== "gate" || requestsBeyond === null) return [];
    if (requestsBeyond >= THIN_BEYOND) return [];
    return [
      {
        kind: "thin",
        text: `${nameOf(comparison)} is thin: it rests on ${requestsBeyond} requests beyond it in a round (${THIN_BEYOND} wanted); more or longer slices would make it steadier.`,
      },
    ];
  });
}

/** A gated launch metric that some rounds could not read would otherwise shrink silently. */
function vanishedWarnings(comparisons: readonly Comparison[]): Warning[] {
  return comparisons
    .filter(({ level, rounds, scenario }) => level !== "info" && rounds === 0 && scenario === null)
    .map(({ service, metric }) => ({
      kind: "missing",
      text: `${service}: ${METRIC_FACTS[metric].label} was not measured in any round.`,
    }));
}

function setupWarnings(samples: Samples): Warning[] {
  const warnings: Warning[] = [];
  if (!samples.cpuSets.disjoint) {
    warnings.push({
      kind: "host",
      text: "Service and load generator share a CPU: the generator disturbs what it measures. Two CPUs or more are needed for a trustworthy p99.",
    });
  }
  if (samples.sources.candidate.dirty) {
    warnings.push({
      kind: "build",
      text: "The candidate is the working tree with uncommitted changes.",
    });
  }
  return warnings;
}
