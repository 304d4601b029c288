// A generator that sends several requests at once, each at its own rate by a process of its own (see
// docs/adr/0021); a scenario that is no mix goes through as it is.
import { deal, partsOf } from "../../../core/model/mix.ts";
import { joinParts } from "../../../core/slice/join-parts.ts";
import {
  type LoadDone,
  type LoadFailed,
  type LoadGenerator,
  type LoadRequest,
  type LoadResult,
  type Sent,
  sendBy,
} from "../../../core/slice/load.ts";

export function mixing(generator: LoadGenerator): LoadGenerator {
  return {
    name: generator.name,
    run: (request) =>
      request.scenario.mix === undefined ? generator.run(request) : runMix(generator, request),
    send: (request) =>
      request.scenario.mix === undefined ? sendBy(generator, request) : sendMix(generator, request),
  };
}

/** In the order of the parts; one that none of the requests falls to is not loaded. */
function split(request: LoadRequest): LoadRequest[] {
  const { scenario, requests } = request;
  const parts = partsOf(scenario);
  const rates = parts.map(({ rateRps }) => rateRps);
  const shares = deal(requests, rates);
  return parts.map((part, i) => ({
    ...request,
    scenario: part,
    requests: shares[i] ?? 0,
    label: `-${i}`,
  }));
}

async function runMix(generator: LoadGenerator, request: LoadRequest): Promise<LoadResult> {
  const parts = split(request);
  const results = await Promise.all(
    parts.map(async (part) => (part.requests === 0 ? NOTHING : await generator.run(part))),
  );
  const failed = results.find((result) => result.kind === "failed");
  if (failed !== undefined) return failed;
  return joinParts(
    request.scenario,
    results.map((load, i) => {
      const { scenario, requests } = parts[i] as LoadRequest;
      if (load.kind !== "done") throw new Error(`${generator.name} keeps no rows to be joined`);
      return { scenario, requests, load };
    }),
  );
}

const none = new Float64Array();
const NO_ROWS = { release: none, start: none, end: none };
const NOTHING: LoadDone = { kind: "done", rows: NO_ROWS, statuses: {}, errors: {}, wallMs: 0 };

async function sendMix(generator: LoadGenerator, request: LoadRequest): Promise<Sent | LoadFailed> {
  const parts = split(request).filter(({ requests }) => requests > 0);
  const sum: Sent = { kind: "sent", statuses: {}, errors: {} };
  for (const result of await Promise.all(parts.map((part) => sendBy(generator, part)))) {
    if (result.kind === "failed") return result;
    for (const key of ["statuses", "errors"] as const) {
      for (const [what, count] of Object.entries(result[key])) {
        sum[key][what] = (sum[key][what] ?? 0) + count;
      }
    }
  }
  return sum;
}
