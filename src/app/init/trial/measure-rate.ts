// A rate for a scenario: a third of what its service sustains on one core, by a short search.
import type { CapacityLaunch, CapacitySlice } from "../../../core/capacity/model.ts";
import type { Config, Scenario } from "../../../core/model/config.ts";
import type { ServiceTarget } from "../../../machine/run/service/launch.ts";
import { runLaunch } from "../../capacity/launch.ts";
import { settingsOf } from "../../capacity/settings.ts";
import type { PreparedRun, RunPlace } from "../../machine/prepared-run.ts";
import type { Environment } from "../../settings.ts";
import type { RateProposal } from "../proposal.ts";

const SLICE_MS = 1000;
const PRECISION = 0.1;
const SEARCH_MS = 25_000;
const SHARE = 1 / 3;

type RatePrepared = Pick<PreparedRun, "cpuSets" | "generator" | "readCounters">;
type RatePlace = Pick<RunPlace, "folder"> & Partial<Pick<RunPlace, "dependencies">>;

/** Null: no rate was sustained, or none for certain. */
export async function measureRate(
  target: ServiceTarget,
  scenario: Scenario,
  { config, prepared, place }: { config: Config; prepared: RatePrepared; place: RatePlace },
  { clock, abort, progress }: Pick<Environment, "clock" | "abort" | "progress">,
): Promise<RateProposal | null> {
  const { cpuSets, generator, readCounters } = prepared;
  const settings = settingsOf(
    {
      service: scenario.service,
      scenario: scenario.name,
      objectiveMs: null,
      errorBudget: null,
      launches: 1,
      sliceMs: SLICE_MS,
      precision: PRECISION,
      cost: {},
    },
    config,
    scenario,
  );
  const startMs = clock.nowMs();
  const launch = await runLaunch(
    { index: 0, startRps: settings.startRps },
    {
      target,
      scenario,
      settings,
      // The sustained rate of one core, whatever the machine has.
      cpuSets: { ...cpuSets, service: cpuSets.service.slice(0, 1) },
      generator,
      readCounters,
      clock,
      runStartMs: startMs,
      folder: place.folder,
      ...(place.dependencies === undefined ? {} : { dependencies: place.dependencies }),
      abort,
      overTime: () => clock.nowMs() - startMs >= SEARCH_MS,
      onSlice: () => {},
      onProgress: (line) => progress.status(`${scenario.id}: ${line}`),
    },
  );
  return rateFrom(launch);
}

/**
 * Null: nothing that was sustained is about the service. Slices that the host or the generator
 * spoils lower the rate as well, and below the first one that was tried they explain all of it.
 */
export function rateFrom({
  slices,
  startRps,
}: Pick<CapacityLaunch, "slices" | "startRps">): RateProposal | null {
  const ratesOf = (kind: CapacitySlice["verdict"]["kind"]): number[] =>
    slices.filter(({ verdict }) => verdict.kind === kind).map(({ rateRps }) => rateRps);
  const best = Math.max(0, ...ratesOf("sustained"));
  const isLimited = ratesOf("exceeded").some((rateRps) => rateRps > best);
  if (best === 0 || (best < startRps && !isLimited)) return null;
  // Two digits: a third of an estimate is no more exact.
  return {
    kind: "measured",
    rps: Math.max(1, Number((best * SHARE).toPrecision(2))),
    sustainedRps: Number(best.toPrecision(2)),
  };
}
