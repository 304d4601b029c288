// A rate for a scenario: at most a third of what one core can serve, by the CPU time that its
// requests take.
// Other programs on the machine change latencies, and hardly that.
import type { Scenario } from "../../../core/model/config.ts";
import type { LoadDone } from "../../../core/slice/load.ts";
import { launchService, type ServiceTarget } from "../../../machine/run/service/launch.ts";
import { addressOf, type RunningService } from "../../../machine/run/service/running-service.ts";
import type { PreparedRun, RunPlace } from "../../machine/prepared-run.ts";
import type { Environment } from "../../settings.ts";
import type { RateProposal } from "../proposal.ts";

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

type RatePrepared = Pick<PreparedRun, "cpuSets" | "generator" | "readCounters">;
type RatePlace = Pick<RunPlace, "folder"> & Partial<Pick<RunPlace, "dependencies">>;

/** Null: it did not start, or kept up with no rate. */
export async function measureRate(
  target: ServiceTarget,
  scenario: Scenario,
  { prepared, place }: { prepared: RatePrepared; place: RatePlace },
  environment: Pick<Environment, "clock" | "abort" | "progress">,
): Promise<RateProposal | null> {
  const { clock, abort, progress } = environment;
  if (((await place.dependencies?.reset("candidate")) ?? null) !== null) return null;
  // The rate of one core, whatever the machine has.
  const cpus = prepared.cpuSets.service.slice(0, 1);
  const started = await launchService(target, { cpus, clock, abort });
  if (started.kind === "failed") return null;
  const { service } = started;
  try {
    const load = async (rateRps: number, requests: number): Promise<Slice | null> => {
      progress.status(`${scenario.id}: ${Math.round(rateRps)}/s`);
      return await loadOnce(service, { ...scenario, rateRps }, requests, {
        ...prepared,
        place,
        environment,
      });
    };
    if (scenario.warmupRequests > 0) await load(scenario.rateRps, scenario.warmupRequests);
    return await settleRate(scenario.rateRps, (rateRps) =>
      load(rateRps, Math.max(2, Math.round((rateRps * SLICE_MS) / 1000))),
    );
  } finally {
    await service.stop();
  }
}

/** What a second at one rate has shown. */
export interface Slice {
  requests: number;
  /** Of the service and what it needs. */
  cpuMs: number;
  /** Answers were the expected ones, and came in time. */
  keptUp: boolean;
}

/**
 * By the utilization law (Denning and Buzen 1978) one core serves as many requests a second as their
 * CPU time fits into it. What waits for something else is slower than that: a rate is proposed only
 * if the service kept up with about as much.
 */
export async function settleRate(
  startRps: number,
  measure: (rateRps: number) => Promise<Slice | null>,
): Promise<RateProposal | null> {
  let rateRps = startRps;
  /** Of the last slice that was too much, with what a request took there. */
  let tooMuch = { rps: Number.POSITIVE_INFINITY, cpuUs: 0 };
  for (let i = 0; i < MOST_SLICES && rateRps >= 1; i++) {
    const slice = await measure(rateRps);
    if (slice === null) return null;
    const cpuUs = (1000 * Math.max(slice.cpuMs, TICK_MS)) / slice.requests;
    const shareRps = (SHARE * 1e6) / cpuUs;
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
function measured(rps: number, cpuUs: number): RateProposal {
  return {
    kind: "measured",
    rps: Math.max(1, Number(rps.toPrecision(2))),
    cpuUs: Number(cpuUs.toPrecision(2)),
  };
}

/** Null: there is nothing to go by. */
async function loadOnce(
  service: RunningService,
  scenario: Scenario,
  requests: number,
  {
    cpuSets,
    generator,
    readCounters,
    place,
    environment: { clock, abort },
  }: RatePrepared & { place: RatePlace; environment: Pick<Environment, "clock" | "abort"> },
): Promise<Slice | null> {
  const known = {
    service: service.processGroupIds(),
    dependencies: place.dependencies?.pids() ?? [],
  };
  const cpuMs = (): number => {
    const { serviceMs, dependencyMs } = readCounters(cpuSets, known, clock.nowMs());
    return serviceMs + dependencyMs;
  };
  const beforeMs = cpuMs();
  const address = addressOf(service);
  const run = { cpus: cpuSets.generator, folder: place.folder, abort };
  const load = await generator.run({ scenario, ...address, requests, ...run });
  if (abort.aborted || load.kind !== "done" || service.exit() !== null) return null;
  return {
    requests,
    cpuMs: Math.max(0, cpuMs() - beforeMs),
    keptUp: hasKeptUp(load, scenario, requests),
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
