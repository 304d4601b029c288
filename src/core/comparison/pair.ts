// Two services as the arms of one, `A vs B`, so that they are measured as the gate measures two
// builds of one service.
import { UserError } from "../base/errors.ts";
import type { Config, MetricPolicy, Recipe, Scenario, Service } from "../model/config.ts";
import { serviceNamed } from "../model/config.ts";
import { QUANTILES } from "../model/metric.ts";
import type { Arm, Samples } from "../model/samples.ts";

/** No service's name has a space. */
const BETWEEN = " vs ";

interface Pair {
  /** One service, built and started as the first, with the scenarios that both have. */
  config: Config;
  /** The second's, by the name of the one service. */
  reference: Record<string, Recipe>;
}

/** Scenarios are the same where both services have one of that name; `names` null: all of those. */
export function pairServices(
  config: Config,
  [first, second]: readonly [string, string],
  names: readonly string[] | null,
): Pair {
  const candidate = serviceNamed(config, first);
  const reference = serviceNamed(config, second);
  if (first === second) {
    throw new UserError(`compare: ${first} is named twice`, {
      next: "Name two services. A service against its own earlier code: tailgate gate.",
    });
  }
  const scenarios = sharedScenarios(config, first, second, names);
  const pair = first + BETWEEN + second;
  return {
    config: asPair({ ...config, services: [candidate, reference], scenarios }, pair),
    reference: { [pair]: reference.recipe },
  };
}

/** Every metric is shown, and none judged. */
export function asPair(config: Config, pair: string): Config {
  const [first] = config.services;
  if (first === undefined) throw new Error("a comparison of no services");
  const services = [{ ...first, name: pair, scheme: schemeOf(config.services) }];
  const scenarios = config.scenarios.map((scenario) => ({
    ...scenario,
    id: `${pair}/${scenario.name}`,
    service: pair,
    metrics: [],
  }));
  return { ...config, services, scenarios, policy: { ...config.policy, metrics: everyMetric() } };
}

/** Null: the samples are of no two services. */
export function namesOf({ config: { services } }: Pick<Samples, "config">) {
  return services.length === 1 ? pairedNames(services[0]?.name ?? "") : null;
}

/** Of the one service that two are measured as; null: it is none. */
export function pairedNames(service: string): Record<Arm, string> | null {
  const [candidate, reference, ...more] = service.split(BETWEEN);
  const isPair = candidate !== undefined && reference !== undefined && more.length === 0;
  return isPair ? { candidate, reference } : null;
}

/** Both sides are frozen in turn, or neither. */
function schemeOf(services: readonly Service[]): Service["scheme"] {
  return services.every(({ scheme }) => scheme === "sliced") ? "sliced" : "alternate";
}

function everyMetric(): MetricPolicy[] {
  const unjudged = { level: "info", margin: 0, tolerance: 0, floor: 0, absoluteFloor: 0 } as const;
  return QUANTILES.flatMap((metric) =>
    (["typical", "pooled"] as const).map((estimator) => ({ metric, estimator, ...unjudged })),
  );
}

function sharedScenarios(
  config: Config,
  first: string,
  second: string,
  names: readonly string[] | null,
): Scenario[] {
  const of = (service: string): Scenario[] =>
    config.scenarios.filter((scenario) => scenario.service === service);
  const pairs = of(first).flatMap((scenario) => {
    const other = of(second).find(({ name }) => name === scenario.name);
    return other === undefined ? [] : [{ scenario, other }];
  });
  const shared = pairs.map(({ scenario }) => scenario.name);
  const unknown = names?.find((name) => !shared.includes(name));
  if (unknown !== undefined || shared.length === 0) {
    const what = unknown === undefined ? "no scenario" : `no scenario ${unknown}`;
    throw new UserError(`compare: ${first} and ${second} have ${what} in common`, {
      next:
        shared.length === 0
          ? "A scenario is in common when both services have one of the same name."
          : `They have in common: ${shared.join(", ")}.`,
    });
  }
  const chosen = pairs.filter(({ scenario }) => names?.includes(scenario.name) ?? true);
  for (const { scenario, other } of chosen) assertSameLoad(scenario, other);
  return chosen.map(({ scenario }) => scenario);
}

/** Numbers under different load do not compare. */
function assertSameLoad(scenario: Scenario, other: Scenario): void {
  const differs = (Object.keys(scenario) as (keyof Scenario)[]).filter(
    (key) =>
      !["id", "service", "metrics"].includes(key) &&
      JSON.stringify(scenario[key]) !== JSON.stringify(other[key]),
  );
  if (differs.length === 0) return;
  throw new UserError(
    `compare: ${scenario.id} and ${other.id} are not the same load: ${differs.join(", ")} differ`,
    { next: "Make them the same, or leave this one out by naming others: --scenario <name>." },
  );
}
