// How a verdict ends the job: the policy on what fails. Pure.
import type { Report } from "../../core/model/report.ts";
import { whyNotLetThrough } from "../../core/report/pull-request/status.ts";
import { verdictFacts } from "../../core/report/words/states.ts";
import { plainLine } from "../../core/text/escape.ts";
import type { Inputs } from "../inputs/parse-inputs.ts";
import type { Conclusion } from "../job/job.ts";

/**
 * Regressed, invalid and no-baseline always fail: what was not shown is no pass. No answer is let
 * through only where no estimate lies beyond its margin.
 */
export function concludeVerdict(
  { verdict }: Report,
  { inconclusive }: Pick<Inputs, "inconclusive">,
): Conclusion {
  const headline = plainLine(`${verdictFacts(verdict).word}: ${verdict.summary}`);
  switch (verdict.state) {
    case "pass":
    case "improved":
      return { state: "success", headline };
    case "inconclusive": {
      if (inconclusive === "fail") return { state: "failure", headline };
      const why = whyNotLetThrough(verdict);
      return why === null
        ? { state: "success", headline: `${headline} (let through: inconclusive: pass)` }
        : {
            state: "failure",
            headline: plainLine(`${headline} (not let through by inconclusive: pass: ${why})`),
          };
    }
    case "regressed":
    case "invalid":
    case "no-baseline":
      return { state: "failure", headline };
  }
}
