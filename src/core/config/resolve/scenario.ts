// One scenario as written -> one for each service that it loads. Pure.
import { showValue } from "../../base/show-value.ts";
import { MIX_PARTS, type Part, type Request, type Scenario } from "../../model/config.ts";
import { requestsDropped, TLS_SETTLE_MS } from "../../model/load-rules.ts";
import { dealLoad } from "../../model/mix.ts";
import { defaultConnections, defaultSlice, defaultWarmup } from "../default-load.ts";
import { type Report, unknownName, within } from "../problem.ts";
import type { PartSource, ScenarioSource } from "../source/scenario.ts";
import { DURATION, RATE } from "../units.ts";
import { reportForWrk2 } from "../wrk2-rules.ts";
import { type BodyFiles, resolveRequest } from "./request.ts";

/** With fewer counted requests a slice says nothing of a tail; its memory and CPU time it still tells. */
const MIN_SLICE_KEPT = 20;

/** Problems go to `report`; the value returned counts only when there were none. */
export function resolveScenario(
  name: string,
  source: ScenarioSource,
  services: readonly { name: string; isTls: boolean }[],
  bodies: BodyFiles,
  report: Report,
): Scenario[] {
  const own = within(report, "scenarios", name);
  const known = services.map(({ name }) => name);
  const targets = resolveTargets(source.services, known, own);
  const isTls = services.some((service) => service.isTls && targets.includes(service.name));
  const sent = resolveSent(source, bodies, own);
  const scenario = {
    name,
    ...sent,
    keepAlive: source.keepAlive,
    requestTimeoutMs: source.timeout,
    ...resolveLoad(source, sent.mix, isTls, own),
    metrics: [],
  };
  if (scenario.generator === "wrk2" && sent.mix !== undefined) {
    own(["generator"], "wrk2 keeps no rows that could be joined to a mix; expected generator: oha");
  } else if (scenario.generator === "wrk2") reportForWrk2(scenario, own);
  return targets.map((service) => ({ id: `${service}/${name}`, service, ...scenario }));
}

type Sent = Pick<Scenario, "request" | "mix" | "expectStatus" | "answers">;

/** The one request, or those of the mix. */
function resolveSent(source: ScenarioSource, bodies: BodyFiles, own: Report): Sent {
  const { request, mix } = source;
  if (request !== undefined && mix === undefined) return resolvePart(source, request, bodies, own);
  if (request !== undefined || mix === undefined) {
    const got = request === undefined ? "neither" : "both";
    own(["request"], `got ${got}, expected one of request, mix`, "key");
    return resolvePart(source, "GET /", bodies, own);
  }
  const named = Object.entries(mix);
  const { least, most } = MIX_PARTS;
  if (named.length < least || named.length > most) {
    own(["mix"], `got ${named.length}, expected ${least} to ${most} requests`);
  }
  const { expect, answers } = source;
  const parts = named.map(([name, part]): Part => {
    const { weight, request, ...checks } = { expect, answers, ...part };
    return { name, weight, ...resolvePart(checks, request, bodies, within(own, "mix", name)) };
  });
  const [first] = parts;
  return {
    ...resolvePart({ expect, answers }, "GET /", bodies, own),
    ...(first === undefined ? {} : { request: first.request, mix: parts }),
  };
}

function resolvePart(
  { expect, answers }: Pick<ScenarioSource, "expect" | "answers">,
  source: PartSource["request"],
  bodies: BodyFiles,
  own: Report,
): { request: Request } & Pick<Part, "expectStatus" | "answers"> {
  const request = resolveRequest(source, bodies, within(own, "request"));
  if ((answers ?? "status") !== "status" && request.pathIsPattern) {
    own(["answers"], "requests of a pathPattern differ, and so may their answers; expected status");
  }
  return { request, expectStatus: expect, answers: answers === "json" ? { ignore: [] } : answers };
}

type Load = Pick<Scenario, "rateRps" | "connections" | "generator" | "slice" | "settleMs">;

/** Of a mix what its slowest part needs, which has the fewest requests in a slice. */
function resolveLoad(source: ScenarioSource, mix: Scenario["mix"], isTls: boolean, own: Report) {
  const { rate, generator } = source;
  const weights = mix?.map(({ weight }) => weight) ?? [1];
  const usual = dealLoad({ rateRps: rate, connections: weights.length }, weights).reduce(
    (sum, { rateRps }) => sum + defaultConnections(rateRps),
    0,
  );
  const connections = source.connections ?? usual;
  if (connections < weights.length) {
    own(["connections"], `got ${connections}, expected one or more for each of the mix's requests`);
  }
  const settleMs = isTls ? TLS_SETTLE_MS : undefined;
  const parts = dealLoad({ rateRps: rate, connections }, weights).map((part) => ({
    ...part,
    generator,
    settleMs,
  }));
  const [slowest] = parts.toSorted((a, b) => a.rateRps - b.rateRps);
  if (slowest === undefined) throw new Error("a scenario of no requests");
  const slice = defaultSlice(slowest, source.slice);
  checkSlice({ ...slowest, slice }, source, own);
  const warmupRequests = source.warmup ?? parts.reduce((sum, part) => sum + defaultWarmup(part), 0);
  return { rateRps: rate, connections, warmupRequests, slice, generator, settleMs };
}

function checkSlice(scenario: Load, source: ScenarioSource, own: Report) {
  const { durationMs } = scenario.slice;
  const scheduled = Math.round((scenario.rateRps * durationMs) / 1000);
  const dropped = requestsDropped(scenario);
  if (scheduled - dropped >= MIN_SLICE_KEPT) return;
  const path = source.slice?.duration === undefined ? ["rate"] : ["slice", "duration"];
  own(
    path,
    `${RATE.format(scenario.rateRps)} for ${DURATION.format(durationMs)} is ${scheduled} requests, of which ${dropped} belong to opening ${scenario.connections} connections${scenario.settleMs === undefined ? "" : " over TLS"}; expected ${MIN_SLICE_KEPT} to be left: raise rate or slice.duration, or lower connections`,
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
