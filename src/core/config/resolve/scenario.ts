// One scenario as written -> one for each service that it loads. Pure.
import type { BodyFile, Scenario } from "../../model/config.ts";
import { requestsDropped, TLS_SETTLE_MS } from "../../model/load-rules.ts";
import { defaultConnections, defaultSlice, defaultWarmup } from "../default-load.ts";
import { EXPECTED_STATUS, MIN_SLICE_KEPT, REQUEST_TIMEOUT_MS } from "../defaults.ts";
import { problemOfPathPattern } from "../path-pattern.ts";
import { type Report, showValue, unknownName } from "../problem.ts";
import { relativePath } from "../relative-path.ts";
import type { ScenarioSource } from "../source.ts";
import { DURATION, RATE } from "../units.ts";
import { reportForWrk2 } from "../wrk2-rules.ts";

export type BodyRead =
  | ({ ok: true } & Pick<BodyFile, "sha256" | "bytes">)
  | { ok: false; why: string };

export interface BodyFiles {
  /** What would be sent. The path is relative to the repository's root. */
  readBody(body: Pick<BodyFile, "path" | "repeat">): BodyRead;
}

const SHORT_REQUEST = /^(?:([A-Z]{1,20}) )?(\/[\x21-\x7e]*)$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** Set by the load generator; a second, different one would break the exchange. */
const GENERATOR_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "host",
  "transfer-encoding",
]);

/** What a scenario must know of the services that it loads. */
export interface LoadedService {
  name: string;
  isTls: boolean;
}

/** Problems go to `report`; the value returned counts only when there were none. */
export function resolveScenario(
  name: string,
  source: ScenarioSource,
  services: readonly LoadedService[],
  bodies: BodyFiles,
  report: Report,
): Scenario[] {
  const own: Report = (path, text, at) => report(["scenarios", name, ...path], text, at);
  const targets = resolveTargets(
    source.services,
    services.map(({ name }) => name),
    own,
  );
  const isTls = services.some((service) => service.isTls && targets.includes(service.name));
  const connections = source.connections ?? defaultConnections(source.rate);
  const scenario = {
    name,
    request: resolveRequest(source.request, bodies, own),
    expectStatus: source.expect ?? EXPECTED_STATUS,
    ...(source.answers === undefined
      ? {}
      : { answers: source.answers === "json" ? { ignore: [] } : source.answers }),
    rateRps: source.rate,
    connections,
    keepAlive: source.keepAlive ?? true,
    requestTimeoutMs: source.timeout ?? REQUEST_TIMEOUT_MS,
    ...resolveLoad(source, connections, isTls),
    metrics: [],
  };
  checkSlice(scenario, source, own);
  if ((source.answers ?? "status") !== "status" && scenario.request.pathIsPattern) {
    own(["answers"], "requests of a pathPattern differ, and so may their answers; expected status");
  }
  if (scenario.generator === "wrk2") reportForWrk2(scenario, own);
  return targets.map((service) => ({
    id: `${service}/${name}`,
    service,
    ...scenario,
  }));
}

function resolveLoad(
  source: ScenarioSource,
  connections: number,
  isTls: boolean,
): Pick<Scenario, "generator" | "warmupRequests" | "slice" | "settleMs"> {
  const settle = isTls ? { settleMs: TLS_SETTLE_MS } : {};
  const load = {
    rateRps: source.rate,
    connections,
    generator: source.generator ?? "oha",
    ...settle,
  };
  return {
    warmupRequests: source.warmup ?? defaultWarmup(load),
    slice: defaultSlice(load, source.slice ?? {}),
    generator: load.generator,
    ...settle,
  };
}

function checkSlice(
  scenario: Pick<Scenario, "rateRps" | "connections" | "slice" | "generator" | "settleMs">,
  source: ScenarioSource,
  own: Report,
): void {
  const { durationMs } = scenario.slice;
  const scheduled = Math.round((scenario.rateRps * durationMs) / 1000);
  const dropped = requestsDropped(scenario);
  if (scheduled - dropped >= MIN_SLICE_KEPT) return;
  const path = source.slice?.duration === undefined ? ["rate"] : ["slice", "duration"];
  own(
    path,
    `${RATE.format(scenario.rateRps)} for ${DURATION.format(durationMs)} is ${scheduled} requests a slice, of which ${dropped} belong to opening ${scenario.connections} connections${scenario.settleMs === undefined ? "" : " over TLS"}; expected ${MIN_SLICE_KEPT} to be left: raise rate or slice.duration, or lower connections`,
  );
}

function resolveTargets(
  wanted: readonly string[] | undefined,
  services: readonly string[],
  own: Report,
): string[] {
  if (wanted === undefined) return [...services];
  for (const [i, service] of wanted.entries()) {
    if (!services.includes(service)) {
      own(["services", i], unknownName("service", service, services));
    } else if (wanted.indexOf(service) !== i) {
      own(["services", i], `${showValue(service)} is listed twice`);
    }
  }
  return [...wanted];
}

function resolveRequest(
  source: ScenarioSource["request"],
  bodies: BodyFiles,
  own: Report,
): Scenario["request"] {
  if (typeof source === "string") {
    const match = SHORT_REQUEST.exec(source);
    if (match === null) {
      own(["request"], `got ${showValue(source)}, expected a request such as GET /hello`);
    }
    return {
      method: match?.[1] ?? "GET",
      path: match?.[2] ?? "/",
      pathIsPattern: false,
      headers: {},
      body: null,
    };
  }
  const headers = resolveHeaders(source.headers ?? {}, own);
  const body = resolveBody(source, bodies, own);
  const named = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  if (source.json !== undefined && !named) headers["content-type"] = "application/json";
  return {
    method: source.method ?? (body === null ? "GET" : "POST"),
    ...resolvePath(source, own),
    headers,
    body,
  };
}

function resolvePath(
  { path, pathPattern }: Exclude<ScenarioSource["request"], string>,
  own: Report,
): Pick<Scenario["request"], "path" | "pathIsPattern"> {
  if ((path === undefined) === (pathPattern === undefined)) {
    const got = path === undefined ? "neither" : "both";
    own(["request"], `got ${got}, expected one of path, pathPattern`, "key");
  }
  if (pathPattern === undefined) return { path: path ?? "/", pathIsPattern: false };
  const why = problemOfPathPattern(pathPattern);
  if (why !== null) own(["request", "pathPattern"], `got ${showValue(pathPattern)}: ${why}`);
  return { path: pathPattern, pathIsPattern: true };
}

function resolveHeaders(
  source: Readonly<Record<string, string | number | boolean>>,
  own: Report,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(source)) {
    const path = ["request", "headers", name];
    const key = name.toLowerCase();
    if (!HEADER_NAME.test(name)) own(path, `${showValue(name)} is not the name of a header`, "key");
    if (GENERATOR_HEADERS.has(key)) own(path, "set by the load generator; leave it out", "key");
    if (seen.has(key)) own(path, `the header ${showValue(name)} was given before`, "key");
    // Control characters would end the header and start another one.
    if (/[^\t\x20-\x7e]/.test(String(value))) {
      own(path, `got ${showValue(value)}, expected one line of printable ASCII`);
    }
    seen.add(key);
    headers[name] = String(value);
  }
  return headers;
}

function resolveBody(
  source: Exclude<ScenarioSource["request"], string>,
  bodies: BodyFiles,
  own: Report,
): Scenario["request"]["body"] {
  const given = (["body", "bodyFile", "json"] as const).filter((key) => source[key] !== undefined);
  if (given.length > 1) {
    own(["request"], `got ${given.join(" and ")}, expected one of body, bodyFile, json`, "key");
    return null;
  }
  if (source.bodyRepeat !== undefined && source.bodyFile === undefined) {
    own(["request", "bodyRepeat"], "repeats a bodyFile, and there is none", "key");
  }
  if (source.json !== undefined) return JSON.stringify(source.json);
  if (source.bodyFile === undefined) return source.body ?? null;
  const repeat =
    source.bodyRepeat === undefined
      ? null
      : {
          times: source.bodyRepeat.times,
          before: source.bodyRepeat.before ?? "",
          between: source.bodyRepeat.between ?? "",
          after: source.bodyRepeat.after ?? "",
        };
  const path = relativePath(source.bodyFile);
  const read: BodyRead =
    path === null
      ? { ok: false, why: "it leads out of the repository" }
      : bodies.readBody({ path, repeat });
  if (read.ok && path !== null) {
    return { path, sha256: read.sha256, bytes: read.bytes, repeat };
  }
  const why = read.ok ? "" : read.why;
  own(["request", "bodyFile"], `cannot read ${showValue(source.bodyFile)}: ${why}`);
  return null;
}
