// A samples file made small for keeping: still a samples file, which anyone can judge again with
// the program. What a verdict rests on stays as it was measured; the rest is rounded or left out.
import type {
  Latency,
  Round,
  Samples,
  ScenarioArm,
  Slice,
  Window,
} from "../../src/core/model/samples.ts";

const significant = (value: number, digits: number): number => Number(value.toPrecision(digits));

/** p99 is what is gated, and the slowest of a window. */
function thinLatency(latency: Latency | null): Latency | null {
  if (latency === null) return null;
  const { requests, p99 } = latency;
  const [p50, p90, p95, p999, max] = (["p50", "p90", "p95", "p999", "max"] as const).map((name) =>
    significant(latency[name], 3),
  ) as [number, number, number, number, number];
  return { requests, p50, p90, p95, p99, p999, max };
}

const thinWindow = (window: Window): Window => ({
  ...window,
  p50: significant(window.p50, 2),
  p90: significant(window.p90, 2),
  p95: significant(window.p95, 2),
});

const thinArm = (arm: ScenarioArm): ScenarioArm => ({
  ...arm,
  pooled: thinLatency(arm.pooled),
  curve: [],
});

function thinSlice(slice: Slice): Slice {
  const { lag } = slice;
  return {
    ...slice,
    startedAtMs: Math.round(slice.startedAtMs),
    latency: thinLatency(slice.latency),
    ...(slice.windows === undefined ? {} : { windows: slice.windows.map(thinWindow) }),
    p99FromIdealUs: null,
    queueWaitP99Us: null,
    achievedRps: null,
    lag:
      lag === null
        ? null
        : {
            p50: significant(lag.p50, 3),
            p99: significant(lag.p99, 3),
            max: significant(lag.max, 3),
          },
  };
}

function thinRound(round: Round): Round {
  const launch = (values: Readonly<Record<string, number>>): Record<string, number> =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        name === "rss" ? value : significant(value, 4),
      ]),
    );
  return {
    ...round,
    startedAtMs: Math.round(round.startedAtMs),
    endedAtMs: Math.round(round.endedAtMs),
    loadMs: Math.round(round.loadMs),
    launches:
      round.launches === null
        ? null
        : {
            candidate: {
              ...round.launches.candidate,
              values: launch(round.launches.candidate.values),
            },
            reference:
              round.launches.reference === null
                ? null
                : {
                    ...round.launches.reference,
                    values: launch(round.launches.reference.values),
                  },
          },
    scenarios: round.scenarios.map((entry) => ({
      ...entry,
      arms: {
        candidate: thinArm(entry.arms.candidate),
        reference: entry.arms.reference === null ? null : thinArm(entry.arms.reference),
      },
      slices: entry.slices.map(thinSlice),
    })),
  };
}

export function thinSamples(samples: Samples): Samples {
  const sources = {
    candidate: { ...samples.sources.candidate, subject: "" },
    reference:
      samples.sources.reference === null ? null : { ...samples.sources.reference, subject: "" },
  };
  return { ...samples, sources, rounds: samples.rounds.map(thinRound) };
}
