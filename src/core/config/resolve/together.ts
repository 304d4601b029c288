// What no entry of a configuration can tell alone: what services, dependencies and scenarios ask of
// one another. Pure.

import { showValue } from "../../base/show-value.ts";
import type { Config, Recipe } from "../../model/config.ts";
import { requestsOfRound } from "../../model/load-rules.ts";
import { fillRequest, valuesWanted, withStandIns } from "../fill-values.ts";
import type { Report } from "../problem.ts";
import { changedPath } from "../sent-path.ts";
import { beyondWrk2 } from "../wrk2-rules.ts";

/** Those that could be resolved. */
export type Entries = Pick<Config, "services" | "dependencies" | "scenarios">;

export function checkTogether(entries: Entries, report: Report): void {
  checkBuildNeeds(entries, report);
  checkPorts(entries, report);
  checkTransports(entries, report);
  checkValues(entries, report);
  checkSent(entries, report);
  checkMemory(entries, report);
}

/** Programs are built themselves, and a service that fills a database has to be built first. */
function checkBuildNeeds({ services, dependencies }: Entries, report: Report): void {
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

function checkPorts({ services }: Entries, report: Report): void {
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
function checkTransports({ services, scenarios }: Entries, report: Report): void {
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
function checkValues(entries: Entries, report: Report): void {
  for (const { own, request, recipe } of requestsIn(entries)) {
    const before = recipe?.before;
    if (before === undefined) continue;
    const filled = Array.isArray(before) ? null : fillRequest(request, sameAsNames(before.values));
    if (filled?.ok === false) report(own, filled.why);
    const [wanted] = request.pathIsPattern ? valuesWanted(request.path) : [];
    if (wanted === undefined) continue;
    report(
      [...own, "pathPattern"],
      `{${wanted}} is not filled in a pattern; expected path, with {${wanted}} in it`,
    );
  }
}

/** What would be sent otherwise: by the generator than by us, or over HTTP/2 than over HTTP/1.1. */
function checkSent(entries: Entries, report: Report): void {
  const checkHost = (own: readonly string[], recipe: Recipe | undefined, headers = {}): void => {
    const host = Object.keys(headers).find((header) => header.toLowerCase() === "host");
    if (host === undefined || (recipe?.transport?.protocol ?? "http1") === "http1") return;
    report([...own, "headers", host], "HTTP/2 names its host otherwise; leave it out", "key");
  };
  for (const { name, recipe } of entries.services) {
    const { before = [], ready } = recipe;
    const own = ["services", name];
    if (ready.kind === "http") checkHost([...own, "ready"], recipe, ready.headers);
    if ("request" in before)
      checkHost([...own, "before", "request"], recipe, before.request.headers);
  }
  for (const { own, request, recipe } of requestsIn(entries)) {
    const { path, pathIsPattern, paths, headers } = request;
    const filled = recipe?.before === undefined ? path : withStandIns(path);
    const changed = pathIsPattern || paths !== undefined ? null : changedPath(filled);
    if (changed !== null) {
      report(own, `the load generator would send ${showValue(changed)}; write the path so`);
    }
    checkHost(own, recipe, headers);
  }
}

/** Of all scenarios, each with where it is written and the service that it is for. */
function requestsIn({ services, scenarios }: Entries) {
  return scenarios.flatMap(({ name, service, request, mix }) => {
    const recipe = services.find((one) => one.name === service)?.recipe;
    const at = ["scenarios", name];
    const parts = mix?.map((one) => ({ ...one, own: [...at, "mix", one.name, "request"], recipe }));
    return parts ?? [{ own: [...at, "request"], request, recipe }];
  });
}

/** Stand-ins for values that only a launch gets. */
function sameAsNames(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(given).map((name) => [name, name]));
}

/** Memory is read at the end of a round, and what is missing then is sent without a rate. */
function checkMemory({ services, scenarios }: Entries, report: Report): void {
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

export function checkEveryServiceIsLoaded({ services, scenarios }: Entries, report: Report): void {
  for (const { name } of services) {
    if (!scenarios.some((scenario) => scenario.service === name)) {
      report(["services", name], "no scenario loads it; add it to one, or leave it out", "key");
    }
  }
}
