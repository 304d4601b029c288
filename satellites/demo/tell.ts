// What to make of the demonstration's gate, and what comes next. Pure.
import { METRIC_FACTS } from "../../src/core/model/metric.ts";
import type { Report } from "../../src/core/model/report.ts";
import { fullName } from "../../src/core/report/words/names.ts";
import { verdictFacts } from "../../src/core/report/words/states.ts";
import { formatEstimate, formatPair } from "../../src/core/text/format.ts";
import { SORTED } from "./service.ts";

/** `files`: that are left. */
export function tellDemo(report: Report, files: readonly string[]): string {
  const page = files.find((file) => file.endsWith(".html"));
  return `What you have seen
  A small shop lists its products by price. A branch of it moves the line that sorts them, from the
  start of the program into what is done for each request:

      createServer((request, response) => {
        …
    +   ${SORTED.trim()}

  The answers stay the same, so no test of them fails. Tailgate started each version ${roundsOf(report)} times, and
  sent both the same requests in turns.
${report.verdict.state === "regressed" ? proven(report) : missed(report)}
${page === undefined ? "" : `\n${about(page)}\n`}
Next, in a repository of your own
  tailgate init    # looks at the code, and writes a first tailgate.yml
  tailgate try --build    # builds and starts each service once, and sends it each request
  tailgate gate    # compares what is checked out with what it started from`;
}

function proven({ verdict: { comparisons } }: Report): string {
  const worse = comparisons
    .filter(({ level, state }) => level === "gate" && state === "regressed")
    .map((one) => {
      const { unit } = METRIC_FACTS[one.metric];
      const values = formatPair(unit, one.reference, one.candidate);
      return `  - ${fullName(one)}: ${values}, ${formatEstimate(one)}`;
    });
  return `  Proven worse:
${worse.join("\n")}
  In a pull request tailgate gate ends with exit code 1 here, and its job fails. Of pull requests
  that change nothing, at most one in a hundred does.`;
}

function roundsOf({ scenarios }: Report): number {
  return Math.max(0, ...scenarios.map(({ rounds }) => rounds));
}

function missed({ verdict }: Report): string {
  return `  That should have been red, and it is ${verdictFacts(verdict).word}. Stop what else is at work on this machine,
  which the report and tailgate doctor name, and try again.`;
}

function about(page: string): string {
  return `The report
  ${page}
  Open it in a browser. Below the verdict stand all limits; then, for each scenario, the latencies of
  both builds as curves, and each round as a point.`;
}
