// The words of a comparison of two services, the same in every rendering; foreign names are escaped by each medium.
import type { ComparisonRow, Finding, ServiceComparison } from "../model/comparison.ts";
import { describeSource, type Fact } from "./facts.ts";
import { formatCount, formatDuration, formatFraction, formatShare, NOTHING } from "./format.ts";
import { describeCpuSets, describeMachine } from "./machine.ts";

const WORDS: Readonly<Record<Finding, string>> = {
  lower: "lower",
  higher: "higher",
  "no-difference-shown": "no difference shown",
  "too-few-rounds": "too few rounds",
  "no-ratio": "no ratio",
  invalid: "invalid",
};

const SHORT_LABELS: Readonly<Record<string, string>> = {
  ctxVoluntaryPer1k: "voluntary switches /1,000",
  ctxInvoluntaryPer1k: "involuntary switches /1,000",
};

/** Where room is scarce: at most 27 columns. */
export function shortLabel({ id, label }: Pick<ComparisonRow, "id" | "label">): string {
  return SHORT_LABELS[id] ?? label;
}

export function findingWord({ finding }: Pick<ComparisonRow, "finding">): string {
  return WORDS[finding];
}

/** `0.741`, `3.27`, `12.4`: a log ratio as a factor. */
export function formatRatio(logRatio: number | null): string {
  return logRatio === null ? NOTHING : digits(Math.exp(logRatio), Math.round);
}

/** `[0.712, 0.774]`, rounded outwards; a null bound is infinite. */
export function formatRatioInterval({ interval }: Pick<ComparisonRow, "interval">): string {
  if (interval === null) return NOTHING;
  const low = interval.low === null ? "0" : digits(Math.exp(interval.low), Math.floor);
  const high = interval.high === null ? "∞" : digits(Math.exp(interval.high), Math.ceil);
  return `[${low}, ${high}]`;
}

/** Three significant digits, and three decimals about 1, where they tell most. */
function digits(value: number, round: (value: number) => number): string {
  if (!(value > 0) || !Number.isFinite(value)) return String(value);
  const decimals =
    value < 10 ? Math.max(3, 2 - Math.floor(Math.log10(value))) : value < 100 ? 1 : 0;
  const step = 10 ** decimals;
  // Rounded to twelve digits first: exp(0) × 1000 must not round up to 1001.
  return (round(Number((value * step).toPrecision(12))) / step).toFixed(decimals);
}

export function titleOf({ services }: ServiceComparison): string {
  return `${services.candidate} against ${services.reference}`;
}

/** What most readers came for, a line each: the p99 of every scenario, memory, CPU. */
export function summaryLines({ scenarios, rows }: ServiceComparison): string[] {
  const says = (where: string, row: ComparisonRow): string =>
    `${where}${row.label} ${findingWord(row)}${row.estimate === null ? "" : `, ratio ${formatRatio(row.estimate)} ${formatRatioInterval(row)}`}`;
  const ofScenarios = scenarios.flatMap((scenario) => {
    const p99 = ["p99 typical", "p99 pooled"]
      .flatMap((wanted) => scenario.rows.find(({ id }) => id === wanted) ?? [])
      .slice(0, 1);
    return p99.map((row) => says(`${scenario.name}: `, row));
  });
  const ofServices = rows.filter(({ id }) => id === "rss" || id === "cpuPer1k");
  return [...ofScenarios, ...ofServices.map((row) => says("", row))];
}

/** What stands for a table without a single value. */
export const NOTHING_COUNTS = "No round of it counts.";

export function hasValues(rows: readonly ComparisonRow[]): boolean {
  return rows.some(({ candidate, reference }) => candidate !== null || reference !== null);
}

/** How to read the intervals, and what they do not promise. */
export function intervalNote({ intervals }: ServiceComparison): string {
  const { level, rows } = intervals;
  const chance =
    rows === 0
      ? ""
      : `: about ${formatCount(Math.ceil(rows * (1 - level)))} of ${rows} would show a difference by chance alone if there were none`;
  return `Each interval holds the true ratio with ${formatFraction(level)} confidence on its own (Hodges-Lehmann estimate, exact signed-rank interval; a round is one observation). They are not corrected for their number${chance}.`;
}

/** What was read where; a label and a text for every medium. */
export function comparisonFacts(comparison: ServiceComparison): Fact[] {
  const { run, host, cpuSets, source, dependencies } = comparison;
  const { fingerprint } = host;
  const share = run.slices === 0 ? "" : ` (${formatShare(run.voidSlices / run.slices)})`;
  return [
    { label: "code", text: describeSource(source) },
    {
      label: "machine",
      text: describeMachine(fingerprint),
    },
    {
      label: "CPU sets",
      text: describeCpuSets(cpuSets),
    },
    { label: "generator", text: fingerprint.generator },
    ...(dependencies.length === 0
      ? []
      : [
          {
            label: "dependencies",
            text: `${dependencies.map(({ name, program }) => `${name}: ${program}`).join(", ")}; shared by both services`,
          },
        ]),
    {
      label: "rounds",
      text: `${run.rounds}, each a fresh start of both services; ${formatCount(run.voidSlices)} of ${formatCount(run.slices)} slices void${share}`,
    },
    { label: "time", text: `${formatDuration(run.measuredMs)} measured; ended: ${run.ended}` },
    {
      label: "run",
      text: `${run.id}, seed ${run.seed}, started ${run.startedAt}, ${comparison.tool}`,
    },
  ];
}

export function scenarioTitle({
  name,
  rateRps,
  connections,
}: ServiceComparison["scenarios"][number]): string {
  return `${name} at ${formatCount(rateRps)} requests/s, ${connections} connections`;
}
