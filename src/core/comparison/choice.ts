// The configuration reduced to two services and the scenarios that both have.
import { UserError } from "../base/errors.ts";
import { neededDependencies } from "../config/needed-dependencies.ts";
import type { Config, Scenario, Service } from "../model/config.ts";
import { serviceNamed } from "../model/service-named.ts";

export interface Choice {
  candidate: Service;
  reference: Service;
  /** What scenarios and rounds belong to. */
  pair: string;
  config: Config;
}

/** Scenarios are the same where both services have one of that name; `names` null: all of those. */
export function chooseServices(
  config: Config,
  [first, second]: readonly [string, string],
  names: readonly string[] | null,
): Choice {
  const candidate = serviceNamed(config, first);
  const reference = serviceNamed(config, second);
  if (first === second) {
    throw new UserError(`compare: ${first} is named twice`, {
      next: "Name two services. A service against its own earlier code: tailgate gate.",
    });
  }
  const pair = `${first} vs ${second}`;
  const scenarios = sharedScenarios(config, first, second, names).map((scenario) => ({
    ...scenario,
    id: `${pair}/${scenario.name}`,
    service: pair,
    metrics: [],
  }));
  const reduced: Config = { ...config, services: [candidate, reference], scenarios };
  return {
    candidate,
    reference,
    pair,
    config: { ...reduced, dependencies: neededDependencies(reduced) },
  };
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
