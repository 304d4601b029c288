// Stored rounds as values: what each turn (a round of every service, one after the other) says about each gated hypothesis. Pure.
import type { Round, Samples } from "../../src/model/samples.ts";
import { gatingCount, type Hypothesis, listHypotheses } from "../../src/verdict/hypotheses.ts";
import { seriesOf } from "../../src/verdict/series.ts";
import type { Session } from "../peers/resample.ts";
import { machineOf } from "./machines.ts";
import type { StoredRun } from "./runs.ts";

export interface Pair {
  candidate: number;
  reference: number;
}

export interface Turn {
  /** Wall time of the round, its share of what lies between rounds included, by service. */
  ms: Readonly<Record<string, number>>;
  /** By hypothesis; absent where the round did not count. */
  values: Readonly<Record<string, Pair>>;
}

/** Turns that followed each other in one run. */
export interface Stretch {
  run: string;
  machine: string;
  /** ISO 8601. */
  startedAt: string;
  turns: readonly Turn[];
}

/** What a gate with the default configuration asks, and by which limits. */
export interface Terms {
  hypotheses: readonly Hypothesis[];
  gating: number;
  alpha: number;
  beta: number;
  looks: readonly number[];
  timeBudgetMs: number;
}

export function termsOf({ config }: Samples): Terms {
  const all = listHypotheses(config);
  const { alpha, beta, looks, timeBudgetMs } = config.policy;
  return {
    hypotheses: all.filter(({ policy }) => policy.level === "gate"),
    gating: gatingCount(all),
    alpha,
    beta,
    looks,
    timeBudgetMs,
  };
}

/** Turns of one run, from its first on; those after `most` are left out. A turn that lacks a service's round ends them. */
export function turnsOf(samples: Samples, most: number): Turn[] {
  const services = samples.config.services.map(({ name }) => name);
  const byService = services.map((service) => samples.rounds.filter((r) => r.service === service));
  const length = Math.min(most, ...byService.map((rounds) => rounds.length));
  const { hypotheses } = termsOf(samples);
  const wallMs = (round: Round): number => round.endedAtMs - round.startedAtMs;
  const inRounds = samples.rounds.reduce((sum, round) => sum + wallMs(round), 0);
  const overhead = inRounds > 0 ? Math.max(1, samples.run.measuredMs / inRounds) : 1;
  return Array.from({ length }, (_, t) => {
    const rounds = byService.map((own) => own[t] as Round);
    const values: Record<string, Pair> = {};
    for (const hypothesis of hypotheses) {
      const [value] = seriesOf(hypothesis, rounds);
      if (value !== undefined && Number.isFinite(value.d)) {
        values[hypothesis.id] = { candidate: value.candidate, reference: value.reference };
      }
    }
    return {
      ms: Object.fromEntries(rounds.map((round) => [round.service, wallMs(round) * overhead])),
      values,
    };
  });
}

/** Rounds of identical arms, as many as were asked for, without a verdict. */
export const POOL = "pool";
/** Gates of identical arms that ask everything. */
export const WHOLE = "aa-all";
/** The same, each arm with a build of its own. */
export const TWO_BUILDS = "aa-two-builds";
export const KINDS_OF_POOL: readonly string[] = [POOL, WHOLE, TWO_BUILDS];
export const isOfPool = ({ kind }: StoredRun): boolean => KINDS_OF_POOL.includes(kind);

/**
 * Turns of identical arms. Those of gates too, until the first of the services has its answers: where a gate stops the next one begins,
 * and no turn before is left out, so that over many gates every mean of a turn is what it is without stopping (Wald, Ann. Math. Stat. 15, 1944).
 */
export function poolOf(runs: readonly StoredRun[]): Stretch[] {
  return runs.flatMap((run) => {
    if (!isOfPool(run)) return [];
    const turns = turnsOf(run.samples, Number.POSITIVE_INFINITY);
    return turns.length === 0
      ? []
      : [
          {
            run: run.name,
            machine: machineOf(run),
            startedAt: run.samples.run.startedAt,
            turns,
          },
        ];
  });
}

export const turnCount = (stretches: readonly Stretch[]): number =>
  stretches.reduce((sum, { turns }) => sum + turns.length, 0);

/** Log ratios of one hypothesis in the order they were measured. */
export function logRatios(turns: readonly Turn[], hypothesis: string): number[] {
  return turns.flatMap(({ values }) => {
    const pair = values[hypothesis];
    return pair === undefined ? [] : [Math.log(pair.candidate / pair.reference)];
  });
}

/** Runs that followed each other within this time saw the same hour of the machine. */
const SITTING_MS = 30 * 60_000;

/** Stretches joined to sessions, for rules that want long series and values from another day. */
export function sessionsOf(stretches: readonly Stretch[], terms: Terms): Session[] {
  const sittings: Turn[][] = [];
  let endMs = Number.NEGATIVE_INFINITY;
  for (const { startedAt, turns } of stretches) {
    const startMs = Date.parse(startedAt);
    if (startMs - endMs > SITTING_MS || sittings.length === 0) sittings.push([]);
    sittings.at(-1)?.push(...turns);
    endMs = startMs + turns.reduce((sum, { ms }) => sum + total(ms), 0);
  }
  return sittings.map(
    (turns) =>
      new Map(
        terms.hypotheses.map(({ id }) => {
          const pairs = turns.flatMap(({ values }) => values[id] ?? []);
          return [
            id,
            {
              id,
              candidate: pairs.map(({ candidate }) => candidate),
              reference: pairs.map(({ reference }) => reference),
            },
          ];
        }),
      ),
  );
}

const total = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);
