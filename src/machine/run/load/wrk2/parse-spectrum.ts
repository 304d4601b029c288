// Reads the percentile spectra that wrk2 prints: the corrected latency with --latency, and with
// --u_latency also the uncorrected one, counted from when a request was written. Only the second
// has no better source.
import type { LatencyCounts } from "../../../../core/slice/load.ts";

interface Spectrum {
  /**
   * Each step's requests at its upper end: exact at the printed percentiles, above the truth
   * between them.
   */
  steps: LatencyCounts;
  meanUs: number;
  total: number;
}

interface Spectra {
  corrected: Spectrum | null;
  uncorrected: Spectrum | null;
  /** The histograms were emptied during the run. */
  reset: boolean;
}

const TITLE = /^ {2}Latency Distribution \(HdrHistogram - /m;
/** Value in milliseconds, percentile, requests up to it; what follows is derived. */
const STEP = /^ *(\d+\.\d+) +[01]\.\d+ +(\d+) +(?:\d+\.\d+|inf)$/gm;
const MEAN = /^#\[Mean *= *(\d+\.\d+),/m;
const TOTAL = /^#\[Max *= *\d+\.\d+, Total count *= *(\d+)\]/m;

export function parseWrk2Spectra(text: string): Spectra {
  const [, ...sections] = text.split(TITLE);
  const titled = (title: string): Spectrum | null =>
    spectrumIn(sections.find((section) => section.startsWith(title)) ?? "");
  return {
    corrected: titled("Recorded Latency"),
    uncorrected: titled("Uncorrected Latency"),
    reset: /^ {2}Thread calibration:/m.test(text),
  };
}

/** Null when lines are missing: then their sum is not the total. */
function spectrumIn(section: string): Spectrum | null {
  const values: number[] = [];
  const counts: number[] = [];
  let upTo = 0;
  for (const [, ms, count] of section.matchAll(STEP)) {
    const [value, sum] = [Math.round(Number(ms) * 1000), Number(count)];
    if (sum <= upTo) continue;
    // Printed values are rounded to microseconds; several percentiles may share one.
    const before = values.at(-1) === value ? counts.pop() : undefined;
    if (before === undefined) values.push(value);
    counts.push((before ?? 0) + sum - upTo);
    upTo = sum;
  }
  const mean = MEAN.exec(section);
  if (mean === null || Number(TOTAL.exec(section)?.[1]) !== upTo) return null;
  const steps = { values: Float64Array.from(values), counts: Float64Array.from(counts) };
  return { steps, meanUs: Math.round(Number(mean[1]) * 1000), total: upTo };
}
