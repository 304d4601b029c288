// Samples that no measurement can have given, each told with its place.
import { expect, test } from "vitest";
import { makeArtifactFacts, makeSamples } from "../../../test/support/samples.ts";
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

const unchangedBy = (by: "sources" | "artifact") => [{ service: "api", by, key: "k" }];

test("what was measured is taken, voided slices included", () => {
  expect(judged(() => {})).toBeNull();
});

test.each<{ name: string; change: (first: First) => unknown }>([
  {
    name: "rounds of several machines, each with its own clock",
    change: ({ samples }) => {
      samples.run.merged = { of: 2, lost: [] };
      for (const round of samples.rounds) Object.assign(round, { startedAtMs: 0, endedAtMs: 9000 });
    },
  },
  {
    name: "nothing measured, as nothing differs",
    change: ({ samples }) => {
      Object.assign(samples, { rounds: [], unchanged: unchangedBy("sources") });
      samples.run.measuredMs = 0;
    },
  },
  {
    name: "equal artifacts",
    change: ({ samples }) => {
      const facts = { ...makeArtifactFacts("k"), sha256: "a".repeat(64) };
      Object.assign(samples, { rounds: [], unchanged: unchangedBy("artifact") });
      Object.assign(samples, { artifacts: [facts, { ...facts, arm: "reference" }] });
      samples.run.measuredMs = 0;
    },
  },
])("$name is taken", ({ change }) => {
  expect(judged(change)).toBeNull();
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
    name: "arms that answered alike to the last digit",
    change: ({ round }) => {
      for (const entry of round.scenarios) {
        const own = entry.slices.filter(({ arm }) => arm === "candidate");
        const others = entry.slices.filter(({ arm }) => arm === "reference");
        for (const [i, other] of others.entries()) other.latency = own[i]?.latency ?? null;
      }
    },
    told: /^round 0 of "api", "api\/echo": both builds' latencies are the same number for number/,
  },
  {
    name: "a round that ends before it begins",
    change: ({ round }) => Object.assign(round, { startedAtMs: 9000, endedAtMs: 0 }),
    told: /^round 0 of "api" ends when it begins, or before/,
  },
  {
    name: "a clock that stands still",
    change: ({ samples }) =>
      samples.rounds.map((one) => Object.assign(one, { startedAtMs: 0, endedAtMs: 0 })),
    told: /^round 0 of "api" ends when it begins, or before/,
  },
  {
    name: "rounds in reverse order",
    change: ({ samples }) => samples.rounds.reverse(),
    told: /^round 1 of "api" begins before round 2 of "api" ends/,
  },
  {
    name: "rounds at the same time",
    change: ({ samples }) => Object.assign(samples.rounds[1] ?? {}, { startedAtMs: 5000 }),
    told: /^round 1 of "api" begins before round 0 of "api" ends/,
  },
  {
    name: "nothing measured in two minutes",
    change: ({ samples }) =>
      Object.assign(samples, { rounds: [], unchanged: unchangedBy("sources") }),
    told: /^every service is unchanged, but the run took 30000 ms and ended: answered/,
  },
  {
    name: "nothing measured, and regressed",
    change: ({ samples }) => {
      Object.assign(samples, { rounds: [], unchanged: unchangedBy("sources") });
      Object.assign(samples.run, { measuredMs: 0, ended: "regressed" });
    },
    told: /^every service is unchanged, but the run took 0 ms and ended: regressed/,
  },
  {
    name: "equal artifacts that are not equal",
    change: ({ samples }) => {
      const facts = { ...makeArtifactFacts("k"), sha256: "a".repeat(64) };
      const other = { ...facts, arm: "reference" as const, sha256: "b".repeat(64) };
      Object.assign(samples, { rounds: [], unchanged: unchangedBy("artifact") });
      Object.assign(samples, { artifacts: [facts, other] });
      samples.run.measuredMs = 0;
    },
    told: /^"api" is unchanged by its artifacts, and they are not the same/,
  },
  {
    name: "more services that are unchanged than there may be",
    change: ({ samples }) =>
      Object.assign(samples, { unchanged: Array(101).fill(unchangedBy("sources")[0]) }),
    told: /^101 unchanged, at most 100 are taken/,
  },
  ...[["api"], ["web"], ["web", "web"]].map((names) => ({
    name: `services that are unchanged and measured, unknown or named twice: ${names}`,
    change: ({ samples }: First) => {
      samples.unchanged = names.flatMap((service) => [{ service, by: "sources", key: "k" }]);
    },
    told: new RegExp(`^"${names[0]}" is unchanged and measured, unknown or named twice`),
  })),
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
