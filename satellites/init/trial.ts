// What the kernel has seen of a service that it started -> a better proposal for it.

import { looksAlike, unknownBeside } from "../../src/core/model/one-answer.ts";
import type {
  InitKernel,
  PortVariable,
  TriedService,
  TryOptions,
} from "../../src/core/model/try.ts";
import type {
  PortWay,
  RateProposal,
  RefusedRequest,
  RequestProposal,
  ServiceProposal,
} from "./proposal.ts";
import { renderConfiguration } from "./render-configuration.ts";
import { chooseRequests, READY_PATHS } from "./routes/choose-requests.ts";
import { routesOfDescription } from "./routes/parse-openapi.ts";
import { joinedPath } from "./source-text.ts";

/** More than are proposed: some are refused. */
export const MOST_ASKED = 12;
export const MOST_KEPT = 3;
const MOST_REFUSED = 5;
/** What services read that say nowhere what they read, likeliest first. */
const USUAL_PORTS: readonly PortVariable[] = [
  { name: "PORT", form: "port" },
  { name: "HTTP_PORT", form: "port" },
  { name: "SERVER_PORT", form: "port" },
  { name: "APP_PORT", form: "port" },
  { name: "ADDR", form: "address" },
  { name: "LISTEN_ADDR", form: "address" },
];
/** Where FastAPI, Spring, Nest and the usual generators for Go have an OpenAPI description. */
const DESCRIPTIONS = "/openapi.json /v3/api-docs /swagger.json /api-json /swagger/doc.json".split(
  " ",
);

/** Without a build, packages and servers beside it, starting it takes a second. */
export function takesLittle({ program, needs }: ServiceProposal): boolean {
  const isAlone = needs.servers.length === 0 && needs.others.length === 0;
  return program.build === null && program.serves && isAlone && program.packages.length === 0;
}

/** `build`: as a gate would, with its rates; otherwise where it lies. */
export async function tryService(
  service: ServiceProposal,
  { root, build }: { root: string; build: boolean },
  kernel: InitKernel,
): Promise<ServiceProposal> {
  const { port, program } = service;
  const options = { build, enough: MOST_KEPT };
  const tell = async (
    asked: ServiceProposal,
    more: Pick<TryOptions, "paths" | "ports">,
  ): Promise<TriedService> => {
    const text = renderConfiguration(
      { services: [asked], others: [], timeBudgetMinutes: null },
      "toTry",
    );
    const { services } = await kernel.tryServices(text, root, { ...options, ...more });
    const [only] = services;
    if (only === undefined) throw new Error("a proposal without a service");
    return only;
  };
  const first = await tell(service, {
    paths: [
      ...readyPaths(service),
      ...DESCRIPTIONS.map((path) => joinedPath(program.prefix, path)),
    ],
    ports: USUAL_PORTS.filter(({ name }) => port.kind !== "variable" || port.name !== name),
  });
  if (first.launch.kind === "failed") return failed(service, first.launch, kernel);
  const { told, startupMs } = first.launch;
  const running = withPortAsTold(service, told);
  const seen = sortOut(service.requests, first);
  // What no source shows is asked of the service.
  const described = seen.kept.length > 0 ? [] : describedRequests(service, first);
  const second =
    described.length === 0
      ? null
      : await tell({ ...running, requests: described }, { paths: [], ports: [] });
  const more = second === null ? { kept: [], refused: [] } : sortOut(described, second);
  const plain = [...seen.kept, ...more.kept];
  // Compressed they take more: a rate is of what is proposed.
  const kept = plain.some(({ isCompressed }) => isCompressed)
    ? sortOut(plain, await tell({ ...running, requests: plain }, { paths: [], ports: [] })).kept
    : plain;
  const refused = [...seen.refused, ...more.refused].slice(0, MOST_REFUSED);
  return {
    ...running,
    readyPath: readyPathIn(service, first, kept),
    requests: kept.length > 0 ? kept : service.requests.slice(0, 1),
    routeCount: Math.max(service.routeCount, described.length),
    trial: { kind: "ran", startupMs, refused },
  };
}

/**
 * A line that says why, of all that a program prints as it ends; in Rust, the one below too. No longer
 * one: of what was bundled, the source is a single line.
 */
const REASON =
  /^.{0,200}(?:(?:error|exception)(?: ?\[\w+\])?:|panicked at .*:\n|panic|not found|cannot |missing |no such|no required).{0,300}$/im;

/** The proposal says what went wrong, and why; all that was printed is for whoever looks on. */
function failed(
  service: ServiceProposal,
  { text, detail }: { text: string; detail: string },
  kernel: InitKernel,
): ServiceProposal {
  kernel.note(`could not start it: ${text}`);
  const printed = detail.split("\n").filter((one) => one.trim() !== "");
  for (const one of printed) kernel.note(`  ${one}`);
  const reason = (detail.match(REASON)?.[0] ?? printed.at(-1))?.trim();
  const why = reason === undefined ? text : `${text} (${reason})`;
  return { ...service, trial: { kind: "failed", text: why } };
}

type Ready = TriedService["launch"] & { kind: "ready" };

/** The port of its requests is no other one beside it. */
export function withPortAsTold(service: ServiceProposal, told: Ready["told"]): ServiceProposal {
  const port: PortWay = told.kind === "configured" ? service.port : { ...told, seenIn: null };
  const own = port.kind === "fixed" ? port.port : null;
  return { ...service, port, alsoListens: service.alsoListens.filter((one) => one.port !== own) };
}

interface Answers {
  kept: RequestProposal[];
  refused: RefusedRequest[];
}

/** Those that were answered with 2xx, and up to the last of them the others. */
function sortOut(requests: readonly RequestProposal[], { scenarios }: TriedService): Answers {
  const kept: RequestProposal[] = [];
  const refused: RefusedRequest[] = [];
  for (const [i, { answers, rate }] of scenarios.entries()) {
    const request = requests[i];
    const status = answers[0]?.status ?? null;
    if (request === undefined) continue;
    if (status !== null && status >= 200 && status < 300) {
      const isCompressed = request.isCompressed || answers[0]?.couldCompress;
      const known = { ...request, isConfirmed: true, isCompressed };
      kept.push({ ...known, rate: rateOf(rate, request.rate) });
    } else {
      refused.push({ method: request.method, path: request.path, status });
    }
  }
  return { kept, refused };
}

function rateOf(
  seen: TriedService["scenarios"][number]["rate"],
  proposed: RateProposal,
): RateProposal {
  if (seen === null) return proposed;
  const { rps } = proposed;
  return seen.kind === "unsettled" ? { kind: "unsettled", rps } : { ...seen, kind: "measured" };
}

/** What its OpenAPI description names beside what was proposed; empty where it has none. */
function describedRequests({ requests }: ServiceProposal, tried: TriedService): RequestProposal[] {
  const [first] = requests;
  if (first === undefined) return [];
  for (const { path: url, json } of tried.asked) {
    const routes = routesOfDescription(json, url);
    if (routes.length === 0) continue;
    return chooseRequests(routes, first.rate)
      .filter(
        ({ method, path }) => !requests.some((one) => one.method === method && one.path === path),
      )
      .slice(0, MOST_ASKED);
  }
  return [];
}

/** Each with one beside it that no service knows. */
function readyPaths({ readyPath }: ServiceProposal): string[] {
  const paths = [...(readyPath === null ? [] : [readyPath]), ...READY_PATHS];
  return ["/", ...new Set(paths.flatMap((path) => [path, unknownBeside(path)]))];
}

/** Any path that answers says more than an open port. `kept`: requests that it answered. */
function readyPathIn(
  { readyPath }: ServiceProposal,
  { asked }: TriedService,
  kept: readonly RequestProposal[],
): string | null {
  const answerTo = (path: string) => asked.find((one) => one.path === path && one.status === 200);
  // A page for all that a service does not know says nothing of whether it is ready.
  const isItsOwn = (path: string): boolean => {
    const own = answerTo(path);
    return own !== undefined && !looksAlike(own, answerTo(unknownBeside(path)));
  };
  const health = [readyPath ?? [], READY_PATHS].flat().find(isItsOwn);
  if (health !== undefined) return health;
  return answerTo("/") === undefined
    ? (kept.find(({ method }) => method === "GET")?.path ?? null)
    : "/";
}
