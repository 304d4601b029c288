// A capacity as sections that every medium renders. Nothing is computed here.
import type {
  CapacityResult,
  CapacityState,
  Carried,
  Median,
} from "../../../src/core/capacity/model.ts";
import {
  type Block,
  type Document,
  details,
  type Facts,
  type Figure,
  facts,
  list,
  type Mark,
  note,
  section,
  tableOf,
} from "../../../src/core/report/kit/blocks.ts";
import { describeSource, machineFacts } from "../../../src/core/report/provenance.ts";
import { END_WORDS } from "../../../src/core/report/words/faults.ts";
import { STATE_FACTS } from "../../../src/core/report/words/states.ts";
import {
  formatAmount,
  formatCount,
  formatDuration,
  formatFraction,
  formatShare,
  formatValue,
  NOTHING,
} from "../../../src/core/text/format.ts";
import { formatRate } from "../../words/rate.ts";

/** A capacity has states of its own words, with the colours of the verdicts they are like. */
const MARKS: Readonly<Record<CapacityState, Mark>> = {
  found: { ...STATE_FACTS.pass, word: "FOUND", like: "pass" },
  "at-least": { ...STATE_FACTS.inconclusive, word: "AT LEAST", symbol: "≥", like: "inconclusive" },
  below: { ...STATE_FACTS.inconclusive, word: "BELOW", symbol: "<", like: "inconclusive" },
  invalid: { ...STATE_FACTS.invalid, word: "INVALID", like: "invalid" },
};

export function capacityDocument(result: CapacityResult): Document {
  return {
    mark: MARKS[result.state],
    headline: result.headline,
    summary: [facts(resultFacts(result))],
    sections: [
      section("Warnings", list(result.warnings)),
      ...(result.curve.length === 0
        ? []
        : [section("", { kind: "figure", figure: ratesOf(result) })]),
      section("Launches", launchTable(result)),
      section("Cost", costTable(result), note(costNote(result))),
      details("How it was measured", facts(measurementFacts(result))),
    ],
  };
}

const BOUNDS = { found: "", "at-least": "at least ", below: "below ", invalid: "" } as const;

function ratesOf({ curve, capacity, settings, state }: CapacityResult): Figure {
  const marked = capacity && { ...capacity, says: BOUNDS[state] + formatRate(capacity.estimate) };
  return { kind: "rates", curve, objectiveUs: settings.objectiveUs, capacity: marked };
}

/** `412/s [398, 431]/s`, with the level where there are too few launches for the usual one. */
function formatMedian({ estimate, low, high, level, launches }: Median): string {
  if (launches === 1) return `${formatRate(estimate)}, of one launch`;
  const bound = (value: number | null): string =>
    value === null ? "∞" : formatValue("count", value);
  const chance = `${Math.floor(level * 1000) / 10} %`;
  return `${formatRate(estimate)}, ${chance} interval [${bound(low)}, ${bound(high)}]/s, median of ${formatCount(launches)} launches`;
}

function resultFacts({ capacity, perCore, state }: CapacityResult): Facts {
  return {
    capacity: capacity === null ? "" : BOUNDS[state] + formatMedian(capacity),
    "per core": perCore === null ? "" : `${formatMedian(perCore)}, for each second of CPU time`,
  };
}

function sentWords({ request, mix }: CapacityResult["scenario"]): string {
  return mix === undefined
    ? `${request.method} ${request.path}`
    : `a mix of ${mix.map(({ name, weight }) => `${name} (${weight})`).join(", ")}`;
}

function measurementFacts(result: CapacityResult): Facts {
  const { settings, scenario, cpuSets, host, run } = result;
  return {
    code: describeSource(result.source),
    scenario: `${scenario.id}: ${sentWords(scenario)} over ${formatCount(scenario.connections)} connections`,
    sustained: `p99 from the schedule at most ${formatAmount("us", settings.objectiveUs)}, 99 % answered by the end of the try plus that, failures at most ${formatFraction(settings.errorBudget)}`,
    search: `doubling, then halving on the logarithm to ${formatFraction(settings.precision)}, in tries of ${formatDuration(settings.sliceMs)} of which the first ${formatFraction(settings.warmupShare)} do not count; close decisions by two tries of three, both ends checked again`,
    ...machineFacts(host.fingerprint, cpuSets),
    time: `${formatDuration(run.measuredMs)} measured; ended: ${END_WORDS[run.ended]}`,
    seed: String(run.seed),
    run: [{ code: run.id }, `, started ${run.startedAt}, ${result.tool}`],
  };
}

const numbers = (...titles: string[]) =>
  titles.map((title) => ({ title, kind: "number" as const }));

function launchTable({ launches }: CapacityResult): Block {
  const remarks = launches.some((launch) => launchNote(launch) !== "");
  return tableOf(
    [
      ...numbers("launch", "sustained", "not sustained", "per core", "CPUs busy", "tries"),
      ...(remarks ? [{ title: "remark", kind: "text" as const }] : []),
    ],
    launches.map((launch) => [
      String(launch.index + 1),
      formatRate(launch.lowRps),
      launch.limit === "service" ? formatRate(launch.highRps) : NOTHING,
      formatRate(launch.perCoreRps),
      launch.busyShare === null ? NOTHING : formatShare(launch.busyShare),
      launch.voidSlices === 0
        ? String(launch.slices)
        : `${launch.slices} (${launch.voidSlices} discarded)`,
      ...(remarks ? [launchNote(launch)] : []),
    ]),
  );
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

function costTable({ cost }: CapacityResult): Block {
  return tableOf(
    numbers("requests a day", "at the peak", "cores", "hosts", "a month"),
    cost.rows.map((row) => [
      formatCount(row.requestsPerDay),
      formatRate(row.peakRps),
      formatCarried(row.cores, (value) => formatValue("count", value)),
      formatCarried(row.hosts, formatCount),
      formatCarried(row.pricePerMonth, formatCount),
    ]),
  );
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

function costNote({ cost }: CapacityResult): string {
  const { peakFactor, utilisation, coresPerHost, hostPrice } = cost.parameters;
  const price = Number.isInteger(hostPrice) ? formatCount(hostPrice) : hostPrice.toFixed(2);
  return `the peak is ${peakFactor} times the day's mean; a core is used to ${formatFraction(utilisation)}; hosts of ${coresPerHost} cores at ${price} a month. In brackets: the interval of the throughput per core, carried through.`;
}
