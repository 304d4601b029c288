// What plants are sized by: the levels of the unchanged services, and what earlier plants came to. Pure.
import { median } from "../../src/stats/dispersion.ts";
import { trimmedEstimate } from "../../src/stats/hodges-lehmann.ts";
import type { Levels } from "./kinds.ts";
import { logRatios, type Stretch, turnsOf } from "./pool.ts";
import type { StoredRun } from "./runs.ts";
import { FIT_ROUNDS } from "./size.ts";

/** Medians over the reference's rounds. */
export function levelsOf(stretches: readonly Stretch[], runs: readonly StoredRun[]): Levels {
  const turns = stretches.flatMap((stretch) => stretch.turns);
  const levelOf = (id: string): number =>
    median(turns.flatMap(({ values }) => values[id]?.reference ?? []));
  const services = [...new Set(turns.flatMap(({ ms }) => Object.keys(ms)))];
  const byService = (of: (service: string) => number): Record<string, number> =>
    Object.fromEntries(services.map((service) => [service, of(service)]));
  const requestsOf = (service: string): number =>
    median(
      runs.flatMap(({ samples }) =>
        samples.rounds.flatMap((round) =>
          round.service === service ? (round.launches?.reference?.requests ?? []) : [],
        ),
      ),
    );
  return {
    p99Us: byService((service) => levelOf(`${service}/echo p99 typical`)),
    rssBytes: byService((service) => levelOf(`${service} rss`)),
    requests: byService(requestsOf),
  };
}

/** The estimate over a run's first rounds; null with fewer than those, since a run that stops early stops because of them. */
export function firstEstimate(
  { samples }: StoredRun,
  hypothesis: string,
): { logRatio: number; rounds: number } | null {
  const d = logRatios(turnsOf(samples, FIT_ROUNDS), hypothesis);
  if (d.length < FIT_ROUNDS / 2) return null;
  return { logRatio: trimmedEstimate(d), rounds: d.length };
}
