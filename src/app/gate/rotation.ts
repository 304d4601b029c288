// The loop at the heart of a run: measure a round, look, go on with what is undecided. Knows
// nothing of builds or files: rounds come from `runOne`, and every finished round is handed to
// `keep` at once.
import { FEWEST_LAUNCHES } from "../../core/baseline/update/trust.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import { type Config, policiesOf, type Scenario } from "../../core/model/config.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import { isLatencyMetric } from "../../core/model/metric.ts";
import type { Round, RunEnd, Samples } from "../../core/model/samples.ts";
import { serviceNamed } from "../../core/model/service-named.ts";
import { wholeRoundsOf } from "../../core/model/whole-rounds.ts";
import { planRound, planServiceOrder, type RoundPlan } from "../../core/plan/round.ts";
import { loadTimeMs } from "../../core/plan/round-time.ts";
import { type OpenQuestions, openQuestions } from "../../core/verdict/judge.ts";
import { mostRoundsOf } from "../../core/verdict/most-rounds.ts";
import { cannotRecover, lostScenarios } from "../../core/verdict/validity.ts";

export interface Rotation {
  samples: Samples;
  baselines: readonly Baseline[];
  /** Of the default branch; absent: none. */
  history?: readonly HistoryRecord[] | undefined;
  /** Milliseconds measured so far, those of an earlier session included. */
  elapsedMs(): number;
  runOne(plan: RoundPlan, scenarios: readonly Scenario[]): Promise<Round>;
  keep(samples: Samples): void;
  onTurn(state: TurnState): void;
  /** Of every service, whatever they show. Absent: until every question is answered. */
  wantedRounds?: number | undefined;
  /** How many of a service's rounds count to those; absent: all that hold its whole load. */
  counted?: ((samples: Samples, service: string) => number) | undefined;
  /**
   * Ends with these limits, or as soon as not every question can be answered. Absent: the policy's
   * time budget.
   */
  screen?: ScreenLimits | undefined;
  abort: AbortSignal;
}

/**
 * What may be spent on a comparison with stored values before the reference is measured alongside.
 */
export interface ScreenLimits {
  rounds: number;
  timeMs: number;
}

export interface TurnState {
  samples: Samples;
  open: OpenQuestions;
  /** Rounds of the service that has most. */
  rounds: number;
  /** Of those, where rounds are wanted: so many count, of the service that has fewest. */
  counted: number;
}

/** Rounds allowed for one that is wanted, to make up for those that do not count. */
const MOST_FOR_ONE = 3;

/** Of load: longer than what comes between two stalls of a garbage collector, a flush or a lock. */
const STALL_MS = 8000;

/**
 * Runs until everything is decided, or nothing can be any more. Returns the samples with their
 * final state.
 */
export async function rotate(rotation: Rotation): Promise<Samples> {
  let { samples } = rotation;
  const { screen, wantedRounds, counted = wholeLoads } = rotation;
  const limit =
    wantedRounds === undefined ? mostRoundsOf(samples.run) : MOST_FOR_ONE * wantedRounds;
  const finish = (state: Samples["run"]["state"], ended: RunEnd): Samples => {
    const done: Samples = {
      ...samples,
      run: { ...samples.run, state, ended, measuredMs: rotation.elapsedMs() },
    };
    rotation.keep(done);
    return done;
  };
  const questions = (measured: Samples): OpenQuestions =>
    openQuestions({
      samples: measured,
      baselines: rotation.baselines,
      ...(rotation.history === undefined ? {} : { history: rotation.history }),
      ...(screen === undefined ? {} : { mostRounds: screen.rounds }),
    });
  // Stored values and rounds for their own sake are of whole launches: all scenarios or none.
  const endsAtLoss = wantedRounds !== undefined || samples.run.compare === "stored";
  const endsAtRegression = wantedRounds === undefined && !samples.config.policy.answerAll;
  for (;;) {
    const counts = new Map(
      samples.config.services.map(({ name }) => [name, counted(samples, name)]),
    );
    const open = wantedRounds === undefined ? questions(samples) : roundsLeft(counts, wantedRounds);
    rotation.onTurn({
      samples,
      open,
      rounds: mostRounds(samples),
      counted: Math.min(...counts.values()),
    });
    const active = activeServices(samples.config, open).filter(
      (service) => roundsOf(samples, service) < limit,
    );
    if (screen !== undefined && (open.hypotheses.size === 0 || open.unanswerable.size > 0)) {
      return finish("complete", "screened");
    }
    if (open.hypotheses.size === 0) {
      if (open.lost.size > 0) return finish("failed", "failed");
      return finish("complete", wantedRounds === undefined ? "answered" : "rounds");
    }
    if (endsAtRegression && open.regressed) return finish("complete", "regressed");
    if (active.length === 0) return finish("complete", "max-rounds");

    for (const service of planServiceOrder(active, mostRounds(samples), samples.run.seed)) {
      if (rotation.abort.aborted) return finish("interrupted", "interrupted");
      if (screen !== undefined && rotation.elapsedMs() >= screen.timeMs) {
        return finish("complete", "screened");
      }
      if (rotation.elapsedMs() >= samples.config.policy.timeBudgetMs) {
        return finish("complete", "out-of-time");
      }
      const scenarios = scenariosFor(samples, open, service);
      const plan = planRound({
        service,
        index: roundsOf(samples, service),
        seed: samples.run.seed,
        arms: samples.sources.reference === null ? "candidate" : "both",
        scenarios: scenarios.map(({ id, slice }) => ({ id, pairs: slice.pairs })),
        readsMemory: open.services.has(service) || !gatesLaunches(samples.config, service),
      });
      const round = await rotation.runOne(plan, scenarios);
      // A round cut short by a signal is no fault of the service.
      if (rotation.abort.aborted) return finish("interrupted", "interrupted");
      samples = {
        ...samples,
        rounds: [...samples.rounds, round],
        run: { ...samples.run, measuredMs: rotation.elapsedMs() },
      };
      rotation.keep(samples);
      const isOver = endsAtLoss && lostScenarios(samples).size > 0;
      if (isOver || cannotRecover(samples)) return finish("failed", "failed");
      // Whoever waits for a red verdict has it now, not after the turn.
      if (endsAtRegression && questions(samples).regressed) return finish("complete", "regressed");
    }
  }
}

function activeServices(config: Config, open: OpenQuestions): string[] {
  return config.services
    .map(({ name }) => name)
    .filter(
      (name) =>
        open.services.has(name) ||
        config.scenarios.some(({ id, service }) => service === name && open.scenarios.has(id)),
    );
}

/**
 * Of a service's next round. Memory depends on all of them. A stall comes once in some seconds of a
 * launch: while rare slow answers are undecided, decided scenarios go on until there are rounds enough
 * for a baseline, and then fill short rounds up.
 */
function scenariosFor(samples: Samples, open: OpenQuestions, service: string): Scenario[] {
  const all = samples.config.scenarios.filter(
    (scenario) => scenario.service === service && !open.lost.has(scenario.id),
  );
  const undecided = all.filter(({ id }) => open.scenarios.has(id));
  if (open.services.has(service)) return all;
  if (!open.rare.has(service)) return undecided;
  if (wholeLoads(samples, service) < FEWEST_LAUNCHES) return all;
  const measured = new Set(undecided);
  let loadMs = undecided.reduce((sum, scenario) => sum + loadTimeMs(scenario), 0);
  for (const scenario of all.filter((one) => !measured.has(one))) {
    if (loadMs >= STALL_MS) break;
    measured.add(scenario);
    loadMs += loadTimeMs(scenario);
  }
  return all.filter((scenario) => measured.has(scenario));
}

/** Whether a service has questions of its own; where it has none, its memory is only shown. */
function gatesLaunches(config: Config, service: string): boolean {
  return policiesOf(config.policy.metrics, serviceNamed(config, service)).some(
    ({ metric, level }) => level === "gate" && !isLatencyMetric(metric),
  );
}

function roundsOf(samples: Samples, service: string): number {
  return samples.rounds.filter((round) => round.service === service).length;
}

function mostRounds(samples: Samples): number {
  return Math.max(0, ...samples.config.services.map(({ name }) => roundsOf(samples, name)));
}

const wholeLoads = (samples: Samples, service: string): number =>
  wholeRoundsOf(samples, service).length;

/**
 * Where rounds are measured for their own sake, a service is an open question until enough of its
 * rounds count.
 */
function roundsLeft(counts: ReadonlyMap<string, number>, wanted: number): OpenQuestions {
  const services = [...counts].filter(([, count]) => count < wanted).map(([name]) => name);
  return {
    hypotheses: new Set(services),
    scenarios: new Set(),
    services: new Set(services),
    rare: new Set(),
    unanswerable: new Set(),
    regressed: false,
    lost: new Set(),
  };
}
