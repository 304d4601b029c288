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

function judged(change: (first: First) => unknown): string | null {
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

const cut = (slice: Slice, ...each: Partial<Window>[]): unknown =>
  Object.assign(slice, { windows: windows(480, 480).map((one, k) => ({ ...one, ...each[k] })) });
const both = <T>(of: T): [T, T] => [of, of];

test.each<{ name: string; change: (first: First) => unknown; told: RegExp }>([
  {
    name: "a round copied under another number",
    change: ({ samples, round }) => samples.rounds.push({ ...round, index: 9, startedAtMs: 1e6 }),
    told: /^round 9 of "api" repeats round 0 of "api"/,
  },
  {
    name: "a round twice",
    change: ({ samples, round }) => samples.rounds.push(round),
    told: /^round 0 .* stands twice/,
  },
  {
    name: "arms swapped in the whole",
    change: ({ round }) =>
      round.scenarios.map(({ arms: { candidate } }) =>
        Object.assign(candidate.pooled ?? {}, { p99: 1.5 * (candidate.pooled?.p99 ?? 0) }),
      ),
    told: /^round 0 of "api", "api\/echo": the candidate's p99 of .* is not among those of its slices/,
  },
  {
    name: "a slice under the other arm's name",
    change: ({ slice }) => Object.assign(slice, { arm: "reference" }),
    told: /slices\[\d+\] \(reference\): pair \d, try 1 of the reference stands twice/,
  },
  {
    name: "a run of the candidate alone that has a reference",
    change: ({ samples }) => Object.assign(samples.run, { compare: "stored" }),
    told: /^round 0 of "api" has a reference, but/,
  },
  {
    name: "a reference that is missing",
    change: ({ round }) => Object.assign(round.launches ?? {}, { reference: null }),
    told: /^round 0 of "api" has no reference, but/,
  },
  {
    name: "a p99 below the p50",
    change: ({ latency }) => Object.assign(latency, { p99: latency.p50 / 2 }),
    told: /\(candidate\): p99 of .* µs beside p95 of/,
  },
  {
    name: "the same in a window",
    change: ({ slice }) => cut(slice, ...both({ p99: 100 })),
    told: /\(candidate\): windows\[0\]: p99 of 100 µs beside p95 of 220 µs/,
  },
  {
    name: "a slowest request that is in no window",
    change: ({ slice, latency }) => cut(slice, ...both({ max: latency.max / 2 })),
    told: /\(candidate\): a slowest request of .* µs, and of .* µs in its windows/,
  },
  {
    name: "windows without their slowest",
    change: ({ slice, latency }) => cut(slice, { max: latency.max }),
    told: /\(candidate\): the slowest request of some windows, and none of others/,
  },
  {
    name: "windows of other requests",
    change: ({ slice }) => cut(slice, ...both({ requests: 400 })),
    told: /960 requests, and 800 in its windows/,
  },
  {
    name: "more latencies than answers",
    change: ({ latency }) => Object.assign(latency, { requests: 961 }),
    told: /latencies of 961 requests, and 960 answers/,
  },
  {
    name: "nothing answered",
    change: ({ slice }) => Object.assign(slice, { statuses: {}, latency: null }),
    told: /counts although 0 of 1000 scheduled requests are accounted for/,
  },
  {
    name: "answers of another status",
    change: ({ slice }) => Object.assign(slice, { statuses: { "500": 1000 } }),
    told: /counts although 1000 of 1000 answers were not 200/,
  },
  {
    name: "a generator without CPU",
    change: ({ slice }) => Object.assign(slice.host, { generator: 0.9 }),
    told: /counts although the generator used its CPUs for 90 %/,
  },
  {
    name: "a late request that is in none of the windows",
    change: ({ slice }) =>
      cut(
        Object.assign(slice, { lag: { p50: 1, p99: 9000, max: 9500 } }),
        ...both({ lagMax: 900 }),
      ),
    told: /\(candidate\): a largest lag of 9500 µs, and of 900 µs in its windows/,
  },
  {
    name: "windows of which some have no lag",
    change: ({ slice }) => cut(slice, { lagMax: 1400 }),
    told: /\(candidate\): the largest lag of some windows, and none of others/,
  },
  {
    name: "programs that used more than there is",
    change: ({ round }) =>
      Object.assign(round, { culprits: ["a", "b"].map((command) => ({ command, share: 0.9 })) }),
    told: /^round 0 of "api" names programs that used 1\.8 of the measured CPUs/,
  },
])("$name", ({ change, told }) => {
  expect(judged(change)).toMatch(told);
});
