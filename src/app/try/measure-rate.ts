// A rate for a scenario: at most a third of what one core can serve, by the CPU time that its
// requests take.
// Other programs on the machine change latencies, and hardly that.
import type { Scenario } from "../../core/model/config.ts";
import type { TriedRate } from "../../core/model/try.ts";
import { type LoadDone, type LoadRequest, sendBy } from "../../core/slice/load.ts";
import { fillScenarios } from "../../machine/run/service/fill-scenarios.ts";
import type { LaunchResult } from "../../machine/run/service/launch.ts";
import { addressOf, type RunningService } from "../../machine/run/service/running-service.ts";
import type { RunPlace } from "../machine/prepared-run.ts";
import type { Environment } from "../settings.ts";

const SLICE_MS = 1000;
const MOST_SLICES = 10;
const SHARE = 1 / 3;
/** Above it no slice is shorter, and what else runs on the machine makes longer queues. */
const MOST_RPS = 1000;
/** What was asked last may be this much below what is proposed. */
const TOLERANCE = 1.25;
/** What CPU time is known to. */
const TICK_MS = 10;
const ENOUGH_CPU_MS = 5 * TICK_MS;
/** At most, from one slice to the next, up or down: what compiles as it runs needs requests for it. */
const STEP = 4;
/** Share of the answers that may be something else, and of its time that a slice may be late. */
const MOST_WRONG = 0.01;
const MOST_LATE = 0.5;
/** Sent at once while it compiles as it runs. */
const BATCH = 300;
/** What takes more than this share of the CPU time of the batch before gets hardly quicker. */
const HARDLY_QUICKER = 0.8;

type RatePlace = Pick<RunPlace, "cpuSets" | "generator" | "readCounters" | "clock" | "folder"> &
  Partial<Pick<RunPlace, "dependencies">>;

/** `start`: on one CPU, whatever the machine has. Null: it did not start, or kept up with no rate. */
export async function measureRate(
  start: (cpus: readonly number[]) => Promise<LaunchResult>,
  configured: Scenario,
  place: RatePlace,
  { abort, progress }: Pick<Environment, "abort" | "progress">,
): Promise<TriedRate | null> {
  const started = await start(place.cpuSets.service.slice(0, 1));
  if (started.kind === "failed") return null;
  const { service } = started;
  try {
    const filled = fillScenarios([configured], service.values);
    if (!filled.ok) return null;
    const scenario = filled.filled.get(configured.id) ?? configured;
    const say = (what: string): void => progress.status(`${scenario.id}: ${what}`);
    const cpuMsOf = watch(service, place);
    const begin = (rateRps: number, requests: number): LoadRequest => ({
      scenario: { ...scenario, rateRps },
      ...addressOf(service),
      requests,
      cpus: place.cpuSets.generator,
      folder: place.folder,
      abort,
    });
    const isGone = (): boolean => abort.aborted || service.exit() !== null;
    const warm = await warmUp(scenario.warmupRequests, async (requests) => {
      say("warm-up");
      const cpuMs = cpuMsOf();
      const sent = await sendBy(place.generator, begin(scenario.rateRps, requests));
      return sent.kind === "failed" || isGone() ? null : cpuMs();
    });
    const mostUs = warm ?? Number.POSITIVE_INFINITY;
    const startRps = Math.min(scenario.rateRps, shareOf(mostUs));
    return await settleRate({ startRps, mostUs }, async (rateRps) => {
      say(`${Math.round(rateRps)}/s`);
      const requests = Math.max(2, Math.round((rateRps * SLICE_MS) / 1000));
      const request = begin(rateRps, requests);
      const cpuMs = cpuMsOf();
      const load = await place.generator.run(request);
      if (load.kind !== "done" || isGone()) return null;
      return { requests, cpuMs: cpuMs(), keptUp: hasKeptUp(load, request.scenario, requests) };
    });
  } finally {
    await service.stop();
  }
}

/**
 * What compiles as it runs gets quicker until that is done: batches, one after another, until one is
 * hardly quicker than that before, or `most` are sent. CPU time of a request, us; null: none was sent.
 */
export async function warmUp(
  most: number,
  send: (requests: number) => Promise<number | null>,
): Promise<number | null> {
  let cpuUs: number | null = null;
  for (let left = most; left > 0; left -= BATCH) {
    const requests = Math.min(BATCH, left);
    const cpuMs = await send(requests);
    if (cpuMs === null) return cpuUs;
    const nowUs = usOf(cpuMs, requests);
    const isDone = cpuUs !== null && nowUs > HARDLY_QUICKER * cpuUs;
    cpuUs = nowUs;
    if (isDone) break;
  }
  return cpuUs;
}

function usOf(cpuMs: number, requests: number): number {
  return (1000 * Math.max(cpuMs, TICK_MS)) / requests;
}

/** What that part of one core serves, by what a request takes. */
function shareOf(cpuUs: number): number {
  return (SHARE * 1e6) / cpuUs;
}

/** What a second at one rate has shown. */
interface Slice {
  requests: number;
  /** Of the service and what it needs. */
  cpuMs: number;
  /** Answers were the expected ones, and came in time. */
  keptUp: boolean;
}

/**
 * By the utilization law (Denning and Buzen 1978) one core serves as many requests a second as their
 * CPU time fits into it. What waits for something else is slower than that: a rate is proposed only
 * if the service kept up with about as much. `mostUs`: no request takes more; the rest of a slice's
 * CPU time is what compiles beside it.
 */
export async function settleRate(
  { startRps, mostUs = Number.POSITIVE_INFINITY }: { startRps: number; mostUs?: number },
  measure: (rateRps: number) => Promise<Slice | null>,
): Promise<TriedRate | null> {
  let rateRps = startRps;
  /** Of the last slice that was too much, with what a request took there. */
  let tooMuch = { rps: Number.POSITIVE_INFINITY, cpuUs: 0 };
  for (let i = 0; i < MOST_SLICES && rateRps >= 1; i++) {
    const slice = await measure(rateRps);
    if (slice === null) return null;
    const cpuUs = Math.min(mostUs, usOf(slice.cpuMs, slice.requests));
    const shareRps = shareOf(cpuUs);
    const wantedRps = Math.min(MOST_RPS, shareRps);
    if (!slice.keptUp) {
      tooMuch = { rps: rateRps, cpuUs };
      rateRps = Math.max(rateRps / STEP, Math.min(rateRps / 2, wantedRps));
      continue;
    }
    // What has got twice as quick since, because it was compiled, may be asked for more.
    const mostRps = cpuUs < tooMuch.cpuUs / 2 ? Number.POSITIVE_INFINITY : tooMuch.rps / 2;
    const nextRps = Math.min(wantedRps, mostRps);
    const isKnown = slice.cpuMs >= ENOUGH_CPU_MS || nextRps < shareRps;
    if (isKnown && nextRps <= rateRps * TOLERANCE) return measured(nextRps, cpuUs);
    rateRps = Math.min(nextRps, rateRps * STEP);
  }
  return null;
}

/** Two digits: a third of an estimate is no more exact. */
function measured(rps: number, cpuUs: number): TriedRate {
  return {
    kind: "held",
    rps: Math.max(1, Number(rps.toPrecision(2))),
    cpuUs: Number(cpuUs.toPrecision(2)),
  };
}

/** The CPU time of the service, and of what it needs, from a moment on: ms. */
function watch(
  service: RunningService,
  { cpuSets, readCounters, clock, dependencies }: RatePlace,
): () => () => number {
  const known = { service: service.processGroupIds(), dependencies: dependencies?.pids() ?? [] };
  const cpuMs = (): number => {
    const { serviceMs, dependencyMs } = readCounters(cpuSets, known, clock.nowMs());
    return serviceMs + dependencyMs;
  };
  return () => {
    const beforeMs = cpuMs();
    return () => Math.max(0, cpuMs() - beforeMs);
  };
}

function hasKeptUp(
  { statuses, rows: { release, end } }: LoadDone,
  { expectStatus, rateRps }: Scenario,
  requests: number,
): boolean {
  const right = statuses[expectStatus] ?? 0;
  const lastUs = end.reduce((most, at) => Math.max(most, at), 0);
  const tookMs = (lastUs - (release[0] ?? 0)) / 1000;
  const scheduledMs = (1000 * requests) / rateRps;
  return right >= requests * (1 - MOST_WRONG) && tookMs <= scheduledMs * (1 + MOST_LATE);
}
