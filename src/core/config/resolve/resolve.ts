// What tailgate.yml means: the value as written, checked and with every default filled in. Pure;
// whoever calls reads the files. All problems are collected, so that one run shows them all.
import { showValue } from "../../base/show-value.ts";
import type { Config, Dependency, Scenario, Service } from "../../model/config.ts";
import type { CostParameters } from "../../model/cost.ts";
import { requestsOfRound } from "../../model/load-rules.ts";
import { withParts } from "../../model/mix.ts";
import { BASELINE_MAX_AGE_DAYS, BASELINES_DIR, COST, RUNNER_CLASS } from "../defaults.ts";
import { PLACES } from "../fill-places.ts";
import { fillRequest, valuesWanted } from "../fill-values.ts";
import { describeError, type Problem, type Report } from "../problem.ts";
import { relativePath } from "../relative-path.ts";
import { DependencySourceSchema, ServiceSourceSchema } from "../source/program.ts";
import { ScenarioSourceSchema } from "../source/scenario.ts";
import { type Source, SourceSchema } from "../source/source.ts";
import { beyondWrk2 } from "../wrk2-rules.ts";
import { resolveDependency } from "./dependency.ts";
import { type OwnMetrics, resolveMetrics, resolveOwnMetrics, resolvePolicy } from "./policy.ts";
import type { BodyFiles } from "./request.ts";
import { resolveScenario } from "./scenario.ts";
import { type Folders, resolveService } from "./service.ts";
import { resolveWaivers } from "./waiver.ts";

/** What resolving may ask of the repository. */
export type RepositoryFiles = BodyFiles & Folders;

type Resolved =
  /** `unused`: keys that no longer have an effect. */
  { ok: true; config: Config; unused: string[] } | { ok: false; problems: Problem[] };

const DAY_MS = 24 * 60 * 60 * 1000;

/** `today` is a date in UTC, on which no waiver may have expired; null: not checked. */
export function resolveConfig(
  raw: unknown,
  files: RepositoryFiles,
  today: string | null,
): Resolved {
  const whole = SourceSchema.safeParse(raw);
  const problems = whole.success ? [] : describeError(whole.error, SourceSchema, raw);
  const report: Report = (path, text, at = "value") => problems.push({ path, at, text });

  // Entries are looked at one by one: a slip in one must not hide what is wrong with the others.
  const places = new Map(
    Object.entries(section(raw, "dependencies")).map(([name, value]) => [name, placesOf(value)]),
  );
  const written = section(raw, "services");
  const serviceNames = Object.keys(written);
  const serviceSources = Object.entries(written).flatMap(([name, value]) => {
    const parsed = ServiceSourceSchema.safeParse(asVariant(name, value, written, report));
    return parsed.success ? [{ name, source: parsed.data }] : [];
  });
  const services = serviceSources.map(({ name, source }) =>
    resolveService(name, source, { folders: files, places }, report),
  );
  const dependencies = Object.entries(section(raw, "dependencies")).flatMap(([name, value]) => {
    const parsed = DependencySourceSchema.safeParse(value);
    const known = { folders: files, services, serviceNames };
    return parsed.success ? [resolveDependency(name, parsed.data, known, report)] : [];
  });
  const loaded = serviceNames.map((name) => {
    const transport = services.find((service) => service.name === name)?.recipe.transport;
    return { name, isTls: transport !== undefined && transport.tls !== null };
  });
  const scenarios = Object.entries(section(raw, "scenarios")).flatMap(([name, value]) => {
    const parsed = ScenarioSourceSchema.safeParse(value);
    return parsed.success ? resolveScenario(name, parsed.data, loaded, files, report) : [];
  });
  checkBuildNeeds(services, dependencies, report);
  checkPorts(services, report);
  checkTransports(services, scenarios, report);
  checkValues(services, scenarios, report);
  checkMemory(services, scenarios, report);

  if (!whole.success) return { ok: false, problems };
  const source = whole.data;
  if (serviceNames.length === 0) report(["services"], "empty, expected at least one service");
  if (Object.keys(source.scenarios).length === 0) {
    report(["scenarios"], "empty, expected at least one scenario");
  }
  checkEveryServiceIsLoaded(services, scenarios, report);
  const metrics = resolveMetrics(source.metrics, report);
  const ownMetrics = (section: string, name: string, given: OwnMetrics) =>
    resolveOwnMetrics(given, metrics, (path, text) => report([section, name, ...path], text));
  const judged = scenarios.map((scenario) => ({
    ...scenario,
    metrics: ownMetrics("scenarios", scenario.name, source.scenarios[scenario.name] ?? {}),
  }));
  const judgedServices = services.map((service, i) => {
    const own = ownMetrics("services", service.name, serviceSources[i]?.source ?? {});
    return { ...service, ...(own.length === 0 ? {} : { metrics: own }) };
  });
  const config: Config = {
    services: judgedServices,
    dependencies,
    scenarios: judged,
    policy: resolvePolicy(source.policy, metrics),
    waivers: resolveWaivers(
      source.waivers ?? [],
      { services: judgedServices, scenarios: withParts(judged), metrics },
      today,
      report,
    ),
    compare: source.compare ?? "auto",
    seed: source.seed ?? null,
    runner: resolveRunner(source.runner, report),
    baselines: resolveBaselines(source.baselines, report),
    ...(source.cost === undefined ? {} : { cost: resolveCost(source.cost) }),
  };
  const unused = source.policy?.looks === undefined ? [] : ["policy.looks"];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config, unused };
}

/** What a variant does not say, the other service says. */
function asVariant(
  name: string,
  value: unknown,
  services: Record<string, unknown>,
  report: Report,
): unknown {
  if (!isMapping(value) || value.variantOf === undefined) return value;
  const { variantOf, ...own } = value;
  const at = ["services", name, "variantOf"];
  const other = typeof variantOf === "string" ? services[variantOf] : undefined;
  if (!isMapping(other) || variantOf === name) {
    report(at, `there is no other service ${showValue(variantOf)}`);
    return own;
  }
  if (other.variantOf !== undefined) {
    report(at, `${showValue(variantOf)} is a variant itself; expected the service it is one of`);
    return own;
  }
  const env = {
    ...(isMapping(other.env) ? other.env : {}),
    ...(isMapping(own.env) ? own.env : {}),
  };
  return { ...other, ...own, ...(Object.keys(env).length === 0 ? {} : { env }) };
}

/** What env may say of a dependency; of one whose kind is not known: anything. */
function placesOf(dependency: unknown): readonly string[] {
  const kind = isMapping(dependency) ? dependency.kind : undefined;
  const [, known] = Object.entries(PLACES).find(([name]) => name === kind) ?? [];
  return known ?? Object.values(PLACES).flat();
}

function section(
  raw: unknown,
  key: "services" | "scenarios" | "dependencies",
): Record<string, unknown> {
  const value = isMapping(raw) ? raw[key] : undefined;
  return isMapping(value) ? value : {};
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Programs are built themselves, and a service that fills a database has to be built first. */
function checkBuildNeeds(
  services: readonly Service[],
  dependencies: readonly Dependency[],
  report: Report,
): void {
  for (const { name, recipe } of services) {
    for (const [i, needed] of (recipe.buildBeside?.needs ?? []).entries()) {
      const dependency = dependencies.find((one) => one.name === needed);
      if (dependency === undefined) continue;
      const path = ["services", name, "build", "needs", i];
      if (dependency.kind === "program") {
        report(path, `${needed} is a program; expected a postgresql or redis`);
      } else if (dependency.seed?.kind === "service") {
        report(
          path,
          `${needed} is filled by a service, which is built first; seed it by a command`,
        );
      }
    }
  }
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

/** What the generators cannot speak, said where it is asked for. */
function checkTransports(
  services: readonly Service[],
  scenarios: readonly Scenario[],
  report: Report,
): void {
  for (const { name, service, generator, keepAlive } of scenarios) {
    const recipe = services.find((one) => one.name === service)?.recipe;
    if (recipe === undefined) continue;
    const beyond = generator === "wrk2" ? beyondWrk2(recipe) : null;
    if (beyond !== null) {
      report(
        ["scenarios", name, "generator"],
        `wrk2 speaks HTTP/1.1 over TCP without TLS, and ${service} has ${beyond}; expected generator: oha`,
      );
    }
    if (!keepAlive && recipe.transport !== undefined && recipe.transport.protocol !== "http1") {
      report(
        ["scenarios", name, "keepAlive"],
        `connections of HTTP/2 are kept, and ${service} has protocol: ${recipe.transport.protocol}; leave it out`,
      );
    }
  }
}

/**
 * In a pattern braces repeat: what `before` gives cannot be filled in. Which values a request gives
 * is known here, which a command prints is not.
 */
function checkValues(
  services: readonly Service[],
  scenarios: readonly Scenario[],
  report: Report,
): void {
  for (const { name, service, request: only, mix } of scenarios) {
    const { before } = services.find((one) => one.name === service)?.recipe ?? {};
    const sent = mix?.map((part) => ({ at: ["mix", part.name], ...part })) ?? [
      { at: [], request: only },
    ];
    for (const { at, request } of sent) {
      const given = before === undefined || Array.isArray(before) ? null : before.values;
      const filled = given === null ? null : fillRequest(request, sameAsNames(given));
      if (filled?.ok === false) report(["scenarios", name, ...at, "request"], filled.why);
      const [wanted] =
        before !== undefined && request.pathIsPattern ? valuesWanted(request.path) : [];
      if (wanted === undefined) continue;
      report(
        ["scenarios", name, ...at, "request", "pathPattern"],
        `{${wanted}} is not filled in a pattern; expected path, with {${wanted}} in it`,
      );
    }
  }
}

/** Stand-ins for values that only a launch gets. */
function sameAsNames(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(given).map((name) => [name, name]));
}

/** Memory is read at the end of a round, and what is missing then is sent without a rate. */
function checkMemory(
  services: readonly Service[],
  scenarios: readonly Scenario[],
  report: Report,
): void {
  for (const { name, memory } of services) {
    if (memory === undefined) continue;
    const path = ["services", name, "memory", "requests"];
    const own = scenarios.filter(({ service }) => service === name);
    const slow = own.find(({ generator }) => generator === "wrk2");
    if (slow !== undefined) {
      report(path, `wrk2, which ${slow.name} asks for, can only keep a rate; leave memory out`);
      continue;
    }
    const sent = own.reduce((sum, scenario) => sum + requestsOfRound(scenario), 0);
    if (memory.requests < sent) {
      report(path, `got ${memory.requests}, but a round sends ${sent}; expected that many or more`);
    }
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

function resolveCost(given: NonNullable<Source["cost"]>): CostParameters {
  return {
    requestsPerDay: given.requestsPerDay ?? COST.requestsPerDay,
    peakFactor: given.peakFactor ?? COST.peakFactor,
    utilisation: given.utilisation ?? COST.utilisation,
    coresPerHost: given.coresPerHost ?? COST.coresPerHost,
    hostPrice: given.hostPrice ?? COST.hostPrice,
  };
}

function resolveRunner(source: Source["runner"], report: Report): Config["runner"] {
  const cpus = source?.cpus ?? null;
  for (const side of ["service", "generator"] as const) {
    const list = cpus?.[side] ?? [];
    const twice = list.findIndex((cpu, i) => list.indexOf(cpu) !== i);
    if (twice !== -1) report(["runner", "cpus", side, twice], `CPU ${list[twice]} is listed twice`);
  }
  return {
    class: source?.class ?? RUNNER_CLASS,
    cpus,
    ...(source?.keepAwake === undefined ? {} : { keepAwake: source.keepAwake }),
  };
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
