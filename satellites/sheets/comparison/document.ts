// A comparison of two services as sections: a summary, a table for each scenario, one of the
// services.
import type { ComparisonRow, ServiceComparison } from "../../../src/core/comparison/model.ts";
import {
  type Block,
  type Cell,
  type Document,
  type Facts,
  facts,
  list,
  note,
  paragraph,
  type Strip,
  section,
  tableOf,
} from "../../../src/core/report/kit/blocks.ts";
import {
  buildTable,
  describeDependencies,
  describeSource,
  machineFacts,
} from "../../../src/core/report/provenance.ts";
import { listed } from "../../../src/core/report/words/names.ts";
import { STATE_FACTS } from "../../../src/core/report/words/states.ts";
import {
  formatCount,
  formatDuration,
  formatFraction,
  formatPair,
  formatShare,
} from "../../../src/core/text/format.ts";
import {
  findingWord,
  formatRatio,
  formatRatioInterval,
  formatRatioWithInterval,
  isShown,
  shortLabel,
} from "./text.ts";

const CURVES_CAPTION =
  "Look for where the curves part: on the left every request differs, on the right only the tail. The bands hold the middle half of rounds.";

/** Round ratios, as logs: the axis of a table's bars has the first that holds all of them. */
const TICKS = [1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 30].map(Math.log);
const MOST_TICK = Math.log(100);

export function comparisonDocument(comparison: ServiceComparison): Document {
  const { services, scenarios, rows, artifacts, faults, notes, state } = comparison;
  const sides = `${services.candidate} / ${services.reference}`;
  return {
    mark: state === "invalid" ? { ...STATE_FACTS.invalid, like: "invalid" } : null,
    headline: `${services.candidate} against ${services.reference}: ${
      state === "invalid" ? "the measurement cannot be trusted" : answerOf(comparison)
    }`,
    summary: faults.length + notes.length === 0 ? [] : [list([...faults, ...notes])],
    sections: [
      ...scenarios.map((scenario) =>
        section(
          `${scenario.name} at ${formatCount(scenario.rateRps)} requests/s, ${scenario.connections} connections`,
          ...rowTable(comparison, scenario.rows),
          ...curves(comparison, scenario.curves),
        ),
      ),
      ...(rows.length === 0
        ? []
        : [section("Services, a value for each launch", ...rowTable(comparison, rows))]),
      section("Builds", buildTable(artifacts, "unnamed")),
      section("How to read it", paragraph(`ratio: ${sides}.`), note(intervalNote(comparison))),
      section("How it was measured", facts(comparisonFacts(comparison))),
    ],
  };
}

function curves(
  { services: names }: ServiceComparison,
  bands: ServiceComparison["scenarios"][number]["curves"],
): Block[] {
  if (bands.candidate.length === 0) return [];
  const figure = { kind: "curves", ...bands, names, caption: CURVES_CAPTION } as const;
  return [{ kind: "figure", figure }];
}

function rowTable(
  { services, intervals }: ServiceComparison,
  rows: readonly ComparisonRow[],
): Block[] {
  const measured = rows.some((row) => row.candidate !== null || row.reference !== null);
  if (!measured) return [paragraph("No round of it counts.")];
  const bounds = rows.flatMap(({ estimate, interval }) =>
    [estimate, interval?.low, interval?.high].map((bound) => Math.abs(bound ?? 0)),
  );
  const holding = TICKS.filter((tick) => 2 * tick >= Math.max(...bounds));
  const tick = Math.min(MOST_TICK, ...holding);
  return [
    tableOf(
      [
        { title: "metric", kind: "text" },
        { title: `${services.reference} → ${services.candidate}`, kind: "number" },
        { title: "ratio", kind: "number" },
        { title: `${formatFraction(intervals.level)} interval`, kind: "number", dropRank: 1 },
        { title: "rounds", kind: "number", dropRank: 2 },
        { title: "", kind: "text" },
      ],
      rows.map((row): Cell[] => {
        const shown = isShown(row);
        return [
          shortLabel(row),
          formatPair(row.unit, row.reference, row.candidate, formatRatio),
          { text: formatRatio(row.estimate), emphasis: shown ? "strong" : undefined },
          { text: formatRatioInterval(row), graphic: ratioStrip(row, tick) },
          String(row.rounds),
          { text: findingWord(row), emphasis: shown ? "strong" : "quiet" },
        ];
      }),
    ),
  ];
}

function ratioStrip(row: ComparisonRow, tick: number): Strip {
  const says = `${row.label}: ${formatRatioWithInterval(row)}, ${findingWord(row)}`;
  const { estimate, interval } = row;
  const colour = isShown(row) ? "candidate" : "no-baseline";
  return { estimate, interval, colour, says, tick };
}

/** The p99 of some scenarios, memory and CPU. */
function answerOf({ scenarios, rows }: ServiceComparison): string {
  const ofScenarios = scenarios.flatMap((scenario) =>
    ["p99 typical", "p99 pooled"]
      .flatMap((wanted) => scenario.rows.find(({ id }) => id === wanted) ?? [])
      .slice(0, 1)
      .map((row) => answerOn(row, ` of ${scenario.name}`)),
  );
  const ofServices = rows.filter(({ id }) => id === "rss" || id === "cpuPer1k");
  return [listed(ofScenarios, "; "), ...ofServices.map((row) => answerOn(row, ""))].join("; ");
}

/** `p99 of echo 24.7 % lower (295 → 222 µs)`, `p99 of hello: no difference shown`. */
function answerOn(row: ComparisonRow, where: string): string {
  const { unit, reference, candidate, estimate } = row;
  const size = formatFraction(Math.abs(Math.expm1(estimate ?? 0)));
  const says = isShown(row)
    ? ` ${size} ${findingWord(row)} (${formatPair(unit, reference, candidate)})`
    : `: ${findingWord(row)}`;
  return `${row.label}${where}${says}`;
}

function intervalNote({ intervals }: ServiceComparison): string {
  const { level, rows } = intervals;
  const chance =
    rows === 0
      ? ""
      : `: about ${formatCount(Math.ceil(rows * (1 - level)))} of ${rows} would show a difference by chance alone if there were none`;
  return `Each interval holds the true ratio with ${formatFraction(level)} confidence on its own (Hodges-Lehmann estimate, exact signed-rank interval; a round is one observation). They are not corrected for their number${chance}.`;
}

function comparisonFacts(comparison: ServiceComparison): Facts {
  const { run, host, cpuSets, source, dependencies } = comparison;
  const share = run.slices === 0 ? "" : ` (${formatShare(run.voidSlices / run.slices)})`;
  return {
    code: describeSource(source),
    ...machineFacts(host.fingerprint, cpuSets),
    dependencies: describeDependencies(dependencies),
    rounds: `${run.rounds}, each a fresh start of both services; ${formatCount(run.voidSlices)} of ${formatCount(run.slices)} measurements discarded${share}`,
    time: `${formatDuration(run.measuredMs)} measured; ended: ${run.ended}`,
    run: [{ code: run.id }, `, seed ${run.seed}, started ${run.startedAt}, ${comparison.tool}`],
  };
}
