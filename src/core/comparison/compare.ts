// Samples of two services to their ratios: no tolerance, no decision.
import { UserError } from "../base/errors.ts";
import { finiteOrNull } from "../base/finite.ts";
import type { Fault } from "../model/fault.ts";
import { METRIC_FACTS, metricLabel, SERVICE_METRICS, type ServiceMetric } from "../model/metric.ts";
import { wholeId, withParts } from "../model/mix.ts";
import { entriesOf } from "../model/parts.ts";
import { ARMS, type Arm, type Round, type Samples } from "../model/samples.ts";
import { median } from "../stats/dispersion.ts";
import { signedRankInterval, trimmedEstimate } from "../stats/hodges-lehmann.ts";
import { answerCautions } from "../verdict/answers.ts";
import { scenarioView } from "../verdict/assemble-report.ts";
import { hostNoise } from "../verdict/disturbances.ts";
import { type Hypothesis, listHypotheses } from "../verdict/hypotheses.ts";
import { seriesOf, validPairs } from "../verdict/series.ts";
import { findFaults } from "../verdict/validity.ts";
import { generatorCautions } from "../verdict/warnings.ts";
import type { ComparisonRow, ServiceFacts } from "./model.ts";
import { namesOf } from "./pair.ts";

const LEVEL = 0.95;

type Sides = Record<Arm, number>;

export function compareServices(samples: Samples): ServiceFacts {
  const services = namesOf(samples);
  if (services === null) {
    throw new UserError("these samples are not of a comparison of two services", {
      next: "Measure them: tailgate compare <service> <service>.",
    });
  }
  const { id, startedAt, seed, measuredMs, ended: end } = samples.run;
  const run = { id, startedAt, seed, measuredMs, end };
  const faults = findFaults(samples);
  const hypotheses = listHypotheses(samples.config);
  // A launch that failed under one scenario has no values of any.
  const whole =
    faults.find(({ scenario, kind }) => scenario === null || kind === "failure") ?? null;

  const scenarios = withParts(samples.config.scenarios).map((loaded) => {
    const { id, name, rateRps, connections } = loaded;
    const isOf = ({ scenario }: Fault): boolean =>
      scenario !== null && wholeId(scenario) === wholeId(id);
    const fault = whole ?? faults.find(isOf) ?? null;
    const own = hypotheses.filter(({ scenario }) => scenario === id);
    const { candidate, reference } = scenarioView(id, samples.rounds).curves;
    const curves = { candidate, reference: reference ?? [] };
    const latencies = own.map((hypothesis) => latencyRow(hypothesis, samples.rounds, fault));
    const all = [...latencies, rateRow(id, samples.rounds, fault)];
    return { name, rateRps, connections, rows: all, curves };
  });
  const rows = SERVICE_METRICS.map((metric) => launchRow(metric, samples.rounds, whole)).filter(
    ({ candidate, reference }) => candidate !== null || reference !== null,
  );
  const all = [...scenarios.flatMap((scenario) => scenario.rows), ...rows];
  const slices = samples.rounds.flatMap((round) => round.scenarios.flatMap((s) => s.slices));
  const voidSlices = slices.filter((slice) => slice.void !== null).length;
  const noise = hostNoise(samples.rounds);
  return {
    schema: "tailgate.comparison.v1",
    tool: samples.tool,
    state: faults.length > 0 || samples.rounds.length === 0 ? "invalid" : "measured",
    services,
    run: { ...run, rounds: samples.rounds.length, slices: slices.length, voidSlices },
    intervals: { level: LEVEL, rows: all.filter(isBounded).length },
    causes: faults,
    cautions: [
      ...(noise.disturbed > 0 ? [{ code: "disturbed" as const, ...noise }] : []),
      ...answerCautions(samples),
      ...generatorCautions(samples, []),
    ],
    saturated: saturatedScenarios(samples, services.candidate),
    source: samples.sources.candidate,
    host: samples.host,
    cpuSets: samples.cpuSets,
    config: samples.config,
    scenarios,
    rows,
    artifacts: samples.artifacts.map((one) => ({ ...one, service: services[one.arm] })),
    dependencies: samples.dependencies ?? [],
  };
}

function isBounded({ interval }: ComparisonRow): boolean {
  return interval !== null && interval.low !== null && interval.high !== null;
}

function latencyRow(
  { policy, ...hypothesis }: Hypothesis,
  rounds: readonly Round[],
  fault: Fault | null,
): ComparisonRow {
  const id = `${policy.metric} ${policy.estimator}`;
  const { unit } = METRIC_FACTS[policy.metric];
  const series = seriesOf({ policy, ...hypothesis }, rounds);
  return row({ id, label: metricLabel(policy), unit }, series, fault);
}

/** Requests answered a second, below the scheduled rate where a side cannot keep up. */
function rateRow(scenario: string, rounds: readonly Round[], fault: Fault | null): ComparisonRow {
  const sides = rounds.flatMap((round) => {
    const entry = round.scenarios.find((candidate) => candidate.scenario === scenario);
    // Counted in the same rounds as the latencies beside it.
    if (entry?.arms.candidate.pooled == null || entry.arms.reference?.pooled == null) return [];
    const pairs = validPairs(entry.slices);
    if (pairs.length === 0) return [];
    const mean = (arm: Arm): number =>
      pairs.reduce((sum, pair) => sum + (pair[arm].achievedRps ?? Number.NaN), 0) / pairs.length;
    return [{ candidate: mean("candidate"), reference: mean("reference") }];
  });
  return row({ id: "rate", label: "achieved requests/s", unit: "count" }, sides, fault);
}

function launchRow(metric: ServiceMetric, rounds: readonly Round[], fault: Fault | null) {
  const { label, unit } = METRIC_FACTS[metric];
  const sides = rounds.flatMap(({ failure, launches }) => {
    if (failure !== null || launches === null) return [];
    const valueIn = (arm: Arm): number => launches[arm]?.values[metric] ?? Number.NaN;
    return [{ candidate: valueIn("candidate"), reference: valueIn("reference") }];
  });
  return row({ id: metric, label, unit }, sides, fault);
}

function row(
  what: Pick<ComparisonRow, "id" | "label" | "unit">,
  sides: readonly Sides[],
  fault: Fault | null,
): ComparisonRow {
  const values = (arm: Arm): number | null =>
    finiteOrNull(median(sides.map((side) => side[arm]).filter(Number.isFinite)));
  const both = sides.filter((side) => ARMS.every((arm) => Number.isFinite(side[arm])));
  const candidate = values("candidate");
  const shown = { ...what, candidate, reference: values("reference"), rounds: both.length };
  // Without its zero rounds a series would be a biased selection.
  const hasRatio =
    both.length === sides.length && both.every((side) => ARMS.every((arm) => side[arm] > 0));
  if (!hasRatio || both.length === 0) {
    const finding = !hasRatio ? "no-ratio" : fault ? "invalid" : "too-few-rounds";
    return { ...shown, estimate: null, interval: null, finding };
  }
  // A difference of logs, not the log of a quotient: its sign alone changes when the sides do.
  const d = both.map(({ candidate, reference }) => Math.log(candidate) - Math.log(reference));
  const { low, high } = signedRankInterval(d, LEVEL);
  const estimate = trimmedEstimate(d);
  return {
    ...shown,
    // Another median would show another ratio.
    candidate: median(both.map(({ reference }) => reference)) * Math.exp(estimate),
    estimate,
    interval: { low: finiteOrNull(low), high: finiteOrNull(high), level: LEVEL },
    finding: fault === null ? findingOf(low, high) : "invalid",
  };
}

function findingOf(low: number, high: number): ComparisonRow["finding"] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return "too-few-rounds";
  if (high < 0) return "lower";
  return low > 0 ? "higher" : "no-difference-shown";
}

/** A saturated second service makes the scenario invalid; a saturated first one is noted. */
function saturatedScenarios({ config, rounds }: Samples, service: string) {
  return config.scenarios.flatMap(({ id, name }) => {
    const entries = entriesOf(rounds, id);
    const saturated = entries.filter(({ arms }) => arms.candidate.saturated).length;
    return saturated === 0
      ? []
      : [{ scenario: name, service, rounds: saturated, of: entries.length }];
  });
}
