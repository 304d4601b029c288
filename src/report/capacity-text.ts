// What every rendering of a capacity says, as plain text that each medium escapes itself. Nothing is computed here.
import type { CapacityResult, CapacityState, Carried, CostRow, Median } from "../model/capacity.ts";
import type { VerdictState } from "../model/verdict.ts";
import { describeSource, type Fact } from "./facts.ts";
import {
  formatAmount,
  formatCount,
  formatDuration,
  formatFraction,
  formatShare,
  formatValue,
  NOTHING,
} from "./format.ts";
import { describeCpuSets, describeMachine } from "./machine.ts";
import { STATE_FACTS, type StateFacts } from "./states.ts";

/** A capacity has states of its own words, with the colours of the verdicts they are like. */
export const CAPACITY_STATE_FACTS: Readonly<
  Record<CapacityState, Pick<StateFacts, "word" | "symbol" | "emoji"> & { like: VerdictState }>
> = {
  found: { word: "FOUND", symbol: "✓", emoji: STATE_FACTS.pass.emoji, like: "pass" },
  "at-least": {
    word: "AT LEAST",
    symbol: "≥",
    emoji: STATE_FACTS.inconclusive.emoji,
    like: "inconclusive",
  },
  below: {
    word: "BELOW",
    symbol: "<",
    emoji: STATE_FACTS.inconclusive.emoji,
    like: "inconclusive",
  },
  invalid: { word: "INVALID", symbol: "!", emoji: STATE_FACTS.invalid.emoji, like: "invalid" },
};

export function formatRate(rateRps: number | null): string {
  return rateRps === null ? NOTHING : `${formatValue("count", rateRps)}/s`;
}

/** `412/s [398, 431]/s`, with the level where there are too few launches for the usual one. */
export function formatMedian({ estimate, low, high, level, launches }: Median): string {
  if (launches === 1) return `${formatRate(estimate)}, of one launch`;
  const bound = (value: number | null): string =>
    value === null ? "∞" : formatValue("count", value);
  const chance = `${Math.floor(level * 1000) / 10} %`;
  return `${formatRate(estimate)}, ${chance} interval [${bound(low)}, ${bound(high)}]/s, median of ${formatCount(launches)} launches`;
}

export function resultFacts({ capacity, perCore, state }: CapacityResult): Fact[] {
  const bound = { found: "", "at-least": "at least ", below: "below ", invalid: "" }[state];
  return [
    ...(capacity === null ? [] : [{ label: "capacity", text: bound + formatMedian(capacity) }]),
    ...(perCore === null
      ? []
      : [{ label: "per core", text: `${formatMedian(perCore)}, for each second of CPU time` }]),
  ];
}

export function measurementFacts(result: CapacityResult): Fact[] {
  const { settings, scenario, cpuSets, host, run } = result;
  const { fingerprint } = host;
  return [
    { label: "code", text: describeSource(result.source) },
    {
      label: "scenario",
      text: `${scenario.id}: ${scenario.request.method} ${scenario.request.path} over ${formatCount(scenario.connections)} connections`,
    },
    {
      label: "sustained",
      text: `p99 from the schedule at most ${formatAmount("us", settings.objectiveUs)}, 99 % answered by the end of the slice and that, failures at most ${formatFraction(settings.errorBudget)}`,
    },
    {
      label: "search",
      text: `doubling, then halving on the logarithm to ${formatFraction(settings.precision)}, in slices of ${formatDuration(settings.sliceMs)} of which the first ${formatFraction(settings.warmupShare)} do not count; close decisions by two slices of three, both ends checked again`,
    },
    {
      label: "machine",
      text: describeMachine(fingerprint),
    },
    {
      label: "CPU sets",
      text: describeCpuSets(cpuSets),
    },
    { label: "generator", text: fingerprint.generator },
    {
      label: "time",
      text: `${formatDuration(run.measuredMs)} measured; ended: ${run.ended === "" ? "killed" : run.ended}`,
    },
    { label: "seed", text: String(run.seed) },
    { label: "run", text: `${run.id}, started ${run.startedAt}, ${result.tool}` },
  ];
}

export interface TextTable {
  columns: readonly { title: string; align: "left" | "right" }[];
  rows: readonly (readonly string[])[];
}

const column = (title: string, align: "left" | "right" = "right") => ({ title, align });

export function launchTable({ launches }: CapacityResult): TextTable {
  const remarks = launches.some((launch) => launchNote(launch) !== "");
  return {
    columns: [
      column("launch"),
      column("sustained"),
      column("not sustained"),
      column("per core"),
      column("CPUs busy"),
      column("slices"),
      ...(remarks ? [column("remark", "left")] : []),
    ],
    rows: launches.map((launch) => [
      String(launch.index + 1),
      formatRate(launch.lowRps),
      launch.limit === "service" ? formatRate(launch.highRps) : NOTHING,
      formatRate(launch.perCoreRps),
      launch.busyShare === null ? NOTHING : formatShare(launch.busyShare),
      launch.voidSlices === 0
        ? String(launch.slices)
        : `${launch.slices} (${launch.voidSlices} void)`,
      ...(remarks ? [launchNote(launch)] : []),
    ]),
  };
}

function launchNote({ state, limit, note }: CapacityResult["launches"][number]): string {
  if (state === "failed") return `failed: ${note}`;
  if (state === "open") return "not ended: does not count";
  switch (limit) {
    case "service":
      return "";
    case "generator":
      return `limited by the generator: ${note}`;
    case "host":
      return `limited by a disturbed machine: ${note}`;
    case "range":
      return "the highest rate tried";
  }
}

export function costTable({ cost }: CapacityResult): TextTable {
  return {
    columns: [
      column("requests a day"),
      column("at the peak"),
      column("cores"),
      column("hosts"),
      column("a month"),
    ],
    rows: cost.rows.map((row: CostRow) => [
      formatCount(row.requestsPerDay),
      formatRate(row.peakRps),
      formatCarried(row.cores, (value) => formatValue("count", value)),
      formatCarried(row.hosts, formatCount),
      formatCarried(row.pricePerMonth, formatCount),
    ]),
  };
}

/** `12 [10, 15]`; alone where all three read alike. */
function formatCarried(
  { estimate, low, high }: Carried,
  format: (value: number) => string,
): string {
  const [shown, from, to] = [
    format(estimate),
    low === null ? "−∞" : format(low),
    high === null ? "∞" : format(high),
  ];
  return from === shown && to === shown ? shown : `${shown} [${from}, ${to}]`;
}

export function costNote({ cost }: CapacityResult): string {
  const { peakFactor, utilisation, coresPerHost, hostPrice } = cost.parameters;
  const price = Number.isInteger(hostPrice) ? formatCount(hostPrice) : hostPrice.toFixed(2);
  return `the peak is ${peakFactor} times the day's mean; a core is used to ${formatFraction(utilisation)}; hosts of ${coresPerHost} cores at ${price} a month. In brackets: the interval of the throughput per core, carried through.`;
}
