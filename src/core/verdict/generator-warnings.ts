// Latency that the generator itself adds, and the changes that this hides.

import type { Caution } from "../model/caution.ts";
import { QUANTILES } from "../model/metric.ts";
import { slicesOf } from "../model/parts.ts";
import type { Round, Slice } from "../model/samples.ts";
import { median } from "../stats/dispersion.ts";
import type { Hypothesis } from "./hypotheses.ts";

interface Measured {
  config: { scenarios: readonly { id: string }[] };
  rounds: readonly Round[];
}

type LeastChange = NonNullable<Extract<Caution, { code: "generator-slack" }>["least"]>;

export function generatorCautions(
  { config, rounds }: Measured,
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
