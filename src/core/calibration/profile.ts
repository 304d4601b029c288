// From samples of identical arms to a runner's profile; the same samples and seed give the same.
import { UserError } from "../base/errors.ts";
import { createPrng } from "../base/prng.ts";
import type { Config } from "../model/config.ts";
import { allSlices, voidsByRule, wholeRounds } from "../model/parts.ts";
import type { Profile, ProfileMetric } from "../model/profile.ts";
import { configuredCost, gatedMetrics } from "../model/profile.ts";
import type { Round, Samples } from "../model/samples.ts";
import { workloadHash } from "../model/workload.ts";
import { median } from "../stats/dispersion.ts";
import { hostNoise } from "../verdict/disturbances.ts";
import { MOST_ROUNDS } from "../verdict/futility.ts";
import { gatingCount, listHypotheses, listQuestions } from "../verdict/hypotheses.ts";
import { describeMetric, MIN_ROUNDS, rounded } from "./metric.ts";
import { medianAndP90, TRIALS } from "./power.ts";

interface ProfileOptions {
  seed: number;
  /** Simulated runs behind each figure; default 200. */
  trials?: number;
  /** Told of every gated metric that is done: simulating takes seconds. */
  onMetric?(metric: ProfileMetric): void;
}

export function profileOf(
  samples: Samples,
  { seed, trials = TRIALS, onMetric = () => {} }: ProfileOptions,
): Profile {
  assertSameArms(samples);
  const { config } = samples;
  // Rounds with fewer scenarios have another load, and another noise.
  const rounds = wholeRounds(samples);
  const services = config.services.map(({ name }) => {
    const own = rounds.filter(({ service }) => service === name);
    const roundMs = rounded(
      median(own.map(({ startedAtMs, endedAtMs }) => endedAtMs - startedAtMs)),
      1,
    );
    return { service: name, rounds: own.length, roundMs };
  });
  const few = services.find((service) => service.rounds < MIN_ROUNDS);
  if (few !== undefined) {
    throw new UserError(
      `${few.service}: ${few.rounds} rounds of identical builds, and ${MIN_ROUNDS} are needed to tell noise`,
      {
        detail: `${samples.rounds.filter(({ service }) => service === few.service).length - few.rounds} more are without all its scenarios at the configured pairs`,
        next: "Measure more: tailgate calibrate --rounds 16.",
      },
    );
  }
  const turnMs = services.reduce((sum, { roundMs }) => sum + roundMs, 0);
  const maxRounds = Math.floor(config.policy.timeBudgetMs / turnMs);
  const hypotheses = listHypotheses(config);
  const gating = gatingCount(listQuestions(config));
  const unchangedRounds = new Map<string, readonly number[]>();
  const metrics = hypotheses.flatMap((hypothesis) => {
    const roundMs =
      services.find(({ service }) => service === hypothesis.service)?.roundMs ?? Number.NaN;
    const context = { config, rounds, gating, maxRounds, roundMs, seed, trials };
    const metric = describeMetric(hypothesis, context, unchangedRounds);
    if (metric !== null && hypothesis.policy.level === "gate") onMetric(metric);
    return metric === null ? [] : [metric];
  });
  return {
    schema: "tailgate.profile.v1",
    tool: samples.tool,
    runnerClass: config.runner.class,
    run: {
      id: samples.run.id,
      startedAt: samples.run.startedAt,
      commit: samples.sources.candidate.commit,
      measuredMs: samples.run.measuredMs,
    },
    fingerprint: samples.host.fingerprint,
    cpuSets: samples.cpuSets,
    workloads: Object.fromEntries(
      config.scenarios.map((one) => [one.id, workloadHash(one, config)]),
    ),
    slices: countSlices(samples.rounds),
    services,
    gate: planGate({ metrics, services, unchangedRounds, config, maxRounds, seed }),
    metrics,
    seed,
  };
}

/** Two different programs would add their difference to the noise. */
function assertSameArms({ sources, artifacts, config }: Samples): void {
  if (sources.reference === null) {
    throw new UserError(
      "the samples hold one build only: a calibration needs the same code in both",
      { next: "Measure it: tailgate calibrate." },
    );
  }
  const same = config.services.every(({ name }) => {
    const hashes = new Set(
      artifacts.filter(({ service }) => service === name).map(({ sha256 }) => sha256),
    );
    return hashes.size === 1;
  });
  const sameCommit =
    sources.candidate.commit === sources.reference.commit &&
    sources.candidate.dirty === sources.reference.dirty;
  if (artifacts.length === 0 ? sameCommit : same) return;
  throw new UserError("the two builds of these samples are not the same program", {
    detail: `candidate ${sources.candidate.commit.slice(0, 10)}, reference ${sources.reference.commit.slice(0, 10)}`,
    next: "Calibrate on rounds of one commit against itself: tailgate calibrate, or tailgate measure --reference HEAD --measure-unchanged.",
  });
}

function countSlices(rounds: readonly Round[]): Profile["slices"] {
  const slices = allSlices(rounds);
  const voided = slices.flatMap((slice) => slice.void ?? []);
  const rules = [...Map.groupBy(voided, ({ rule }) => rule)];
  return {
    measured: slices.length,
    void: voided.length,
    byRule: voidsByRule(slices),
    examples: Object.fromEntries(rules.map(([rule, [first]]) => [rule, first?.detail ?? ""])),
    disturbed: hostNoise(rounds).byRule,
  };
}

const GATE_TRIALS = 2000;

interface GateInput {
  metrics: readonly ProfileMetric[];
  services: Profile["services"];
  /** Rounds of the simulated runs that passed, by hypothesis, at the configured margin. */
  unchangedRounds: ReadonlyMap<string, readonly number[]>;
  config: Config;
  maxRounds: number;
  seed: number;
}

/**
 * Draws a simulated run for every gated metric. A service goes on until its last metric is
 * answered; shorter rounds after decisions are not counted, so the gate is rather faster.
 */
export function planGate(input: GateInput): Profile["gate"] {
  const { config } = input;
  const prng = createPrng(input.seed);
  const gated = gatedMetrics(input);
  const { timeBudgetMs } = config.policy;
  const times: number[] = [];
  let passed = 0;
  for (let trial = 0; trial < GATE_TRIALS; trial++) {
    let answered = gated.length > 0;
    let totalMs = 0;
    for (const { service, roundMs } of input.services) {
      let most = 0;
      for (const metric of gated) {
        if (metric.service !== service) continue;
        const rounds = drawRounds(metric);
        if (rounds === null) answered = false;
        most = Math.max(most, rounds ?? MOST_ROUNDS);
      }
      totalMs += most * roundMs;
    }
    if (answered && totalMs <= timeBudgetMs) passed++;
    times.push(Math.min(totalMs, timeBudgetMs));
  }
  const middle = gated.length === 0 ? null : medianAndP90(times);
  return {
    trials: GATE_TRIALS,
    passed: passed / GATE_TRIALS,
    medianMs: middle?.median ?? null,
    p90Ms: middle?.p90 ?? null,
    timeBudgetMs,
    roomForRounds: input.maxRounds,
  };

  /** Null: a run that did not pass. */
  function drawRounds(metric: ProfileMetric): number | null {
    const rounds = input.unchangedRounds.get(metric.id) ?? [];
    const share = configuredCost(metric)?.unchanged.passed ?? 0;
    if (rounds.length === 0 || prng.next() >= share) return null;
    return rounds[prng.below(rounds.length)] ?? null;
  }
}
