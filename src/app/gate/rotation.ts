// The loop at the heart of a run: measure a round, look, go on with what is undecided. Knows
// nothing of builds or files: rounds come from `runOne`, and every finished round is handed to
// `keep` at once.
import { FIRST_LOOK } from "../../core/baseline/update/update.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import { type Config, policiesOf, type Scenario, serviceNamed } from "../../core/model/config.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import { METRIC_FACTS } from "../../core/model/metric.ts";
import { wholeRoundsOf } from "../../core/model/parts.ts";
import type { Round, RunEnd, Samples } from "../../core/model/samples.ts";
import { planRound, planServiceOrder, type RoundPlan } from "../../core/plan/round.ts";
import { loadTimeMs } from "../../core/plan/round-time.ts";
import { mostRoundsOf } from "../../core/verdict/futility.ts";
import { askedOf } from "../../core/verdict/hypotheses.ts";
import { type OpenQuestions, openQuestions } from "../../core/verdict/judge.ts";
import { cannotRecover, findFaults, lostScenarios } from "../../core/verdict/validity.ts";

/** What ends a rotation, beside the time budget and a failure. */
export type Goal =
  /** Every question is answered. */
  | { kind: "answers" }
  /** The same, within the limits; or not every question can be answered. */
  | { kind: "screen"; limits: ScreenLimits }
  /** So many rounds of every service, whatever they show. */
  | {
      kind: "rounds";
      rounds: number;
      /** How many of a service's rounds count; absent: all that hold its whole load. */
      counted?(samples: Samples, service: string): number;
    };

/**
 * What may be spent on a comparison with stored values before the reference is measured alongside.
 */
export interface ScreenLimits {
  rounds: number;
  timeMs: number;
}

export interface Rotation {
  goal: Goal;
  samples: Samples;
  baselines: readonly Baseline[];
  /** Of the default branch; absent: none. */
  history?: readonly HistoryRecord[];
  /** Milliseconds measured so far, those of an earlier session included. */
  elapsedMs(): number;
  runOne(plan: RoundPlan, scenarios: readonly Scenario[]): Promise<Round>;
  /** The samples as they are after each round. */
  keep(samples: Samples): void;
  onTurn(state: TurnState): void;
  abort: AbortSignal;
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
  const { goal, baselines, history, abort, elapsedMs } = rotation;
  let { samples } = rotation;
  const { config, run } = samples;
  const parts = run.shard?.parts ?? 1;
  const hasReference = samples.sources.reference !== null;
  const screen = goal.kind === "screen" ? goal.limits : null;
  const limit = goal.kind === "rounds" ? MOST_FOR_ONE * goal.rounds : mostRoundsOf(run);
  const finish = (state: Samples["run"]["state"], ended: RunEnd): Samples => {
    const done: Samples = {
      ...samples,
      run: { ...samples.run, state, ended, measuredMs: elapsedMs() },
    };
    rotation.keep(done);
    return done;
  };
  const leftMs = (): number => config.policy.timeBudgetMs - elapsedMs();
  const look = (): TurnState => {
    const rounds = Math.max(0, ...config.services.map(({ name }) => roundsOf(samples, name)));
    if (goal.kind === "rounds") return { samples, rounds, ...roundsLeft(samples, goal) };
    const mostRounds = screen?.rounds;
    const open = openQuestions({ samples, baselines, history, mostRounds, leftMs: leftMs() });
    return { samples, rounds, counted: rounds, open };
  };
  // Stored values and rounds for their own sake are of whole launches: all scenarios or none.
  const endsAtLoss = goal.kind === "rounds" || run.compare === "stored";
  const endsAtRegression = !config.policy.answerAll;
  for (let seen = look(); ; ) {
    const { open, rounds } = seen;
    rotation.onTurn(seen);
    const active = activeServices(config, open).filter(
      (service) => roundsOf(samples, service) < limit,
    );
    if (screen !== null && (open.hypotheses.size === 0 || open.unanswerable.size > 0)) {
      return finish("complete", "screened");
    }
    if (open.hypotheses.size === 0) {
      if (open.lost.size > 0) return finish("failed", "failed");
      const ended = parts > 1 ? "share" : "answered";
      return finish("complete", goal.kind === "rounds" ? "rounds" : ended);
    }
    if (endsAtRegression && open.regressed) return finish("complete", "regressed");
    if (active.length === 0) return finish("complete", "max-rounds");
    if (config.policy.giveUp && open.futility !== null) return finish("complete", "futile");

    for (const service of planServiceOrder(active, rounds, run.seed)) {
      if (abort.aborted) return finish("interrupted", "interrupted");
      if (screen !== null && elapsedMs() >= screen.timeMs) return finish("complete", "screened");
      if (leftMs() <= 0) return finish("complete", "out-of-time");
      const scenarios = scenariosFor(samples, open, service);
      const plan = planRound({
        service,
        index: nextIndex(samples, service),
        seed: run.seed,
        // Of what is all new there is no reference, or nothing to compare with it.
        arms:
          hasReference && askedOf(samples).some((one) => one.service === service)
            ? "both"
            : "candidate",
        scenarios: scenarios.map(({ id, slice }) => ({ id, pairs: slice.pairs })),
        readsMemory: open.memory.has(service) || !gatesMemory(config, service),
      });
      const round = await rotation.runOne(plan, scenarios);
      // A round cut short by a signal is no fault of the service.
      if (abort.aborted) return finish("interrupted", "interrupted");
      samples = {
        ...samples,
        rounds: [...samples.rounds, round],
        run: { ...samples.run, measuredMs: elapsedMs() },
      };
      rotation.keep(samples);
      seen = look();
      const { lost, isHopeless, regressed } = seen.open;
      if (isHopeless || (endsAtLoss && lost.size > 0)) return finish("failed", "failed");
      // Whoever waits for a red verdict has it now, not after the turn.
      if (endsAtRegression && regressed) return finish("complete", "regressed");
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
  const { parts = 1 } = samples.run.shard ?? {};
  if (parts * wholeLoads(samples, service) < FIRST_LOOK) return all;
  const measured = new Set(undecided);
  let loadMs = undecided.reduce((sum, scenario) => sum + loadTimeMs(scenario), 0);
  for (const scenario of all.filter((one) => !measured.has(one))) {
    if (loadMs >= STALL_MS) break;
    measured.add(scenario);
    loadMs += loadTimeMs(scenario);
  }
  return all.filter((scenario) => measured.has(scenario));
}

/** Whether a service is asked about its memory; where it is not, that is only shown. */
function gatesMemory(config: Config, service: string): boolean {
  return policiesOf(config.policy.metrics, serviceNamed(config, service)).some(
    ({ metric, level }) => level === "gate" && METRIC_FACTS[metric].unit === "bytes",
  );
}

function roundsOf(samples: Samples, service: string): number {
  return samples.rounds.filter((round) => round.service === service).length;
}

/** Each shard has indices of its own, so that its random choices are its own too. */
function nextIndex({ run, rounds }: Samples, wanted: string): number {
  const { part, parts } = run.shard ?? { part: 0, parts: 1 };
  const measured = rounds.flatMap(({ service, index }) => (service === wanted ? index : []));
  return measured.length === 0 ? part : Math.max(...measured) + parts;
}

const wholeLoads = (samples: Samples, service: string): number =>
  wholeRoundsOf(samples, service).length;

const NONE: ReadonlySet<string> = new Set();

/**
 * Where rounds are measured for their own sake, a service is an open question until enough of its
 * rounds count.
 */
function roundsLeft(
  samples: Samples,
  { rounds: wanted, counted = wholeLoads }: Extract<Goal, { kind: "rounds" }>,
): Pick<TurnState, "open" | "counted"> {
  const counts = samples.config.services.map(({ name }) => [name, counted(samples, name)] as const);
  const left = new Set(counts.filter(([, count]) => count < wanted).map(([name]) => name));
  const faults = findFaults(samples);
  const open = {
    hypotheses: left,
    services: left,
    memory: left,
    scenarios: NONE,
    rare: NONE,
    answered: 0,
    unanswerable: NONE,
    regressed: false,
    lost: lostScenarios(samples, faults),
    isHopeless: cannotRecover(samples, faults),
    futility: null,
  };
  return { counted: Math.min(...counts.map(([, count]) => count)), open };
}
