// Samples that no measurement can have given, each told with its place.
import { expect, test } from "vitest";
import { makeSamples } from "../../../test/support/samples.ts";
import type { Latency, Round, Samples, Slice, Window } from "../model/samples.ts";
import { implausible } from "./implausible.ts";

const SAMPLES = makeSamples({ rounds: 3, noise: 0.02, voidShare: 0.2 });

interface First {
  samples: Samples;
  round: Round;
  slice: Slice;
  latency: Latency;
}

function judged(change: (first: First) => void): string | null {
  const samples = structuredClone(SAMPLES);
  const [round] = samples.rounds;
  const slice = round?.scenarios[0]?.slices.find((one) => one.void === null);
  const latency = slice?.latency;
  if (round === undefined || slice === undefined || !latency) throw new Error("no slice");
  change({ samples, round, slice, latency });
  return implausible(samples);
}

const windows = (...requests: number[]): Window[] =>
  requests.map((n) => ({ requests: n, p50: 200, p90: 210, p95: 220, p99: 300 }));

test("what was measured is taken, voided slices included", () => {
  expect(judged(() => {})).toBeNull();
});

test("a slice that the host disturbed counts", () => {
  const disturb = ({ slice }: First): void => {
    slice.host.steal = 0.9;
    slice.lag = { p50: 1, p99: 1e6, max: 1e6 };
    slice.windows = windows(480, 480).map((one) => ({ ...one, lagMax: 1e6 }));
  };
  expect(judged(disturb)).toBeNull();
});

test.each<[string, (first: First) => void, RegExp]>([
  [
    "a round copied under another number",
    ({ samples, round }) => samples.rounds.push({ ...round, index: 9, startedAtMs: 1e6 }),
    /^round 9 of "api" repeats round 0 of "api"/,
  ],
  ["a round twice", ({ samples, round }) => samples.rounds.push(round), /^round 0 .* stands twice/],
  [
    "arms swapped in the whole",
    ({ round }) => {
      for (const { arms } of round.scenarios) {
        if (arms.candidate.pooled !== null) arms.candidate.pooled.p99 *= 1.5;
      }
    },
    /^round 0 of "api", "api\/echo": the candidate's p99 of .* is not among those of its slices/,
  ],
  [
    "a slice under the other arm's name",
    ({ slice }) => {
      slice.arm = "reference";
    },
    /slices\[\d+\] \(reference\): pair \d, try 1 of the reference stands twice/,
  ],
  [
    "a run of the candidate alone that has a reference",
    ({ samples }) => {
      samples.run.compare = "stored";
    },
    /^round 0 of "api" has a reference, but/,
  ],
  [
    "a reference that is missing",
    ({ round }) => {
      if (round.launches !== null) round.launches.reference = null;
    },
    /^round 0 of "api" has no reference, but/,
  ],
  [
    "a p99 below the p50",
    ({ latency }) => {
      latency.p99 = latency.p50 / 2;
    },
    /\(candidate\): p99 of .* µs beside p95 of/,
  ],
  [
    "the same in a window",
    ({ slice }) => {
      slice.windows = windows(480, 480).map((one) => ({ ...one, p99: 100 }));
    },
    /\(candidate\): windows\[0\]: p99 of 100 µs beside p95 of 220 µs/,
  ],
  [
    "a slowest request that is in no window",
    ({ slice, latency }) => {
      slice.windows = windows(480, 480).map((one) => ({ ...one, max: latency.max / 2 }));
    },
    /\(candidate\): a slowest request of .* µs, and of .* µs in its windows/,
  ],
  [
    "windows without their slowest",
    ({ slice, latency }) => {
      slice.windows = windows(480, 480).map((one, k) =>
        k === 0 ? { ...one, max: latency.max } : one,
      );
    },
    /\(candidate\): the slowest request of some windows, and none of others/,
  ],
  [
    "windows of other requests",
    ({ slice }) => {
      slice.windows = windows(400, 400);
    },
    /960 requests, and 800 in its windows/,
  ],
  [
    "more latencies than answers",
    ({ latency }) => {
      latency.requests = 961;
    },
    /latencies of 961 requests, and 960 answers/,
  ],
  [
    "nothing answered",
    ({ slice }) => {
      slice.statuses = {};
      slice.latency = null;
    },
    /counts although 0 of 1000 scheduled requests are accounted for/,
  ],
  [
    "answers of another status",
    ({ slice }) => {
      slice.statuses = { "500": 1000 };
    },
    /counts although 1000 of 1000 answers were not 200/,
  ],
  [
    "a generator without CPU",
    ({ slice }) => {
      slice.host.generator = 0.9;
    },
    /counts although the generator used its CPUs for 90 %/,
  ],
  [
    "a late request that is in none of the windows",
    ({ slice }) => {
      slice.lag = { p50: 1, p99: 9000, max: 9500 };
      slice.windows = windows(480, 480).map((one) => ({ ...one, lagMax: 900 }));
    },
    /\(candidate\): a largest lag of 9500 µs, and of 900 µs in its windows/,
  ],
  [
    "windows of which some have no lag",
    ({ slice }) => {
      const [first, ...others] = windows(480, 480);
      if (first !== undefined) slice.windows = [{ ...first, lagMax: 1400 }, ...others];
    },
    /\(candidate\): the largest lag of some windows, and none of others/,
  ],
  [
    "programs that used more than there is",
    ({ round }) => {
      round.culprits = ["a", "b"].map((command) => ({ command, share: 0.9 }));
    },
    /^round 0 of "api" names programs that used 1\.8 of the measured CPUs/,
  ],
])("%s", (_, change, told) => {
  expect(judged(change)).toMatch(told);
});
