// Asks a running service what was proposed for it, and keeps what it answers; where that is nothing,
// asks for its description, and what that names.
import { type Asked, ask } from "../../../machine/run/probe/ask.ts";
import type { RefusedRequest, RequestProposal, ServiceProposal } from "../proposal.ts";
import { chooseRequests, READY_PATHS } from "../routes/choose-requests.ts";
import { routesOfDescription } from "../routes/parse-openapi.ts";

export interface TryPlace {
  port: number;
  abort: AbortSignal;
}

export interface TriedRequests {
  readyPath: string | null;
  /** Those that answered with 2xx; where none did, the first as it was. */
  requests: readonly RequestProposal[];
  routeCount: number;
  refused: readonly RefusedRequest[];
}

const TIMEOUT_MS = 5000;
/** More than are proposed: some are refused. */
const MOST_ASKED = 12;
const MOST_KEPT = 3;
const MOST_REFUSED = 5;
/** Where FastAPI, Spring, Nest and the usual generators for Go have an OpenAPI description. */
const DESCRIPTIONS = "/openapi.json /v3/api-docs /swagger.json /api-json /swagger/doc.json".split(
  " ",
);
/** A service that answers this answers everything: an answer to /healthz says nothing then. */
const NOWHERE = "/tailgate-asks-for-what-is-not-there";

type Proposed = Pick<ServiceProposal, "readyPath" | "requests" | "routeCount" | "program">;

export async function tryRequests(proposed: Proposed, place: TryPlace): Promise<TriedRequests> {
  const { requests, routeCount } = proposed;
  const seen = await askEach(requests, place);
  const described = seen.kept.length > 0 ? [] : await describedRequests(proposed, place);
  const found = await askEach(described, place);
  const kept = [...seen.kept, ...found.kept];
  return {
    readyPath: await findReadyPath(proposed.readyPath, place),
    requests: kept.length > 0 ? kept : requests.slice(0, 1),
    routeCount: Math.max(routeCount, described.length),
    refused: [...seen.refused, ...found.refused].slice(0, MOST_REFUSED),
  };
}

interface Answers {
  kept: RequestProposal[];
  refused: RefusedRequest[];
}

async function askEach(requests: readonly RequestProposal[], place: TryPlace): Promise<Answers> {
  const kept: RequestProposal[] = [];
  const refused: RefusedRequest[] = [];
  for (const request of requests.slice(0, MOST_ASKED)) {
    if (kept.length === MOST_KEPT || place.abort.aborted) break;
    const { method, path } = request;
    const { status } = await askFor(method, path, place);
    if (status !== null && status >= 200 && status < 300) {
      kept.push({ ...request, isConfirmed: true });
    } else {
      refused.push({ method, path, status });
    }
  }
  return { kept, refused };
}

/** What its OpenAPI description names beside what was proposed; empty where it has none. */
async function describedRequests(
  { requests, program: { prefix } }: Proposed,
  place: TryPlace,
): Promise<RequestProposal[]> {
  const [first] = requests;
  if (first === undefined) return [];
  for (const name of DESCRIPTIONS) {
    const url = `${prefix}${name}`;
    const routes = routesOfDescription((await askFor("GET", url, place)).json, url);
    if (routes.length === 0) continue;
    return chooseRequests(routes, first.rate).filter(
      ({ method, path }) => !requests.some((one) => one.method === method && one.path === path),
    );
  }
  return [];
}

/** Readiness is 200 and nothing else. */
async function findReadyPath(proposed: string | null, place: TryPlace): Promise<string | null> {
  const answers200 = async (path: string): Promise<boolean> =>
    (await askFor("GET", path, place)).status === 200;
  if (proposed !== null && (await answers200(proposed))) return proposed;
  if (await answers200(NOWHERE)) return null;
  for (const path of READY_PATHS) {
    if (await answers200(path)) return path;
  }
  return null;
}

/** Bodies are those that a proposal has: an empty object with what is not GET. */
async function askFor(method: string, path: string, { port, abort }: TryPlace): Promise<Asked> {
  const hasBody = method !== "GET";
  return await ask({
    scenario: {
      request: {
        method,
        path,
        pathIsPattern: false,
        headers: hasBody ? { "content-type": "application/json" } : {},
        body: hasBody ? "{}" : null,
      },
      requestTimeoutMs: TIMEOUT_MS,
      answers: { ignore: [] },
    },
    port,
    folder: ".",
    abort,
  });
}
