// Which disturbances met the slices of a run, how slow these were, and which programs caused them.
import { SIGNALS, type Signal, type SignalCost, type SpoiledSlices } from "../model/doctor.ts";
import { allSlices, slicesOf, voidsByRule } from "../model/parts.ts";
import {
  type Culprit,
  type DisturbanceRule,
  MOST_CULPRITS,
  type Round,
  type Samples,
  type Slice,
} from "../model/samples.ts";
import { disturbancesOf, isDisturbed } from "../slice/disturbance.ts";
import { median } from "../stats/dispersion.ts";

interface HostNoise {
  slices: number;
  disturbed: number;
  /** The same by the rule that is most telling for each. */
  byRule: Partial<Record<DisturbanceRule, number>>;
  culprits: Culprit[];
}

/** `scenarios`: ids of those that are asked about; absent: all. */
export function hostNoise(rounds: readonly Round[], scenarios?: ReadonlySet<string>): HostNoise {
  const countedIn = ({ scenarios: entries }: Round): Slice[] =>
    entries
      .filter(({ scenario }) => scenarios?.has(scenario) ?? true)
      .flatMap(({ slices }) => slices.filter((slice) => slice.void === null));
  const counted = rounds.flatMap(countedIn);
  const rules = counted.flatMap((slice) => disturbancesOf(slice).slice(0, 1));
  const byRule = [...Map.groupBy(rules, ({ rule }) => rule)];
  return {
    slices: counted.length,
    disturbed: rules.length,
    byRule: Object.fromEntries(byRule.map(([rule, own]) => [rule, own.length])),
    culprits: culpritsOf(rounds.filter((round) => countedIn(round).some(isDisturbed))),
  };
}

function culpritsOf(rounds: readonly Round[]): Culprit[] {
  const known = rounds.filter(({ culprits }) => culprits !== undefined);
  const lengthOf = ({ startedAtMs, endedAtMs }: Round): number => endedAtMs - startedAtMs;
  const wholeMs = known.reduce((sum, round) => sum + lengthOf(round), 0);
  const used = new Map<string, number>();
  for (const round of known) {
    for (const { command, share } of round.culprits ?? []) {
      used.set(command, (used.get(command) ?? 0) + share * lengthOf(round));
    }
  }
  return [...used]
    .map(([command, ms]) => ({ command, share: wholeMs > 0 ? Math.min(1, ms / wholeMs) : 0 }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share)
    .slice(0, MOST_CULPRITS);
}

/** Above these a signal is raised: beyond what an undisturbed slice shows. */
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
  /** Log of its p99 over that of the scenario's quiet slices; null: not comparable. */
  excess: number | null;
}

export function findSpoiled(samples: Samples): SpoiledSlices {
  const judged = judgeSlices(samples);
  const noise = hostNoise(samples.rounds);
  const isSpoiled = ({ slice, excess }: Judged): boolean =>
    slice.void !== null || (excess ?? 0) > SPOILED;
  const excessOf = (slices: readonly Judged[]): number =>
    slices.reduce((sum, { excess }) => sum + Math.max(0, excess ?? 0), 0);
  const allExcess = excessOf(judged);
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
    byRule: voidsByRule(judged.map(({ slice }) => slice)),
    disturbed: noise.disturbed,
    culprits: noise.culprits,
    signals: signals.sort((a, b) => b.share - a.share || b.spoiled - a.spoiled),
  };
}

function judgeSlices({ rounds, config }: Samples): Judged[] {
  const clockMhz = median(allSlices(rounds).flatMap(({ host }) => host.mhz ?? []));
  return config.scenarios.flatMap(({ id }) => {
    const marked = slicesOf(rounds, id).map((slice) => ({
      slice,
      signals: signalsOf(slice, clockMhz),
    }));
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
