// What tailgate.yml means: the value as written, checked and with every default filled in. Pure; whoever calls reads the
// files. All problems are collected, so that one run shows them all.
import type { Config, MetricPolicy, Policy, Scenario, Service } from "../model/config.ts";
import { isLatencyMetric, METRIC_FACTS } from "../model/metric.ts";
import {
  ABSOLUTE_FLOORS,
  ALPHA,
  BASELINE_MAX_AGE_DAYS,
  BASELINES_DIR,
  BETA,
  ERROR_BUDGET,
  GATED,
  LOOKS,
  launchLimits,
  MAX_VOID_SHARE,
  POOLED_LIMITS,
  RUNNER_CLASS,
  TIME_BUDGET_MS,
  TYPICAL_LIMITS,
} from "./defaults.ts";
import { describeError, type Problem, type Report, showValue } from "./problem.ts";
import { relativePath } from "./relative-path.ts";
import { type BodyFiles, resolveScenario } from "./resolve-scenario.ts";
import { type Folders, resolveService } from "./resolve-service.ts";
import {
  type MetricSource,
  QUESTIONS,
  ScenarioSourceSchema,
  ServiceSourceSchema,
  type Source,
  SourceSchema,
} from "./source.ts";
import { PERCENTAGE } from "./units.ts";

/** What resolving may ask of the repository. */
export type RepositoryFiles = BodyFiles & Folders;

export type Resolved = { ok: true; config: Config } | { ok: false; problems: Problem[] };

const DAY_MS = 24 * 60 * 60 * 1000;

export function resolveConfig(raw: unknown, files: RepositoryFiles): Resolved {
  const whole = SourceSchema.safeParse(raw);
  const problems = whole.success ? [] : describeError(whole.error, SourceSchema, raw);
  const report: Report = (path, text, at = "value") => problems.push({ path, at, text });

  // Entries are looked at one by one: a slip in one must not hide what is wrong with the others.
  const serviceNames = Object.keys(section(raw, "services"));
  const services = Object.entries(section(raw, "services")).flatMap(([name, value]) => {
    const parsed = ServiceSourceSchema.safeParse(value);
    return parsed.success ? [resolveService(name, parsed.data, files, report)] : [];
  });
  const scenarios = Object.entries(section(raw, "scenarios")).flatMap(([name, value]) => {
    const parsed = ScenarioSourceSchema.safeParse(value);
    return parsed.success ? resolveScenario(name, parsed.data, serviceNames, files, report) : [];
  });
  checkPorts(services, report);

  if (!whole.success) return { ok: false, problems };
  const source = whole.data;
  if (serviceNames.length === 0) report(["services"], "empty, expected at least one service");
  if (Object.keys(source.scenarios).length === 0) {
    report(["scenarios"], "empty, expected at least one scenario");
  }
  checkEveryServiceIsLoaded(services, scenarios, report);
  const config: Config = {
    services,
    scenarios,
    policy: resolvePolicy(source, services, scenarios, report),
    compare: source.compare ?? "auto",
    seed: source.seed ?? null,
    runner: resolveRunner(source.runner, report),
    baselines: resolveBaselines(source.baselines, report),
  };
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config };
}

function section(raw: unknown, key: "services" | "scenarios"): Record<string, unknown> {
  const value = isMapping(raw) ? raw[key] : undefined;
  return isMapping(value) ? value : {};
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkPorts(services: readonly Service[], report: Report): void {
  const owners = new Map<number, string>();
  for (const { name, recipe } of services) {
    if (recipe.port === null) continue;
    const owner = owners.get(recipe.port);
    if (owner !== undefined) {
      report(["services", name, "port"], `${recipe.port} is already the port of ${owner}`);
    }
    owners.set(recipe.port, name);
  }
}

function checkEveryServiceIsLoaded(
  services: readonly Service[],
  scenarios: readonly Scenario[],
  report: Report,
): void {
  for (const { name } of services) {
    if (!scenarios.some((scenario) => scenario.service === name)) {
      report(["services", name], "no scenario loads it; add it to one, or leave it out", "key");
    }
  }
}

function resolvePolicy(
  source: Source,
  services: readonly Service[],
  scenarios: readonly Scenario[],
  report: Report,
): Policy {
  const own = source.policy ?? {};
  const metrics = QUESTIONS.map(({ key, metric, estimator }): MetricPolicy => {
    const given = source.metrics?.[key] ?? {};
    const usual = { typical: TYPICAL_LIMITS, pooled: POOLED_LIMITS, launch: launchLimits(metric) };
    const { promise, tolerance, floor } = usual[estimator];
    const policy: MetricPolicy = {
      metric,
      estimator,
      level: given.level ?? (GATED.has(metric) ? "gate" : "info"),
      promise: given.promise ?? promise,
      tolerance: given.tolerance ?? tolerance,
      // A promise closer than the usual floor would otherwise be broken without anybody failing.
      floor: given.floor ?? Math.min(floor, (given.promise ?? promise) / 2),
      absoluteFloor: given.absoluteFloor ?? ABSOLUTE_FLOORS[METRIC_FACTS[metric].unit],
    };
    checkLimits(key, given, policy, report);
    return policy;
  });
  const policy: Policy = {
    metrics,
    alpha: own.alpha ?? ALPHA,
    beta: own.beta ?? BETA,
    looks: [...(own.looks ?? LOOKS)],
    errorBudget: own.errorBudget ?? ERROR_BUDGET,
    maxVoidShare: own.maxVoid ?? MAX_VOID_SHARE,
    timeBudgetMs: own.timeBudget ?? TIME_BUDGET_MS,
  };
  checkLooks(policy, services, scenarios, report);
  return policy;
}

function checkLimits(key: string, given: MetricSource, policy: MetricPolicy, report: Report): void {
  const { promise, tolerance, floor } = policy;
  const at = (name: "promise" | "tolerance" | "floor") =>
    given[name] === undefined ? ["metrics", key] : ["metrics", key, name];
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

function checkLooks(
  policy: Policy,
  services: readonly Service[],
  scenarios: readonly Scenario[],
  report: Report,
): void {
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
  const gates = policy.metrics.filter((metric) => metric.level === "gate");
  const latency = gates.filter(({ metric }) => isLatencyMetric(metric)).length;
  const questions = latency * scenarios.length + (gates.length - latency) * services.length;
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

function resolveRunner(source: Source["runner"], report: Report): Config["runner"] {
  const cpus = source?.cpus ?? null;
  for (const side of ["service", "generator"] as const) {
    const list = cpus?.[side] ?? [];
    const twice = list.findIndex((cpu, i) => list.indexOf(cpu) !== i);
    if (twice !== -1) report(["runner", "cpus", side, twice], `CPU ${list[twice]} is listed twice`);
  }
  return { class: source?.class ?? RUNNER_CLASS, cpus };
}

function resolveBaselines(source: Source["baselines"], report: Report): Config["baselines"] {
  const text = source?.dir ?? BASELINES_DIR;
  const dir = relativePath(text);
  if (dir === null) {
    report(["baselines", "dir"], `got ${showValue(text)}, expected a folder inside the repository`);
  }
  const maxAgeDays = source?.maxAge === undefined ? BASELINE_MAX_AGE_DAYS : source.maxAge / DAY_MS;
  return { dir: dir ?? BASELINES_DIR, maxAgeDays };
}
