// What `doctor` found: the machine, what happens on it now, and what disturbed recorded slices.
import type { CpuSets, Finding, Host } from "./host.ts";
import { type Culprit, DISTURBANCE_RULES, type SliceRule } from "./samples.ts";

/** What may slow a slice: the host's disturbances, or a lower clock. */
export const SIGNALS = [...DISTURBANCE_RULES, "frequency"] as const;
export type Signal = (typeof SIGNALS)[number];

/** How a signal coincided with slow slices; not necessarily their cause. */
export interface SignalCost {
  signal: Signal;
  /** Slices that count in which it was raised. */
  slices: number;
  /** Their median p99 over that of the scenario's slices without a signal; null: not comparable. */
  slower: number | null;
}

export interface SliceNoise {
  slices: number;
  void: number;
  byRule: Partial<Record<SliceRule, number>>;
  /** Slices that count without any signal. */
  calm: number;
  /** Costliest first, then the most frequent; those never raised are left out. */
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
  slices: SliceNoise | null;
}
