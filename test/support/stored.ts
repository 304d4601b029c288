// A machine that hardly wanders: a stored baseline and fresh runs whose values are known to the
// digit.
import type { Baseline } from "../../src/core/model/baseline.ts";
import type { HistoryRecord } from "../../src/core/model/history.ts";
import type { Samples } from "../../src/core/model/samples.ts";
import { recorded } from "./baseline-update-cases.ts";
import { daysFrom, nightOf } from "./history.ts";
import { makeSamples } from "./samples.ts";

const KEYS = ["echo/p99", "echo/p99Typical", "hello/p99", "hello/p99Typical", "rss"];

const valueAt = (launch: number): number => 300 + (launch % 5);

/** Of sixteen launches. */
export const STEADY: Baseline = {
  ...recorded(0),
  metrics: Object.fromEntries(
    KEYS.map((key) => [key, Array.from({ length: 16 }, (_, i) => valueAt(i))]),
  ),
};

/** Eight nights before the day of the samples, which differ by a third of a percent. */
export const STEADY_NIGHTS: readonly HistoryRecord[] = daysFrom(-7, 0).map((day) =>
  nightOf({ day, anchor: 302 + (day & 1) }),
);

/** The candidate alone, with the values of STEADY, those of these keys times a ratio. */
export function makeSteadySamples(ratios: Record<string, number> = {}, rounds = 12): Samples {
  const samples = makeSamples({ rounds, noise: 0.01, compare: "stored" });
  for (const { index, scenarios, launches } of samples.rounds) {
    const value = (key: string): number => valueAt(index) * (ratios[key] ?? 1);
    for (const { scenario, arms, slices } of scenarios) {
      const name = scenario.slice("api/".length);
      if (arms.candidate.pooled !== null) arms.candidate.pooled.p99 = value(`${name}/p99`);
      for (const { latency } of slices) {
        if (latency !== null) latency.p99 = value(`${name}/p99Typical`);
      }
    }
    if (launches !== null) launches.candidate.values.rss = value("rss");
  }
  return samples;
}
