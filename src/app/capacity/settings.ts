// What a capacity search is asked for: the command's wishes, the configuration and the defaults
// made into settings.
import { UserError } from "../../core/base/errors.ts";
import { suggestOneOf } from "../../core/base/nearest.ts";
import type { CapacitySettings } from "../../core/capacity/model.ts";
import { leastRate } from "../../core/capacity/slice.ts";
import { COST } from "../../core/config/source/source.ts";
import type { Config, CostParameters, Scenario, Service } from "../../core/model/config.ts";
import { serviceNamed } from "../../core/model/config.ts";

/** Everything null is as configured, or the default. */
export interface CapacityOptions {
  service: string;
  /** Without the service's name; null: the only one that the service has. */
  scenario: string | null;
  objectiveMs: number | null;
  errorBudget: number | null;
  launches: number | null;
  sliceMs: number | null;
  precision: number | null;
  cost: Partial<CostParameters>;
}

const OBJECTIVE_MS = 20;
const LAUNCHES = 8;
const SLICE_MS = 2000;
/**
 * With this many objectives in a slice, a growing queue can hide in it for at most 1 % above
 * capacity.
 */
const OBJECTIVES_A_SLICE = 100;
const MOST_SLICE_MS = 20_000;
const WARMUP_SHARE = 0.25;
const PRECISION = 0.03;
/** The generator's own schedule takes no higher rate. */
const MOST_RPS = 1_000_000;

export function chooseScenario(
  config: Config,
  wanted: Pick<CapacityOptions, "service" | "scenario">,
): { service: Service; scenario: Scenario } {
  const service = serviceNamed(config, wanted.service);
  const own = config.scenarios.filter((scenario) => scenario.service === service.name);
  const scenarios = own.map(({ name }) => name);
  const [only] = own;
  if (wanted.scenario === null) {
    if (only !== undefined && own.length === 1) return { service, scenario: only };
    throw new UserError(`${service.name} has ${own.length} scenarios: choose one with --scenario`, {
      next: `There are: ${scenarios.join(", ")}.`,
    });
  }
  const scenario = own.find(({ name }) => name === wanted.scenario);
  if (scenario !== undefined) return { service, scenario };
  throw new UserError(`--scenario ${wanted.scenario}: ${service.name} has no such scenario`, {
    next: suggestOneOf(wanted.scenario, scenarios),
  });
}

/** What is typed goes before what is configured. */
export function costOf(
  { cost: typed }: Pick<CapacityOptions, "cost">,
  { cost: configured = COST }: Pick<Config, "cost">,
): CostParameters {
  return { ...configured, ...typed };
}

export function settingsOf(
  options: CapacityOptions,
  config: Config,
  scenario: Scenario,
): CapacitySettings {
  const objectiveMs = options.objectiveMs ?? OBJECTIVE_MS;
  const sliceMs =
    options.sliceMs ??
    Math.min(MOST_SLICE_MS, Math.max(SLICE_MS, OBJECTIVES_A_SLICE * objectiveMs));
  if (objectiveMs >= scenario.requestTimeoutMs) {
    throw new UserError(
      `--p99 ${objectiveMs}ms is no less than the time-out of ${scenario.id} (${scenario.requestTimeoutMs} ms): a request can never be that late`,
      { next: "Ask for less, or raise the scenario's timeout." },
    );
  }
  const leastRps = leastRate({ sliceMs, warmupShare: WARMUP_SHARE });
  return {
    objectiveUs: objectiveMs * 1000,
    errorBudget: options.errorBudget ?? config.policy.errorBudget,
    launches: options.launches ?? LAUNCHES,
    sliceMs,
    warmupShare: WARMUP_SHARE,
    precision: options.precision ?? PRECISION,
    startRps: Math.max(leastRps, scenario.rateRps),
    leastRps,
    mostRps: MOST_RPS,
    timeBudgetMs: config.policy.timeBudgetMs,
  };
}
