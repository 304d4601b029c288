// What one measured quantile is beside its truth, and what else the tables have in common.
import {
  type KnownMix,
  mixedQuantileUs,
  type Profile,
  trueQuantileUs,
} from "../../test/support/known-latency-profiles.ts";
import type { Cell } from "./cell.ts";
import type { Measurement } from "./measure.ts";

export const LEVELS = [0.5, 0.9, 0.99, 0.999] as const;
export type Level = (typeof LEVELS)[number];
/** Fewer answers beyond a quantile, and it is those few answers. */
export const THIN_BEYOND = 10;
/** What a quantile may be off by before the generator is said to be the limit. */
export const CLOSE_SHARE = 0.05;
export const CLOSE_US = 100;

export const ms = (us: number): string => (us / 1000).toFixed(us < 10_000 ? 2 : 1);
const label = (p: number): string => `p${Number((p * 100).toFixed(1))}`;
export const whole = (number: number): string => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

export type Seen = Pick<Cell, "answers" | "quantiles">;

/** What should be seen. */
export interface Truth {
  at(p: Level): number;
  /**
   * The truth jumps there. Stalls end at 90 % exactly: a request more or less on one side moves
   * that quantile to the other.
   */
  isEdge(p: Level): boolean;
}

export const truthOf = (profile: Profile): Truth => ({
  at: (p) => trueQuantileUs(profile, p),
  isEdge: (p) => profile.stall !== null && p === 0.9,
});

export function truthOfMix(mix: KnownMix): Truth {
  const at = new Map(LEVELS.map((p) => [p, mixedQuantileUs(mix, p)]));
  return {
    at: (p) => at.get(p) ?? Number.NaN,
    isEdge: (p) => mix.parts.every(({ profile }) => truthOf(profile).isEdge(p)),
  };
}

export function isThin(seen: Seen, p: Level): boolean {
  return seen.answers * (1 - p) < THIN_BEYOND;
}

export function isClose(truth: Truth, seen: Seen, p: Level): boolean {
  const error = seen.quantiles[p] - truth.at(p);
  return Math.abs(error) <= Math.max(CLOSE_US, CLOSE_SHARE * truth.at(p));
}

function signed(us: number): string {
  return `${us < 0 ? "−" : "+"}${ms(Math.abs(us))}`;
}

export function quantileText(truth: Truth, seen: Seen, p: Level): string {
  const value = seen.quantiles[p];
  const text = `${ms(value)} (${signed(value - truth.at(p))})`;
  if (truth.isEdge(p)) return `${text} edge`;
  if (isThin(seen, p)) return `${text} thin`;
  return isClose(truth, seen, p) ? text : `**${text}**`;
}

export function truthText(truth: Truth): string {
  return LEVELS.map((p) => `${label(p)} ${ms(truth.at(p))}`).join(", ");
}

export function lateText({ floor }: Cell): string {
  return `${floor.p50.toFixed(0)} / ${floor.p99.toFixed(0)}`;
}

export function machineLines(measured: Measurement): string {
  const { host, keptAwake, cpuSets, tools, measuredAt, seconds } = measured;
  const minutes = Math.round(seconds / 60);
  const { cpuModel, cpus, memoryGiB, kernel, virtual } = host.fingerprint;
  return `Machine: ${cpuModel}, ${cpus} CPUs, ${Math.round(memoryGiB)} GiB, kernel ${kernel}${virtual ? ", virtual" : ""}${keptAwake ? ", CPUs kept awake" : ""}; server on CPU ${cpuSets.service.join(",")}, generator on CPU ${cpuSets.generator.join(",")}; ${tools.join(", ")}.
Measured ${measuredAt.slice(0, 10)}, ${minutes === 1 ? "1 minute" : `${minutes} minutes`}.`;
}
