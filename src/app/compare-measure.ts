// Measures two services of the working tree against each other, in a fixed number of rounds. Writes the samples file as rounds
// end. How a round runs is the gate's affair.
import { existsSync } from "node:fs";
import type { BuiltArtifact } from "../build/build.ts";
import { resolveCandidate } from "../build/source.ts";
import type { ComparisonSamples } from "../model/comparison.ts";
import { ARMS, type Arm } from "../model/samples.ts";
import { planRound, type RoundPlan } from "../plan/round.ts";
import type { RunningDependencies } from "../run/dependency/running-dependencies.ts";
import { runRound } from "../run/round.ts";
import type { RoundContext } from "../run/round-context.ts";
import type { ServiceTarget } from "../run/service/launch.ts";
import { writeFileAtomic } from "../sys/files.ts";
import { asPaired } from "../verdict/compare-services.ts";
import { findFaults, isHopeless } from "../verdict/validity.ts";
import { beginRun } from "./begin-run.ts";
import type { Choice } from "./compare-choice.ts";
import { type RunPlan, withMachine, withPlace } from "./prepared-run.ts";
import type { Project } from "./project.ts";
import type { Environment } from "./settings.ts";

export interface ComparisonRequest {
  project: Project;
  choice: Choice;
  rounds: number;
  seed: number | null;
  lockTimeoutMs: number;
  /** The samples file. */
  path: string;
}

export async function measureServices(
  { project, choice, rounds, seed, lockTimeoutMs, path }: ComparisonRequest,
  environment: Environment,
): Promise<ComparisonSamples> {
  const { progress, clock, abort } = environment;
  const { config, pair } = choice;

  progress.stage("prepare");
  if (existsSync(path)) progress.note(`${path} is of an earlier comparison and will be replaced`);
  const revision = await resolveCandidate(project.git);
  const plan: RunPlan = {
    project,
    scenarios: config.scenarios,
    needed: config.dependencies,
    jobs: ARMS.map((arm) => {
      const { name, recipe } = choice[arm];
      return { arm, service: name, group: pair, revision, recipe };
    }),
    candidate: revision,
  };
  return await withMachine(plan, { lockTimeoutMs }, environment, async (prepared) => {
    const { host, cpuSets, generator } = prepared;
    const [candidate, reference] = prepared.artifacts;
    if (candidate === undefined || reference === undefined) {
      throw new Error("bug in tailgate: nothing was built");
    }
    const artifacts = { candidate, reference };
    const samples: ComparisonSamples = {
      schema: "tailgate.comparison-samples.v1",
      tool: `tailgate ${environment.version}`,
      run: { ...beginRun(clock.wallTime(), seed ?? config.seed), compare: "services" },
      services: { candidate: choice.candidate.name, reference: choice.reference.name },
      pair,
      host,
      cpuSets,
      config,
      sources: { candidate: revision.source, reference: revision.source },
      artifacts: ARMS.map((arm) => artifacts[arm].facts),
      rounds: [],
    };

    const arms = {
      candidate: { revision, root: candidate.root },
      reference: { revision, root: reference.root },
    };
    return await withPlace(prepared, arms, environment, async ({ dependencies, folder }) => {
      const runStartMs = clock.nowMs();
      const context: RoundContext = {
        targets: targetsOf(choice, artifacts, dependencies),
        dependencies,
        scheme: choice.scheme,
        scenarios: config.scenarios,
        cpuSets,
        readCounters: prepared.readCounters,
        generator,
        clock,
        errorBudget: config.policy.errorBudget,
        runStartMs,
        folder,
        abort,
        onProgress: (line) => progress.status(line),
      };
      return await runRounds(
        { ...samples, dependencies: dependencies.facts() },
        {
          rounds,
          abort,
          elapsedMs: () => clock.nowMs() - runStartMs,
          runOne: (plan) => runRound(plan, context),
          keep: (current) => writeFileAtomic(path, `${JSON.stringify(current)}\n`),
          onRound: (number) => progress.note(`round ${number} of ${rounds}`),
        },
      );
    });
  });
}

export interface RoundLoop {
  rounds: number;
  abort: AbortSignal;
  elapsedMs(): number;
  runOne(plan: RoundPlan): ReturnType<typeof runRound>;
  keep(samples: ComparisonSamples): void;
  /** After each round, with its number from 1. */
  onRound(number: number): void;
}

/** A fixed number of rounds: their number may not depend on what they show, since no looks are paid for. */
export async function runRounds(
  begun: ComparisonSamples,
  loop: RoundLoop,
): Promise<ComparisonSamples> {
  let samples = begun;
  const update = (change: Partial<ComparisonSamples["run"]>): ComparisonSamples => {
    const run = { ...samples.run, measuredMs: loop.elapsedMs(), ...change };
    samples = { ...samples, run };
    loop.keep(samples);
    return samples;
  };
  const { config, pair, run } = begun;
  for (let index = 0; index < loop.rounds; index++) {
    if (loop.elapsedMs() >= config.policy.timeBudgetMs) {
      return update({ state: "complete", ended: "the time budget is used up" });
    }
    const round = await loop.runOne(
      planRound({
        service: pair,
        index,
        seed: run.seed,
        arms: "both",
        scenarios: config.scenarios.map(({ id, slice }) => ({ id, pairs: slice.pairs })),
      }),
    );
    // A round cut short by a signal is no fault of a service.
    if (loop.abort.aborted) return update({ state: "interrupted", ended: "stopped by a signal" });
    samples = { ...samples, rounds: [...samples.rounds, round] };
    update({});
    loop.onRound(index + 1);
    if (isHopeless(asPaired(samples))) {
      const [fault] = findFaults(asPaired(samples));
      return update({ state: "failed", ended: fault?.text ?? "the measurement cannot be trusted" });
    }
  }
  return update({ state: "complete", ended: "all rounds are measured" });
}

function targetsOf(
  choice: Choice,
  artifacts: Record<Arm, BuiltArtifact>,
  dependencies: RunningDependencies,
): Record<Arm, ServiceTarget> {
  const target = (arm: Arm): ServiceTarget => {
    const { recipe } = choice[arm];
    return {
      recipe: { ...recipe, env: dependencies.fill(recipe.env, arm) },
      folder: artifacts[arm].folder,
      artifact: artifacts[arm].path,
    };
  };
  return { candidate: target("candidate"), reference: target("reference") };
}
