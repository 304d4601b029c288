// The two JSON formats of other programs that keep histories. Both know numbers only: what is not
// decided is left out.
import { METRIC_FACTS, subjectOf } from "../../src/core/model/metric.ts";
import type { Report } from "../../src/core/model/report.ts";
import { plainLine } from "../../src/core/text/escape.ts";
import { boundsOf, decidedOf, inNanoseconds, metricName } from "./decided.ts";

/** Bencher's limits: characters of a benchmark's name, and of a measure's. */
const LONGEST_NAME = 1024;
const LONGEST_MEASURE = 64;

/**
 * Bencher Metric Format: a benchmark for each scenario and service, a measure for each metric,
 * durations in nanoseconds.
 */
export function toBmf(report: Report): string {
  const benchmarks = new Map<string, Record<string, unknown>>();
  for (const comparison of decidedOf(report)) {
    const name = plainLine(subjectOf(comparison), LONGEST_NAME) || "–";
    const bounds = boundsOf(comparison);
    const ns = (value: number): number => inNanoseconds(comparison, value);
    const measures = benchmarks.get(name) ?? {};
    measures[metricName(comparison).slice(0, LONGEST_MEASURE)] = {
      value: ns(comparison.candidate),
      ...(bounds === null ? {} : { lower_value: ns(bounds.low), upper_value: ns(bounds.high) }),
    };
    benchmarks.set(name, measures);
  }
  return `${JSON.stringify(Object.fromEntries(benchmarks), null, 2)}\n`;
}

/** github-action-benchmark's `customSmallerIsBetter`. */
export function toGitHubActionBenchmark(report: Report): string {
  const entries = decidedOf(report).map((comparison) => {
    const bounds = boundsOf(comparison);
    return {
      name: plainLine(comparison.id),
      value: comparison.candidate,
      unit: METRIC_FACTS[comparison.metric].unit,
      ...(bounds === null ? {} : { range: `± ${((bounds.high - bounds.low) / 2).toPrecision(3)}` }),
      extra: plainLine(`${comparison.state}: ${comparison.reason}`),
    };
  });
  return `${JSON.stringify(entries, null, 2)}\n`;
}
