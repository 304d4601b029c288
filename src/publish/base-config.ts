// The configuration that a pull request's samples are judged by: the base branch's. What was measured otherwise than it asks is
// a fault of the measurement; what was measured beyond it is shown and decides nothing.
import { workloadHash } from "../baseline/key.ts";
import type { Config, MetricPolicy, Policy, Scenario } from "../model/config.ts";
import { isLatencyMetric } from "../model/metric.ts";
import type { Samples } from "../model/samples.ts";
import type { MeasurementFault } from "../verdict/validity.ts";

export interface BaseConfig {
  config: Config;
  /** What the base branch asks for and the samples do not have. */
  faults: MeasurementFault[];
  /** What a reader should know although it decides nothing. Foreign names are quoted in them. */
  notes: string[];
}

export function configForBase(base: Config, samples: Samples): BaseConfig {
  const theirs = samples.config;
  const known = new Set(base.scenarios.map(({ id }) => id));
  const services = new Set(base.services.map(({ name }) => name));
  const added = theirs.scenarios.filter(({ id }) => !known.has(id));
  const faults = [
    ...comparedOtherwise(base, samples),
    ...base.services.flatMap((service) => schemeFault(service, theirs)),
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
      ...faults.map(({ text }) => text),
      ...policyNote(base, theirs),
      ...addedNote(
        "is measured here but not on the base branch: it is shown and not judged",
        added.filter(({ service }) => services.has(service)),
      ),
      ...addedNote(
        "belongs to a service that the base branch's configuration does not have: it is left out",
        added.filter(({ service }) => !services.has(service)),
      ),
    ],
  };
}

/** What is new has no limits that anybody has reviewed. */
function asInformation(scenario: Scenario, policy: Policy): Scenario {
  const info = (metric: MetricPolicy): MetricPolicy => ({ ...metric, level: "info" });
  return {
    ...scenario,
    metrics: policy.metrics.filter(({ metric }) => isLatencyMetric(metric)).map(info),
  };
}

function scenarioFault(scenario: Scenario, base: Config, samples: Samples): MeasurementFault[] {
  const theirs = samples.config.scenarios.find(({ id }) => id === scenario.id);
  const fault = (text: string, detail: string): MeasurementFault => ({
    scenario: scenario.id,
    kind: "missing",
    text: `${scenario.id}: ${text}`,
    detail,
    rule: null,
  });
  if (theirs === undefined) {
    return [
      fault(
        "the base branch's configuration measures it, this run did not",
        "If the pull request is older than the scenario, bring it up to date with its base branch.",
      ),
    ];
  }
  const ours = withSeenBody(scenario, theirs);
  if (workloadHash(theirs) !== workloadHash(ours)) {
    return [
      fault(
        `it was measured with another definition than the base branch's (${differences(ours, theirs)})`,
        "A workload that changes cannot be held against limits that were set for the old one: change it in a pull request of its own.",
      ),
    ];
  }
  const tolerated = intolerable(scenario, base.policy, samples);
  return tolerated === 0
    ? []
    : [
        fault(
          `${tolerated} slices count although more requests failed in them than the base branch allows`,
          "The error budget of the base branch's configuration applies.",
        ),
      ];
}

/** A configuration that was read without its files knows a body's place and not its content: then the place must do. */
function withSeenBody(ours: Scenario, theirs: Scenario): Scenario {
  const [body, measured] = [ours.request.body, theirs.request.body];
  const isFile = typeof body === "object" && body !== null && typeof measured === "object";
  if (!isFile || measured === null || body.sha256 !== "" || body.path !== measured.path)
    return ours;
  if (JSON.stringify(body.repeat) !== JSON.stringify(measured.repeat)) return ours;
  return { ...ours, request: { ...ours.request, body: measured } };
}

function differences(ours: Scenario, theirs: Scenario): string {
  const keys = (Object.keys(ours) as (keyof Scenario)[]).filter(
    (key) => key !== "metrics" && JSON.stringify(ours[key]) !== JSON.stringify(theirs[key]),
  );
  return keys.join(", ");
}

/** Slices that count, and would not under this error budget: the rule is applied while measuring, by the other configuration. */
function intolerable(scenario: Scenario, policy: Policy, { rounds }: Samples): number {
  const total = (counts: Record<string, number>): number =>
    Object.values(counts).reduce((sum, count) => sum + count, 0);
  return rounds
    .flatMap((round) => round.scenarios.filter((entry) => entry.scenario === scenario.id))
    .flatMap((entry) => entry.slices)
    .filter((slice) => {
      const expected = slice.statuses[String(scenario.expectStatus)] ?? 0;
      const failed = total(slice.statuses) - expected + total(slice.errors);
      return slice.void === null && failed > Math.floor(policy.errorBudget * slice.scheduled);
    }).length;
}

/** A measured reference is the strongest evidence there is; anything else must be what the base branch asks for. */
function comparedOtherwise(base: Config, { run }: Samples): MeasurementFault[] {
  if (run.compare === "base" || base.compare === "auto" || base.compare === run.compare) return [];
  return [
    runFault(
      `the run compared by ${run.compare}, the base branch's configuration asks for ${base.compare}`,
      "",
    ),
  ];
}

function schemeFault(
  { name, scheme }: Config["services"][number],
  theirs: Config,
): MeasurementFault[] {
  const measured = theirs.services.find((service) => service.name === name);
  if (measured === undefined || measured.scheme === scheme) return [];
  return [
    runFault(
      `${name}: measured by the scheme ${measured.scheme}, the base branch's configuration asks for ${scheme}`,
      "",
    ),
  ];
}

function runFault(text: string, detail: string): MeasurementFault {
  return { scenario: null, kind: "missing", text, detail, rule: null };
}

function policyNote(base: Config, theirs: Config): string[] {
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const changed: string[] = (Object.keys(base.policy) as (keyof Policy)[]).filter(
    (key) => !same(base.policy[key], theirs.policy[key]),
  );
  const overridden = base.scenarios.some(
    ({ id, metrics }) =>
      !same(metrics, theirs.scenarios.find((scenario) => scenario.id === id)?.metrics ?? metrics),
  );
  if (overridden) changed.push("metrics of scenarios");
  if (base.runner.class !== theirs.runner.class) changed.push("runner class");
  if (changed.length === 0) return [];
  return [
    `The pull request's configuration has other settings than the base branch's (${changed.join(", ")}): the base branch's are applied.`,
  ];
}

function addedNote(what: string, scenarios: readonly Scenario[]): string[] {
  return scenarios.map(({ id }) => `${id} ${what}.`);
}
