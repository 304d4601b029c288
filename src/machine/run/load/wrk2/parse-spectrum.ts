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

const TITLE = /^ {2}Latency Distribution \(HdrHistogram - (Recorded|Uncorrected) Latency/;
/** Value in milliseconds, percentile, requests up to it; what follows is derived. */
const STEP = /^ *(\d+\.\d+) +([01]\.\d+) +(\d+) +(?:\d+\.\d+|inf)$/;
const MEAN = /^#\[Mean *= *(\d+\.\d+),/;
const TOTAL = /^#\[Max *= *\d+\.\d+, Total count *= *(\d+)\]/;

export function parseWrk2Spectra(text: string): Spectra {
  const spectra: Spectra = { corrected: null, uncorrected: null, reset: false };
  let which: "corrected" | "uncorrected" | null = null;
  let draft = emptyDraft();
  for (const line of text.split("\n")) {
    if (line.startsWith("  Thread calibration:")) spectra.reset = true;
    const title = TITLE.exec(line);
    if (title !== null) {
      which = title[1] === "Recorded" ? "corrected" : "uncorrected";
      draft = emptyDraft();
    }
    const step = STEP.exec(line);
    if (step !== null) addStep(draft, Number(step[1]) * 1000, Number(step[3]));
    const mean = MEAN.exec(line);
    if (mean !== null) draft.meanUs = Number(mean[1]) * 1000;
    const total = TOTAL.exec(line);
    if (total === null || which === null) continue;
    const spectrum = finished(draft, Number(total[1]));
    if (spectrum !== null) spectra[which] = spectrum;
    which = null;
  }
  return spectra;
}

interface Draft {
  values: number[];
  counts: number[];
  upTo: number;
  meanUs: number | null;
}

function emptyDraft(): Draft {
  return { values: [], counts: [], upTo: 0, meanUs: null };
}

/** Printed values are rounded to microseconds; several percentiles may share one. */
function addStep(draft: Draft, valueUs: number, upTo: number): void {
  if (upTo <= draft.upTo) return;
  const value = Math.round(valueUs);
  const last = draft.values.length - 1;
  if (draft.values[last] === value)
    draft.counts[last] = (draft.counts[last] ?? 0) + upTo - draft.upTo;
  else {
    draft.values.push(value);
    draft.counts.push(upTo - draft.upTo);
  }
  draft.upTo = upTo;
}

/** Null when lines are missing: then their sum is not the total. */
function finished({ values, counts, upTo, meanUs }: Draft, total: number): Spectrum | null {
  if (meanUs === null || upTo !== total) return null;
  return {
    steps: { values: Float64Array.from(values), counts: Float64Array.from(counts) },
    meanUs: Math.round(meanUs),
    total,
  };
}
