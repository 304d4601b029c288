// How a verdict ends the job: the policy on what fails. Pure.
import type { Report } from "../../core/model/report.ts";
import {
  type StatusPolicy,
  stateOf,
  whyNotLetThrough,
} from "../../core/report/pull-request/status.ts";
import { verdictFacts } from "../../core/report/words/states.ts";
import { plainLine } from "../../core/text/escape.ts";
import type { Conclusion } from "../job/job.ts";

/**
 * Regressed, invalid and no-baseline always fail: what was not shown is no pass. No answer is let
 * through only where no estimate lies beyond its margin.
 */
export function concludeVerdict({ verdict }: Report, policy: StatusPolicy): Conclusion {
  const headline = plainLine(`${verdictFacts(verdict).word}: ${verdict.summary}`);
  const state = stateOf(verdict, policy) === "success" ? "success" : "failure";
  if (verdict.state !== "inconclusive" || policy.inconclusive === "fail")
    return { state, headline };
  const why = whyNotLetThrough(verdict);
  const remark =
    why === null
      ? "let through: inconclusive: pass"
      : `not let through by inconclusive: pass: ${why}`;
  return { state, headline: plainLine(`${headline} (${remark})`) };
}
