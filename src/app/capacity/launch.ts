// One launch of a capacity search: a fresh start of the service, warmed, then slices at whatever
// rates the search asks for. Whatever happens, the service is stopped and every slice that was
// measured is in the result.

import { UserError } from "../../core/base/errors.ts";
import type { CapacityLaunch, CapacitySettings, CapacitySlice } from "../../core/capacity/model.ts";
import { searchCapacity } from "../../core/capacity/search.ts";
import { judgeTry, sliceDurationMs, summarizeTry } from "../../core/capacity/slice.ts";
import type { Scenario } from "../../core/model/config.ts";
import { round } from "../../core/slice/slice.ts";
import { LoadedArm, launchArm } from "../../machine/run/arm.ts";
import { hostShares } from "../../machine/run/probe/host-counters.ts";
import { type RoundContext, RoundStopped } from "../../machine/run/round-context.ts";
import type { RunningService } from "../../machine/run/service/running-service.ts";

/** The service is the candidate of rounds without a reference. */
export interface LaunchContext extends RoundContext {
  scenario: Scenario;
  settings: CapacitySettings;
  /** Every slice as it ends. */
  onSlice(launch: CapacityLaunch): void;
  /** True once the time budget is used up: no slice is begun after that. */
  overTime(): boolean;
}

/** Between two slices: a service that was overloaded ends its own work. */
const SETTLE_MS = 200;
/**
 * After a slice that the host spoiled: what disturbs it (a timer, a package manager) takes seconds.
 */
const HOST_PAUSE_MS = 2000;
const MAX_GENERATOR_FAILURES = 3;

type LaunchPlan = Pick<CapacityLaunch, "index" | "startRps">;

export async function runLaunch(plan: LaunchPlan, context: LaunchContext): Promise<CapacityLaunch> {
  const { clock, scenario, secrets, onProgress } = context;
  const startedAtMs = round(clock.nowMs() - context.runStartMs);
  const launch: CapacityLaunch = { ...plan, startedAtMs, endedAtMs: 0, slices: [], failure: null };
  const where = `launch ${plan.index + 1}`;
  const place = { name: scenario.service, where, isFirst: true };
  let service: RunningService | null = null;
  try {
    onProgress(`${where}: starting ${scenario.service}`);
    service = await launchArm("candidate", context, place);
    const loaded = new LoadedArm("candidate", service, context, place);
    onProgress(`${where}: warm-up`);
    await loaded.warmUp(scenario);
    await search(loaded, launch, context);
  } catch (error) {
    const [text, detail] = failureOf(error);
    // A launch that a signal cut short is nobody's failure.
    if (!context.abort.aborted) {
      const mask = (words: string): string => secrets?.mask(words) ?? words;
      launch.failure = { text: mask(text), detail: mask(detail) };
    }
  } finally {
    await service?.stop();
  }
  launch.endedAtMs = round(clock.nowMs() - context.runStartMs);
  return launch;
}

/** Its text and detail; what is a bug of ours is thrown on. */
function failureOf(error: unknown): [text: string, detail: string] {
  if (error instanceof RoundStopped) return [error.message, error.failure?.detail ?? ""];
  if (!(error instanceof UserError)) throw error;
  return [error.message, [error.detail, error.next].filter(Boolean).join("\n")];
}

async function search(loaded: LoadedArm, launch: CapacityLaunch, context: LaunchContext) {
  const asked = searchCapacity({ ...context.settings, startRps: launch.startRps });
  let turn = asked.next();
  while (!turn.done && !context.abort.aborted && !context.overTime()) {
    const slice = await measureSlice(loaded, turn.value, launch, context);
    launch.slices.push(slice);
    context.onSlice(launch);
    const { verdict } = slice;
    const isHost = verdict.kind === "void" && verdict.by === "host";
    await context.clock.sleep(isHost ? HOST_PAUSE_MS : SETTLE_MS, context.abort);
    turn = asked.next(verdict);
  }
}

/** A generator that fails is tried again a few times. */
async function measureSlice(
  loaded: LoadedArm,
  rateRps: number,
  { index, slices }: CapacityLaunch,
  context: LaunchContext,
): Promise<CapacitySlice> {
  const { settings, cpuSets, runStartMs } = context;
  const scenario = { ...context.scenario, rateRps };
  const durationMs = sliceDurationMs(rateRps, settings);
  const scheduled = Math.max(2, Math.round((rateRps * durationMs) / 1000));
  context.onProgress(
    `launch ${index + 1} of ${settings.launches}: try ${slices.length + 1} at ${rateRps.toPrecision(4)}/s`,
  );
  const when = `in launch ${index + 1}, at ${rateRps.toPrecision(4)}/s`;
  for (let attempt = 1; ; attempt++) {
    const { load, before, after, crash } = await loaded.run(scenario, scheduled, when);
    if (crash !== null) throw new RoundStopped(crash);
    if (load.kind === "failed") {
      if (attempt < MAX_GENERATOR_FAILURES) continue;
      const { text, detail } = load;
      throw new UserError(`${text} ${when}`, { detail });
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
