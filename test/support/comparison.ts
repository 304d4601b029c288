// Samples of two made-up services for tests of `compare`, from those that the gate's tests use.
import { asPair, namesOf } from "../../src/core/comparison/pair.ts";
import type { Arm, Launch, Samples } from "../../src/core/model/samples.ts";
import { makeSamples, type SamplesRecipe } from "./samples.ts";

export interface ComparisonRecipe extends Partial<SamplesRecipe> {
  names?: Record<Arm, string>;
  /** Of every launch, beside RSS. */
  values?: Record<Arm, Launch["values"]>;
}

const NAMES = { candidate: "rusty", reference: "gopher" };
const VALUES: Record<Arm, Launch["values"]> = {
  candidate: { startup: 4.2, cpuPer1k: 41, threads: 2, ctxInvoluntaryPer1k: 0.4 },
  reference: { startup: 6.9, cpuPer1k: 66, threads: 7, ctxInvoluntaryPer1k: 1.9, gcPauseMax: 180 },
};

export function makeComparisonSamples(recipe: ComparisonRecipe = {}): Samples {
  const { names = NAMES, values = VALUES } = recipe;
  const base = makeSamples({
    rounds: 12,
    noise: 0.03,
    p99Ratio: { "api/echo": 0.74 },
    rssRatio: { api: 0.3 },
    ...recipe,
  });
  const pair = pairName(names);
  const idOf = (id: string): string => id.replace(/^api\//, `${pair}/`);
  const [api] = base.config.services;
  if (api === undefined) throw new Error("the made-up configuration has no service");
  const config = asPair({ ...base.config, services: [api] }, pair);
  return {
    ...base,
    run: { ...base.run, ended: "rounds" },
    sources: { candidate: base.sources.candidate, reference: base.sources.candidate },
    config,
    artifacts: [artifact("candidate", names), artifact("reference", names)],
    dependencies: [
      {
        name: "db",
        program: "PostgreSQL 15.18",
        contents: { candidate: "1", reference: "1" },
        settings: {},
      },
    ],
    rounds: base.rounds.map((round) => ({
      ...round,
      service: pair,
      launches: withValues(round.launches, values),
      scenarios: round.scenarios.map((entry) => ({ ...entry, scenario: idOf(entry.scenario) })),
    })),
  };
}

function pairName({ candidate, reference }: Record<Arm, string>): string {
  return `${candidate} vs ${reference}`;
}

function withValues(
  launches: Samples["rounds"][number]["launches"],
  values: Record<Arm, Launch["values"]>,
): typeof launches {
  if (launches === null || launches.reference === null) return launches;
  const { candidate, reference } = launches;
  return {
    candidate: { ...candidate, values: { rss: candidate.values.rss, ...values.candidate } },
    reference: { ...reference, values: { rss: reference.values.rss, ...values.reference } },
  };
}

function artifact(arm: Arm, names: Record<Arm, string>): Samples["artifacts"][number] {
  const rust = arm === "candidate";
  return {
    arm,
    service: pairName(names),
    key: arm,
    sha256: (rust ? "a" : "b").repeat(64),
    binaryBytes: rust ? 3_400_000 : 9_800_000,
    strippedBytes: rust ? 2_700_000 : 6_900_000,
    buildMs: rust ? 31_000 : 4200,
    cached: false,
    toolchain: rust ? "cargo 1.90.0" : "go 1.25.1",
  };
}

/** The same measurement with the services in the other order. */
export function swapped(samples: Samples): Samples {
  const other: Record<Arm, Arm> = { candidate: "reference", reference: "candidate" };
  const swap = <T>(of: Record<Arm, T>): Record<Arm, T> => ({
    candidate: of.reference,
    reference: of.candidate,
  });
  const names = namesOf(samples);
  if (names === null) throw new Error("samples of no two services");
  const pair = pairName(swap(names));
  const idOf = (id: string): string => id.replace(pairName(names), pair);
  return {
    ...samples,
    config: asPair(samples.config, pair),
    artifacts: samples.artifacts.map((one) => ({ ...one, arm: other[one.arm] })).toReversed(),
    rounds: samples.rounds.map((round) => ({
      ...round,
      service: pair,
      launches:
        round.launches?.reference == null
          ? round.launches
          : swap({ ...round.launches, reference: round.launches.reference }),
      scenarios: round.scenarios.map(({ scenario, arms, slices, ...entry }) => ({
        ...entry,
        scenario: idOf(scenario),
        arms: arms.reference === null ? arms : swap({ ...arms, reference: arms.reference }),
        slices: slices.map((slice) => ({ ...slice, arm: other[slice.arm] })),
      })),
    })),
  };
}
