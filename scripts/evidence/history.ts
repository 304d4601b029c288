// The recorded runs as stored baselines: each run, in the order of time, is first pull requests that the record before it is asked
// about, and then the next record. The program's own recording, drift margin and comparison, on what was measured hours apart. Pure.
import { SCREEN_LOOKS } from "../../src/app/screen.ts";
import { baselineKey, differingFact, differingWorkloads } from "../../src/baseline/key.ts";
import { recordBaseline } from "../../src/baseline/record.ts";
import type { Baseline } from "../../src/model/baseline.ts";
import type { Policy } from "../../src/model/config.ts";
import type { Arm, Round, Samples } from "../../src/model/samples.ts";
import { wholeRoundsOf } from "../../src/model/whole-rounds.ts";
import { median } from "../../src/stats/dispersion.ts";
import { driftOf } from "../../src/verdict/drift.ts";
import { type Hypothesis, listHypotheses } from "../../src/verdict/hypotheses.ts";
import { compareStored } from "../../src/verdict/stored.ts";
import { STORED_SUFFIX } from "../../src/verdict/waiver-outcome.ts";
import { KINDS } from "./kinds.ts";
import { machineOf } from "./machines.ts";
import type { StoredRun } from "./runs.ts";

export interface Asked {
  times: number;
  /** Passed by the screen, after as many launches as it is given. */
  passed: number;
  /** Red with `--compare stored`, after all launches of the run. */
  red: number;
}

/** One gated metric of one workload. */
export interface HistoryRow {
  id: string;
  machine: string;
  /** Scenarios of the workload: memory is of all of them together. */
  scenarios: readonly string[];
  records: number;
  /** Between the first record and the last. */
  hours: number;
  /** Absolute log ratios of the medians of records that followed each other. */
  changes: readonly number[];
  /** The reference, which nobody changed, where the drift was known. */
  unchanged: Asked;
  /** Candidates with a fault that was to be found in this metric, planted to be worse by its promise or more. */
  planted: Asked;
}

type Mutable = Omit<HistoryRow, "changes" | "unchanged" | "planted"> & {
  changes: number[];
  unchanged: Asked;
  planted: Asked;
  startedAt: string;
};

/** By the terms of a gate: what only adds to the pool was measured with others, since it asks nothing. */
export function historyOf(runs: readonly StoredRun[], policy: Policy): HistoryRow[] {
  const records = new Map<string, Baseline>();
  const rows = new Map<string, Mutable>();
  for (const run of runs) {
    // An invalid run blames nobody and is nobody's record.
    if (run.verdict?.state === "invalid") continue;
    const samples = { ...run.samples, config: { ...run.samples.config, policy } };
    for (const { name } of samples.config.services) {
      takeIn({ ...run, samples }, name, records, rows);
    }
  }
  return [...rows.values()].filter(({ records: n }) => n > 1);
}

function takeIn(
  run: StoredRun,
  service: string,
  records: Map<string, Baseline>,
  rows: Map<string, Mutable>,
): void {
  const unchanged = swapArms(run.samples);
  const { config } = run.samples;
  const { looks } = config.policy;
  if (wholeRoundsOf(unchanged, service).length < (looks[SCREEN_LOOKS - 1] ?? 0)) return;
  const scenarios = config.scenarios.filter((s) => s.service === service).map(({ name }) => name);
  const machine = machineOf(run);
  const workload = `${machine} ${service} ${scenarios.join()}`;
  const last = records.get(workload);
  const before = last !== undefined && isComparable(last, unchanged) ? last : null;
  // As many launches as `baseline record` takes.
  const first = firstWhole(unchanged, service, looks[0] ?? 0);
  const now = recordBaseline(first, service, unchanged.run.startedAt, before);
  records.set(workload, now);

  for (const hypothesis of listHypotheses(config)) {
    if (hypothesis.service !== service || hypothesis.policy.level !== "gate") continue;
    const row = rowOf(rows, hypothesis, { machine, scenarios }, now);
    row.records++;
    row.hours = (Date.parse(now.recordedAt) - Date.parse(row.startedAt)) / 3_600_000;
    if (before === null) continue;
    const key = baselineKey(hypothesis);
    row.changes.push(Math.abs(Math.log(levelOf(now, key) / levelOf(before, key))));
    // Whoever promises something else is asked something else.
    const isUsual = KINDS[run.kind]?.p99Promise === undefined;
    if (!isUsual || driftOf(before, key) === null) continue;
    ask(row.unchanged, unchanged, hypothesis, before);
    const isPlanted = run.plants.some(
      ({ effect, finds }) =>
        finds.includes(hypothesis.id) && (effect === null || effect >= hypothesis.policy.promise),
    );
    if (isPlanted) ask(row.planted, run.samples, hypothesis, before);
  }
}

function rowOf(
  rows: Map<string, Mutable>,
  { id }: Hypothesis,
  { machine, scenarios }: Pick<HistoryRow, "machine" | "scenarios">,
  now: Baseline,
): Mutable {
  const name = `${machine} ${id} ${scenarios.join()}`;
  const row = rows.get(name) ?? {
    id,
    machine,
    scenarios,
    records: 0,
    hours: 0,
    changes: [],
    unchanged: { times: 0, passed: 0, red: 0 },
    planted: { times: 0, passed: 0, red: 0 },
    startedAt: now.recordedAt,
  };
  rows.set(name, row);
  return row;
}

function ask(asked: Asked, samples: Samples, hypothesis: Hypothesis, baseline: Baseline): void {
  const { looks } = samples.config.policy;
  const stateAfter = (launches: number): string => {
    const { comparisons } = compareStored({
      config: samples.config,
      samples: firstWhole(samples, hypothesis.service, launches),
      hypotheses: listHypotheses(samples.config),
      baselines: [baseline],
      faults: [],
      waivers: [],
      now: samples.run.startedAt,
    });
    return comparisons.find(({ id }) => id === hypothesis.id + STORED_SUFFIX)?.state ?? "";
  };
  asked.times++;
  if (stateAfter(looks[SCREEN_LOOKS - 1] ?? 0) === "pass") asked.passed++;
  if (stateAfter(looks.at(-1) ?? 0) === "regressed") asked.red++;
}

const isComparable = (baseline: Baseline, samples: Samples): boolean =>
  differingFact(baseline.fingerprint, samples.host.fingerprint) === null &&
  differingWorkloads(baseline, samples) === null;

const levelOf = (baseline: Baseline, key: string): number => median(baseline.metrics[key] ?? []);

/** The service's first whole rounds and nothing else: how many there are depends on what a gate found. */
function firstWhole(samples: Samples, service: string, count: number): Samples {
  return { ...samples, rounds: wholeRoundsOf(samples, service).slice(0, count) };
}

/** The reference where a candidate is looked for: what was measured of it is no worse for that. */
function swapArms(samples: Samples): Samples {
  return {
    ...samples,
    rounds: samples.rounds.map(
      (round): Round => ({
        ...round,
        launches:
          round.launches === null || round.launches.reference === null
            ? null
            : { candidate: round.launches.reference, reference: round.launches.candidate },
        scenarios: round.scenarios.flatMap((scenario) => {
          const { candidate, reference } = scenario.arms;
          if (reference === null) return [];
          return {
            ...scenario,
            arms: { candidate: reference, reference: candidate },
            slices: scenario.slices.map((slice) => ({ ...slice, arm: OTHER[slice.arm] })),
          };
        }),
      }),
    ),
  };
}

const OTHER: Readonly<Record<Arm, Arm>> = { candidate: "reference", reference: "candidate" };
