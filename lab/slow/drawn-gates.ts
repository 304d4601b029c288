// Whole gates drawn from the rounds of recorded ones, for figures about them.
import type { Prng } from "../../src/core/base/prng.ts";
import type { Config } from "../../src/core/model/config.ts";
import type { Round, Samples } from "../../src/core/model/samples.ts";
import { loadTimeMs } from "../../src/core/plan/round-time.ts";
import { median } from "../../src/core/stats/dispersion.ts";
import { quantile, sortSample } from "../../src/core/stats/quantile.ts";
import { effectiveFloor } from "../../src/core/verdict/compare.ts";
import { decide, ruleOf } from "../../src/core/verdict/decide.ts";
import {
  gatedOf,
  type Hypothesis,
  isOfLaunches,
  listHypotheses,
} from "../../src/core/verdict/hypotheses.ts";
import { type RoundValue, readSeries } from "../../src/core/verdict/series.ts";
import { methodOf } from "../../src/core/verdict/slow.ts";
import { readRuns, type StoredRun } from "../evidence/runs.ts";
import { RUNS } from "../evidence/working-copy.ts";

export const runs = readRuns(RUNS);
export const config = runs.findLast(({ kind }) => kind === "aa-calm")?.samples.config as Config;

/** As many as a gate looks at. */
export const ROUNDS = 150;
/** Of one gate in a row: noise comes in minutes. */
const BLOCK = 8;
export type Pool = Round[][];

/** Of a service, the rounds of each gate that hold all of its scenarios. */
export function poolOf(service: string, isWanted: (run: StoredRun) => boolean): Pool {
  const ids = config.scenarios.filter((one) => one.service === service).map(({ id }) => id);
  const holds = ({ scenarios }: Round): boolean =>
    ids.every((id) =>
      scenarios.some(
        ({ scenario, arms }) =>
          scenario === id && arms.candidate.pooled !== null && arms.reference?.pooled != null,
      ),
    );
  return runs
    .filter(isWanted)
    .map(({ samples }) => samples.rounds.filter((one) => one.service === service && holds(one)))
    .filter((rounds) => rounds.length >= 4);
}

/** Of a service, the rounds of each gate that read its memory. */
export function memoryPoolOf(service: string, isWanted: (run: StoredRun) => boolean): Pool {
  return runs
    .filter(isWanted)
    .map(({ samples }) =>
      samples.rounds.filter(
        (one) => one.service === service && one.launches?.candidate.values.rss !== undefined,
      ),
    )
    .filter((rounds) => rounds.length >= 3);
}

/** Blocks of rounds, numbered anew; a gate in proportion to its rounds. */
export function draw(pool: Pool, count: number, prng: Prng): Round[] {
  const drawn: Round[] = [];
  const byRound = pool.flatMap((gate) => gate.map(() => gate));
  while (drawn.length < count) {
    const gate = byRound[prng.below(byRound.length)] ?? [];
    const size = Math.min(BLOCK, gate.length, count - drawn.length);
    const from = prng.below(gate.length - size + 1);
    drawn.push(...gate.slice(from, from + size));
  }
  return drawn;
}

const known = new Map<string, WeakMap<Round, RoundValue[]>>();

/** A round's value, read once. */
export function valuesIn(hypothesis: Hypothesis, rounds: readonly Round[]): RoundValue[] {
  const seen = known.get(hypothesis.id) ?? new WeakMap<Round, RoundValue[]>();
  known.set(hypothesis.id, seen);
  return rounds.flatMap((round) => {
    const read = seen.get(round) ?? readSeries(hypothesis, [round]).values;
    seen.set(round, read);
    return read;
  });
}

interface Answer {
  state: "regressed" | "pass" | "open";
  rounds: number;
}

export function answerOf(
  hypothesis: Hypothesis,
  values: readonly RoundValue[],
  { policy }: Config,
  gating: number,
): Answer {
  const floor = effectiveFloor(hypothesis, values);
  const rule = ruleOf({ ...hypothesis.policy, floor }, policy, gating);
  return decide(values, rule, methodOf(hypothesis, rule));
}

/** Of a round beside its load: with the reading of memory, and without. */
export function overheadMs(service: string, isWanted: (run: StoredRun) => boolean) {
  const rounds = runs.filter(isWanted).flatMap(({ samples }) => samples.rounds);
  const own = rounds.filter((one) => one.service === service && one.launches !== null);
  const of = (reads: boolean): number =>
    median(
      own
        .filter(({ launches }) => (launches?.candidate.values.rss !== undefined) === reads)
        .map((one) => one.endedAtMs - one.startedAtMs - one.loadMs),
    );
  return { with: of(true), without: of(false) };
}

/** One service of a simulated gate: its answers, and its time up to each round. */
export function serviceGate(
  service: string,
  asked: Config,
  rounds: readonly Round[],
  launches: readonly Round[],
  overhead: ReturnType<typeof overheadMs>,
  /** Added to each of its log ratios. */
  shiftOf = (_: Hypothesis): number => 0,
) {
  const gated = gatedOf(listHypotheses(asked));
  const answers = gated
    .filter((one) => one.service === service)
    .map((hypothesis) => ({
      hypothesis,
      ...answerOf(
        hypothesis,
        valuesIn(hypothesis, isOfLaunches(hypothesis) ? launches : rounds).map((value) => ({
          ...value,
          d: value.d + shiftOf(hypothesis),
        })),
        asked,
        gated.length,
      ),
    }));
  const untilMs = [0];
  const scenarios = asked.scenarios.filter((one) => one.service === service);
  for (let n = 1; n <= ROUNDS; n++) {
    const open = answers.filter((one) => one.rounds >= n).map(({ hypothesis }) => hypothesis);
    // These services have less load than fills a round, so all goes on with memory and slow answers.
    const isWhole = open.some((one) => isOfLaunches(one) || one.policy.metric === "slow");
    const loaded = scenarios.filter(
      ({ id }) => isWhole || open.some(({ scenario }) => scenario === id),
    );
    const loadMs = loaded.reduce((sum, one) => sum + loadTimeMs(one), 0);
    const beside = open.some(isOfLaunches) ? overhead.with : overhead.without;
    untilMs.push((untilMs.at(-1) ?? 0) + (open.length === 0 ? 0 : loadMs + beside));
  }
  return { answers, untilMs };
}

export const cpuOf = ({ samples }: { samples: Samples }): string =>
  samples.host.fingerprint.cpuModel.startsWith("Intel") ? "Xeon" : "EPYC";
export const inOrder = (values: readonly number[], q: number): number =>
  quantile(sortSample(values), q);
