// Makes a baseline from samples: the raw value of each launch. Pure.
import { UserError } from "../base/errors.ts";
import type { Baseline } from "../model/baseline.ts";
import { wholeRounds } from "../model/parts.ts";
import type { Samples } from "../model/samples.ts";
import { baselineKey, hasPss, isolationOf, needsOf, workloadsOf } from "../model/workload.ts";
import { listStorable } from "../verdict/hypotheses.ts";
import { calmPart, readSeries } from "../verdict/series.ts";

const SIGNIFICANT_DIGITS = 4;

/**
 * The baseline of one service, of the rounds that hold its whole workload: a gate's later ones may
 * be of another load, and their memory not that of the workload which the baseline names. Throws a
 * UserError where a gated metric has no value: a baseline with holes would let a metric vanish
 * silently.
 */
export function recordBaseline(samples: Samples, service: string): Baseline {
  const metrics: Record<string, number[]> = {};
  const rounds = wholeRounds(samples);
  for (const hypothesis of listStorable(samples.config)) {
    const { policy } = hypothesis;
    if (hypothesis.service !== service) continue;
    const { values, zeros } = calmPart(readSeries(hypothesis, rounds));
    const key = baselineKey(hypothesis);
    // Noise of the host would raise what later runs are held against. Without its zeros a metric
    // would be stored as what it is in the launches in which something happened.
    if (zeros === 0 && values.length > 0) {
      metrics[key] = values.map(({ candidate }) =>
        Number(candidate.toPrecision(SIGNIFICANT_DIGITS)),
      );
    } else if (policy.level === "gate") {
      throw new UserError(
        `cannot record a baseline of ${service}: ${zeros === 0 ? "no calm round has" : `${zeros} rounds have a 0 for`} ${key}`,
        {
          next:
            zeros === 0
              ? "Run again on a quiet machine; a baseline needs a value of every gated metric."
              : "What may be 0 has no ratio and cannot be gated: set its level to warn or info.",
        },
      );
    }
  }
  const { candidate } = samples.sources;
  const isolation = isolationOf(samples, service);
  return {
    schema: "tailgate.baseline.v1",
    service,
    runnerClass: samples.config.runner.class,
    recordedAt: samples.run.startedAt,
    run: samples.run.id,
    source: { commit: candidate.commit, subject: candidate.subject },
    fingerprint: samples.host.fingerprint,
    workloads: workloadsOf(samples.config, service),
    dependencies: needsOf(samples.config, service),
    memoryRequests: samples.config.services.find(({ name }) => name === service)?.memory?.requests,
    isPss: hasPss(samples, service) ? true : undefined,
    isolation: Object.keys(isolation).length === 0 ? undefined : isolation,
    metrics: Object.fromEntries(Object.entries(metrics).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
