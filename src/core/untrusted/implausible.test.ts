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
    name: "a slice under the other arm's name",
    change: ({ slice }) => Object.assign(slice, { arm: "reference" }),
    told: /^round 0 of "api", "api\/echo": pair \d, try 1 of the reference stands twice/,
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
])("$name", ({ change, told }) => {
  expect(judged(change)).toMatch(told);
});
