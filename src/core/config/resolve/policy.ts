// What is asked of each metric, and how strictly: the policy as written, checked and with every
// default filled in.
import type { MetricPolicy, Policy } from "../../model/config.ts";
import {
  ALPHA,
  absoluteFloorOf,
  BETA,
  ERROR_BUDGET,
  LEVELS,
  launchLimits,
  POOLED_LIMITS,
  SLOW_LIMITS,
  TIME_BUDGET_MS,
  TYPICAL_LIMITS,
} from "../defaults.ts";
import type { Report } from "../problem.ts";
import { type MetricSource, QUESTIONS } from "../source/metrics.ts";
import type { Source } from "../source/source.ts";
import { PERCENTAGE } from "../units.ts";
import type { Path } from "../yaml-document.ts";

type Question = (typeof QUESTIONS)[number];
type Given = Readonly<Record<string, MetricSource | undefined>>;
/** A scenario or a service as written. */
export interface OwnMetrics {
  metrics?: Given | undefined;
}

/** Of all scenarios and services, in the order of reports. */
export function resolveMetrics(given: Given | undefined, report: Report): MetricPolicy[] {
  const policies = QUESTIONS.map((question) => {
    const { metric, estimator } = question;
    const usual = {
      typical: TYPICAL_LIMITS,
      pooled: POOLED_LIMITS,
      windows: SLOW_LIMITS,
      launch: launchLimits(metric),
    };
    const { margin, tolerance, floor } = usual[estimator];
    return overridden(
      question,
      {
        metric,
        estimator,
        level: LEVELS.get(question.key) ?? "info",
        margin,
        tolerance,
        floor,
        absoluteFloor: absoluteFloorOf(metric),
      },
      given?.[question.key],
      (path, text) => report(["metrics", ...path], text),
    );
  });
  return policies.map((policy) => asWideAsP99(policy, policies, given?.slow));
}

/** Who lets the p99 be slower lets the slowest answers be, unless something else is said of them. */
function asWideAsP99(
  policy: MetricPolicy,
  policies: readonly MetricPolicy[],
  given: MetricSource | undefined,
): MetricPolicy {
  const p99 = policies.find(({ metric, estimator }) => metric === "p99" && estimator === "typical");
  if (policy.metric !== "slow" || given !== undefined || p99 === undefined) return policy;
  return {
    ...policy,
    margin: Math.max(policy.margin, p99.margin),
    floor: Math.max(policy.floor, p99.floor),
  };
}

/** What a scenario or a service sets apart; empty when it sets nothing. `own` reports under it. */
export function resolveOwnMetrics(
  { metrics: given = {} }: OwnMetrics,
  general: readonly MetricPolicy[],
  own: Report,
): MetricPolicy[] {
  const policies = QUESTIONS.flatMap((question, i) => {
    const policy = general[i];
    const limits = given[question.key];
    // What is said of the p99 may move the limits of the slowest answers too.
    const follows = policy?.metric === "slow" && given.p99 !== undefined;
    if (policy === undefined || (limits === undefined && !follows)) return [];
    return [overridden(question, policy, limits, (path, text) => own(["metrics", ...path], text))];
  });
  return policies.map((policy) => asWideAsP99(policy, policies, given.slow));
}

function overridden(
  { key }: Question,
  usual: MetricPolicy,
  given: MetricSource | undefined,
  own: Report,
): MetricPolicy {
  if (given === undefined) return usual;
  const margin = given.margin ?? usual.margin;
  const policy: MetricPolicy = {
    ...usual,
    level: given.level ?? usual.level,
    margin,
    tolerance: given.tolerance ?? usual.tolerance,
    // A margin closer than the usual floor would otherwise be broken without anybody failing.
    floor: given.floor ?? Math.min(usual.floor, margin / 2),
    absoluteFloor: given.absoluteFloor ?? usual.absoluteFloor,
  };
  checkLimits(given, policy, (path, text) => own([key, ...path], text));
  return policy;
}

export function resolvePolicy(source: Source["policy"], metrics: readonly MetricPolicy[]): Policy {
  const own = source ?? {};
  return {
    metrics: [...metrics],
    alpha: own.alpha ?? ALPHA,
    beta: own.beta ?? BETA,
    answerAll: own.answerAll ?? false,
    errorBudget: own.errorBudget ?? ERROR_BUDGET,
    timeBudgetMs: own.timeBudget ?? TIME_BUDGET_MS,
  };
}

function checkLimits(given: MetricSource, policy: MetricPolicy, own: Report): void {
  const { margin, tolerance, floor } = policy;
  const at = (name: "margin" | "tolerance" | "floor"): Path =>
    given[name] === undefined ? [] : [name];
  if (tolerance >= margin) {
    own(
      at(given.tolerance === undefined ? "margin" : "tolerance"),
      `tolerance ${PERCENTAGE.format(tolerance)} is not below margin ${PERCENTAGE.format(margin)}: a regression between the two could never fail`,
    );
  }
  if (floor > margin) {
    own(
      at("floor"),
      `floor ${PERCENTAGE.format(floor)} is above margin ${PERCENTAGE.format(margin)}: a change between them could neither pass nor fail`,
    );
  }
}
