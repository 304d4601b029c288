// Waivers as a rule: the same exact rule with every limit at `upTo`, beside the policy's own. It
// never decides what is measured or shares alpha.
import { type Waiver, waivesMetric } from "../model/config.ts";
import type { Comparison, ComparisonState, WaivedComparison } from "../model/verdict.ts";
import type { Decision, Rule } from "./decide.ts";
import type { Hypothesis } from "./hypotheses.ts";

type Subject = Pick<Comparison, "service" | "scenario" | "metric" | "estimator"> &
  Partial<Pick<Comparison, "against">> &
  Pick<Hypothesis, "among">;

export function covers(waiver: Waiver, subject: Subject): boolean {
  const { service, scenario, against, among } = subject;
  return (
    waivesMetric(waiver, subject) &&
    (waiver.limit === true) === (against === "limit") &&
    (waiver.service === null || waiver.service === service) &&
    (waiver.scenario === null || (among ?? [scenario]).includes(`${service}/${waiver.scenario}`))
  );
}

/** `day`: ISO 8601 in UTC. The last day itself counts. */
export function isExpired(waiver: Waiver, day: string): boolean {
  return day.slice(0, 10) > waiver.expires;
}

/**
 * Of waivers that count, the one that covers the hypothesis. Only what is among scenarios can have
 * several, of which the widest counts.
 */
export function waiverOf(waivers: readonly Waiver[], hypothesis: Hypothesis): Waiver | null {
  const subject = { ...hypothesis, ...hypothesis.policy };
  const covering = waivers.filter((waiver) => covers(waiver, subject));
  return covering.toSorted((a, b) => b.upTo - a.upTo)[0] ?? null;
}

/**
 * The rule with both nulls at `upTo`, so that its error chances are the policy's alpha and beta.
 */
export function waivedRule<R extends Rule>(rule: R, upTo: number): R {
  return { ...rule, tolerance: upTo, margin: upTo, floor: upTo };
}

/**
 * Joins the policy's answer with the waiver's, each final at its own first deciding round, so that
 * their join is final too:
 *
 * | policy's rule | within | beyond | open |
 * |---|---|---|---|
 * | pass | pass | pass | pass |
 * | regressed | waived | regressed | inconclusive |
 * | open | waived | inconclusive | inconclusive |
 *
 * What is red here is red without the waiver too, so the bound on false alarms stands as it is.
 * What is waived was shown to be less than `upTo` worse.
 */
export function underWaiver(
  policy: Decision,
  waived: Decision,
): { state: ComparisonState; held: Omit<WaivedComparison, "upTo"> } {
  const regressionProven = policy.state === "regressed";
  const answer = ANSWERS[waived.state];
  const isBeyond = regressionProven && answer === "beyond";
  const open = answer === "within" ? "waived" : isBeyond ? "regressed" : "inconclusive";
  const state = policy.state === "pass" ? passOf(policy) : open;
  return { state, held: { regressionProven, answer, trail: waived.trail } };
}

const ANSWERS: Readonly<Record<Decision["state"], WaivedComparison["answer"]>> = {
  pass: "within",
  regressed: "beyond",
  open: "open",
};

export function stateOfDecision(decision: Decision): ComparisonState {
  if (decision.state === "pass") return passOf(decision);
  return decision.state === "open" ? "inconclusive" : decision.state;
}

/** What the interval shows at the deciding round outweighs what rounds after it say. */
function passOf({ improved, worse }: Decision): ComparisonState {
  if (worse) return "worse-within";
  return improved ? "improved" : "pass";
}

const PASSES: ReadonlySet<ComparisonState> = new Set(["pass", "improved", "worse-within"]);

/** Without the help of a waiver. */
export function passesItself({ state }: Pick<Comparison, "state">): boolean {
  return PASSES.has(state);
}

/** The numbers of the round that settled the join, with the policy's own trail. */
export function shownDecision(policy: Decision, waived: Decision): Decision {
  if (policy.state === "pass" || policy.rounds >= waived.rounds) return policy;
  const { rounds, estimate, isOfCalm, interval, sd } = waived;
  return { ...policy, rounds, estimate, isOfCalm, interval, sd };
}

/** Whether it is the waiver that makes the state what it is. */
export function decidesByWaiver(
  state: ComparisonState,
  { regressionProven }: Pick<WaivedComparison, "regressionProven">,
): boolean {
  return (
    state === "waived" || state === "regressed" || (state === "inconclusive" && regressionProven)
  );
}
