// One launch of a capacity search: a fresh start of the service, warmed, then slices at whatever
// rates the search asks for. Whatever happens, the service is stopped and every slice that was
// measured is in the result.
import type {
  CapacityLaunch,
  CapacitySettings,
  CapacitySlice,
  SliceVerdict,
} from "../../core/capacity/model.ts";
import { searchCapacity } from "../../core/capacity/search.ts";
import { judgeTry, sliceDurationMs, summarizeTry } from "../../core/capacity/slice.ts";
import type { Scenario } from "../../core/model/config.ts";
import type { CpuSets } from "../../core/model/host.ts";
import type { LoadGenerator } from "../../core/slice/load.ts";
import { round } from "../../core/slice/slice.ts";
import { Secrets } from "../../core/text/secrets.ts";
import { masked } from "../../machine/run/load/masked.ts";
import { hostShares, readHostCounters } from "../../machine/run/probe/host-counters.ts";
import type { RoundDependencies } from "../../machine/run/round-context.ts";
import { fillScenarios } from "../../machine/run/service/fill-scenarios.ts";
import { launchService, type ServiceTarget } from "../../machine/run/service/launch.ts";
import { addressOf, type RunningService } from "../../machine/run/service/running-service.ts";
import type { Clock } from "../../machine/sys/clock.ts";
import { describeExit } from "../../machine/sys/process.ts";

export interface LaunchContext {
  target: ServiceTarget;
  scenario: Scenario;
  settings: CapacitySettings;
  cpuSets: CpuSets;
  generator: LoadGenerator;
  clock: Clock;
  /** Monotonic time at which the run began. */
  runStartMs: number;
  /** Temporary, for the generator's files. */
  folder: string;
  abort: AbortSignal;
  /** Every slice as it ends. */
  onSlice(launch: CapacityLaunch): void;
  onProgress(line: string): void;
  /** Hears what `before` gives. */
  onSecret?(value: string): void;
  /** True once the time budget is used up: no slice is begun after that. */
  overTime(): boolean;
  /** What the service needs beside itself; absent when it needs nothing. */
  dependencies?: RoundDependencies;
  /** Stands in for the machine's counters in tests. */
  readCounters?: typeof readHostCounters;
}

interface LaunchPlan {
  index: number;
  startRps: number;
}

/** Between two slices: a service that was overloaded ends its own work. */
const SETTLE_MS = 200;
/**
 * After a slice that the host spoiled: what disturbs it (a timer, a package manager) takes seconds.
 */
const HOST_PAUSE_MS = 2000;
const MAX_GENERATOR_FAILURES = 3;

/** Ends the launch; what it measured is kept. */
class LaunchStopped extends Error {
  readonly detail: string;

  constructor(text: string, detail: string) {
    super(text);
    this.detail = detail;
  }
}

export async function runLaunch(plan: LaunchPlan, context: LaunchContext): Promise<CapacityLaunch> {
  const { clock } = context;
  const launch: CapacityLaunch = {
    ...plan,
    startedAtMs: round(clock.nowMs() - context.runStartMs),
    endedAtMs: 0,
    slices: [],
    failure: null,
  };
  let service: RunningService | null = null;
  const secrets = new Secrets();
  try {
    service = await start(plan, context, secrets);
    const filled = fillScenarios([context.scenario], service.values);
    if (!filled.ok) {
      throw new LaunchStopped(`${filled.why}, in launch ${plan.index + 1}`, filled.next);
    }
    const scenario = filled.filled.get(context.scenario.id) ?? context.scenario;
    const started = { ...context, scenario, generator: masked(context.generator, secrets) };
    await warmUp(service, plan, started);
    await search(service, launch, started);
  } catch (error) {
    if (!(error instanceof LaunchStopped)) throw error;
    // A launch that a signal cut short is nobody's failure.
    if (!context.abort.aborted) {
      launch.failure = {
        text: secrets.mask(error.message),
        detail: secrets.mask(error.detail),
      };
    }
  } finally {
    await service?.stop();
  }
  launch.endedAtMs = round(clock.nowMs() - context.runStartMs);
  return launch;
}

async function start(
  { index }: LaunchPlan,
  context: LaunchContext,
  secrets: Secrets,
): Promise<RunningService> {
  const { target, cpuSets, clock, abort, scenario } = context;
  context.onProgress(`launch ${index + 1}: starting ${scenario.service}`);
  const unready = (await context.dependencies?.reset("candidate")) ?? null;
  if (unready !== null) {
    throw new LaunchStopped(`${unready.text}, in launch ${index + 1}`, unready.detail);
  }
  const { onSecret } = context;
  const cpus = cpuSets.service;
  const result = await launchService(target, { cpus, clock, abort, secrets, onSecret });
  if (result.kind === "running") return result.service;
  throw new LaunchStopped(
    `${scenario.service} ${result.text}, in launch ${index + 1}`,
    [result.detail, result.next ?? ""].filter((part) => part !== "").join("\n"),
  );
}

async function warmUp(
  service: RunningService,
  plan: LaunchPlan,
  context: LaunchContext,
): Promise<void> {
  const { scenario, generator, cpuSets, folder, abort } = context;
  if (scenario.warmupRequests === 0) return;
  context.onProgress(`launch ${plan.index + 1}: warm-up`);
  const load = await generator.run({
    scenario,
    ...addressOf(service),
    requests: scenario.warmupRequests,
    cpus: cpuSets.generator,
    folder,
    abort,
  });
  const when = `in launch ${plan.index + 1}, during warm-up`;
  await stopIfGone(service, scenario, when);
  if (load.kind === "failed") throw new LaunchStopped(`${load.text} ${when}`, load.detail);
}

async function search(
  service: RunningService,
  launch: CapacityLaunch,
  context: LaunchContext,
): Promise<void> {
  const asked = searchCapacity({ ...context.settings, startRps: launch.startRps });
  let turn = asked.next();
  while (!turn.done && !context.abort.aborted && !context.overTime()) {
    const slice = await measureSlice(service, turn.value, launch, context);
    if (slice === null) return;
    launch.slices.push(slice);
    context.onSlice(launch);
    await context.clock.sleep(pauseAfter(slice.verdict), context.abort);
    turn = asked.next(slice.verdict);
  }
}

function pauseAfter(verdict: SliceVerdict): number {
  return verdict.kind === "void" && verdict.by === "host" ? HOST_PAUSE_MS : SETTLE_MS;
}

/** Null when a signal cut it short. A generator that fails is tried again a few times. */
async function measureSlice(
  service: RunningService,
  rateRps: number,
  { index, slices }: CapacityLaunch,
  context: LaunchContext,
): Promise<CapacitySlice | null> {
  const { settings, cpuSets, clock, generator, folder, abort, runStartMs } = context;
  const { readCounters = readHostCounters } = context;
  const scenario = { ...context.scenario, rateRps };
  const durationMs = sliceDurationMs(rateRps, settings);
  const scheduled = Math.max(2, Math.round((rateRps * durationMs) / 1000));
  context.onProgress(
    `launch ${index + 1} of ${settings.launches}: slice ${slices.length + 1} at ${rateRps.toPrecision(4)}/s`,
  );
  const when = `in launch ${index + 1}, at ${rateRps.toPrecision(4)}/s`;
  for (let attempt = 1; ; attempt++) {
    const known = {
      service: service.processGroupIds(),
      dependencies: context.dependencies?.pids() ?? [],
    };
    const before = readCounters(cpuSets, known, clock.nowMs());
    const load = await generator.run({
      scenario,
      ...addressOf(service),
      requests: scheduled,
      cpus: cpuSets.generator,
      folder,
      abort,
    });
    if (abort.aborted) return null;
    const after = readCounters(cpuSets, known, clock.nowMs());
    await stopIfGone(service, scenario, when);
    if (load.kind === "failed") {
      if (attempt < MAX_GENERATOR_FAILURES) continue;
      throw new LaunchStopped(`${load.text} ${when}`, load.detail);
    }
    if (load.kind === "distribution") throw new Error("capacity needs rows");
    const facts = summarizeTry(
      load,
      {
        rateRps,
        startedAtMs: round(before.atMs - runStartMs),
        durationMs,
        scheduled,
        serviceCpuMs: Math.max(0, after.serviceMs - before.serviceMs),
        wallMs: round(after.atMs - before.atMs),
        host: hostShares(before, after, cpuSets),
      },
      scenario,
      settings,
    );
    return { ...facts, verdict: judgeTry(facts, scenario, settings) };
  }
}

async function stopIfGone(
  service: RunningService,
  scenario: Scenario,
  when: string,
): Promise<void> {
  const exit = await service.settledExit();
  if (exit === null) return;
  throw new LaunchStopped(`${scenario.service} ${describeExit(exit)} ${when}`, service.tail());
}
