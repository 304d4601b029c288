// Go's benchmark format: a line for each launch of each arm, so that `benchstat -col arm` compares
// what was compared here. What is not decided is left out: benchstat would decide it by a test of its
// own.
import type { LaunchValues } from "../../src/core/model/export.ts";
import type { Report } from "../../src/core/model/report.ts";
import { ARMS, type Arm } from "../../src/core/model/samples.ts";
import { plainLine } from "../../src/core/text/escape.ts";
import {
  type Decided,
  decidedOf,
  inNanoseconds,
  kindOf,
  metricName,
  scenarioName,
} from "./decided.ts";

export function toBenchfmt(report: Report, launches: LaunchValues): string {
  const { sources, tool } = report;
  const decided = decidedOf(report).filter(({ id }) => launches.has(id));
  const lines: Lines = { reference: new Map(), candidate: new Map() };
  for (const one of decided) collect(one, launches.get(one.id) ?? [], lines);
  return [
    `tool: ${word(tool)}`,
    `candidate-commit: ${word(sources.candidate.commit)}`,
    `reference-commit: ${word(sources.reference?.commit ?? "none")}`,
    ...[...new Set(decided.map(unitOf))].map((unit) => `Unit ${unit} better=lower assume=nothing`),
    // The reference first: it is what the other column is held against.
    ...[...ARMS]
      .reverse()
      .flatMap((arm) => [
        "",
        `arm: ${arm}`,
        ...[...lines[arm].values()].map((words) => words.join(" ")),
      ]),
    "",
  ].join("\n");
}

/** The words of each launch's line. */
type Lines = Record<Arm, Map<string, string[]>>;

/** Adds the comparison's values to the lines of their launches. */
function collect(
  comparison: Decided,
  values: NonNullable<ReturnType<LaunchValues["get"]>>,
  lines: Lines,
): void {
  const name = benchmarkName(comparison);
  for (const value of values) {
    for (const arm of ARMS) {
      // Measured alone, there is no reference.
      if (!Number.isFinite(value[arm])) continue;
      const key = `${name} ${value.round}`;
      const words = lines[arm].get(key) ?? [name, "1"];
      words.push(String(inNanoseconds(comparison, value[arm])), unitOf(comparison));
      lines[arm].set(key, words);
    }
  }
}

function benchmarkName(comparison: Decided): string {
  const scenario = scenarioName(comparison);
  const service = `BenchmarkTailgate/service=${word(comparison.service)}`;
  return scenario === null ? service : `${service}/scenario=${word(scenario)}`;
}

/** benchstat scales units by how their names end. */
const SUFFIX = { duration: "-ns", bytes: "-bytes", count: "" } as const;
const unitOf = (comparison: Decided): string =>
  `${metricName(comparison)}${SUFFIX[kindOf(comparison)]}`;

/** Blanks end a word of the format. */
const word = (text: string): string => plainLine(text).replace(/\s/gu, "_") || "_";
