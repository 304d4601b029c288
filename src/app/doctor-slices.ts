// Which disturbances of the host met the slices of a run, and how slow these were. Pure; blind to the arm.
import { SIGNALS, type Signal, type SignalCost, type SpoiledSlices } from "../model/doctor.ts";
import type { Samples, Slice } from "../model/samples.ts";
import { median } from "../stats/dispersion.ts";

/** Above these a signal is raised: beyond what an undisturbed slice shows (see the rules of run/validity.ts). */
const STEAL = 0.01;
const FOREIGN = 0.03;
const GENERATOR = 0.5;
const LAG_P99_US = 2000;
const LAG_MAX_US = 5000;
/** Of the run's usual clock. */
const SLOW_CLOCK = 0.97;
/** Spoiled: so much slower than the scenario's quiet slices. */
const SPOILED = Math.log(1.5);

interface Judged {
  slice: Slice;
  signals: ReadonlySet<Signal>;
  /** Log of its p99 over that of the scenario's quiet slices; null where there is nothing to compare. */
  excess: number | null;
}

export function findSpoiled(samples: Samples): SpoiledSlices {
  const judged = judgeSlices(samples);
  const isSpoiled = ({ slice, excess }: Judged): boolean =>
    slice.void !== null || (excess ?? 0) > SPOILED;
  const excessOf = (slices: readonly Judged[]): number =>
    slices.reduce((sum, { excess }) => sum + Math.max(0, excess ?? 0), 0);
  const allExcess = excessOf(judged);
  const byRule: SpoiledSlices["byRule"] = {};
  for (const { slice } of judged) {
    if (slice.void !== null) byRule[slice.void.rule] = (byRule[slice.void.rule] ?? 0) + 1;
  }
  const signals = SIGNALS.flatMap((signal): SignalCost[] => {
    const raised = judged.filter((one) => one.signals.has(signal));
    if (raised.length === 0) return [];
    const valid = raised.flatMap(({ slice, excess }) =>
      slice.void === null && excess !== null ? [excess] : [],
    );
    return [
      {
        signal,
        slices: raised.length,
        void: raised.filter(({ slice }) => slice.void !== null).length,
        spoiled: raised.filter(isSpoiled).length,
        slower: valid.length === 0 ? null : Math.exp(median(valid)),
        share: allExcess === 0 ? 0 : excessOf(raised) / allExcess,
      },
    ];
  });
  return {
    slices: judged.length,
    void: judged.filter(({ slice }) => slice.void !== null).length,
    spoiled: judged.filter(isSpoiled).length,
    unexplained: judged.filter((one) => isSpoiled(one) && one.signals.size === 0).length,
    quiet: judged.filter((one) => one.signals.size === 0).length,
    byRule,
    signals: signals.sort((a, b) => b.share - a.share || b.spoiled - a.spoiled),
  };
}

function judgeSlices({ rounds, config }: Samples): Judged[] {
  const clockMhz = median(
    rounds.flatMap(({ scenarios }) =>
      scenarios.flatMap(({ slices }) => slices.flatMap(({ host }) => host.mhz ?? [])),
    ),
  );
  return config.scenarios.flatMap(({ id }) => {
    const slices = rounds.flatMap(({ scenarios }) =>
      scenarios.filter(({ scenario }) => scenario === id).flatMap((entry) => entry.slices),
    );
    const marked = slices.map((slice) => ({ slice, signals: signalsOf(slice, clockMhz) }));
    const quiet = marked.filter(({ slice, signals }) => slice.void === null && signals.size === 0);
    const usual = median(quiet.flatMap(({ slice }) => logP99(slice) ?? []));
    return marked.map(({ slice, signals }) => {
      const log = logP99(slice);
      const excess = log === null || Number.isNaN(usual) ? null : log - usual;
      return { slice, signals, excess };
    });
  });
}

function logP99({ latency }: Slice): number | null {
  return latency === null || latency.p99 <= 0 ? null : Math.log(latency.p99);
}

function signalsOf({ host, lag }: Slice, clockMhz: number): Set<Signal> {
  const raised: Record<Signal, boolean> = {
    throttled: host.throttled > 0,
    steal: host.steal >= STEAL,
    foreign: host.foreign >= FOREIGN,
    frequency: host.mhz !== undefined && host.mhz < SLOW_CLOCK * clockMhz,
    lag: lag !== null && (lag.p99 > LAG_P99_US || lag.max > LAG_MAX_US),
    generator: host.generator > GENERATOR,
  };
  return new Set(SIGNALS.filter((signal) => raised[signal]));
}
