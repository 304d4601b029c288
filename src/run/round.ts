// One round: each arm launched, warmed, loaded in the planned order, its memory read, stopped. Whatever happens, no process of
// the round is left when it returns, and every slice that was measured is in the result.
import type { Scenario } from "../model/config.ts";
import {
  ARMS,
  type Arm,
  type Curve,
  type DependencyUse,
  type Launch,
  type Round,
  type RoundFailure,
  type ScenarioArm,
  type ScenarioRound,
  type Slice,
  type VoidReason,
  type VoidRule,
} from "../model/samples.ts";
import type { RoundPlan, SlicePairPlan } from "../plan/round.ts";
import { quantile, sortSample } from "../stats/quantile.ts";
import { LoadedArm, MEMORY_SETTLE_MS } from "./arm.ts";
import { type RoundContext, RoundStopped, throwIfAborted } from "./round-context.ts";
import type { RunningService } from "./service/running-service.ts";
import { summarizeLatency, round as tenths } from "./slice.ts";
import { isSaturated } from "./validity.ts";

/** Tries at a slice pair before its scenario is given up for the round. */
const MAX_ATTEMPTS = 3;
/** The same when the host was to blame: a launch and all its clean slices are lost with the scenario's last pair. */
const MAX_ATTEMPTS_AFTER_HOST = 5;
/** Before a try that nothing else comes before, when the host was to blame: what disturbs it (a timer, a package manager) takes seconds. */
const FIRST_HOST_PAUSE_MS = 500;
const HOST_PAUSE_MS = 2000;
const HOST_RULES: ReadonlySet<VoidRule> = new Set(["lag", "steal", "foreign-cpu", "throttled"]);

/** How long the end of a dependency may take to be noticed: its last lines are read first. */
const DEPENDENCY_NOTICE_MS = 1500;

/** Dense in the tail, where the curves of two arms part. */
const CURVE_PROBABILITIES: readonly number[] = [
  0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.94, 0.95, 0.96, 0.97,
  0.98, 0.985, 0.99, 0.992, 0.994, 0.995, 0.996, 0.997, 0.998, 0.9985, 0.999, 0.9995, 1,
];

/** What one scenario has come to so far. */
interface Tally {
  scenario: Scenario;
  slices: Slice[];
  /** Kept requests of valid pairs. */
  latencies: Record<Arm, Float64Array[]>;
  /** Valid slices in which the arm was saturated. */
  saturated: Record<Arm, number>;
  validPairs: number;
  /** A pair stayed void: the scenario does not count in this round. */
  spoiled: boolean;
}

export async function runRound(plan: RoundPlan, context: RoundContext): Promise<Round> {
  const startedMs = context.clock.nowMs();
  const tallies = new Map(context.scenarios.map((scenario) => [scenario.id, newTally(scenario)]));
  const running: RunningService[] = [];
  let launches: Partial<Record<Arm, Launch>> = {};
  let failure: RoundFailure | null = null;
  const used = context.dependencies?.use() ?? [];
  let dependencies: DependencyUse[] = [];
  try {
    launches =
      context.scheme === "sliced"
        ? await runSliced(plan, context, tallies, running)
        : await runAlternate(plan, context, tallies, running);
    dependencies = usedSince(used, context.dependencies?.use() ?? []);
  } catch (error) {
    if (!(error instanceof RoundStopped)) throw error;
    failure = error.failure;
  } finally {
    // A service may end of it before the dependency's own end is known.
    if (failure !== null && context.dependencies !== undefined) {
      await context.clock.sleep(DEPENDENCY_NOTICE_MS, context.abort);
    }
    // Whatever else went wrong then, followed from it.
    failure = context.dependencies?.failure(`in round ${plan.index + 1}`) ?? failure;
    await Promise.all(running.map((service) => service.stop()));
  }
  const { candidate } = launches;
  return {
    service: plan.service,
    index: plan.index,
    startedAtMs: tenths(startedMs - context.runStartMs),
    endedAtMs: tenths(context.clock.nowMs() - context.runStartMs),
    loadMs: loadMsOf(tallies),
    launches: candidate === undefined ? null : { candidate, reference: launches.reference ?? null },
    scenarios: [...tallies.values()].map((tally) => scenarioRound(tally, plan)),
    dependencies,
    failure,
  };
}

/** CPU time of what lives now, less what it had used before the round. */
function usedSince(
  before: readonly DependencyUse[],
  after: readonly DependencyUse[],
): DependencyUse[] {
  return after.map(({ name, cpuMs, pssBytes }) => {
    const earlier = before.find((use) => use.name === name)?.cpuMs ?? 0;
    return { name, cpuMs: Math.max(0, cpuMs - earlier), pssBytes };
  });
}

type Tallies = ReadonlyMap<string, Tally>;

/** Both arms up, one loaded at a time, the other frozen. */
async function runSliced(
  plan: RoundPlan,
  context: RoundContext,
  tallies: Tallies,
  running: RunningService[],
): Promise<Record<Arm, Launch> | { candidate: Launch }> {
  const arms = new Map<Arm, LoadedArm>();
  for (const arm of plan.launchOrder) {
    const loaded = await LoadedArm.launch(arm, context, placeOf(plan), (it) => running.push(it));
    arms.set(arm, loaded);
    await loaded.freeze();
  }
  const alone = async (arm: Arm, work: (loaded: LoadedArm) => Promise<void>): Promise<void> => {
    const loaded = arms.get(arm);
    if (loaded === undefined) throw new Error(`bug in tailgate: ${arm} was not launched`);
    loaded.thaw();
    await work(loaded);
    await loaded.freeze();
  };
  for (const { scenario } of tallies.values()) {
    context.onProgress(`round ${plan.index + 1}, ${scenario.id}: warm-up`);
    for (const arm of plan.launchOrder) await alone(arm, (loaded) => loaded.warmUp(scenario));
  }
  for (const arm of plan.launchOrder) await alone(arm, (loaded) => loaded.beginCounting());

  await measurePairs(tallies, { plan, context, alone });
  return await finishArms([...arms.values()], context);
}

/** One arm at a time, its slices one after another: for a service that cannot run twice at once. */
async function runAlternate(
  plan: RoundPlan,
  context: RoundContext,
  tallies: Tallies,
  running: RunningService[],
): Promise<Record<Arm, Launch> | { candidate: Launch }> {
  const launches: Partial<Record<Arm, Launch>> = {};
  const measured = new Map<string, MeasuredPair>();
  for (const arm of plan.launchOrder) {
    let service: RunningService | null = null;
    const loaded = await LoadedArm.launch(arm, context, placeOf(plan), (it) => {
      service = it;
      running.push(it);
    });
    for (const { scenario } of tallies.values()) await loaded.warmUp(scenario);
    await loaded.beginCounting();
    for (const pair of plan.pairs) {
      const tally = tallyOf(tallies, pair);
      if (tally.spoiled) continue;
      const key = `${pair.scenario}#${pair.pair}`;
      const single = { ...pair, order: [arm] };
      const alone = (_: Arm, work: (it: LoadedArm) => Promise<void>): Promise<void> => work(loaded);
      const now = await measureInPlace(single, tally, { plan, context, alone });
      if (now !== null) measured.set(key, { ...measured.get(key), ...now });
    }
    Object.assign(launches, await finishArms([loaded], context));
    await (service as RunningService | null)?.stop();
  }
  for (const pair of plan.pairs) {
    const tally = tallyOf(tallies, pair);
    accept(tally, measured.get(`${pair.scenario}#${pair.pair}`) ?? {});
  }
  if (plan.launchOrder.length > 1 && !equallyLoaded(tallies)) {
    for (const launch of Object.values(launches)) launch.values = beforeLoad(launch);
  }
  return launches as Record<Arm, Launch>;
}

/** A pair is measured again by one arm alone here, which then carries more load than the other: that would show in its memory. */
function equallyLoaded(tallies: Tallies): boolean {
  const slicesOf = (tally: Tally, arm: Arm): number =>
    tally.slices.filter((slice) => slice.arm === arm).length;
  return [...tallies.values()].every(
    (tally) => slicesOf(tally, "candidate") === slicesOf(tally, "reference"),
  );
}

/** What was read before any load. */
function beforeLoad({ values: { startup, rssIdle } }: Launch): Launch["values"] {
  return {
    ...(startup === undefined ? {} : { startup }),
    ...(rssIdle === undefined ? {} : { rssIdle }),
  };
}

interface PairWork {
  plan: RoundPlan;
  context: RoundContext;
  /** Runs work on one arm while no other runs. */
  alone(arm: Arm, work: (loaded: LoadedArm) => Promise<void>): Promise<void>;
}

type MeasuredPair = Partial<Record<Arm, { slice: Slice; latencies: Float64Array }>>;

/** What a try at a pair came to. */
interface Try {
  measured: MeasuredPair;
  /** Why its void slices are void; empty: the pair counts. */
  voids: VoidReason[];
  /** A generator that failed. */
  failure: RoundFailure | null;
}

/**
 * In the planned order. A pair with a void slice goes to the end of the queue and is measured again as a whole, so that its two slices
 * stay neighbours in time and what disturbed them has time to pass. What the host made void selects nothing, as it falls on both arms
 * alike; what an arm answered wrongly or too late does, since only its clean tries count, and the verdict therefore counts all tries
 * (verdict/answers.ts).
 */
async function measurePairs(tallies: Tallies, work: PairWork): Promise<void> {
  const queue = work.plan.pairs.map((pair) => ({ pair, attempt: 0 }));
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { pair, attempt } = next;
    const tally = tallyOf(tallies, pair);
    if (tally.spoiled) continue;
    const tried = await tryPair(pair, attempt, tally, work);
    if (tried.voids.length === 0) accept(tally, tried.measured);
    else if (isLastAttempt(tried, attempt)) giveUp(tally, tried);
    else {
      if (queue.length === 0) await pauseAfter(tried, attempt, work.context);
      queue.push({ pair, attempt: attempt + 1 });
    }
  }
}

/** One pair until it counts; null, and the scenario is spoiled, when it never does. */
async function measureInPlace(
  pair: SlicePairPlan,
  tally: Tally,
  work: PairWork,
): Promise<MeasuredPair | null> {
  for (let attempt = 0; ; attempt++) {
    const tried = await tryPair(pair, attempt, tally, work);
    if (tried.voids.length === 0) return tried.measured;
    if (isLastAttempt(tried, attempt)) {
      giveUp(tally, tried);
      return null;
    }
    await pauseAfter(tried, attempt, work.context);
  }
}

/** A service that is gone ends the round. */
async function tryPair(
  pair: SlicePairPlan,
  attempt: number,
  tally: Tally,
  { plan, context, alone }: PairWork,
): Promise<Try> {
  const { scenario } = tally;
  throwIfAborted(context.abort);
  const again = attempt === 0 ? "" : `, try ${attempt + 1}`;
  context.onProgress(
    `round ${plan.index + 1}, ${scenario.id}: slice pair ${pair.pair + 1} of ${scenario.slice.pairs}${again}`,
  );
  const measured: MeasuredPair = {};
  let failure: RoundFailure | null = null;
  for (const arm of pair.order) {
    await alone(arm, async (loaded) => {
      const result = await loaded.load(scenario, pair.pair, attempt);
      tally.slices.push(result.slice);
      if (result.failure?.kind === "crash") throw new RoundStopped(result.failure);
      failure ??= result.failure;
      measured[arm] = result;
    });
  }
  // Trying again would only measure how the service fails without it.
  const gone = context.dependencies?.failure(`in round ${plan.index + 1}`) ?? null;
  if (gone !== null) throw new RoundStopped(gone);
  const voids = Object.values(measured).flatMap(({ slice }) => slice.void ?? []);
  return { measured, voids, failure };
}

function isHostsFault({ voids }: Try): boolean {
  return voids.some(({ rule }) => HOST_RULES.has(rule));
}

function isLastAttempt(tried: Try, attempt: number): boolean {
  return attempt + 1 >= (isHostsFault(tried) ? MAX_ATTEMPTS_AFTER_HOST : MAX_ATTEMPTS);
}

async function pauseAfter(tried: Try, attempt: number, context: RoundContext): Promise<void> {
  if (!isHostsFault(tried)) return;
  await context.clock.sleep(attempt === 0 ? FIRST_HOST_PAUSE_MS : HOST_PAUSE_MS, context.abort);
}

/** A generator that failed to the last ends the round, since it would fail in each. */
function giveUp(tally: Tally, { failure }: Try): void {
  tally.spoiled = true;
  if (failure !== null) throw new RoundStopped(failure);
}

function accept(tally: Tally, measured: MeasuredPair): void {
  if (tally.spoiled) return;
  tally.validPairs++;
  for (const arm of ARMS) {
    const result = measured[arm];
    if (result === undefined) continue;
    tally.latencies[arm].push(result.latencies);
    if (isSaturated(result.slice)) tally.saturated[arm]++;
  }
}

/** Memory of all arms at the same moment: a fixed time after the last request, frozen while it is read. */
async function finishArms(
  arms: readonly LoadedArm[],
  context: RoundContext,
): Promise<Record<Arm, Launch> | { candidate: Launch }> {
  for (const loaded of arms) loaded.thaw();
  await context.clock.sleep(MEMORY_SETTLE_MS, context.abort);
  throwIfAborted(context.abort);
  for (const loaded of arms) await loaded.freeze();
  const launches: Partial<Record<Arm, Launch>> = {};
  for (const loaded of arms) launches[loaded.arm] = loaded.readLaunch();
  // Asked after memory was read: answering allocates.
  for (const loaded of arms) {
    loaded.thaw();
    Object.assign(launches[loaded.arm]?.values ?? {}, await loaded.readRuntime());
  }
  return launches as Record<Arm, Launch>;
}

function newTally(scenario: Scenario): Tally {
  return {
    scenario,
    slices: [],
    latencies: { candidate: [], reference: [] },
    saturated: { candidate: 0, reference: 0 },
    validPairs: 0,
    spoiled: false,
  };
}

function tallyOf(tallies: Tallies, pair: SlicePairPlan): Tally {
  const tally = tallies.get(pair.scenario);
  if (tally === undefined) throw new Error(`bug in tailgate: ${pair.scenario} is not in the round`);
  return tally;
}

function placeOf(plan: RoundPlan): { service: string; round: number } {
  return { service: plan.service, round: plan.index };
}

function scenarioRound(tally: Tally, plan: RoundPlan): ScenarioRound {
  const complete = !tally.spoiled && tally.validPairs === tally.scenario.slice.pairs;
  const both = plan.launchOrder.includes("reference");
  return {
    scenario: tally.scenario.id,
    arms: {
      candidate: scenarioArm(tally, "candidate", complete),
      reference: both ? scenarioArm(tally, "reference", complete) : null,
    },
    slices: tally.slices,
  };
}

function scenarioArm(tally: Tally, arm: Arm, complete: boolean): ScenarioArm {
  const saturated = tally.validPairs > 0 && tally.saturated[arm] * 2 > tally.validPairs;
  const pooled = complete ? sortSample(concatenate(tally.latencies[arm])) : null;
  if (pooled === null || pooled.length === 0) return { pooled: null, curve: [], saturated };
  const curve: Curve = CURVE_PROBABILITIES.map((p) => [p, tenths(quantile(pooled, p))]);
  return { pooled: summarizeLatency(pooled), curve, saturated };
}

function concatenate(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Time in which a slice's schedule was running. */
function loadMsOf(tallies: Tallies): number {
  let sum = 0;
  for (const { slices, scenario } of tallies.values()) {
    sum += slices.length * scenario.slice.durationMs;
  }
  return sum;
}
