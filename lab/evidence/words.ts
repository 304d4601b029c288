// Numbers and tables as the page writes them.
import { clopperPearson } from "../stats/intervals.ts";
import type { Machine } from "./runs.ts";

export const NONE = "–";

export const percent = (share: number, digits = 1): string => `${(share * 100).toFixed(digits)} %`;

/** A log ratio: `+4.2 %`. */
export function change(logRatio: number): string {
  const value = Math.expm1(logRatio) * 100;
  return Number.isFinite(value) ? `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)} %` : NONE;
}

export const fixed = (value: number, digits: number): string =>
  Number.isFinite(value) ? value.toFixed(digits) : NONE;

/** `3 of 20, 15.0 % [3.2, 37.9]`, Clopper and Pearson's interval at 95 %. */
export function share(k: number, n: number): string {
  if (n === 0) return "none";
  const { low, high } = clopperPearson(k, n, 0.95);
  return `${k} of ${n}, ${percent(k / n)} [${(low * 100).toFixed(1)}, ${(high * 100).toFixed(1)}]`;
}

/**
 * One-sided upper bound at 95 %: the upper end of Clopper and Pearson's two-sided interval at 90 %.
 */
export const upperBound = (k: number, n: number): number => clopperPearson(k, n, 0.9).high;

export const machineName = ({ cpuModel, cpus, memoryGiB, kernel }: Machine): string =>
  `${cpuModel}, ${cpus} CPUs, ${Math.round(memoryGiB)} GiB, kernel ${kernel}`;

export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(titles), `|${titles.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}
