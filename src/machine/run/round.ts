// One round: each arm launched, warmed, loaded in the planned order, its memory read, stopped.
// Whatever happens, no process of the round is left when it returns, and every slice that was
// measured is in the result.
import { pairedNames } from "../../core/comparison/pair.ts";
import type { Arm, DependencyUse, Launch, Round, RoundFailure } from "../../core/model/samples.ts";
import type { RoundPlan, SlicePairPlan } from "../../core/plan/round.ts";
import { shareOut } from "../../core/plan/round-time.ts";
import { round as tenths } from "../../core/slice/slice.ts";
import { IDLE_SETTLE_MS, LoadedArm, launchArm, MEMORY_SETTLE_MS } from "./arm.ts";
import { areAllWrong, askFirst, firstAnswers, settleWrong, tellAnswers } from "./first-answers.ts";
import { OtherProgramsWatch } from "./other-programs-watch.ts";
import { isOver, type RoundContext, RoundStopped, throwIfAborted } from "./round-context.ts";
import type { RunningService } from "./service/running-service.ts";
import {
  accept,
  keep,
  loadedScenarios,
  loadMsOf,
  type MeasuredPair,
  newTally,
  scenarioRound,
  type Tallies,
  type Tally,
  tallyOf,
  withPartTallies,
} from "./tally.ts";

/** Tries at a slice pair before its scenario is given up for the round. */
const MAX_ATTEMPTS = 3;
const ALONE: readonly Arm[] = ["candidate"];
/** How long the end of a dependency may take to be noticed: its last lines are read first. */
const DEPENDENCY_NOTICE_MS = 1500;

export async function runRound(plan: RoundPlan, context: RoundContext): Promise<Round> {
  const startedMs = context.clock.nowMs();
  const tallies = new Map(context.scenarios.map((scenario) => [scenario.id, newTally(scenario)]));
  const running: RunningService[] = [];
  let launches: Partial<Record<Arm, Launch>> = {};
  let failure: RoundFailure | null = null;
  const used = context.dependencies?.use() ?? [];
  const others = new OtherProgramsWatch(context, () => ({
    service: running.flatMap((service) => service.processGroupIds()),
    dependencies: context.dependencies?.pids() ?? [],
  }));
  const launch = async (arm: Arm): Promise<LoadedArm> => {
    const where = `round ${plan.index + 1}`;
    const name = pairedNames(plan.service)?.[arm] ?? `${plan.service} (${arm})`;
    const place = { name, where, isFirst: plan.index === 0 };
    context.onProgress(`${where}, ${plan.service}: starting the ${arm}`);
    const service = await launchArm(arm, context, place);
    // From here on it is stopped, whatever follows.
    running.push(service);
    throwIfAborted(context.abort);
    return new LoadedArm(arm, service, context, place);
  };
  const work = { plan, context, tallies, others, launch };
  let dependencies: DependencyUse[] = [];
  try {
    noteNew(tallies, plan, context);
    launches = context.scheme === "sliced" ? await runSliced(work) : await runAlternate(work);
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
    const late = running.find(({ outlasted }) => outlasted !== null)?.outlasted ?? null;
    if (late !== null) context.onKilled?.(late);
  }
  const { candidate } = launches;
  return {
    service: plan.service,
    index: plan.index,
    startedAtMs: tenths(startedMs - context.runStartMs),
    endedAtMs: tenths(context.clock.nowMs() - context.runStartMs),
    loadMs: loadMsOf(tallies),
    launches: candidate === undefined ? null : { candidate, reference: launches.reference ?? null },
    scenarios: [...tallies.values()]
      .flatMap(withPartTallies)
      .map((tally) => scenarioRound(tally, plan.launchOrder, context)),
    dependencies,
    culprits: others.culprits(),
    failure: failure === null ? null : masked(failure, context),
  };
}

/** What a service or a dependency logs may name a secret. */
function masked(failure: RoundFailure, { secrets }: RoundContext): RoundFailure {
  if (secrets === undefined) return failure;
  return { ...failure, text: secrets.mask(failure.text), detail: secrets.mask(failure.detail) };
}

/** CPU time of what lives now, less what it had used before the round. */
function usedSince(before: readonly DependencyUse[], after: readonly DependencyUse[]) {
  return after.map(({ name, cpuMs, pssBytes }) => {
    const earlier = before.find((use) => use.name === name)?.cpuMs ?? 0;
    return { name, cpuMs: Math.max(0, cpuMs - earlier), pssBytes };
  });
}

interface RoundWork {
  plan: RoundPlan;
  context: RoundContext;
  tallies: Tallies;
  others: OtherProgramsWatch;
  /** Starts an arm, which is stopped at the round's end at the latest. */
  launch(arm: Arm): Promise<LoadedArm>;
}

/** Of a round without a reference, the candidate's alone. */
type Launches = Record<Arm, Launch> | { candidate: Launch };

/** Which scenarios are new, as far as it is known by now. */
function noteNew(tallies: Tallies, { launchOrder }: RoundPlan, { unshared }: RoundContext): void {
  for (const tally of [...tallies.values()].flatMap(withPartTallies)) {
    tally.isNew = launchOrder.length > 1 && unshared?.isNew(tally.scenario.id) === true;
  }
}

/** Both arms up, one loaded at a time, the other frozen. */
async function runSliced(round: RoundWork): Promise<Launches> {
  const { plan, context, tallies, others } = round;
  const arms = new Map<Arm, LoadedArm>();
  const first = firstAnswers(plan, tallies);
  for (const arm of plan.launchOrder) {
    const loaded = await round.launch(arm);
    arms.set(arm, loaded);
    await loaded.freeze();
  }
  await settleIdle([...arms.values()], context);
  const alone = async (arm: Arm, work: (loaded: LoadedArm) => Promise<void>): Promise<void> => {
    const loaded = arms.get(arm);
    if (loaded === undefined) throw new Error(`${arm} was not launched`);
    loaded.thaw();
    await work(loaded);
    await loaded.freeze();
  };
  if (first.tallies.length > 0) {
    // By name the candidate is first: beside its answer it shows whether the reference has a route.
    for (const arm of [...plan.launchOrder].sort())
      await alone(arm, (loaded) => askFirst(loaded, first, context));
    noteNew(tallies, plan, context);
    settleWrong(first, tallies, { isAlone: plan.launchOrder.length === 1 });
    tellAnswers(first, context);
  }
  const work = { ...round, alone };
  for (const arm of plan.launchOrder) await alone(arm, (loaded) => prepareToCount(loaded, work));

  await others.during(() => measurePairs(work));
  const launches = await finishArms([...arms.values()], work);
  await measureNew(work, [...arms.values()]);
  return launches;
}

/** What the candidate alone has, after all that is compared was read. */
async function measureNew(work: PairWork, running: readonly LoadedArm[]): Promise<void> {
  const scenarios = loadedScenarios(work.tallies, "new");
  if (scenarios.length === 0) return;
  for (const loaded of running) await loaded.freeze();
  await work.alone("candidate", async (loaded) => {
    for (const scenario of scenarios) await loaded.warmUp(scenario);
  });
  await measurePairs(work, "new");
}

/** One arm at a time, its slices one after another: for a service that cannot run twice at once. */
async function runAlternate(round: RoundWork): Promise<Launches> {
  const { plan, context, tallies, others } = round;
  const launches: Partial<Record<Arm, Launch>> = {};
  const measured = new Map<string, MeasuredPair>();
  const first = firstAnswers(plan, tallies);
  for (const arm of plan.launchOrder) {
    const loaded = await round.launch(arm);
    await settleIdle([loaded], context);
    await askFirst(loaded, first, context);
    // A candidate that is wrong in all is to blame if the reference, which is started for nothing
    // else, is right.
    const isLast = arm === plan.launchOrder.at(-1);
    if (areAllWrong(first.wrong, tallies) && arm === "candidate" && !isLast) {
      await loaded.stop();
      continue;
    }
    noteNew(tallies, plan, context);
    settleWrong(first, tallies, { isAlone: plan.launchOrder.length === 1 });
    if (isLast) tellAnswers(first, context);
    const alone = (_: Arm, work: (it: LoadedArm) => Promise<void>): Promise<void> => work(loaded);
    const work = { ...round, alone };
    await prepareToCount(loaded, work);
    await others.during(async () => {
      for (const pair of plan.pairs) {
        const tally = tallyOf(tallies, pair);
        if (tally.spoiled || tally.isNew) continue;
        const key = `${pair.scenario}#${pair.pair}`;
        const single = { ...pair, order: [arm] };
        const now = await measureInPlace(single, tally, work);
        if (now !== null) measured.set(key, { ...measured.get(key), ...now });
      }
    });
    Object.assign(launches, await finishArms([loaded], work));
    if (arm === "candidate") await measureNew(work, []);
    await loaded.stop();
  }
  for (const pair of plan.pairs) {
    const tally = tallyOf(tallies, pair);
    const own = measured.get(`${pair.scenario}#${pair.pair}`);
    if (own !== undefined || !tally.isNew) accept(tally, own ?? {});
  }
  // Before the reference was asked the candidate was loaded with what turned out to be new.
  const isUnequal = plan.index === 0 && loadedScenarios(tallies, "new").length > 0;
  if (plan.launchOrder.length > 1 && (isUnequal || !equallyLoaded(tallies))) {
    for (const launch of Object.values(launches)) launch.values = beforeLoad(launch);
  }
  return launches as Launches;
}

/**
 * A pair is measured again by one arm alone here, which then carries more load than the other: that
 * would show in its memory.
 */
function equallyLoaded(tallies: Tallies): boolean {
  const slicesOf = (tally: Tally, arm: Arm): number =>
    tally.slices.filter((slice) => slice.arm === arm).length;
  return [...tallies.values()].every(
    (tally) => tally.isNew || slicesOf(tally, "candidate") === slicesOf(tally, "reference"),
  );
}

/** What was read before any load. */
function beforeLoad({ values: { startup, rssIdle } }: Launch): Launch["values"] {
  return { startup, rssIdle };
}

interface PairWork extends RoundWork {
  /** Runs work on one arm while no other runs. */
  alone(arm: Arm, work: (loaded: LoadedArm) => Promise<void>): Promise<void>;
}

/** What a try at a pair came to. */
interface Try {
  measured: MeasuredPair;
  /** Whether both slices count. */
  counts: boolean;
  /** A generator that failed. */
  failure: RoundFailure | null;
}

/**
 * In the planned order. A pair with a void slice goes to the end of the queue and is measured again
 * as a whole, so that its two slices stay neighbours in time. What an arm answered wrongly or too
 * late selects, since only its clean tries count; the verdict therefore counts all tries
 * (verdict/answers.ts). What the host disturbed is not measured again: it falls on both arms alike.
 */
async function measurePairs(work: PairWork, which: "shared" | "new" = "shared"): Promise<void> {
  const queue = work.plan.pairs
    .filter((pair) => tallyOf(work.tallies, pair).isNew === (which === "new"))
    .map((pair) => ({ pair: which === "new" ? { ...pair, order: ALONE } : pair, attempt: 0 }));
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { pair, attempt } = next;
    const tally = tallyOf(work.tallies, pair);
    if (tally.spoiled) continue;
    const tried = await tryPair(pair, attempt, tally, work);
    if (tried.counts) accept(tally, tried.measured);
    else if (isLast(attempt, tried, work)) giveUp(tally, tried);
    else queue.push({ pair, attempt: attempt + 1 });
  }
}

/** One pair until it counts; null, and the scenario is spoiled, when it never does. */
async function measureInPlace(pair: SlicePairPlan, tally: Tally, work: PairWork) {
  for (let attempt = 0; ; attempt++) {
    const tried = await tryPair(pair, attempt, tally, work);
    if (tried.counts) return tried.measured;
    if (isLast(attempt, tried, work)) {
      giveUp(tally, tried);
      return null;
    }
  }
}

/** A service that is gone ends the round. */
async function tryPair(
  pair: SlicePairPlan,
  attempt: number,
  tally: Tally,
  { plan, context, others, alone }: PairWork,
): Promise<Try> {
  const { scenario } = tally;
  throwIfAborted(context.abort);
  others.look();
  const again = attempt === 0 ? "" : `, try ${attempt + 1}`;
  context.onProgress(
    `round ${plan.index + 1}, ${scenario.id}: pair ${pair.pair + 1} of ${scenario.slice.pairs}${again}`,
  );
  const measured: MeasuredPair = {};
  let failure: RoundFailure | null = null;
  for (const arm of pair.order) {
    await alone(arm, async (loaded) => {
      const result = await loaded.load(scenario, pair.pair, attempt);
      keep(tally, result);
      if (result.failure?.kind === "crash") throw new RoundStopped(result.failure);
      failure ??= result.failure;
      measured[arm] = result;
    });
  }
  // Trying again would only measure how the service fails without it.
  const gone = context.dependencies?.failure(`in round ${plan.index + 1}`) ?? null;
  if (gone !== null) throw new RoundStopped(gone);
  const counts = Object.values(measured).every(({ slice }) => slice.void === null);
  return { measured, counts, failure };
}

function isLast(attempt: number, { failure }: Try, { context }: PairWork): boolean {
  return attempt + 1 >= MAX_ATTEMPTS || (failure !== null && isOver(context));
}

/** A generator that failed to the last ends the round, since it would fail in each. */
function giveUp(tally: Tally, { failure }: Try): void {
  tally.spoiled = true;
  if (failure !== null) throw new RoundStopped(failure);
}

/** Idle memory, at rest where it is judged. Whatever was frozen is so again. */
async function settleIdle(arms: readonly LoadedArm[], context: RoundContext): Promise<void> {
  if (context.settlesIdle === true) {
    for (const loaded of arms) loaded.thaw();
    await context.clock.sleep(IDLE_SETTLE_MS, context.abort);
    throwIfAborted(context.abort);
    if (context.scheme === "sliced") for (const loaded of arms) await loaded.freeze();
  }
  for (const loaded of arms) loaded.readIdle();
}

/** Each scenario's warm-up; from then on the arm's counters are those of the slices. */
async function prepareToCount(loaded: LoadedArm, { plan, context, tallies }: PairWork) {
  for (const scenario of loadedScenarios(tallies)) {
    context.onProgress(`round ${plan.index + 1}, ${scenario.id}: warm-up`);
    await loaded.warmUp(scenario);
  }
  await loaded.beginCounting();
}

/** What the launches came to: memory of all arms at the same moment, frozen while it is read. */
async function finishArms(arms: readonly LoadedArm[], work: PairWork): Promise<Launches> {
  const { plan, context } = work;
  for (const loaded of arms) loaded.endCounting();
  if (plan.readsMemory) {
    for (const loaded of arms) await sendRest(loaded, work);
    for (const loaded of arms) loaded.thaw();
    await context.clock.sleep(MEMORY_SETTLE_MS, context.abort);
    throwIfAborted(context.abort);
    for (const loaded of arms) await loaded.freeze();
  }
  const launches: Partial<Record<Arm, Launch>> = {};
  for (const loaded of arms) launches[loaded.arm] = loaded.readLaunch(plan.readsMemory);
  // Asked after memory was read: answering allocates.
  for (const loaded of arms) {
    loaded.thaw();
    Object.assign(launches[loaded.arm]?.values ?? {}, await loaded.readRuntime());
  }
  return launches as Launches;
}

/**
 * The requests that are left until memory is read, so that it is after as many in every launch,
 * however short its slices. Each scenario has its share.
 */
async function sendRest(loaded: LoadedArm, { plan, context, tallies, alone }: PairWork) {
  const { memoryRequests = 0 } = context;
  const scenarios = loadedScenarios(tallies);
  const shares = shareOut(memoryRequests - loaded.requests, scenarios);
  for (const [i, scenario] of scenarios.entries()) {
    const requests = shares[i] ?? 0;
    if (requests === 0) continue;
    context.onProgress(`round ${plan.index + 1}, ${scenario.id}: requests before memory is read`);
    await alone(loaded.arm, (it) => it.sendRest(scenario, requests));
  }
}
