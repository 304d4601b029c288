// Which disturbances met the slices of a run, how slow these were, and which programs caused them.
import { SIGNALS, type Signal, type SliceNoise } from "../model/doctor.ts";
import { allSlices, countEach, slicesOf, voidsByRule } from "../model/parts.ts";
import {
  type Culprit,
  type DisturbanceRule,
  MOST_CULPRITS,
  type Round,
  type Samples,
  type Slice,
} from "../model/samples.ts";
import { disturbancesOf, isDisturbed, isHostsLoss } from "../slice/disturbance.ts";
import { median } from "../stats/dispersion.ts";

export interface HostNoise {
  slices: number;
  disturbed: number;
  /** The same by the rule that is most telling for each. */
  byRule: Partial<Record<DisturbanceRule, number>>;
  culprits: Culprit[];
}

/** `scenarios`, or parts of them; absent: all, a mix once. */
export function hostNoise(rounds: readonly Round[], scenarios?: ReadonlySet<string>): HostNoise {
  const slicesIn = (round: Round): Slice[] =>
    scenarios ? [...scenarios].flatMap((id) => slicesOf([round], id)) : allSlices([round]);
  const countedIn = (round: Round): Slice[] =>
    slicesIn(round).filter((slice) => slice.void === null || isHostsLoss(slice));
  const counted = rounds.flatMap(countedIn);
  const rules = counted.flatMap((slice) => disturbancesOf(slice)[0]?.rule ?? []);
  return {
    slices: counted.length,
    disturbed: rules.length,
    byRule: countEach(rules),
    culprits: culpritsOf(rounds.filter((round) => countedIn(round).some(isDisturbed))),
  };
}

function culpritsOf(rounds: readonly Round[]): Culprit[] {
  const known = rounds.filter(({ culprits }) => culprits !== undefined);
  const lengthOf = ({ startedAtMs, endedAtMs }: Round): number => endedAtMs - startedAtMs;
  const wholeMs = known.reduce((sum, round) => sum + lengthOf(round), 0);
  const used = new Map<string | null, number>();
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

/** A clock below this share of the run's median is low. */
const SLOW_CLOCK = 0.97;

/** Each signal with how much slower the slices that had it were. */
export function findSliceNoise({ rounds, config }: Samples): SliceNoise {
  const all = allSlices(rounds);
  const clockMhz = median(all.flatMap(({ host }) => host.mhz ?? []));
  const signalsOf = (slice: Slice): Signal[] => [
    ...disturbancesOf(slice).map(({ rule }) => rule),
    ...((slice.host.mhz ?? Number.POSITIVE_INFINITY) < SLOW_CLOCK * clockMhz
      ? (["frequency"] as const)
      : []),
  ];
  const logP99 = ({ latency }: Slice): number => Math.log(latency?.p99 ?? Number.NaN);
  const marked = config.scenarios.flatMap(({ id }) => {
    const counted = slicesOf(rounds, id).filter((slice) => slice.void === null);
    const calm = counted.filter((slice) => signalsOf(slice).length === 0);
    const usual = median(calm.map(logP99).filter(Number.isFinite));
    return counted.map((slice) => ({ signals: signalsOf(slice), excess: logP99(slice) - usual }));
  });
  const costs = SIGNALS.map((signal) => {
    const raised = marked.filter(({ signals }) => signals.includes(signal));
    const excess = median(raised.map((one) => one.excess).filter(Number.isFinite));
    const slower = Number.isNaN(excess) ? null : Math.exp(excess);
    return { signal, slices: raised.length, slower, cost: raised.length * (excess || 0) };
  });
  return {
    slices: all.length,
    void: all.filter((slice) => slice.void !== null).length,
    byRule: voidsByRule(all),
    calm: marked.filter(({ signals }) => signals.length === 0).length,
    signals: costs
      .filter(({ slices }) => slices > 0)
      // Where no slice was calm no cost is known.
      .sort((a, b) => b.cost - a.cost || b.slices - a.slices)
      .map(({ signal, slices, slower }) => ({ signal, slices, slower })),
    culprits: hostNoise(rounds).culprits,
  };
}
