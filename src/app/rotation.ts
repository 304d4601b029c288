// The loop at the heart of a run: measure a round, look, go on with what is undecided. Knows nothing of builds or files:
// rounds come from `runOne`, and every finished round is handed to `keep` at once.
import type { Baseline } from "../model/baseline.ts";
import type { Config, Scenario } from "../model/config.ts";
import type { Round, Samples } from "../model/samples.ts";
import { wholeRoundsOf } from "../model/whole-rounds.ts";
import { shareFreedTime } from "../plan/freed-time.ts";
import { planRound, planServiceOrder, type RoundPlan } from "../plan/round.ts";
import { type OpenQuestions, openQuestions } from "../verdict/judge.ts";
import { findFaults, isHopeless } from "../verdict/validity.ts";

export interface Rotation {
  samples: Samples;
  baselines: readonly Baseline[];
  /** Milliseconds measured so far, those of an earlier session included. */
  elapsedMs(): number;
  runOne(plan: RoundPlan, scenarios: readonly Scenario[]): Promise<Round>;
  keep(samples: Samples): void;
  onTurn(state: TurnState): void;
  /** Of every service, whatever they show. Absent: until every question is answered. */
  wantedRounds?: number;
  /** Ends with these limits, or as soon as not every question can be answered. Absent: the policy's looks and time budget. */
  screen?: ScreenLimits;
  abort: AbortSignal;
}

/** What may be spent on a comparison with stored values before the reference is measured alongside. */
export interface ScreenLimits {
  looks: number;
  timeMs: number;
}

export interface TurnState {
  samples: Samples;
  open: OpenQuestions;
  /** Rounds of the service that has most. */
  rounds: number;
}

/** Rounds allowed for one that is wanted, to make up for void ones: a bad hour spoils half of them. The time budget ends it sooner. */
const MOST_FOR_ONE = 2;

const ANSWERED = "every question is answered";
const MEASURED = "all wanted rounds are measured";
const SCREENED = "the screen is over";
/** Such a run is complete, and may go on with a larger budget. */
export const OUT_OF_TIME = "the time budget is used up";

/** Runs until everything is decided, or nothing can be any more. Returns the samples with their final state. */
export async function rotate(rotation: Rotation): Promise<Samples> {
  let { samples } = rotation;
  const { screen } = rotation;
  const limit = roundLimit(rotation.wantedRounds ?? samples.config.policy.looks.at(-1) ?? 0);
  const finish = (state: Samples["run"]["state"], ended: string): Samples => {
    const done: Samples = {
      ...samples,
      run: { ...samples.run, state, ended, measuredMs: rotation.elapsedMs() },
    };
    rotation.keep(done);
    return done;
  };
  for (;;) {
    const open =
      rotation.wantedRounds === undefined
        ? openQuestions({
            samples,
            baselines: rotation.baselines,
            ...(screen === undefined ? {} : { looks: screen.looks }),
          })
        : roundsLeft(samples, rotation.wantedRounds);
    rotation.onTurn({ samples, open, rounds: mostRounds(samples) });
    const active = activeServices(samples.config, open).filter(
      (service) => roundsOf(samples, service) < limit,
    );
    if (screen !== undefined && (open.hypotheses.size === 0 || open.unanswerable.size > 0)) {
      return finish("complete", SCREENED);
    }
    if (open.hypotheses.size === 0) {
      const ended = rotation.wantedRounds === undefined ? ANSWERED : MEASURED;
      return finish("complete", ended);
    }
    if (active.length === 0) return finish("complete", "all planned looks are used");

    for (const service of planServiceOrder(active, mostRounds(samples), samples.run.seed)) {
      if (rotation.abort.aborted) return finish("interrupted", "stopped by a signal");
      if (screen !== undefined && rotation.elapsedMs() >= screen.timeMs) {
        return finish("complete", SCREENED);
      }
      if (rotation.elapsedMs() >= samples.config.policy.timeBudgetMs) {
        return finish("complete", OUT_OF_TIME);
      }
      const scenarios = scenariosFor(samples.config, open, service);
      const plan = planRound({
        service,
        index: roundsOf(samples, service),
        seed: samples.run.seed,
        arms: samples.sources.reference === null ? "candidate" : "both",
        scenarios: scenarios.map(({ id, slice }) => ({ id, pairs: slice.pairs })),
      });
      const round = await rotation.runOne(plan, scenarios);
      // A round cut short by a signal is no fault of the service.
      if (rotation.abort.aborted) return finish("interrupted", "stopped by a signal");
      samples = {
        ...samples,
        rounds: [...samples.rounds, round],
        run: { ...samples.run, measuredMs: rotation.elapsedMs() },
      };
      rotation.keep(samples);
      if (isHopeless(samples)) {
        const fault = findFaults(samples)[0];
        return finish("failed", fault?.text ?? "the measurement cannot be trusted");
      }
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

function scenariosFor(config: Config, open: OpenQuestions, service: string): Scenario[] {
  const all = config.scenarios.filter((scenario) => scenario.service === service);
  if (open.services.has(service)) return all;
  return shareFreedTime(
    all,
    all.filter(({ id }) => open.scenarios.has(id)),
  );
}

function roundsOf(samples: Samples, service: string): number {
  return samples.rounds.filter((round) => round.service === service).length;
}

function mostRounds(samples: Samples): number {
  return Math.max(0, ...samples.config.services.map(({ name }) => roundsOf(samples, name)));
}

/** Most rounds of a service, void ones included, where `last` that count are wanted. */
export function roundLimit(last: number): number {
  return MOST_FOR_ONE * last;
}

/** Where rounds are measured for their own sake, a service is an open question until it has enough whole ones. */
function roundsLeft(samples: Samples, wanted: number): OpenQuestions {
  const services = samples.config.services
    .map(({ name }) => name)
    .filter((name) => wholeRoundsOf(samples, name).length < wanted);
  return {
    hypotheses: new Set(services),
    scenarios: new Set(),
    services: new Set(services),
    unanswerable: new Set(),
  };
}
