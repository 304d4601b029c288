// Go's benchmark format: a line for each launch of each arm, so that `benchstat -col arm` compares
// what was compared here. What is not decided is left out: benchstat would decide it by a test of its
// own.
import type { Report } from "../model/report.ts";
import { ARMS, type Arm, type Samples } from "../model/samples.ts";
import { plainLine } from "../text/escape.ts";
import { askedOf, type Hypothesis } from "../verdict/hypotheses.ts";
import { readSeries } from "../verdict/series.ts";
import { roundsOfEqualWork } from "../verdict/validity.ts";
import {
  type Decided,
  decidedOf,
  inNanoseconds,
  kindOf,
  metricName,
  scenarioName,
} from "./decided.ts";

/** `samples`: those that the report is of. */
export function toBenchfmt(report: Report, samples: Samples): string {
  const { sources, tool } = report;
  const asked = new Map(
    askedOf({ config: report.config, unchanged: samples.unchanged }).map((one) => [one.id, one]),
  );
  const decided = decidedOf(report).flatMap((comparison) => {
    const hypothesis = asked.get(comparison.id);
    return hypothesis === undefined ? [] : [{ comparison, hypothesis }];
  });
  const units = new Set(decided.map(({ comparison }) => unitOf(comparison)));
  const launches: Record<Arm, Map<string, string[]>> = {
    reference: new Map(),
    candidate: new Map(),
  };
  for (const one of decided) collect(one, samples, launches);
  return [
    `tool: ${word(tool)}`,
    `candidate-commit: ${word(sources.candidate.commit)}`,
    `reference-commit: ${word(sources.reference?.commit ?? "none")}`,
    ...[...units].map((unit) => `Unit ${unit} better=lower assume=nothing`),
    // The reference first: it is what the other column is held against.
    ...[...ARMS]
      .reverse()
      .flatMap((arm) => [
        "",
        `arm: ${arm}`,
        ...[...launches[arm].values()].map((words) => words.join(" ")),
      ]),
    "",
  ].join("\n");
}

/** Adds the comparison's values to the lines of their launches. */
function collect(
  { comparison, hypothesis }: { comparison: Decided; hypothesis: Hypothesis },
  samples: Samples,
  launches: Record<Arm, Map<string, string[]>>,
): void {
  const rounds = hypothesis.scenario === null ? roundsOfEqualWork(samples) : samples.rounds;
  const name = benchmarkName(comparison);
  for (const value of readSeries(hypothesis, rounds).values) {
    for (const arm of ARMS) {
      // Measured alone, there is no reference.
      if (!Number.isFinite(value[arm])) continue;
      const key = `${name} ${value.round}`;
      const words = launches[arm].get(key) ?? [name, "1"];
      words.push(String(inNanoseconds(comparison, value[arm])), unitOf(comparison));
      launches[arm].set(key, words);
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
