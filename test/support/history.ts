// Nights of the default branch: as they are measured, and as records whose levels are known to the
// digit.

import { reportOn } from "../../src/app/gate/outcome.ts";
import { historyRecord } from "../../src/core/history/record.ts";
import type { HistoryPoint, HistoryRecord, StandingChange } from "../../src/core/model/history.ts";
import type { Samples } from "../../src/core/model/samples.ts";
import { makeConfig, makeSamples, type SamplesRecipe } from "./samples.ts";

const DAY_MS = 24 * 3600 * 1000;
/** Day 0 of every simulated calendar. */
const START = Date.parse("2026-01-01T02:00:00.000Z");

export function timeOf(day: number): string {
  return new Date(START + day * DAY_MS).toISOString();
}

export const ANCHOR = "a".repeat(40);

/** A nightly run of the default branch beside its anchor. */
export function pairedNight(day: number, recipe: Partial<SamplesRecipe> = {}): Samples {
  const samples = makeSamples({ rounds: 20, noise: 0.02, seed: 500 + day, ...recipe });
  const { sources } = samples;
  return {
    ...samples,
    run: { ...samples.run, id: `night-${day}`, startedAt: timeOf(day) },
    sources: {
      candidate: { ...sources.candidate, commit: tipOf(day), subject: `Change of day ${day}` },
      reference: {
        commit: ANCHOR,
        label: "commit of the stored baseline",
        dirty: false,
        subject: "The anchor",
      },
    },
  };
}

export function tipOf(day: number): string {
  return Math.abs(Math.round(day)).toString(16).padStart(4, "0").repeat(10);
}

const PLACE = { url: null, parent: null, shard: null };

export function recordNight(samples: Samples): HistoryRecord {
  return historyRecord(samples, reportOn(samples, []), PLACE);
}

/** Of the days from `first` to `last`, both included. */
export function nights(
  first: number,
  last: number,
  recipe: (day: number) => Partial<SamplesRecipe> = () => ({}),
): HistoryRecord[] {
  return daysFrom(first, last).map((day) => recordNight(pairedNight(day, recipe(day))));
}

export function daysFrom(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

const TEMPLATE = recordNight(pairedNight(0, { rounds: 8 }));
export const SERIES = Object.keys(TEMPLATE.series);
export const { workloads: WORKLOADS } = TEMPLATE;

export interface NightFacts {
  day: number;
  run?: string;
  /** Of every series, or of those that are named. */
  anchor?: number | Record<string, number>;
  ratio?: HistoryPoint["ratio"];
  commit?: string;
  anchorCommit?: string;
  kernel?: string;
}

/** A night by its facts, for `makeConfig()`. */
export function nightOf(facts: NightFacts): HistoryRecord {
  const { day, run = `night-${day}`, anchor = 300, ratio = null } = facts;
  const levels = typeof anchor === "number" ? {} : anchor;
  const usual = typeof anchor === "number" ? anchor : null;
  return {
    ...TEMPLATE,
    run: { ...TEMPLATE.run, id: run, startedAt: timeOf(day) },
    commit: { ...TEMPLATE.commit, sha: facts.commit ?? tipOf(day) },
    anchors: { api: { commit: facts.anchorCommit ?? ANCHOR, name: "anchor" } },
    fingerprint: { ...TEMPLATE.fingerprint, kernel: facts.kernel ?? TEMPLATE.fingerprint.kernel },
    series: Object.fromEntries(
      SERIES.flatMap((id): [string, HistoryPoint][] => {
        const level = levels[id] ?? usual;
        if (level === null) return [];
        return [[id, { candidate: level, anchor: level, ratio, rounds: 12, detectable: 0.05 }]];
      }),
    ),
  };
}

/** For questions about a series of `makeConfig()`. */
export function workloadOfSeries(id: string): { subject: string; workload: string } {
  const subject = id.split("/").slice(0, -1).join("/");
  return { subject, workload: WORKLOADS[subject] ?? "" };
}

export const RUNNER_CLASS = makeConfig().runner.class;

export const sizeOf = (estimate: number) => ({
  estimate,
  low: estimate - 0.011,
  high: estimate + 0.012,
});

/** A change for the worse that stands since day 40. */
export function standing(
  more: Partial<StandingChange> = {},
  subject = "Reuse buffers",
): StandingChange {
  const night = nightOf({ day: 40 });
  const began = { ...night, commit: { ...night.commit, subject } };
  return {
    series: "api/echo/p99Typical",
    runnerClass: "default",
    index: 40,
    until: 40,
    after: tipOf(39),
    by: tipOf(40),
    first: tipOf(40),
    size: sizeOf(0.05),
    left: sizeOf(0.05),
    foundAfter: 48,
    machineChanged: false,
    commits: null,
    began,
    ended: began,
    ...more,
  };
}
