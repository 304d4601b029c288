// How other tools call a regression, each written down from its own definition and applied to
// numbers that were recorded. Smaller is better in all of them. What each is shown is what it would
// have measured itself: `rounds` says how many bursts of each arm that takes.
import { median, sampleSd } from "../../src/core/stats/dispersion.ts";
import { studentUpperQuantile, studentUpperTail } from "../../src/core/stats/student-t.ts";

/** One metric of one pull request, each value from a launch and a burst of its own. */
export interface Recorded {
  /** Earlier values of the reference, from other runs, oldest first. */
  history: readonly number[];
  /**
   * Values of this run, in the order they were measured; the i-th of both arms stood beside each
   * other.
   */
  reference: readonly number[];
  candidate: readonly number[];
}

export interface PeerVerdict {
  /**
   * `silent`: no alarm, for want of data or of difference; none of these rules shows that there is
   * no change.
   */
  state: "regressed" | "silent";
  /** Bursts of the candidate it looked at. */
  rounds: number;
}

export interface PeerRule {
  name: string;
  /** Repository, commit and file of the definition, or the documentation's address. */
  source: string;
  /** The rule in one sentence. */
  definition: string;
  judge(recorded: Recorded): PeerVerdict;
}

const alarm = (isRegressed: boolean, rounds: number): PeerVerdict => ({
  state: isRegressed ? "regressed" : "silent",
  rounds,
});

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const percent = (fraction: number): string => `${Number((fraction * 100).toPrecision(3))} %`;

/** `threshold`: the default is 2 (alert-threshold 200 %). */
export function githubActionBenchmark({ threshold }: { threshold: number }): PeerRule {
  return {
    name: `github-action-benchmark, threshold ${percent(threshold)}`,
    source: "benchmark-action/github-action-benchmark c38cce98 src/write.ts findAlerts, getRatio",
    definition: `One new value over the last stored one is more than ${threshold}; 0 over 0 is 1.`,
    judge({ history, candidate }) {
      const previous = history.at(-1);
      const current = candidate[0];
      if (previous === undefined || current === undefined) return alarm(false, 0);
      const ratio = previous === 0 && current === 0 ? 1 : current / previous;
      return alarm(ratio > threshold, 1);
    },
  };
}

/** `boundary` and `maxSamples`: .99 and 64 in the documentation's examples. */
export function bencherT({
  boundary,
  maxSamples,
}: {
  boundary: number;
  maxSamples: number;
}): PeerRule {
  return {
    name: `Bencher, t-test ${boundary}`,
    source: "bencherdev/bencher 8d75325c3 lib/bencher_boundary/src/limits/mod.rs, mean.rs",
    definition: `One new value lies above mean + t(${boundary}, n − 1) · sd · √(1 + 1/n) of up to ${maxSamples} stored ones.`,
    judge({ history, candidate }) {
      const stored = history.slice(-maxSamples);
      const current = candidate[0];
      const sd = sampleSd(stored);
      // Without two values, or without spread among them, there is no limit and no alert.
      if (current === undefined || !(sd > 0)) return alarm(false, current === undefined ? 0 : 1);
      const n = stored.length;
      const limit =
        mean(stored) + studentUpperQuantile(1 - boundary, n - 1) * sd * Math.sqrt(1 + 1 / n);
      return alarm(current > limit, 1);
    },
  };
}

/** Defaults: threshold .2, 7 repeats, no noise policy, no test. */
export function perfgateCheck({
  threshold,
  repeats,
}: {
  threshold: number;
  repeats: number;
}): PeerRule {
  return {
    name: `perfgate check, ${percent(threshold)}`,
    source: "EffortlessMetrics/perfgate 42a8ad7 crates/perfgate/src/domain/budget.rs, app/check.rs",
    definition: `The median of ${repeats} values is more than ${percent(threshold)} above the median of ${repeats} stored ones.`,
    judge({ history, candidate }) {
      const stored = history.slice(-repeats);
      const current = candidate.slice(0, repeats);
      const baseline = median(stored);
      if (current.length === 0 || !(baseline > 0)) return alarm(false, current.length);
      const regression = Math.max(0, (median(current) - baseline) / baseline);
      return alarm(regression > threshold, current.length);
    },
  };
}

/**
 * Default: 5 pairs, no retries. With retries, as its help proposes for noisy machines, it measures
 * on until a difference is significant: 2, 3, 5, 6, … pairs more each time.
 */
export function perfgatePaired({
  pairs,
  maxRetries,
}: {
  pairs: number;
  maxRetries: number;
}): PeerRule {
  return {
    name: `perfgate paired, ${pairs} pairs${maxRetries === 0 ? "" : `, ${maxRetries} retries`}`,
    source:
      "EffortlessMetrics/perfgate 42a8ad7 crates/perfgate/src/domain/paired.rs, app/paired.rs",
    definition:
      "The mean difference less 2 (from 30 pairs on 1.96) times sd/√n is above 0, sd with divisor n; with retries more pairs are added while it is not significant.",
    judge({ reference, candidate }) {
      const most = Math.min(reference.length, candidate.length);
      let n = Math.min(pairs, most);
      for (let retry = 0; ; retry++) {
        const interval = pairedInterval(reference.slice(0, n), candidate.slice(0, n));
        const significant = n >= 3 && (interval.low > 0 || interval.high < 0);
        const more = Math.ceil((retry + 1) * 1.5);
        if (significant || retry >= maxRetries || n + more > most) {
          return alarm(significant && interval.low > 0, n);
        }
        n += more;
      }
    },
  };
}

function pairedInterval(
  reference: readonly number[],
  candidate: readonly number[],
): { low: number; high: number } {
  const differences = candidate.map((value, i) => value - (reference[i] ?? Number.NaN));
  const n = differences.length;
  const centre = mean(differences);
  const sd = Math.sqrt(mean(differences.map((value) => (value - centre) ** 2)));
  const margin = ((n >= 30 ? 1.96 : 2) * (n > 1 ? sd : 0)) / Math.sqrt(n);
  return { low: centre - margin, high: centre + margin };
}

/** Its P50 has the limit of 5 %; other percentiles are shown only. */
export function postgrestLoadtest({ limit }: { limit: number }): PeerRule {
  return {
    name: `PostgREST loadtest, ${percent(limit)}`,
    source: "PostgREST/postgrest 483467890 nix/tools/loadtest.nix evaluate_change",
    definition: `One value of the head is ${percent(limit)} or more above one of main, measured one after the other.`,
    judge({ reference, candidate }) {
      const [base] = reference;
      const [head] = candidate;
      if (base === undefined || head === undefined) return alarm(false, 0);
      return alarm(!(head / base - 1 < limit), 1);
    },
  };
}

/**
 * Defaults: 50 samples, then 10 more at a time until the interval leaves 0 out, for at most 3
 * minutes.
 */
export function tachometer({ samples, batch }: { samples: number; batch: number }): PeerRule {
  return {
    name: `tachometer, from ${samples} samples`,
    source: "google/tachometer 705d648 src/stats.ts, src/runner.ts, src/defaults.ts",
    definition: `The 95 % interval of the relative difference of means lies above 0, looked at after ${samples} samples and after every ${batch} more until it leaves 0 out or time is up.`,
    judge({ reference, candidate }) {
      const most = Math.min(reference.length, candidate.length);
      for (let n = Math.min(samples, most); ; n += batch) {
        const { low, high } = relativeInterval(reference.slice(0, n), candidate.slice(0, n));
        // 0 on the edge counts as inside.
        if (low > 0 || high < 0 || n + batch > most) return alarm(low > 0, n);
      }
    },
  };
}

/** (b − a) / a with the variance of its first-order expansion, on min(n) − 1 degrees of freedom. */
function relativeInterval(
  a: readonly number[],
  b: readonly number[],
): { low: number; high: number } {
  const n = Math.min(a.length, b.length);
  if (n < 2) return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  const [meanA, meanB] = [mean(a), mean(b)];
  const [varA, varB] = [sampleSd(a) ** 2 / a.length, sampleSd(b) ** 2 / b.length];
  const centre = (meanB - meanA) / meanA;
  const variance = (varA * meanB ** 2 + varB * meanA ** 2) / meanA ** 4;
  const margin = studentUpperQuantile(0.025, n - 1) * Math.sqrt(variance);
  return { low: centre - margin, high: centre + margin };
}

/**
 * A k6 threshold is a number that a team wrote down: here the median of what was stored, and a
 * margin. There is no default.
 */
export function k6Threshold({ margin }: { margin: number }): PeerRule {
  return {
    name: `k6 threshold, baseline +${percent(margin)}`,
    source: "https://grafana.com/docs/k6/latest/using-k6/thresholds/",
    definition: `One value does not satisfy p(99) < limit at the end of the test; the limit was set ${percent(margin)} above the median of earlier values.`,
    judge({ history, candidate }) {
      const [current] = candidate;
      if (current === undefined || history.length === 0) return alarm(false, 0);
      return alarm(!(current < median(history) * (1 + margin)), 1);
    },
  };
}

/** Welch's test as perfgate offers it beside its budget: two-sided, at level alpha. */
export function welchP(a: readonly number[], b: readonly number[]): number {
  const [varA, varB] = [sampleSd(a) ** 2 / a.length, sampleSd(b) ** 2 / b.length];
  const variance = varA + varB;
  if (!(variance > 0)) return mean(a) === mean(b) ? 1 : 0;
  const freedom = variance ** 2 / (varA ** 2 / (a.length - 1) + varB ** 2 / (b.length - 1));
  return 2 * studentUpperTail(Math.abs(mean(a) - mean(b)) / Math.sqrt(variance), freedom);
}

/**
 * perfgate with `require_significance`: a budget that fails is let through unless Welch's test
 * agrees, or if it cannot be run.
 */
export function perfgateSignificant({
  threshold,
  repeats,
  minSamples,
}: {
  threshold: number;
  repeats: number;
  minSamples: number;
}): PeerRule {
  const budget = perfgateCheck({ threshold, repeats });
  return {
    name: `perfgate check, ${percent(threshold)}, with its test`,
    source: "EffortlessMetrics/perfgate 42a8ad7 domain/significance.rs, domain/comparison.rs",
    definition: `As perfgate check, and Welch's test of both sides' values has p ≤ 0.05; with fewer than ${minSamples} values a side nothing fails.`,
    judge(recorded) {
      const stored = recorded.history.slice(-repeats);
      const current = recorded.candidate.slice(0, repeats);
      const verdict = budget.judge(recorded);
      const enough = Math.min(stored.length, current.length) >= minSamples;
      const isProven = enough && welchP(stored, current) <= 0.05;
      return alarm(verdict.state === "regressed" && isProven, verdict.rounds);
    },
  };
}

/** With the tools' defaults, and the settings that people who find those too coarse turn to. */
export const PEER_RULES: readonly PeerRule[] = [
  githubActionBenchmark({ threshold: 2 }),
  githubActionBenchmark({ threshold: 1.1 }),
  bencherT({ boundary: 0.99, maxSamples: 64 }),
  perfgateCheck({ threshold: 0.2, repeats: 7 }),
  perfgateSignificant({ threshold: 0.2, repeats: 10, minSamples: 8 }),
  perfgatePaired({ pairs: 5, maxRetries: 0 }),
  perfgatePaired({ pairs: 5, maxRetries: 5 }),
  postgrestLoadtest({ limit: 0.05 }),
  tachometer({ samples: 50, batch: 10 }),
  k6Threshold({ margin: 0.1 }),
  k6Threshold({ margin: 0.2 }),
];
