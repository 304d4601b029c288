// What `doctor` found: the machine, what happens on it now, and what disturbed recorded slices.
import type { CpuSets, Finding, Host } from "./host.ts";
import type { Culprit, SliceRule } from "./samples.ts";

/** What a slice's record says of the host while it ran. */
export const SIGNALS = ["throttled", "steal", "foreign", "frequency", "lag", "generator"] as const;
export type Signal = (typeof SIGNALS)[number];

/** How a signal coincided with slow and discarded slices; not necessarily their cause. */
export interface SignalCost {
  signal: Signal;
  slices: number;
  void: number;
  /** Of these, spoiled ones: void, or half as slow again as the scenario's quiet slices. */
  spoiled: number;
  /** Median p99 of these slices that count over that of quiet ones; null: none count. */
  slower: number | null;
  /** Share of all slowness (sum of logs) in slices with this signal; signals overlap. */
  share: number;
}

export interface SpoiledSlices {
  slices: number;
  void: number;
  spoiled: number;
  /** Spoiled without any signal: the service's own doing, or something that nobody recorded. */
  unexplained: number;
  /** Slices without any signal, by which others are judged. */
  quiet: number;
  byRule: Partial<Record<SliceRule, number>>;
  /** Slices that count although the host disturbed them. */
  disturbed: number;
  /** Costliest first; those never raised are left out. */
  signals: SignalCost[];
  /** Programs of others in the rounds that were disturbed, the busiest first. */
  culprits: Culprit[];
}

export interface Examination {
  host: Host;
  cpuSets: CpuSets;
  /** Path of the load generator; null: none is installed. */
  generator: string | null;
  /** Seen in a few seconds; empty for a recorded machine. */
  now: Finding[];
  /** Null: no samples were named. */
  slices: SpoiledSlices | null;
}
