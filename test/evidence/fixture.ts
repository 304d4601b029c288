// Synthetic runs of the evidence: two services of two scenarios, with known ratios.
import { KINDS } from "../../scripts/evidence/kinds.ts";
import type { Plant, StoredRun } from "../../scripts/evidence/runs.ts";
import type { Config } from "../../src/model/config.ts";
import type { Round, Samples } from "../../src/model/samples.ts";
import { judge } from "../../src/verdict/judge.ts";
import { makeSamples, type SamplesRecipe } from "../support/samples.ts";

/** The same service again under another name. */
function renamed<T>(value: T, from: string, to: string): T {
  return JSON.parse(
    JSON.stringify(value).replaceAll(`"${from}"`, `"${to}"`).replaceAll(`"${from}/`, `"${to}/`),
  ) as T;
}

export interface TwinRecipe extends Omit<SamplesRecipe, "p99Ratio" | "rssRatio"> {
  /** Of the second service. */
  p99Ratio?: number;
  rssRatio?: number;
}

/** Services `api` and `twin`; what is planted is in the twin. */
export function twinSamples({ p99Ratio = 1, rssRatio = 1, ...recipe }: TwinRecipe): Samples {
  const first = makeSamples(recipe);
  const second = makeSamples({
    ...recipe,
    seed: (recipe.seed ?? 1) + 1000,
    p99Ratio: { "api/echo": p99Ratio },
    rssRatio: { api: rssRatio },
  });
  const twin = renamed(second, "api", "twin");
  const config: Config = {
    ...first.config,
    services: [...first.config.services, ...twin.config.services],
    scenarios: [...first.config.scenarios, ...twin.config.scenarios],
  };
  const rounds = first.rounds.flatMap((round, i): Round[] => {
    const other = twin.rounds[i];
    return other === undefined ? [round] : [round, other];
  });
  const { candidate } = first.sources;
  return {
    ...first,
    config,
    rounds,
    sources: { candidate, reference: { ...candidate, label: "HEAD" } },
    run: { ...first.run, measuredMs: rounds.length * 9500 },
  };
}

/** A gate stops when it has its answers: rounds that it would not have measured are left out. */
function stopped(samples: Samples, turns: number): Samples {
  const rounds = samples.rounds.slice(0, 2 * turns);
  return { ...samples, rounds, run: { ...samples.run, measuredMs: rounds.length * 9500 } };
}

let day = 0;

export function makeRun(
  kind: string,
  recipe: TwinRecipe & { turns?: number },
  plants: readonly Plant[] = [],
): StoredRun {
  day++;
  const { turns, ...rest } = recipe;
  const whole = twinSamples(rest);
  const startedAt = `2026-01-02T${String(3 + day).padStart(2, "0")}:04:05.000Z`;
  const samples = {
    ...stopped(whole, turns ?? rest.rounds),
    run: { ...whole.run, startedAt },
  };
  const verdict = judge({ samples, baselines: [] });
  const regressed = verdict.comparisons.filter(({ state }) => state === "regressed");
  return {
    name: `run-${day}-${kind}`,
    kind,
    plants: [...plants],
    minutes: Math.round(samples.run.measuredMs / 60_000) + 1,
    exitCode: 0,
    verdict:
      KINDS[kind] === undefined
        ? null
        : { state: verdict.state, regressed: regressed.map(({ id }) => id) },
    load: 0.5,
    samples,
  };
}

/** A handful of every sort; the same at every call. */
export function fewRuns(): StoredRun[] {
  day = 0;
  const slower: Plant = {
    service: "twin",
    faults: "route=/echo,latency_us=30",
    finds: ["twin/echo p99 typical"],
    effect: 0.1,
  };
  const heavier: Plant = {
    service: "twin",
    faults: "keep_bytes=1000000",
    finds: ["twin rss"],
    effect: 0.05,
  };
  return [
    makeRun("pool", { rounds: 24, noise: 0.04, seed: 1 }),
    makeRun("aa-all", { rounds: 8, noise: 0.03, seed: 2 }),
    makeRun("aa-all", { rounds: 12, noise: 0.06, seed: 3, voidShare: 0.05 }),
    makeRun("aa-two-builds", { rounds: 10, noise: 0.03, seed: 6 }),
    makeRun("p99+10", { rounds: 20, noise: 0.02, seed: 4, p99Ratio: 1.12, rssRatio: 1.06 }, [
      slower,
      heavier,
    ]),
    // Too many void slices: it blames nobody.
    makeRun("p99+10", { rounds: 8, noise: 0.02, seed: 5, p99Ratio: 1.12, voidShare: 0.3 }, [
      slower,
    ]),
  ];
}
