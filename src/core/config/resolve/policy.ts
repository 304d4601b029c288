// What is asked of each metric, and how strictly: the policy as written, checked and with every
// default filled in.
import { type MetricPolicy, type Policy, policiesOf } from "../../model/config.ts";
import { QUESTIONS } from "../../model/metric.ts";
import { type Report, within } from "../problem.ts";
import type { MetricSource } from "../source/metrics.ts";
import type { Source } from "../source/source.ts";
import { PERCENTAGE } from "../units.ts";
import type { Path } from "../yaml-document.ts";

type Given = Readonly<Record<string, MetricSource | undefined>>;
/** A scenario or a service as written. */
export interface OwnMetrics {
  metrics?: Given;
}

const USUAL: readonly MetricPolicy[] = QUESTIONS.map(({ metric, estimator, usual }) => ({
  metric,
  estimator,
  ...usual,
}));

/** Of all scenarios and services, in the order of reports. */
export function resolveMetrics(given: OwnMetrics, report: Report): MetricPolicy[] {
  return policiesOf(USUAL, { metrics: resolveOwnMetrics(given, USUAL, report) });
}

/** What a scenario or a service sets apart; empty when it sets nothing. `own` reports under it. */
export function resolveOwnMetrics(
  { metrics: given = {} }: OwnMetrics,
  general: readonly MetricPolicy[],
  own: Report,
): MetricPolicy[] {
  const policies = QUESTIONS.flatMap(({ key }, i) => {
    const policy = general[i];
    const limits = given[key];
    // What is said of the p99 may move the limits of the slowest answers too.
    const follows = policy?.metric === "slow" && given.p99 !== undefined;
    if (policy === undefined || (limits === undefined && !follows)) return [];
    return [overridden(policy, limits, within(own, "metrics", key))];
  });
  return policies.map((policy) => asWideAsP99(policy, policies, given.slow));
}

/** Who lets the p99 be slower lets the slowest answers be, unless something else is said of them. */
function asWideAsP99(
  policy: MetricPolicy,
  policies: readonly MetricPolicy[],
  given: MetricSource | undefined,
): MetricPolicy {
  const p99 = policies.find(({ metric, estimator }) => metric === "p99" && estimator === "typical");
  // What a profile may make closer says nothing of them.
  const isLike = given === undefined && p99 !== undefined && p99.auto !== true;
  if (policy.metric !== "slow" || !isLike) return policy;
  const margin = Math.max(policy.margin, p99.margin);
  return { ...policy, margin, floor: Math.max(policy.floor, p99.floor) };
}

function overridden(usual: MetricPolicy, given: MetricSource | undefined, own: Report) {
  if (given === undefined) return usual;
  const { margin: wanted, ...others } = given;
  const isAuto = typeof wanted === "object";
  const margin = (isAuto ? wanted.most : wanted) ?? usual.margin;
  // A margin closer than the usual floor would otherwise be broken without anybody failing.
  const floor = Math.min(usual.floor, margin / 2);
  const { max: value = usual.max?.value, ...limits } = others;
  const level = given.level ?? usual.max?.level ?? "gate";
  const max = value === undefined ? {} : { max: { value, level } };
  // A margin that is given is no longer left to a profile.
  const { auto: usualAuto, ...fixed } = usual;
  const auto = (wanted === undefined ? usualAuto : isAuto) === true ? { auto: true as const } : {};
  const policy = { ...fixed, floor, ...limits, margin, ...auto, ...max };
  checkLimits(given, policy, own);
  return policy;
}

export function resolvePolicy(
  { looks: _, timeBudget, ...source }: Source["policy"],
  metrics: readonly MetricPolicy[],
): Policy {
  return { metrics: [...metrics], ...source, timeBudgetMs: timeBudget, slowOfServices: true };
}

function checkLimits(given: MetricSource, policy: MetricPolicy, own: Report): void {
  const { margin, tolerance, floor } = policy;
  // Its limit is the error budget.
  if (policy.estimator === "counts") return;
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
