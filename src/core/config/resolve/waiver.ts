// The waivers as written -> checked against what is gated, with the day they end on. Pure: the
// current day is given.
import { showValue } from "../../base/show-value.ts";
import {
  type MetricPolicy,
  policiesOf,
  type Scenario,
  type Service,
  type Waiver,
  waivesMetric,
} from "../../model/config.ts";
import { isLatencyMetric, QUESTIONS } from "../../model/metric.ts";
import { type Report, unknownName, within } from "../problem.ts";
import type { WaiverSource } from "../source/source.ts";
import { INCREASE, PERCENTAGE } from "../units.ts";

/** What waivers may be of. */
interface Waivable {
  services: readonly Service[];
  scenarios: readonly Scenario[];
  /** Of all scenarios and services. */
  metrics: readonly MetricPolicy[];
}

/** What is accepted for longer is a level of its own, and belongs into the baseline. */
const MOST_DAYS = 366;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * `today` is a date in UTC; null leaves out what depends on it, for a configuration that is not
 * about to be gated with, such as that of an older commit.
 */
export function resolveWaivers(
  sources: readonly WaiverSource[],
  known: Waivable,
  today: string | null,
  report: Report,
): Waiver[] {
  const owners = new Map<string, number>();
  return sources.map((source, index) => {
    const own = within(report, "waivers", index);
    const waiver = toWaiver(source);
    if (checkPlace(waiver, source, known, own)) {
      const covered = questionsOf(waiver, known);
      checkCovered(waiver, source, covered, own);
      checkTwice(covered, index, owners, own);
    }
    if (today !== null) checkDay(source, today, own);
    return waiver;
  });
}

function toWaiver(source: WaiverSource): Waiver {
  const { metric: key, upTo, reason, owner, expires } = source;
  const plain = key.replace(/\.max$/, "");
  const question = QUESTIONS.find((one) => one.key === plain);
  if (question === undefined) throw new Error(`no question ${key}`);
  const { metric, estimator } = question;
  return {
    metric,
    // A plain name means the metric, however it is estimated.
    estimator: plain === metric && isLatencyMetric(metric) ? null : estimator,
    ...(plain === key ? {} : { limit: true }),
    scenario: source.scenario ?? null,
    service: source.service ?? null,
    upTo,
    reason: reason.trim(),
    owner: owner.trim(),
    expires,
  };
}

/** Whether scenario and service exist and fit the metric. */
function checkPlace(
  { metric, scenario, service }: Waiver,
  { metric: key }: WaiverSource,
  { services, scenarios }: Waivable,
  own: Report,
): boolean {
  let isPlaced = true;
  const refuse: Report = (path, text, at) => {
    isPlaced = false;
    own(path, text, at);
  };
  if (!isLatencyMetric(metric)) {
    if (service === null) refuse([], `${key} is of a service, expected service`);
    if (scenario !== null) refuse(["scenario"], `${key} is of a service, not of a scenario`, "key");
  } else if (scenario === null && service === null) {
    refuse([], `${key} of what? expected scenario, service or both`);
  }
  const serviceNames = services.map(({ name }) => name);
  const named = scenarios.filter(({ name }) => name === scenario);
  if (service !== null && !serviceNames.includes(service)) {
    refuse(["service"], unknownName("service", service, serviceNames));
  } else if (scenario !== null && named.length === 0) {
    const scenarioNames = [...new Set(scenarios.map(({ name }) => name))];
    refuse(["scenario"], unknownName("scenario", scenario, scenarioNames));
  } else if (scenario !== null && service !== null) {
    const isLoaded = named.some((one) => one.service === service);
    if (!isLoaded) refuse(["scenario"], `${scenario} does not load ${showValue(service)}`);
  }
  return isPlaced;
}

interface Question {
  /** `api/echo p99 typical`. */
  id: string;
  /** From so much worse on, a fraction. */
  fails: number;
}

/** What the waiver covers among the gated questions. */
function questionsOf(waiver: Waiver, { services, scenarios, metrics }: Waivable): Question[] {
  const isOf = (wanted: string | null, name: string): boolean => wanted === null || wanted === name;
  const subjects = isLatencyMetric(waiver.metric)
    ? scenarios
        .filter(({ name, service }) => isOf(waiver.service, service) && isOf(waiver.scenario, name))
        .map((scenario) => ({ subject: scenario.id, own: scenario }))
    : services
        .filter(({ name }) => isOf(waiver.service, name))
        .map((service) => ({ subject: service.name, own: service }));
  return subjects.flatMap(({ subject, own }) =>
    policiesOf(metrics, own)
      .filter(
        (one) => (waiver.limit ? one.max : one)?.level === "gate" && waivesMetric(waiver, one),
      )
      .map((policy) => ({
        id: `${subject} ${policy.metric} ${policy.estimator}${waiver.limit ? " limit" : ""}`,
        fails: waiver.limit ? 0 : Math.max(policy.floor, policy.tolerance),
      })),
  );
}

function checkCovered(
  { upTo }: Waiver,
  source: WaiverSource,
  covered: readonly Question[],
  own: Report,
): void {
  if (covered.length === 0) {
    own(["metric"], `${source.metric} is not gated there, so there is nothing to waive`);
    return;
  }
  const least = Math.min(...covered.map(({ fails }) => fails));
  if (upTo <= least) {
    own(
      ["upTo"],
      `${INCREASE.format(upTo)} is not above ${PERCENTAGE.format(least)}, up to which nothing fails there anyway`,
    );
  }
}

function checkTwice(
  covered: readonly Question[],
  index: number,
  owners: Map<string, number>,
  own: Report,
): void {
  const twice = covered.find(({ id }) => owners.has(id));
  if (twice !== undefined) {
    own([], `${twice.id} is covered by waivers[${owners.get(twice.id)}] already; expected one`);
  }
  for (const { id } of covered) if (!owners.has(id)) owners.set(id, index);
}

function checkDay({ expires, owner }: WaiverSource, today: string, own: Report): void {
  const daysLeft = (Date.parse(expires) - Date.parse(today)) / DAY_MS;
  if (daysLeft < 0) {
    own(
      ["expires"],
      `this waiver expired on ${expires} and today is ${today}: remove it, or agree on a later day with its owner (${showValue(owner)})`,
    );
  } else if (daysLeft > MOST_DAYS) {
    own(
      ["expires"],
      `${expires} is more than a year from ${today}; what is accepted for good needs no waiver once it is on the base branch and in the baseline`,
    );
  }
}
