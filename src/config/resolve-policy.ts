// What is asked of each metric, and how strictly: the policy as written, checked and with every default filled in.
import {
  type MetricPolicy,
  type Policy,
  type Scenario,
  type Service,
  scenarioMetrics,
} from "../model/config.ts";
import { isLatencyMetric, METRIC_FACTS } from "../model/metric.ts";
import {
  ABSOLUTE_FLOORS,
  ALPHA,
  BETA,
  ERROR_BUDGET,
  GATED,
  LOOKS,
  launchLimits,
  MAX_VOID_SHARE,
  POOLED_LIMITS,
  TIME_BUDGET_MS,
  TYPICAL_LIMITS,
} from "./defaults.ts";
import type { Report } from "./problem.ts";
import { type MetricSource, QUESTIONS, type ScenarioSource, type Source } from "./source.ts";
import { PERCENTAGE } from "./units.ts";
import type { Path } from "./yaml-document.ts";

type Question = (typeof QUESTIONS)[number];
type Given = Readonly<Record<string, MetricSource | undefined>>;

/** Of all scenarios and services, in the order of reports. */
export function resolveMetrics(given: Given | undefined, report: Report): MetricPolicy[] {
  return QUESTIONS.map((question) => {
    const { metric, estimator } = question;
    const usual = { typical: TYPICAL_LIMITS, pooled: POOLED_LIMITS, launch: launchLimits(metric) };
    const { promise, tolerance, floor } = usual[estimator];
    return overridden(
      question,
      {
        metric,
        estimator,
        level: GATED.has(metric) ? "gate" : "info",
        promise,
        tolerance,
        floor,
        absoluteFloor: ABSOLUTE_FLOORS[METRIC_FACTS[metric].unit],
      },
      given?.[question.key],
      { path: ["metrics"], report },
    );
  });
}

/** What a scenario sets apart; empty when it sets nothing. */
export function resolveOwnMetrics(
  name: string,
  source: ScenarioSource | undefined,
  general: readonly MetricPolicy[],
  report: Report,
): MetricPolicy[] {
  const given: Given = source?.metrics ?? {};
  return QUESTIONS.flatMap((question, i) => {
    const policy = general[i];
    const own = given[question.key];
    if (policy === undefined || own === undefined) return [];
    return [overridden(question, policy, own, { path: ["scenarios", name, "metrics"], report })];
  });
}

function overridden(
  { key }: Question,
  usual: MetricPolicy,
  given: MetricSource | undefined,
  { path, report }: { path: Path; report: Report },
): MetricPolicy {
  if (given === undefined) return usual;
  const promise = given.promise ?? usual.promise;
  const policy: MetricPolicy = {
    ...usual,
    level: given.level ?? usual.level,
    promise,
    tolerance: given.tolerance ?? usual.tolerance,
    // A promise closer than the usual floor would otherwise be broken without anybody failing.
    floor: given.floor ?? Math.min(usual.floor, promise / 2),
    absoluteFloor: given.absoluteFloor ?? usual.absoluteFloor,
  };
  checkLimits(given, policy, { path: [...path, key], report });
  return policy;
}

interface Judged {
  services: readonly Service[];
  scenarios: readonly Scenario[];
}

export function resolvePolicy(
  source: Source["policy"],
  metrics: readonly MetricPolicy[],
  judged: Judged,
  report: Report,
): Policy {
  const own = source ?? {};
  const policy: Policy = {
    metrics: [...metrics],
    alpha: own.alpha ?? ALPHA,
    beta: own.beta ?? BETA,
    looks: [...(own.looks ?? LOOKS)],
    errorBudget: own.errorBudget ?? ERROR_BUDGET,
    maxVoidShare: own.maxVoid ?? MAX_VOID_SHARE,
    timeBudgetMs: own.timeBudget ?? TIME_BUDGET_MS,
  };
  checkLooks(policy, judged, report);
  return policy;
}

function checkLimits(
  given: MetricSource,
  policy: MetricPolicy,
  { path, report }: { path: Path; report: Report },
): void {
  const { promise, tolerance, floor } = policy;
  const at = (name: "promise" | "tolerance" | "floor"): Path =>
    given[name] === undefined ? path : [...path, name];
  if (tolerance >= promise) {
    report(
      at(given.tolerance === undefined ? "promise" : "tolerance"),
      `tolerance ${PERCENTAGE.format(tolerance)} is not below promise ${PERCENTAGE.format(promise)}: a change between them would be blamed on nobody`,
    );
  }
  if (floor > promise) {
    report(
      at("floor"),
      `floor ${PERCENTAGE.format(floor)} is above promise ${PERCENTAGE.format(promise)}: a change between them could neither pass nor fail`,
    );
  }
}

function checkLooks(policy: Policy, { services, scenarios }: Judged, report: Report): void {
  const { looks, alpha } = policy;
  const path = ["policy", "looks"];
  const wrong = looks.findIndex((rounds, i) => i > 0 && rounds <= (looks[i - 1] ?? 0));
  if (wrong !== -1) {
    report(
      [...path, wrong],
      `${looks[wrong]} follows ${looks[wrong - 1]}, expected ascending numbers`,
    );
    return;
  }
  const gates = (metrics: readonly MetricPolicy[], latency: boolean): number =>
    metrics.filter((m) => m.level === "gate" && isLatencyMetric(m.metric) === latency).length;
  const questions = scenarios.reduce(
    (sum, scenario) => sum + gates(scenarioMetrics(policy.metrics, scenario), true),
    gates(policy.metrics, false) * services.length,
  );
  // The smallest p-value of a signed-rank test on n rounds is 2^-n: with too few, nothing can be proven (and all may pass).
  const needed = questions === 0 ? 0 : Math.ceil(Math.log2((questions * looks.length) / alpha));
  const last = looks.at(-1) ?? 0;
  if (last < needed) {
    report(
      path,
      `after ${last} rounds no regression can be proven at alpha ${PERCENTAGE.format(alpha)} over ${questions} questions; expected the last look at ${needed} rounds or more`,
    );
  }
}
