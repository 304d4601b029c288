// Asks a running service what was proposed for it, and keeps what it answers.
import { type Asked, ask } from "../../../machine/run/probe/ask.ts";
import type { RefusedRequest, RequestProposal, ServiceProposal } from "../proposal.ts";

export interface TryPlace {
  port: number;
  abort: AbortSignal;
}

export interface TriedRequests {
  readyPath: string | null;
  /** Those that answered with 2xx; where none did, the first as it was. */
  requests: readonly RequestProposal[];
  refused: readonly RefusedRequest[];
}

const TIMEOUT_MS = 5000;
/** More than are proposed: some are refused. */
const MOST_ASKED = 12;
const MOST_KEPT = 3;
const MOST_REFUSED = 5;
const USUAL_READY = ["/healthz", "/health", "/readyz", "/ready", "/actuator/health"];
/** A service that answers this answers everything: an answer to /healthz says nothing then. */
const NOWHERE = "/tailgate-asks-for-what-is-not-there";

export async function tryRequests(
  { readyPath, requests }: Pick<ServiceProposal, "readyPath" | "requests">,
  place: TryPlace,
): Promise<TriedRequests> {
  const kept: RequestProposal[] = [];
  const refused: RefusedRequest[] = [];
  for (const request of requests.slice(0, MOST_ASKED)) {
    if (kept.length === MOST_KEPT || place.abort.aborted) break;
    const { method, path } = request;
    const { status } = await askFor(method, path, place);
    if (status !== null && status >= 200 && status < 300) {
      kept.push({ ...request, isConfirmed: true });
    } else if (refused.length < MOST_REFUSED) {
      refused.push({ method, path, status });
    }
  }
  return {
    readyPath: await findReadyPath(readyPath, place),
    requests: kept.length > 0 ? kept : requests.slice(0, 1),
    refused,
  };
}

/** Readiness is 200 and nothing else. */
async function findReadyPath(proposed: string | null, place: TryPlace): Promise<string | null> {
  const answers200 = async (path: string): Promise<boolean> =>
    (await askFor("GET", path, place)).status === 200;
  if (proposed !== null && (await answers200(proposed))) return proposed;
  if (await answers200(NOWHERE)) return null;
  for (const path of USUAL_READY) {
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
    },
    port,
    folder: ".",
    abort,
  });
}
