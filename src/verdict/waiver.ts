// Waivers as a rule: what one covers, and what it does to an answer. A waiver is the same exact rule with every limit at
// `upTo`, held beside the policy's own; it never decides what is measured, tested, or shared of alpha.
import type { Waiver } from "../model/config.ts";
import type {
  Comparison,
  ComparisonState,
  HeldAgainstWaiver,
  VerdictState,
} from "../model/verdict.ts";
import type { Decision, Rule } from "./decide.ts";
import type { Hypothesis } from "./hypotheses.ts";
import { percentOf } from "./wording.ts";

/** What a waiver may cover. */
export type Subject = Pick<Comparison, "service" | "scenario" | "metric" | "estimator">;

export function covers(waiver: Waiver, subject: Subject): boolean {
  const { service, scenario, metric, estimator } = subject;
  return (
    waiver.metric === metric &&
    (waiver.estimator === null || waiver.estimator === estimator) &&
    (waiver.service === null || waiver.service === service) &&
    (waiver.scenario === null || scenario === `${service}/${waiver.scenario}`)
  );
}

/** `day` is ISO 8601, a date or an instant in UTC. The last day itself still counts. */
export function isExpired(waiver: Waiver, day: string): boolean {
  return day.slice(0, 10) > waiver.expires;
}

/** Of waivers that count, the one that covers the hypothesis; a configuration never has two. */
export function waiverOf(waivers: readonly Waiver[], hypothesis: Hypothesis): Waiver | null {
  const { service, scenario, policy } = hypothesis;
  return waivers.find((waiver) => covers(waiver, { service, scenario, ...policy })) ?? null;
}

/**
 * The rule with the null of a regression and the null of a pass both at `upTo`. As its thresholds are the policy's own, a
 * change of less than `upTo` is called beyond it, over all hypotheses, with a chance of at most alpha, and one of `upTo` or
 * more within it with a chance of at most beta.
 */
export function waivedRule<R extends Rule>(rule: R, upTo: number): R {
  return { ...rule, tolerance: upTo, promise: upTo, floor: upTo };
}

/**
 * Joins the policy's answer with the waiver's, each final at its own first deciding look, so that their join is final too:
 *
 * | policy's rule | within | beyond | open |
 * |---|---|---|---|
 * | pass | pass | pass | pass |
 * | regressed | waived | regressed | inconclusive |
 * | open | waived | inconclusive | inconclusive |
 *
 * What is red here is red without the waiver too, so the bound on false alarms stands as it is. What is waived was shown to be
 * less than `upTo` worse.
 */
export function underWaiver(
  policy: Decision,
  waived: Decision,
): { state: ComparisonState; held: Omit<HeldAgainstWaiver, "upTo"> } {
  const regressionProven = policy.state === "regressed";
  const answer = ANSWERS[waived.state];
  const held = { regressionProven, answer, looks: waived.trail };
  return { state: stateUnder(policy, answer), held };
}

const ANSWERS: Readonly<Record<Decision["state"], HeldAgainstWaiver["answer"]>> = {
  pass: "within",
  regressed: "beyond",
  open: "open",
};

function stateUnder(policy: Decision, answer: HeldAgainstWaiver["answer"]): ComparisonState {
  if (policy.state === "pass") return passOf(policy);
  switch (answer) {
    case "within":
      return "waived";
    case "beyond":
      return policy.state === "regressed" ? "regressed" : "inconclusive";
    case "open":
      return "inconclusive";
  }
}

/** The state that a decision has by itself. */
export function stateOfDecision(decision: Decision): VerdictState {
  switch (decision.state) {
    case "regressed":
      return "regressed";
    case "pass":
      return passOf(decision);
    case "open":
      return "inconclusive";
  }
}

function passOf({ improved }: Decision): "improved" | "pass" {
  return improved ? "improved" : "pass";
}

/** The numbers to show: those of the look at which the join was settled, with the policy's own trail. */
export function shownDecision(policy: Decision, waived: Decision): Decision {
  if (policy.state === "pass" || policy.look >= waived.look) return policy;
  const { look, estimate, interval, sd } = waived;
  return { ...policy, look, estimate, interval, sd };
}

/** `the +15.0 % that is waived until 2026-12-31`. */
export function waivedLimit({ upTo, expires }: Waiver): string {
  return `the ${percentOf(Math.log1p(upTo))} that is waived until ${expires}`;
}

/** What the waiver made of a change, to follow `what is +12.1 % [+9.0 %, +15.2 %]: `; null where it made nothing of it. */
export function explainWaived(
  state: ComparisonState,
  held: Omit<HeldAgainstWaiver, "upTo">,
  waiver: Waiver,
): string | null {
  const limit = waivedLimit(waiver);
  switch (state) {
    case "waived":
      return held.regressionProven
        ? `a regression is proven, and shown to be less than ${limit}`
        : `neither a regression nor its absence is shown, but that it is less than ${limit}`;
    case "regressed":
      return `a regression is proven, and that it is more than ${limit}`;
    case "inconclusive":
      return held.regressionProven
        ? `a regression is proven; that it is less than ${limit} is not shown`
        : null;
    default:
      return null;
  }
}
