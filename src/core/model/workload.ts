// What makes a stored value comparable with a new one: its key, its workload's hash, its machine.
import type { Baseline } from "./baseline.ts";
import type {
  Config,
  Dependency,
  Isolation,
  Part,
  Request,
  Scenario,
  Service,
  Transport,
} from "./config.ts";
import type { Fingerprint } from "./host.ts";
import type { Estimator, METRIC_FACTS } from "./metric.ts";
import { wholeId } from "./mix.ts";
import { memoryOf, type Samples } from "./samples.ts";

/** The part of a hypothesis that names a stored value. */
export interface KeyedMetric {
  service: string;
  scenario: string | null;
  policy: { metric: keyof typeof METRIC_FACTS; estimator: Estimator };
}

/** `echo/p99` for a pooled metric, `echo/p99Typical` for a typical one, `rss` for a service's. */
export function baselineKey({ service, scenario, policy }: KeyedMetric): string {
  const { metric, estimator } = policy;
  if (scenario === null) return metric;
  return `${scenario.slice(service.length + 1)}/${metric}${estimator === "typical" ? TYPICAL : ""}`;
}

const TYPICAL = "Typical";

export function metricOfKey(key: string): string {
  const name = key.slice(key.lastIndexOf("/") + 1);
  return name.endsWith(TYPICAL) ? name.slice(0, -TYPICAL.length) : name;
}

/** By which a round's value under the key came about. */
export function estimatorOfKey(key: string): Estimator {
  if (!key.includes("/")) return "launch";
  if (key.endsWith(TYPICAL)) return "typical";
  return metricOfKey(key) === "slow" ? "windows" : "pooled";
}

/** Hash of a scenario's definition: 64 bits of FNV-1a as hex, no protection against anybody. */
export function workloadHash(
  scenario: Scenario,
  { services }: { services: readonly Pick<Service, "name" | "recipe">[] },
): string {
  const { transport, before } =
    services.find(({ name }) => name === scenario.service)?.recipe ?? {};
  const { request, mix, expectStatus, rateRps, connections, keepAlive, requestTimeoutMs } =
    scenario;
  const definition = JSON.stringify([
    ...sentBy(request),
    expectStatus,
    rateRps,
    connections,
    keepAlive,
    requestTimeoutMs,
    scenario.warmupRequests,
    scenario.slice.durationMs,
    scenario.slice.pairs,
    scenario.generator,
    // Only where it is so: of all others the hash is what it was before there were patterns.
    ...(request.pathIsPattern ? ["pattern"] : []),
    ...(mix === undefined ? [] : [{ mix: mix.map(partOf) }]),
    ...(scenario.settleMs === undefined ? [] : [scenario.settleMs]),
    ...(transport === undefined ? [] : [wireOf(transport)]),
    ...(before === undefined ? [] : [{ before }]),
  ]);
  return fnv1a(definition);
}

/** Hash of all that a service's own metrics depend on: its scenarios and when memory is read. */
export function wholeWorkloadHash(
  service: string,
  config: Pick<Config, "services" | "scenarios">,
): string {
  const { memory } = config.services.find(({ name }) => name === service) ?? {};
  const scenarios = config.scenarios
    .filter((scenario) => scenario.service === service)
    .map((scenario) => [scenario.name, workloadHash(scenario, config)])
    .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  return fnv1a(JSON.stringify([scenarios, memory?.requests ?? null]));
}

/** Whose workload a metric is of, a scenario's id or a service, and its hash. */
export function workloadOf(
  { service, scenario }: Pick<KeyedMetric, "service" | "scenario">,
  config: Pick<Config, "services" | "scenarios">,
): { subject: string; workload: string } {
  if (scenario === null) return { subject: service, workload: wholeWorkloadHash(service, config) };
  const own = config.scenarios.find(({ id }) => id === scenario);
  return { subject: scenario, workload: own === undefined ? "" : workloadHash(own, config) };
}

function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}

function sentBy({ method, path, paths, headers, body }: Request): unknown[] {
  return [
    method,
    paths === undefined ? path : { lines: paths.sha256 },
    Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1)),
    body === null || typeof body === "string"
      ? body
      : body.lines === undefined
        ? body.sha256
        : { lines: body.sha256 },
  ];
}

function partOf({ name, weight, request, expectStatus }: Part): unknown {
  return [name, weight, request.pathIsPattern, expectStatus, ...sentBy(request)];
}

/** What goes over the wire: where a certificate lies is no part of it. */
function wireOf({ protocol, socket, tls }: Transport): unknown {
  return { protocol, socket, tls: tls !== null };
}

/** Why the baseline cannot be compared with these samples for this metric; null when it can. */
export function incomparable(
  baseline: Baseline,
  samples: Samples,
  metric: KeyedMetric,
): string | null {
  const machine = differingFact(baseline.fingerprint, samples.host.fingerprint);
  if (machine !== null) return `the baseline was recorded on another machine (${machine})`;
  const dependency = differingIsolation(baseline, samples);
  if (dependency !== null)
    return `${dependency} is shared and copied otherwise than in the baseline`;
  const isPss = metric.policy.metric === "rss" ? hasPss(samples, metric.service) : null;
  if (isPss !== null && isPss !== (baseline.isPss ?? false))
    return "memory is PSS where a service has several processes, else RSS, and was the other in the baseline";
  if (metric.scenario === null) return differingWorkloads(baseline, samples);
  return differingWorkload(baseline, samples, metric.scenario);
}

/** Whether the service's memory after load is PSS; null: it was not read yet. */
export function hasPss({ rounds }: Samples, service: string): boolean | null {
  const read = rounds.filter(
    (one) => one.service === service && one.launches?.candidate.values.rss !== undefined,
  );
  return read.length === 0 ? null : read.some((round) => memoryOf(round) === "pss");
}

/** The first fact in which two machines differ, in words; null when they are alike. */
export function differingFact(then: Fingerprint, now: Fingerprint): string | null {
  // What an older file lacks was not recorded; but without `keptAwake` CPUs were not kept awake.
  const facts = new Set([...(Object.keys(then) as (keyof Fingerprint)[]), "keptAwake"] as const);
  for (const key of facts) {
    if (then[key] !== now[key])
      return `${key}: then ${then[key] ?? "not"}, now ${now[key] ?? "not"}`;
  }
  return null;
}

/** What versions without `isolation` did. */
const FORMERLY: Readonly<Record<Dependency["kind"], Isolation>> = {
  postgresql: "shared",
  redis: "separate",
  program: "shared",
};

/** How the service's launches used dependencies otherwise than by FORMERLY. */
export function isolationOf(
  { config, dependencies = [] }: Pick<Samples, "config" | "dependencies">,
  service: string,
): Record<string, Isolation> {
  const needs = config.services.find(({ name }) => name === service)?.recipe.needs ?? [];
  return Object.fromEntries(
    config.dependencies.flatMap(({ name, kind }) => {
      const isolation = dependencies.find((facts) => facts.name === name)?.isolation;
      const isUsual = isolation === undefined || isolation === FORMERLY[kind];
      return isUsual || !needs.includes(name) ? [] : [[name, isolation]];
    }),
  );
}

/** The first dependency with another isolation; null: none. */
export function differingIsolation(
  { service, isolation: then = {} }: Pick<Baseline, "service" | "isolation">,
  samples: Pick<Samples, "config" | "dependencies">,
): string | null {
  const now = isolationOf(samples, service);
  const names = new Set([...Object.keys(then), ...Object.keys(now)]);
  return [...names].find((name) => then[name] !== now[name]) ?? null;
}

export function differingWorkload(
  baseline: Baseline,
  { config }: Pick<Samples, "config">,
  id: string,
): string | null {
  const scenario = config.scenarios.find((entry) => entry.id === wholeId(id));
  if (scenario === undefined) return `the configuration has no scenario ${id}`;
  const then = baseline.workloads[scenario.name];
  if (then === undefined) return `the baseline does not have the scenario ${scenario.name}`;
  return then === workloadHash(scenario, config)
    ? null
    : `the scenario ${scenario.name} is defined differently from when the baseline was recorded`;
}

/** Memory is read after all scenarios of a launch, so the set of them matters. */
export function differingWorkloads(
  baseline: Baseline,
  samples: Pick<Samples, "config">,
): string | null {
  const { memory } = samples.config.services.find(({ name }) => name === baseline.service) ?? {};
  if (memory?.requests !== baseline.memoryRequests) {
    const after = (requests: number | undefined): string =>
      requests === undefined ? "the slices" : `${requests} requests`;
    return `the baseline's memory was read after ${after(baseline.memoryRequests)}, this one's after ${after(memory?.requests)}`;
  }
  const scenarios = samples.config.scenarios.filter(({ service }) => service === baseline.service);
  for (const { id } of scenarios) {
    const difference = differingWorkload(baseline, samples, id);
    if (difference !== null) return difference;
  }
  return Object.keys(baseline.workloads).length === scenarios.length
    ? null
    : "the baseline was recorded with more scenarios";
}
