// A stored baseline as lines of text, beside the one that it replaces.
import type { Baseline } from "../../src/core/model/baseline.ts";
import { METRIC_FACTS, type Metric } from "../../src/core/model/metric.ts";
import { machineName, metricOfKey } from "../../src/core/model/workload.ts";
import { formatChange, formatValue } from "../../src/core/text/format.ts";

export function renderBaseline(
  baseline: Baseline,
  previous: Baseline | null,
  median: (values: readonly number[]) => number,
  driftOfKey: (key: string) => string = () => "",
): string {
  const lines = Object.entries(baseline.metrics).map(([key, values]) => {
    const metric = metricOfKey(key) as Metric;
    const unit = METRIC_FACTS[metric]?.unit ?? "count";
    const now = median(values);
    const before = previous?.metrics[key];
    const change =
      before === undefined
        ? ""
        : `, was ${formatValue(unit, median(before))} (${formatChange(Math.log(now / median(before)))})`;
    return `  ${key.padEnd(28)} ${formatValue(unit, now)} over ${values.length} launches${change}${driftOfKey(key)}`;
  });
  return [
    `${baseline.service} on ${baseline.runnerClass} (${machineName(baseline.fingerprint)}), ${baseline.recordedAt.slice(0, 10)}, commit ${baseline.source.commit.slice(0, 10)}`,
    ...lines,
  ].join("\n");
}
