// Words of a comparison of two services.
import type { ComparisonRow, Finding } from "../../../src/core/comparison/model.ts";
import { NOTHING } from "../../../src/core/text/format.ts";

const WORDS: Readonly<Record<Finding, string>> = {
  lower: "lower",
  higher: "higher",
  "no-difference-shown": "no difference shown",
  "too-few-rounds": "too few rounds",
  "no-ratio": "no ratio",
  invalid: "invalid",
};

const SHORT_LABELS: Readonly<Record<string, string>> = {
  ctxVoluntaryPer1k: "voluntary switches /1,000",
  ctxInvoluntaryPer1k: "involuntary switches /1,000",
};

/** Where room is scarce: at most 27 columns. */
export function shortLabel({ id, label }: Pick<ComparisonRow, "id" | "label">): string {
  return SHORT_LABELS[id] ?? label;
}

export function findingWord({ finding }: Pick<ComparisonRow, "finding">): string {
  return WORDS[finding];
}

export function isShown({ finding }: Pick<ComparisonRow, "finding">): boolean {
  return finding === "lower" || finding === "higher";
}

/** `0.741`, `3.27`, `12.4`: a log ratio as a factor. */
export function formatRatio(logRatio: number | null): string {
  return logRatio === null ? NOTHING : digits(Math.exp(logRatio), Math.round);
}

/** `[0.712, 0.774]`, rounded outwards; a null bound is infinite. `–` if both are. */
export function formatRatioInterval({ interval }: Pick<ComparisonRow, "interval">): string {
  if (interval === null || (interval.low === null && interval.high === null)) return NOTHING;
  const low = interval.low === null ? "0" : digits(Math.exp(interval.low), Math.floor);
  const high = interval.high === null ? "∞" : digits(Math.exp(interval.high), Math.ceil);
  return `[${low}, ${high}]`;
}

/** `0.741 [0.712, 0.774]`, or as much of it as there is. */
export function formatRatioWithInterval(row: Pick<ComparisonRow, "estimate" | "interval">): string {
  const parts = [formatRatio(row.estimate), formatRatioInterval(row)];
  return parts.filter((part) => part !== NOTHING).join(" ") || NOTHING;
}

/** Three significant digits, and three decimals about 1, where they tell most. */
function digits(value: number, round: (value: number) => number): string {
  if (!(value > 0) || !Number.isFinite(value)) return String(value);
  const decimals =
    value < 10 ? Math.max(3, 2 - Math.floor(Math.log10(value))) : value < 100 ? 1 : 0;
  const step = 10 ** decimals;
  // Rounded to twelve digits first: exp(0) × 1000 must not round up to 1001.
  return (round(Number((value * step).toPrecision(12))) / step).toFixed(decimals);
}
