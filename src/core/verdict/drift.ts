// Day-to-day drift of a class of runner, learned from anchors: the same program every night.
import { type HistoryRecord, partsOfSeries } from "../model/history.ts";
import { factsFor, machineName } from "../model/workload.ts";
import { median } from "../stats/dispersion.ts";
import { quantile, sortSample } from "../stats/quantile.ts";

/**
 * Fewer nights than this teach nothing; a night counts if one before has the same anchor and
 * machine.
 */
const MIN_NIGHTS = 6;
/** The margin covers this share of the differences seen. */
const DRIFT_QUANTILE = 0.95;
/** What was longer ago says little of the machine as it is. */
const WINDOW_DAYS = 90;
/** Without a night in so many days the present drift is not known. */
const FRESH_DAYS = 7;
/** Memory of one program may differ by so much more on another model of machine (docs/adr/0031). */
const MODELS_DIFFER = Math.log(1.01);
/** Nights go on if the last was no longer ago: a weekend may be left out. */
const REGULAR_DAYS = 3;

const DAY_MS = 24 * 3600 * 1000;

export interface DriftQuestion {
  /** In any order; what began at `now` or later is left out. */
  history: readonly HistoryRecord[];
  runnerClass: string;
  /** See seriesId; the series' workload must be this one. */
  series: string;
  subject: string;
  workload: string;
  /** When the two runs that are compared began. ISO 8601. */
  earlier: string;
  now: string;
  /** By machineName, that of both; null: they are of two models. */
  machine: string | null;
}

export type Drift =
  | {
      known: true;
      /** Log ratio within which two days count as equal. */
      margin: number;
      usual: number;
    }
  | {
      known: false;
      /** Nights that teach something, fewer than `needed`, or too long ago. */
      nights: number;
      needed: number;
      /** Day by which it will be known if nights go on, YYYY-MM-DD; null: none goes on. */
      ready: string | null;
    };

/**
 * The margin is the 95th percentile of the absolute log differences between any two nights with one
 * anchor on machines that are alike in what the metric depends on; a day's runs are one night, by
 * their median. Beyond the longest recorded distance it grows with the square root of time, as a
 * random walk's spread does. Nights of the machine's own model count alone once they are enough.
 */
export function driftOf(question: DriftQuestion): Drift {
  const { history, machine } = question;
  const own = history.filter(({ fingerprint }) => machineName(fingerprint) === machine);
  const ofOwn = learnedFrom({ ...question, history: own });
  if (ofOwn.known) return ofOwn;
  const ofClass = learnedFrom(question);
  if (machine !== null || !ofClass.known) return ofClass;
  return { ...ofClass, margin: ofClass.margin + MODELS_DIFFER };
}

function learnedFrom(question: DriftQuestion): Drift {
  const { now, earlier } = question;
  const segments = nightsOf(question);
  const nights = segments.flat();
  const steps = segments.reduce((sum, { length }) => sum + length - 1, 0);
  const last = Math.max(...nights.map(({ day }) => day));
  const today = dayOf(now);
  if (steps < MIN_NIGHTS - 1 || today - last > FRESH_DAYS) {
    const missing = Math.max(1, MIN_NIGHTS - 1 - steps + (nights.length === 0 ? 1 : 0));
    const taught = steps === 0 ? Math.min(1, nights.length) : steps + 1;
    const ready = today - last <= REGULAR_DAYS ? dateOf(last + missing) : null;
    return { known: false, nights: taught, needed: MIN_NIGHTS, ready };
  }
  const differences = sortSample(segments.flatMap(pairDifferences));
  const span = Math.max(...segments.map((some) => (some.at(-1)?.day ?? 0) - (some[0]?.day ?? 0)));
  const gap = Math.abs(today - dayOf(earlier));
  const margin = quantile(differences, DRIFT_QUANTILE) * Math.sqrt(Math.max(1, gap / span));
  return { known: true, margin, usual: quantile(differences, 0.5) };
}

interface Night {
  /** Days since 1970, UTC. */
  day: number;
  level: number;
}

/** In order of time, by anchor and kind of machine: nothing is learned across them. */
function nightsOf(question: DriftQuestion): Night[][] {
  const { history, runnerClass, series, subject, workload, now } = question;
  const { service = "", metric } = partsOfSeries(series) ?? {};
  const seen = new Set<string>();
  const segments = new Map<string, Map<number, number[]>>();
  for (const { run, anchors, fingerprint, isolation, ...record } of history) {
    const level = record.series[series]?.anchor ?? null;
    if (level === null || run.startedAt >= now || record.runnerClass !== runnerClass) continue;
    const day = dayOf(run.startedAt);
    if (record.workloads[subject] !== workload || dayOf(now) - day > WINDOW_DAYS) continue;
    const id = JSON.stringify([run.id, run.shard]);
    if (seen.has(id)) continue;
    seen.add(id);
    const like = factsFor(metric, fingerprint);
    const key = JSON.stringify([anchors[service]?.commit, like, isolation?.[service]]);
    const days = segments.get(key) ?? new Map<number, number[]>();
    segments.set(key, days);
    days.set(day, [...(days.get(day) ?? []), Math.log(level)]);
  }
  return [...segments.values()].map((days) =>
    [...days]
      .map(([day, levels]) => ({ day, level: median(levels) }))
      .sort((a, b) => a.day - b.day),
  );
}

function pairDifferences(nights: readonly Night[]): number[] {
  return nights.flatMap((later, i) =>
    nights.slice(0, i).map((earlier) => Math.abs(later.level - earlier.level)),
  );
}

function dayOf(time: string): number {
  return Math.floor(Date.parse(time) / DAY_MS);
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
