// The base branch's configuration, which samples are judged by. A measurement that differs from it
// is a fault; what is new is shown and decides nothing.

import type {
  BodyFile,
  Config,
  Dependency,
  Isolation,
  MetricPolicy,
  Policy,
  Request,
  Scenario,
  Service,
} from "../model/config.ts";
import type { Fault } from "../model/fault.ts";
import { splitIntoParts } from "../model/mix.ts";
import { slicesOf, total } from "../model/parts.ts";
import type { Samples } from "../model/samples.ts";
import type { BaseNote } from "../model/verdict.ts";
import { workloadHash } from "../model/workload.ts";

interface BaseConfig {
  config: Config;
  faults: Fault[];
  notes: BaseNote[];
}

export function configForBase(base: Config, samples: Samples): BaseConfig {
  const theirs = samples.config;
  const known = new Set(base.scenarios.map(({ id }) => id));
  const services = new Set(base.services.map(({ name }) => name));
  const added = theirs.scenarios.filter(({ id }) => !known.has(id));
  const faults = [
    ...comparedOtherwise(base, samples),
    ...base.services.flatMap((service) => schemeFault(service, theirs)),
    ...base.dependencies.flatMap((dependency) => isolationFault(dependency, theirs)),
    ...base.scenarios.flatMap((scenario) => scenarioFault(scenario, base, samples)),
  ];
  return {
    config: {
      ...base,
      scenarios: [
        ...base.scenarios,
        ...added
          .filter(({ service }) => services.has(service))
          .map((scenario) => asInformation(scenario, base.policy)),
      ],
    },
    faults,
    notes: [
      ...faults.map((fault): BaseNote => ({ code: "fault", fault })),
      ...overruled(base, theirs),
      ...added.map(
        ({ id, service }): BaseNote => ({
          code: services.has(service) ? "not-judged" : "left-out",
          scenario: id,
        }),
      ),
    ],
  };
}

/** What is new has no limits that anybody has reviewed. */
function asInformation(scenario: Scenario, policy: Policy): Scenario {
  const info = (metric: MetricPolicy): MetricPolicy => ({ ...metric, level: "info" });
  return {
    ...scenario,
    metrics: policy.metrics.filter(({ estimator }) => estimator !== "launch").map(info),
  };
}

function scenarioFault(scenario: Scenario, base: Config, samples: Samples): Fault[] {
  const theirs = samples.config.scenarios.find(({ id }) => id === scenario.id);
  if (theirs === undefined) return [otherwise(scenario.id, { what: "not-measured" })];
  const ours = withSeenBody(scenario, theirs);
  // Answers were compared by the other configuration's paths.
  const [own, measured] = [ours, theirs].map((one) => splitIntoParts([one]));
  const isOther = own?.some(
    ({ answers }, i) => typeof answers === "object" && !isAlike(answers, measured?.[i]?.answers),
  );
  if (isOther) return [otherwise(scenario.id, { what: "workload", settings: ["answers"] })];
  if (workloadHash(theirs, samples.config) !== workloadHash(ours, base)) {
    const settings = [
      ...differences(ours, theirs),
      ...otherRecipe(scenario.service, base, samples.config),
    ];
    return [otherwise(scenario.id, { what: "workload", settings })];
  }
  const slices = intolerable(scenario, base.policy, samples);
  return slices === 0 ? [] : [otherwise(scenario.id, { what: "error-budget", slices })];
}

function isAlike(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function otherwise(
  scenario: string | null,
  difference: Extract<Fault, { kind: "otherwise" }>["difference"],
): Fault {
  return { kind: "otherwise", scenario, rule: null, difference };
}

/** A configuration read without its files knows only a body's path, which must then do. */
function withSeenBody(ours: Scenario, theirs: Scenario): Scenario {
  const mix = ours.mix?.map((part, i) => ({
    ...part,
    request: requestWithSeenBody(part.request, theirs.mix?.[i]?.request),
  }));
  const request = requestWithSeenBody(ours.request, theirs.request);
  return { ...ours, request, mix };
}

function requestWithSeenBody(ours: Request, theirs: Request | undefined): Request {
  const seen = (own: BodyFile, measured: Request["body"] | undefined): BodyFile => {
    if (typeof measured !== "object" || measured === null || own.sha256 !== "") return own;
    const { path, repeat, lines } = own;
    const isIt = isAlike([path, repeat, lines], [measured.path, measured.repeat, measured.lines]);
    return isIt ? measured : own;
  };
  const { paths, body } = ours;
  return {
    ...ours,
    paths: paths && seen(paths, theirs?.paths),
    body: typeof body === "object" && body !== null ? seen(body, theirs?.body) : body,
  };
}

function differences(ours: Scenario, theirs: Scenario): string[] {
  // What only theirs has differs too.
  return (Object.keys({ ...theirs, ...ours }) as (keyof Scenario)[]).filter(
    (key) => key !== "metrics" && key !== "answers" && !isAlike(ours[key], theirs[key]),
  );
}

/** Of the service's recipe, what is part of the workload. */
function otherRecipe(service: string, ours: Config, theirs: Config): string[] {
  const [own, other] = [ours, theirs].map(
    ({ services }) => services.find(({ name }) => name === service)?.recipe,
  );
  return (["transport", "before"] as const).filter((key) => !isAlike(own?.[key], other?.[key]));
}

/** Slices that count but would not under this error budget. */
function intolerable(scenario: Scenario, policy: Policy, { rounds }: Samples): number {
  return slicesOf(rounds, scenario.id).filter((slice) => {
    const expected = slice.statuses[String(scenario.expectStatus)] ?? 0;
    const failed = total(slice.statuses) - expected + total(slice.errors);
    return slice.void === null && failed > Math.floor(policy.errorBudget * slice.scheduled);
  }).length;
}

/** A measured reference is the strongest evidence; else the mode must be the base branch's. */
function comparedOtherwise(base: Config, { run }: Samples): Fault[] {
  if (run.compare === "base" || base.compare === "auto" || base.compare === run.compare) return [];
  return [otherwise(null, { what: "compare", measured: run.compare, wanted: base.compare })];
}

function schemeFault({ name, scheme: wanted }: Service, theirs: Config): Fault[] {
  const measured = theirs.services.find((service) => service.name === name)?.scheme;
  if (measured === undefined || measured === wanted) return [];
  return [otherwise(null, { what: "scheme", service: name, measured, wanted })];
}

/** A shared database can hide a change's cost. */
function isolationFault(dependency: Dependency, theirs: Config): Fault[] {
  const measured = theirs.dependencies.find(({ name }) => name === dependency.name);
  const isHidden = isolationOf(measured) === "shared" && isolationOf(dependency) !== "shared";
  return isHidden ? [otherwise(null, { what: "isolation", dependency: dependency.name })] : [];
}

function isolationOf(dependency: Dependency | undefined): Isolation | undefined {
  return dependency === undefined || dependency.kind === "program"
    ? undefined
    : dependency.isolation;
}

/** When a run ends without an answer. */
const LOOSENS_NOTHING = new Set<keyof Policy>(["timeBudgetMs", "giveUp"]);

function overruled(base: Config, theirs: Config): BaseNote[] {
  const changed: string[] = (Object.keys(base.policy) as (keyof Policy)[]).filter(
    (key) => !LOOSENS_NOTHING.has(key) && !isAlike(base.policy[key], theirs.policy[key]),
  );
  const scenarios = haveOtherMetrics(base.scenarios, theirs.scenarios, ({ id }) => id);
  const services = haveOtherMetrics(base.services, theirs.services, ({ name }) => name);
  if (scenarios) changed.push("metrics of scenarios");
  if (services) changed.push("metrics of services");
  if (base.runner.class !== theirs.runner.class) changed.push("runner class");
  return changed.length === 0 ? [] : [{ code: "overruled", settings: changed }];
}

/** Whether one of ours is among theirs with other metrics. */
function haveOtherMetrics<T extends Pick<Service, "metrics">>(
  ours: readonly T[],
  theirs: readonly T[],
  nameOf: (one: T) => string,
): boolean {
  const metrics = new Map(theirs.map((one) => [nameOf(one), one.metrics]));
  return ours.some(
    (one) => metrics.has(nameOf(one)) && !isAlike(one.metrics, metrics.get(nameOf(one))),
  );
}
