// What makes a stored value comparable with a new one: its key, its workload's hash, its machine.
import { asWritten } from "../base/as-written.ts";
import type { Baseline } from "./baseline.ts";
import {
  type Config,
  type Dependency,
  DependencySchema,
  type Isolation,
  type Part,
  type Request,
  type Scenario,
  type Service,
  type Transport,
} from "./config.ts";
import type { Fingerprint } from "./host.ts";
import { type Estimator, METRIC_FACTS, type Metric } from "./metric.ts";
import { wholeId } from "./mix.ts";
import { memoryOf, type OneArm, type Samples } from "./samples.ts";

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
export function wholeWorkloadHash(service: string, config: Load): string {
  const { memory } = config.services.find(({ name }) => name === service) ?? {};
  const scenarios = Object.entries(workloadsOf(config, service)).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return fnv1a(JSON.stringify([scenarios, memory?.requests ?? null]));
}

/** By name, a hash of each of the service's scenarios. */
export function workloadsOf(config: Load, wanted: string): Hashes {
  const own = config.scenarios.filter(({ service }) => service === wanted);
  return Object.fromEntries(own.map((one) => [one.name, workloadHash(one, config)]));
}

/** By name, a hash of each dependency's definition: of those that a service needs, or of all. */
export function needsOf({ services, dependencies }: Config, wanted?: string): Hashes {
  const needs = services.find(({ name }) => name === wanted)?.recipe.needs ?? [];
  const own = dependencies.filter(({ name }) => wanted === undefined || needs.includes(name));
  const hashOf = (one: Dependency) => fnv1a(JSON.stringify(asWritten(DependencySchema, one)));
  return Object.fromEntries(own.map((one) => [one.name, hashOf(one)]));
}

type Load = Pick<Config, "services" | "scenarios">;
type Hashes = Record<string, string>;

/** What only one of two has by name, and what they define otherwise; `of` stands before each name. */
export function differing(then: Hashes, now: Hashes, of = ""): OneArm {
  const names = (all: Hashes, counts: (name: string) => boolean) =>
    Object.keys(all).flatMap((name) => (counts(name) ? `${of}${name}` : []));
  return {
    new: names(now, (name) => then[name] === undefined),
    changed: names(now, (name) => ![undefined, now[name]].includes(then[name])),
    gone: names(then, (name) => now[name] === undefined),
  };
}

/** What any of them names. */
export function joined(all: readonly OneArm[]): OneArm {
  const each = (which: keyof OneArm) => [...new Set(all.flatMap((one) => one[which]))];
  return { new: each("new"), changed: each("changed"), gone: each("gone") };
}

/** Whose workload a metric is of, a scenario's id or a service, and its hash. */
export function workloadOf(
  { service, scenario }: Pick<KeyedMetric, "service" | "scenario">,
  config: Load,
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
  const [then, now] = [baseline.fingerprint, samples.host.fingerprint];
  const machine = differingFact(then, now, metric.policy.metric);
  if (machine !== null)
    return `${isSameMachine(then, now) ? "the baseline was recorded on another machine" : `there is no baseline of ${machineName(now)} yet`} (${machine})`;
  const dependency = differingIsolation(baseline, samples);
  if (dependency !== null)
    return `${dependency} is shared and copied otherwise than in the baseline`;
  const isPss = metric.policy.metric === "rss" ? hasPss(samples, metric.service) : null;
  if (isPss !== null && isPss !== (baseline.isPss ?? false))
    return "memory is PSS where a service has several processes, else RSS, and was the other in the baseline";
  return differingLoad(baseline, samples, metric);
}

/** Whether the service's memory after load is PSS; null: it was not read yet. */
export function hasPss({ rounds }: Samples, service: string): boolean | null {
  const read = rounds.filter(
    (one) => one.service === service && one.launches?.candidate.values.rss !== undefined,
  );
  return read.length === 0 ? null : read.some((round) => memoryOf(round) === "pss");
}

/** The first fact that the metric depends on, or any, in which two machines differ; null: none. */
export function differingFact(then: Fingerprint, now: Fingerprint, metric?: Metric): string | null {
  const before = factsFor(metric, then);
  const after = factsFor(metric, { ...now, architecture: then.architecture && now.architecture });
  // What an older file lacks was not recorded; but without `keptAwake` CPUs were not kept awake.
  const known = Object.keys(before).filter((key) => before[key] !== undefined);
  const first = [...known, "keptAwake"].find((key) => before[key] !== after[key]);
  if (first === undefined) return null;
  return `${first}: then ${before[first] ?? "not"}, now ${after[first] ?? "not"}`;
}

/**
 * What a metric depends on; without one everything. Memory does on no model of CPU, and builds of
 * one release of a kernel give it out alike (docs/adr/0031).
 */
export function factsFor(
  metric: Metric | undefined,
  fingerprint: Fingerprint,
): Record<string, unknown> {
  if (metric === undefined || METRIC_FACTS[metric].unit !== "bytes") return fingerprint;
  // An older version recorded no architecture: its values are of their own model alone.
  const { cpuModel, architecture = cpuModel, kernel: build, ...others } = fingerprint;
  const { cpus, serviceCpus, memoryGiB, pageBytes, hugePages, generator } = others;
  const [kernel] = /^\d+\.\d+/.exec(build) ?? [build];
  return { architecture, kernel, cpus, serviceCpus, memoryGiB, pageBytes, hugePages, generator };
}

/** A model of machine as part of a file's name: `amd-epyc-7763-64-core-processor-4-cpus`. */
export function machineOf(fingerprint: Fingerprint): string {
  const name = machineName(fingerprint).toLowerCase();
  return (name.match(/[a-z0-9][a-z0-9.]+|\d/g) ?? []).join("-").slice(-60);
}

export function isSameMachine(a: Fingerprint, b: Fingerprint): boolean {
  return machineName(a) === machineName(b);
}

/** The same for people. */
export function machineName({ cpuModel, cpus }: Fingerprint): string {
  return `${cpuModel}, ${cpus} CPUs`;
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

function differingWorkload(baseline: Baseline, { config }: Pick<Samples, "config">, id: string) {
  const scenario = config.scenarios.find((entry) => entry.id === wholeId(id));
  if (scenario === undefined) return `the configuration has no scenario ${id}`;
  const then = baseline.workloads[scenario.name];
  if (then === undefined) return `the baseline does not have the scenario ${scenario.name}`;
  return then === workloadHash(scenario, config)
    ? null
    : `the scenario ${scenario.name} is defined differently from when the baseline was recorded`;
}

/** A launch serves all scenarios before its memory is read, so the set of them matters. */
export function differingLoad(
  baseline: Baseline,
  samples: Pick<Samples, "config">,
  { scenario }: Pick<KeyedMetric, "scenario">,
): string | null {
  if (scenario !== null) return differingWorkload(baseline, samples, scenario);
  const { memory } = samples.config.services.find(({ name }) => name === baseline.service) ?? {};
  if (memory?.requests !== baseline.memoryRequests) {
    const after = (requests: number | undefined): string =>
      requests === undefined ? "the measured requests" : `${requests} requests`;
    return `the baseline's memory was read after ${after(baseline.memoryRequests)}, this one's after ${after(memory?.requests)}`;
  }
  const told = differing(baseline.workloads, workloadsOf(samples.config, baseline.service));
  const others = Object.values(told).flat();
  return others.length === 0
    ? null
    : `a launch serves all scenarios, and differs from the baseline's in ${others.join(", ")}`;
}
