// What tailgate.yml means: the value as written, checked and with every default filled in. Pure;
// whoever calls reads the files. All problems are collected, so that one run shows them all.
import type { z } from "zod";
import { showValue } from "../../base/show-value.ts";
import { type Config, MOST_ENTRIES } from "../../model/config.ts";
import { withParts } from "../../model/mix.ts";
import { PLACES } from "../fill-places.ts";
import { type Problem, parseAt, type Report, within } from "../problem.ts";
import { pathInside } from "../relative-path.ts";
import {
  type DependencySource,
  DependencySourceSchema,
  type ServiceSource,
  ServiceSourceSchema,
} from "../source/program.ts";
import { type ScenarioSource, ScenarioSourceSchema } from "../source/scenario.ts";
import { DAY } from "../source/shapes.ts";
import { FrameSchema, type Source } from "../source/source.ts";
import { resolveDependency } from "./dependency.ts";
import { type OwnMetrics, resolveMetrics, resolveOwnMetrics, resolvePolicy } from "./policy.ts";
import type { BodyFiles } from "./request.ts";
import { resolveScenario } from "./scenario.ts";
import { type Folders, resolveService } from "./service.ts";
import { checkEveryServiceIsLoaded, checkTogether, type Entries } from "./together.ts";
import { resolveWaivers } from "./waiver.ts";

/** What resolving may ask of the repository. */
export type RepositoryFiles = BodyFiles & Folders;

type Resolved =
  /** `unused`: keys that no longer have an effect. */
  { ok: true; config: Config; unused: string[] } | { ok: false; problems: Problem[] };

/** `today` is a date in UTC, on which no waiver may have expired; null: not checked. */
export function resolveConfig(
  raw: unknown,
  files: RepositoryFiles,
  today: string | null,
): Resolved {
  const problems: Problem[] = [];
  const report: Report = (path, text, at = "value") => problems.push({ path, at, text });

  refuseMany(raw, report);
  if (problems.length > 0) return { ok: false, problems };
  const frame = parseAt(FrameSchema, raw, [], report);
  const written = readEntries(raw, report);
  const isReadable = problems.length === 0;
  const sources = { ...written, services: withVariants(raw, written.services, report) };
  const entries = resolveEntries(raw, sources, files, report);
  checkTogether(entries, report);
  if (frame === undefined || !isReadable) return { ok: false, problems };

  checkNotEmpty(frame, report);
  checkEveryServiceIsLoaded(entries, report);
  const config = judgedBy(frame, entries, sources, today, report);
  const unused = frame.policy.looks === undefined ? [] : ["policy.looks"];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config, unused };
}

/** Before anything is made of them: each scenario becomes one for every service that it loads. */
function refuseMany(raw: unknown, report: Report): void {
  const written = (key: string): unknown[] => {
    const value = isMapping(raw) ? raw[key] : undefined;
    return typeof value === "object" && value !== null ? Object.values(value) : [];
  };
  const services = written("services").length;
  const loads = written("scenarios").map((one) =>
    isMapping(one) && Array.isArray(one.services) ? one.services.length : services,
  );
  for (const [key, most] of Object.entries(MOST_ENTRIES)) {
    const isProduct = key === "scenarios";
    const count = isProduct ? loads.reduce((a, b) => a + b, 0) : written(key).length;
    const by = isProduct ? ", one for each service that it loads" : "";
    if (count > most) report([key], `${count} ${key}${by}; expected at most ${most}`, "key");
  }
}

/** By name, those that are as their schema wants them. */
interface Sources {
  services: ReadonlyMap<string, ServiceSource>;
  dependencies: ReadonlyMap<string, DependencySource>;
  scenarios: ReadonlyMap<string, ScenarioSource>;
}
type Section = keyof Sources;

/** Entries are looked at one by one: a slip in one must not hide what is wrong with the others. */
function readEntries(raw: unknown, report: Report): Sources {
  const read = <T>(key: Section, schema: z.ZodType<T>): Map<string, T> =>
    new Map(
      Object.entries(section(raw, key)).flatMap(([name, value]) => {
        const source = parseAt(schema, value, [key, name], report);
        return source === undefined ? [] : [[name, source]];
      }),
    );
  return {
    services: read("services", ServiceSourceSchema),
    dependencies: read("dependencies", DependencySourceSchema),
    scenarios: read("scenarios", ScenarioSourceSchema),
  };
}

/** With what the services that they are variants of say for them; in the order of the file. */
function withVariants(raw: unknown, read: Sources["services"], report: Report) {
  const services = section(raw, "services");
  return new Map(
    Object.entries(services).flatMap(([name, value]) => {
      const isVariant = isMapping(value) && value.variantOf !== undefined;
      const source = isVariant
        ? ServiceSourceSchema.safeParse(asVariant(name, value, services, report)).data
        : read.get(name);
      return source === undefined ? [] : [[name, source]];
    }),
  );
}

/** What a variant does not say, the other service says. */
function asVariant(
  name: string,
  { variantOf, ...own }: Record<string, unknown>,
  services: Record<string, unknown>,
  report: Report,
): unknown {
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
  const env = [other.env, own.env].filter(isMapping);
  return { ...other, ...own, ...(env.length === 0 ? {} : { env: Object.assign({}, ...env) }) };
}

function resolveEntries(raw: unknown, sources: Sources, files: RepositoryFiles, report: Report) {
  const places = new Map(
    Object.entries(section(raw, "dependencies")).map(([name, value]) => [name, placesOf(value)]),
  );
  const services = [...sources.services].map(([name, source]) =>
    resolveService(name, source, { folders: files, places }, report),
  );
  const serviceNames = Object.keys(section(raw, "services"));
  const known = { folders: files, services, serviceNames };
  const dependencies = [...sources.dependencies].map(([name, source]) =>
    resolveDependency(name, source, known, report),
  );
  const loaded = serviceNames.map((name) => {
    const transport = services.find((service) => service.name === name)?.recipe.transport;
    return { name, isTls: transport !== undefined && transport.tls !== null };
  });
  const scenarios = [...sources.scenarios].flatMap(([name, source]) =>
    resolveScenario(name, source, loaded, files, report),
  );
  return { services, dependencies, scenarios };
}

/** What env may say of a dependency; of one whose kind is not known: anything. */
function placesOf(dependency: unknown): readonly string[] {
  const kind = isMapping(dependency) ? dependency.kind : undefined;
  const [, known] = Object.entries(PLACES).find(([name]) => name === kind) ?? [];
  return known ?? Object.values(PLACES).flat();
}

function section(raw: unknown, key: Section): Record<string, unknown> {
  const value = isMapping(raw) ? raw[key] : undefined;
  return isMapping(value) ? value : {};
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkNotEmpty(frame: Source, report: Report): void {
  for (const key of ["services", "scenarios"] as const) {
    if (Object.keys(frame[key]).length === 0) {
      report([key], `empty, expected at least one ${key.slice(0, -1)}`);
    }
  }
}

/** The whole, with what is asked of each entry. */
function judgedBy(
  frame: Source,
  entries: Entries,
  sources: Sources,
  today: string | null,
  report: Report,
): Config {
  const metrics = resolveMetrics(frame, report);
  const ownMetrics = (key: Section, name: string, given: OwnMetrics = {}) =>
    resolveOwnMetrics(given, metrics, within(report, key, name));
  const scenarios = entries.scenarios.map((scenario) => ({
    ...scenario,
    metrics: ownMetrics("scenarios", scenario.name, sources.scenarios.get(scenario.name)),
  }));
  const services = entries.services.map((service) => {
    const own = ownMetrics("services", service.name, sources.services.get(service.name));
    return { ...service, metrics: own.length === 0 ? undefined : own };
  });
  return {
    services,
    dependencies: entries.dependencies,
    scenarios,
    policy: resolvePolicy(frame.policy, metrics),
    waivers: resolveWaivers(
      frame.waivers ?? [],
      { services, scenarios: withParts(scenarios), metrics },
      today,
      report,
    ),
    compare: frame.compare,
    seed: frame.seed ?? null,
    runner: resolveRunner(frame.runner, report),
    baselines: resolveBaselines(frame.baselines, report),
    cost: frame.cost,
  };
}

function resolveRunner({ class: name, cpus, ...own }: Source["runner"], report: Report) {
  for (const [side, list] of Object.entries(cpus ?? {})) {
    const twice = list.findIndex((cpu, i) => list.indexOf(cpu) !== i);
    if (twice !== -1) report(["runner", "cpus", side, twice], `CPU ${list[twice]} is listed twice`);
  }
  return { ...own, class: name, cpus: cpus ?? null };
}

function resolveBaselines({ dir, maxAge }: Source["baselines"], report: Report) {
  const inside = pathInside("the repository", "folder", dir, within(report, "baselines", "dir"));
  return { dir: inside ?? dir, maxAgeDays: maxAge / DAY };
}
