// JUnit's XML: a test case for the verdict and for every gated metric, each with its state.
// `regressed` fails, `invalid` is an error, what is waived, new or not decided is skipped; what passes says
// in which state.
import { subjectOf } from "../../src/core/model/metric.ts";
import type { Report } from "../../src/core/model/report.ts";
import type { Comparison, ComparisonState } from "../../src/core/model/verdict.ts";
import { htmlText, plainLine } from "../../src/core/text/escape.ts";
import { metricName } from "./decided.ts";

type Outcome = "passed" | "failure" | "error" | "skipped";

const OUTCOMES: Readonly<Record<ComparisonState, Outcome>> = {
  pass: "passed",
  improved: "passed",
  "worse-within": "passed",
  regressed: "failure",
  invalid: "error",
  inconclusive: "skipped",
  "no-baseline": "skipped",
  waived: "skipped",
  new: "skipped",
};

interface Case {
  className: string;
  name: string;
  state: ComparisonState;
  /** A sentence. */
  why: string;
}

export function toJunit({ verdict, run }: Report): string {
  const gated = verdict.comparisons.filter(({ level }) => level === "gate").map(caseOf);
  const cases: Case[] = [
    { className: "tailgate", name: "verdict", state: verdict.state, why: verdict.summary },
    ...(verdict.unchanged ?? []).map(({ service }) => ({
      className: service,
      name: "unchanged",
      state: "pass" as const,
      why: "the same before and after, and not measured",
    })),
    ...gated,
  ];
  const count = (outcome: Outcome): number =>
    cases.filter(({ state }) => OUTCOMES[state] === outcome).length;
  const suite = attributes({
    name: "tailgate",
    // The format has no zone; it is UTC.
    timestamp: run.startedAt.slice(0, 19),
    tests: String(cases.length),
    failures: String(count("failure")),
    errors: String(count("error")),
    skipped: String(count("skipped")),
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite ${suite}>`,
    ...cases.map((one) => `    ${caseText(one)}`),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function caseOf(comparison: Comparison): Case {
  const { state, reason } = comparison;
  return { className: subjectOf(comparison), name: metricName(comparison), state, why: reason };
}

function caseText({ className, name, state, why }: Case): string {
  const outcome = OUTCOMES[state];
  const said =
    outcome === "passed"
      ? `<system-out>${xmlText(`${state}: ${why}`)}</system-out>`
      : outcome === "skipped"
        ? `<skipped ${attributes({ message: `${state}: ${why}` })}/>`
        : `<${outcome} ${attributes({ type: state, message: why })}/>`;
  return `<testcase ${attributes({ classname: className, name })}>${said}</testcase>`;
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${xmlText(value)}"`)
    .join(" ");
}

/** XML knows fewer characters than HTML: these two are in no document. */
const xmlText = (text: string): string => htmlText(plainLine(text)).replace(/[\ufffe\uffff]/g, "");
