// How a verdict ends the job: the policy on what fails. Pure.
import type { Report } from "../model/report.ts";
import { plainLine } from "../report/foreign.ts";
import { headlineAfterState, verdictFacts } from "../report/states.ts";
import type { Conclusion } from "./job.ts";
import type { Inputs } from "./parse-inputs.ts";

/** Regressed, invalid and no-baseline always fail: what was not shown is no pass. */
export function concludeVerdict(
  { verdict }: Report,
  { inconclusive }: Pick<Inputs, "inconclusive">,
): Conclusion {
  const headline = plainLine(`${verdictFacts(verdict).word}: ${headlineAfterState(verdict)}`);
  switch (verdict.state) {
    case "pass":
    case "improved":
      return { state: "success", headline };
    case "inconclusive":
      return inconclusive === "pass"
        ? { state: "success", headline: `${headline} (let through: inconclusive: pass)` }
        : { state: "failure", headline };
    case "regressed":
    case "invalid":
    case "no-baseline":
      return { state: "failure", headline };
  }
}
