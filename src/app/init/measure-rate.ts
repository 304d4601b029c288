// A rate for a scenario: a third of what its service sustains on one core, by a short search.
import type { CapacityLaunch } from "../../core/capacity/model.ts";
import type { Config, Scenario } from "../../core/model/config.ts";
import type { ServiceTarget } from "../../machine/run/service/launch.ts";
import { runLaunch } from "../capacity/launch.ts";
import { settingsOf } from "../capacity/settings.ts";
import type { PreparedRun, RunPlace } from "../machine/prepared-run.ts";
import type { Environment } from "../settings.ts";
import type { RateProposal } from "./proposal.ts";

const SLICE_MS = 1000;
const PRECISION = 0.1;
const SEARCH_MS = 25_000;
const SHARE = 1 / 3;

/** Null: no rate was sustained. */
export async function measureRate(
  target: ServiceTarget,
  scenario: Scenario,
  { config, prepared, place }: { config: Config; prepared: PreparedRun; place: RunPlace },
  { clock, abort, progress }: Environment,
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
      dependencies: place.dependencies,
      abort,
      overTime: () => clock.nowMs() - startMs >= SEARCH_MS,
      onSlice: () => {},
      onProgress: (line) => progress.status(`${scenario.id}: ${line}`),
    },
  );
  return rateFrom(launch);
}

/** Two digits: a third of an estimate is no more exact. */
export function rateFrom({ slices }: Pick<CapacityLaunch, "slices">): RateProposal | null {
  const sustained = slices
    .filter(({ verdict }) => verdict.kind === "sustained")
    .map(({ rateRps }) => rateRps);
  if (sustained.length === 0) return null;
  const sustainedRps = Math.max(...sustained);
  return {
    kind: "measured",
    rps: Math.max(1, Number((sustainedRps * SHARE).toPrecision(2))),
    sustainedRps: Number(sustainedRps.toPrecision(2)),
  };
}
