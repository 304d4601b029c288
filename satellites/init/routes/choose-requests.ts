// The routes of a program -> the requests that are proposed, and the path that says it is ready.
// Pure.

import { oneOf } from "../code-pattern.ts";
import type { RateProposal, RequestProposal, Route } from "../proposal.ts";
import { examplePath, isAskable } from "./example-path.ts";

/** Where services say that they are ready, likeliest first. */
export const READY_PATHS = [
  ...["/healthz", "/readyz", "/health/ready", "/ready", "/health", "/livez", "/live"],
  ...["/health/live", "/healthcheck", "/health_check", "/health-check", "/_healthz", "/_health"],
  ...["/-/ready", "/-/healthy", "/actuator/health", "/status", "/ping", "/up"],
];
/** Beginnings of what is for machines, people at a desk and browsers: not what production waits for. */
const NOT_LOADED_PARTS = oneOf(`
  health healthz health-check health_check healthcheck ready readyz readiness live livez liveness
  metrics ping status up debug version actuator docs redoc swagger openapi api-docs graphiql
  static assets public favicon robots admin login logout`);
/** Pages with forms, and streams. */
const NOT_LOADED_WHOLE = oneOf("new edit sse ws websocket");
const NOT_LOADED = [
  new RegExp(`/_?(?:${NOT_LOADED_PARTS.source})(?:[./{:*<-]|$)`, "i"),
  new RegExp(`/(?:${NOT_LOADED_WHOLE.source})(?:/|$)`, "i"),
];
/** Of whoever is logged in: without a login they are refused. */
const PERSONAL = /\/(?:me|user|account|profile|feed|settings|session)(?:\/|$)/i;

/** What shows how the service fails. */
const FAILING =
  /\/(?:oops|oups|errors?|fail(?:s|ing|ure)?|crash|boom|panic|exception|throws?)(?:[./]|$)/i;

/** Null: no route is known to tell. */
export function readyPathOf(routes: readonly Route[]): string | null {
  const gets = routes.filter(({ method }) => method === "GET").map(({ path }) => path);
  for (const usual of READY_PATHS) {
    const found = gets.find(
      (path) => path.replace(/\/$/, "").endsWith(usual) && isAskable(path) && !/[:*]/.test(path),
    );
    if (found !== undefined) return found;
  }
  return null;
}

/** Where no file names a route. */
export function homeRequest(rate: RateProposal): RequestProposal {
  const place = { path: "/", pattern: "/", seenIn: null };
  return { method: "GET", ...place, isFilled: false, isConfirmed: false, rate };
}

/** The likeliest first. Empty: no route can be asked. */
export function chooseRequests(routes: readonly Route[], rate: RateProposal): RequestProposal[] {
  const gets = routes.filter(({ method }) => method === "GET");
  const posts = routes.filter(({ method }) => method === "POST");
  const loaded = (all: readonly Route[]): RequestProposal[] =>
    proposalsOf(
      all.filter(({ path }) => !NOT_LOADED.some((pattern) => pattern.test(path))),
      rate,
    );
  const choices = [loaded(gets), loaded(posts).slice(0, 1), proposalsOf(gets, rate)];
  const chosen = choices.find((requests) => requests.length > 0) ?? [];
  return chosen.sort((a, b) => costOf(a) - costOf(b) || depthOf(a) - depthOf(b));
}

/** A path without a parameter answers whatever lies in the database; the root is often a greeting. */
function costOf({ path, isFilled }: RequestProposal): number {
  if (FAILING.test(path)) return 4;
  if (PERSONAL.test(path)) return 3;
  if (path === "/") return 2;
  return isFilled ? 1 : 0;
}

/** What is likely to be answered, where there is such: a scenario that is refused ends a gate. */
export function likelyOf(requests: readonly RequestProposal[]): readonly RequestProposal[] {
  const likely = requests.filter((one) => one.isConfirmed || [0, 2].includes(costOf(one)));
  return likely.length > 0 ? likely : requests;
}

/** All of something before one part of it. */
function depthOf({ path }: RequestProposal): number {
  return path.split("/").filter((segment) => segment !== "").length;
}

function proposalsOf(routes: readonly Route[], rate: RateProposal): RequestProposal[] {
  const seen = new Set<string>();
  return routes.flatMap(({ method, path, seenIn, example }) => {
    const filled =
      example === null ? examplePath(path) : { path: example, isFilled: example !== path };
    // With a slash at its end it may be another route, and hardly another answer.
    const key = `${method} ${filled.path.replace(/\/$/, "")}`;
    if (seen.has(key) || !isAskable(filled.path)) return [];
    seen.add(key);
    return [{ method, pattern: path, seenIn, isConfirmed: false, rate, ...filled }];
  });
}
