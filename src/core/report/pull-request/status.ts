// The commit status; never pending.
import type { Report } from "../../model/report.ts";
import type { Verdict } from "../../model/verdict.ts";
import { plainLine } from "../../text/escape.ts";
import { formatEstimate, formatFraction } from "../../text/format.ts";
import { farthestBeyondMargin } from "../../verdict/beyond-margin.ts";
import { fullName, heldText } from "../words/names.ts";
import { verdictFacts } from "../words/states.ts";
import type { CommentContext } from "./comment.ts";
import { NOTICE_FACTS, type Notice } from "./notice.ts";

/** GitHub takes no more. */
const MAX_DESCRIPTION = 140;
/** Of a branch's name there. */
const MAX_BRANCH = 30;

export interface FinalStatus {
  /** `failure`: the change was judged and does not pass. `error`: it could not be judged. */
  state: "success" | "failure" | "error";
  description: string;
}

export interface StatusPolicy {
  /** `pass` lets a change through without an answer, unless an estimate exceeds its margin. */
  inconclusive: "fail" | "pass";
}

export function statusOf(
  { verdict }: Report,
  { trust, base }: Pick<CommentContext, "trust" | "base">,
  policy: StatusPolicy,
): FinalStatus {
  const state = stateOf(verdict, policy);
  const isAnswer = verdict.state === "pass" || verdict.state === "improved";
  const remarks = [
    ...(state === "success" && !isAnswer ? ["let through"] : []),
    ...(trust === "attested" ? ["base's rules, job's numbers"] : ["change's rules"]),
  ];
  const into = `${plainLine(base.ref, MAX_BRANCH)}@${base.commit.slice(0, 7)}`;
  const word = `${verdictFacts(verdict).word} for ${into} (${remarks.join(", ")})`;
  return { state, description: describe(word, verdict.summary) };
}

export function statusOfNotice(notice: Notice): FinalStatus {
  const { word, meaning } = NOTICE_FACTS[notice.kind];
  const description = describe(word, notice.text === "" ? meaning : notice.text);
  return { state: "error", description };
}

export function stateOf(verdict: Verdict, policy: StatusPolicy): FinalStatus["state"] {
  switch (verdict.state) {
    case "pass":
    case "improved":
      return "success";
    case "regressed":
    case "no-baseline":
      return "failure";
    case "invalid":
      return "error";
    case "inconclusive": {
      const isLetThrough = policy.inconclusive === "pass" && whyNotLetThrough(verdict) === null;
      return isLetThrough ? "success" : "failure";
    }
  }
}

/**
 * Why a run without an answer may not be let through: an estimate exceeds its margin. Null: it may.
 */
export function whyNotLetThrough({ comparisons }: Pick<Verdict, "comparisons">): string | null {
  const worst = farthestBeyondMargin(comparisons);
  if (worst?.against === "limit")
    return `${heldText(worst)}: inconclusive: pass does not let that through`;
  return worst === null
    ? null
    : `${fullName(worst)} is estimated at ${formatEstimate(worst)}, beyond its margin of +${formatFraction(worst.margin)}: inconclusive: pass does not let that through`;
}

/** Cut by code points to the limit, and further where those take two units each. */
function describe(word: string, text: string): string {
  let room = MAX_DESCRIPTION;
  let line = plainLine(`${word}: ${text}`, room);
  while (line.length > MAX_DESCRIPTION) line = plainLine(line, --room);
  return line;
}
