// Warnings, which decide nothing: noise, changes of shape, thin data.

import type { Caution } from "../model/fault.ts";
import { QUANTILES } from "../model/metric.ts";
import { splitIntoParts } from "../model/mix.ts";
import { allSlices, entriesOf, slicesOf } from "../model/parts.ts";
import type { Samples, Slice } from "../model/samples.ts";
import type { JudgedComparison } from "../model/verdict.ts";
import { median } from "../stats/dispersion.ts";
import { answerCautions, isAnswerVoid } from "./answers.ts";
import { capacityCautions } from "./capacity-seen.ts";
import { hostNoise } from "./disturbances.ts";
import { askedOf, type Hypothesis } from "./hypotheses.ts";
import { differingCautions } from "./same-answers.ts";

type LeastChange = NonNullable<Extract<Caution, { code: "generator-slack" }>["least"]>;

/** Fewer requests than this beyond a quantile in an arm's round are too few. */
const THIN_BEYOND = 10;
const NOTABLE_SHARE = 0.05;
/** docs/adr/0038. */
const UNSTEADY_SD = 0.05;
/** Of a launch in the first round that has it: CPU time is known to 10 ms. */
const LEAST_CPU_MS = 500;

/** `differing`: scenarios whose answers the arms do not agree in. */
export function findCautions(
  samples: Samples,
  all: readonly JudgedComparison[],
  differing: readonly Caution[] = differingCautions(samples),
): Caution[] {
  const comparisons = all.filter(
    ({ against, answers }) => against !== "limit" && answers === undefined,
  );
  return [
    ...voidSlices(samples),
    ...noisyHost(samples),
    ...unsteadyCpus(samples, comparisons),
    ...answerCautions(samples),
    ...differing,
    ...movedRequests(samples),
    ...uncompressed(samples),
    ...changesOfShape(comparisons),
    ...capacityCautions(samples),
    ...thinData(comparisons),
    ...vanished(comparisons),
    ...ofSetup(samples),
    ...generatorCautions(samples, askedOf(samples)),
    ...runnerCautions(samples, comparisons),
  ];
}

function movedRequests({ config, rounds }: Samples): Caution[] {
  return splitIntoParts(config.scenarios).flatMap(({ id: scenario, request }): Caution[] => {
    const [reference] = entriesOf(rounds, scenario).flatMap((one) => one.referenceAsked ?? []);
    const candidate = `${request.method} ${request.path}`;
    return reference === undefined ? [] : [{ code: "moved", scenario, candidate, reference }];
  });
}

function uncompressed({ config, rounds }: Samples): Caution[] {
  const scenarios = splitIntoParts(config.scenarios).flatMap(({ id }) =>
    entriesOf(rounds, id).some(({ answers }) => answers?.candidate?.couldCompress) ? id : [],
  );
  return scenarios.length === 0 ? [] : [{ code: "uncompressed", scenarios }];
}

function voidSlices(samples: Samples): Caution[] {
  const slices = allSlices(samples.rounds);
  const voided = slices.filter((slice) => slice.void !== null && !isAnswerVoid(slice)).length;
  if (voided === 0 || voided / slices.length < NOTABLE_SHARE) return [];
  return [{ code: "void", voided, slices: slices.length }];
}

function noisyHost({ rounds }: Samples): Caution[] {
  const noise = hostNoise(rounds);
  return noise.disturbed / noise.slices >= NOTABLE_SHARE ? [{ code: "disturbed", ...noise }] : [];
}

/**
 * Both arms do equal work side by side: CPU time whose ratio varies tells of the cores' speed. Of the
 * steadiest service, since one may vary by itself.
 */
export function unsteadyCpus(
  { rounds }: Pick<Samples, "rounds">,
  comparisons: readonly Pick<JudgedComparison, "id" | "service" | "metric" | "sd">[],
): Extract<Caution, { code: "unsteady-cpus" }>[] {
  return comparisons
    .flatMap(({ id: comparison, service, metric, sd }) => {
      const round = rounds.find((one) => one.service === service && one.launches?.reference);
      const { requests = 0, values } = round?.launches?.reference ?? {};
      const cpuMs = (requests * (values?.cpuPer1k ?? 0)) / 1000;
      const isKnown = metric === "cpuPer1k" && sd !== null && cpuMs >= LEAST_CPU_MS;
      return isKnown ? { code: "unsteady-cpus" as const, comparison, sd } : [];
    })
    .sort((a, b) => a.sd - b.sd)
    .slice(0, 1)
    .filter(({ sd }) => sd > UNSTEADY_SD);
}

/** Quantiles without a gate that are proven worse, one caution a scenario. */
function changesOfShape(comparisons: readonly JudgedComparison[]): Caution[] {
  const worse = comparisons.flatMap(({ level, state, scenario, metric, estimator, estimate }) =>
    level !== "gate" && state === "regressed" && scenario !== null
      ? [{ scenario, moved: { metric, estimator, estimate } }]
      : [],
  );
  return [...Map.groupBy(worse, ({ scenario }) => scenario)].map(([scenario, all]) => ({
    code: "shape",
    scenario,
    moved: all.map(({ moved }) => moved),
  }));
}

function thinData(comparisons: readonly JudgedComparison[]): Caution[] {
  return comparisons.flatMap(({ scenario, level, metric, estimator, requestsBeyond: beyond }) => {
    if (scenario === null || level !== "gate" || beyond === null) return [];
    if (beyond >= THIN_BEYOND) return [];
    return [{ code: "thin", scenario, metric, estimator, beyond, wanted: THIN_BEYOND }];
  });
}

/** A gated metric that could not be read would vanish silently. */
function vanished(comparisons: readonly JudgedComparison[]): Caution[] {
  return comparisons
    .filter(({ level, rounds, scenario }) => level !== "info" && rounds === 0 && scenario === null)
    .map(({ service, metric }) => ({ code: "unmeasured", service, metric }));
}

function ofSetup({ cpuSets, sources, run: { merged } }: Samples): Caution[] {
  return [
    ...(merged === undefined || merged.lost.length === 0
      ? []
      : [{ code: "lost-shards" as const, ...merged }]),
    ...(cpuSets.disjoint ? [] : [{ code: "shared-cpus" as const }]),
    ...(sources.candidate.dirty ? [{ code: "uncommitted" as const }] : []),
  ];
}

/** What the generator itself adds to latencies, and the smallest change that gates beside it. */
export function generatorCautions(
  { config, rounds }: Samples,
  asked: readonly Hypothesis[],
): Caution[] {
  return config.scenarios.flatMap(({ id }) => {
    const slices = slicesOf(rounds, id).filter(
      (slice) => slice.void === null && slice.slackUs !== undefined,
    );
    if (slices.length === 0) return [];
    const least = leastChange(
      asked.filter(({ scenario, policy }) => scenario === id && policy.level === "gate"),
      slices,
    );
    return [
      {
        code: "generator-slack",
        scenario: id,
        slackUs: median(slices.map(({ slackUs }) => slackUs ?? Number.NaN)),
        p50Us: median(slices.map(({ latency }) => latency?.p50 ?? Number.NaN)),
        ...(least === null ? {} : { least }),
      },
    ];
  });
}

/** In microseconds the smallest, over the scenario's gated latencies. */
function leastChange(gated: readonly Hypothesis[], slices: readonly Slice[]): LeastChange | null {
  const changes = gated.flatMap(({ policy }): LeastChange[] => {
    const metric = QUANTILES.find((latency) => latency === policy.metric);
    if (metric === undefined) return [];
    const valueUs = median(slices.map(({ latency }) => latency?.[metric] ?? Number.NaN));
    const change = Math.max(policy.margin, policy.floor, policy.absoluteFloor / valueUs);
    return [{ metric, estimator: policy.estimator, change, valueUs }];
  });
  return changes.reduce<LeastChange | null>(
    (least, next) =>
      least === null || next.change * next.valueUs < least.change * least.valueUs ? next : least,
    null,
  );
}

/** Beyond the calibrated interval's upper end by this factor the machine is noisier. */
const NOISIER = 1.5;

export function runnerCautions(
  { runner }: Pick<Samples, "runner">,
  comparisons: readonly Pick<JudgedComparison, "id" | "sd" | "margin">[],
): Caution[] {
  return (runner?.expectations ?? []).flatMap(({ id, kept, margin: least, sd, sdHigh }) => {
    const comparison = comparisons.find((one) => one.id === id);
    if (comparison === undefined) return [];
    const cautions: Caution[] = [];
    if (!kept) {
      const { margin } = comparison;
      cautions.push({ code: "beyond-runner", comparison: id, margin, least });
    }
    if (comparison.sd !== null && comparison.sd > NOISIER * sdHigh) {
      const calibrated = { calibrated: sd, most: sdHigh };
      cautions.push({ code: "noisier", comparison: id, sd: comparison.sd, ...calibrated });
    }
    return cautions;
  });
}
