// OpenMetrics 1.0, of gauges alone, so that it is Prometheus' older text format too. Every metric has
// its state; only what is decided has a value and a change. Limits are values of an arm of their own.
import type { Report } from "../../src/core/model/report.ts";
import type { Comparison } from "../../src/core/model/verdict.ts";
import { plainLine } from "../../src/core/text/escape.ts";
import { decidedOf, inNanoseconds, type Kind, kindOf, scenarioName } from "./decided.ts";

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [Labels, number];

export function toOpenMetrics(report: Report): string {
  const { verdict, run } = report;
  const decided = decidedOf(report);
  const limits = verdict.comparisons.filter(({ against }) => against === "limit");
  const families = [
    family("tailgate_run_start_seconds", "seconds", "When the run began, Unix time.", [
      [{}, Date.parse(run.startedAt) / 1000],
    ]),
    family("tailgate_verdict", null, "1 for the verdict's state.", [[{ state: verdict.state }, 1]]),
    family(
      "tailgate_state",
      null,
      "1 for the state of each metric, of what is decided and of what is not.",
      verdict.comparisons.map((one) => [{ ...labelsOf(one), state: one.state }, 1]),
    ),
    family(
      "tailgate_change_ratio",
      "ratio",
      "Candidate over reference: the estimate and its interval. Of what is decided.",
      decided.flatMap(changeOf),
    ),
    ...(["duration", "bytes", "count"] as const).map((kind) => {
      const { suffix, unit, scale } = UNITS[kind];
      const sample = (one: Comparison, value: number | null, arm: string): Sample[] =>
        value === null || kindOf(one) !== kind
          ? []
          : [[{ ...labelsOf(one), arm }, inNanoseconds(one, value) * scale]];
      const samples = [
        ...decided.flatMap((one) => [
          ...sample(one, one.candidate, "candidate"),
          ...sample(one, one.reference, "reference"),
        ]),
        ...limits.flatMap((one) => sample(one, one.reference, "limit")),
      ];
      return family(
        `tailgate_value${suffix}`,
        unit,
        "The median reference, and by the change the candidate, of what is decided; limits.",
        samples,
      );
    }),
  ];
  return `${families.flat().join("\n")}\n# EOF\n`;
}

const UNITS: Readonly<Record<Kind, { suffix: string; unit: string | null; scale: number }>> = {
  duration: { suffix: "_seconds", unit: "seconds", scale: 1e-9 },
  bytes: { suffix: "_bytes", unit: "bytes", scale: 1 },
  count: { suffix: "", unit: null, scale: 1 },
};

function labelsOf(comparison: Comparison): Labels {
  const { service, metric, estimator, level, against } = comparison;
  const held: Labels = against === "limit" ? { against } : {};
  return { service, scenario: scenarioName(comparison) ?? "", metric, estimator, level, ...held };
}

function changeOf(comparison: Comparison): Sample[] {
  const { estimate, interval } = comparison;
  const bounds = { low: interval?.low ?? null, estimate, high: interval?.high ?? null };
  return Object.entries(bounds).flatMap(([bound, value]): Sample[] =>
    value === null ? [] : [[{ ...labelsOf(comparison), bound }, Math.exp(value)]],
  );
}

function family(
  name: string,
  unit: string | null,
  help: string,
  samples: readonly Sample[],
): string[] {
  if (samples.length === 0) return [];
  return [
    `# TYPE ${name} gauge`,
    ...(unit === null ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${help}`,
    ...samples.map(([labels, value]) => `${name}${labelText(labels)} ${value}`),
  ];
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escaped = (value: string): string =>
  plainLine(value).replaceAll("\\", "\\\\").replaceAll('"', '\\"');
