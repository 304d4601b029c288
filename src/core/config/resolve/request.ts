// One request as written -> what is sent. Pure.
import { showValue } from "../../base/show-value.ts";
import type { BeforeRequest, BodyFile, Request } from "../../model/config.ts";
import { problemOfPathPattern } from "../path-pattern.ts";
import { type Report, within } from "../problem.ts";
import { relativePath } from "../relative-path.ts";
import type { OneRequestSource, RequestSource } from "../source/scenario.ts";

export type BodyRead =
  | ({ ok: true } & Pick<BodyFile, "sha256" | "bytes">)
  | { ok: false; why: string };

export interface BodyFiles {
  /** What files are inside of. Default: the repository. */
  root?: string;
  /** What would be sent. The path is relative to the repository's root. */
  readBody(body: Pick<BodyFile, "path" | "repeat" | "lines">): BodyRead;
}

const SHORT_REQUEST = /^(?:([A-Z]{1,20}) )?(\/[\x21-\x7e]*)$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** Set by the load generator; a second, different one would break the exchange. */
const GENERATOR_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "transfer-encoding",
]);

/** Problems go to `own`, which reports of the request. */
export function resolveRequest(source: RequestSource, bodies: BodyFiles, own: Report): Request {
  if (typeof source === "string") {
    const match = SHORT_REQUEST.exec(source);
    if (match === null) {
      const hint = /^[\x21-\x7e ]*$/.test(source) ? "" : ", in ASCII: ü is written %C3%BC";
      own([], `got ${showValue(source)}, expected a request such as GET /hello${hint}`);
    }
    const [, method = "GET", path = "/"] = match ?? [];
    return { method, path, pathIsPattern: false, headers: {}, body: null };
  }
  const { headers } = source;
  checkHeaders(headers, within(own, "headers"));
  const body = resolveBody(source, bodies, own);
  const isNamed = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  const isJson = source.json !== undefined && !isNamed;
  const method = source.method ?? (body === null ? "GET" : "POST");
  const sent = isJson ? { ...headers, "content-type": "application/json" } : headers;
  return { method, ...resolvePath(source, bodies, own), headers: sent, body };
}

/** What is read only when it is sent, from the checkout of its own commit. */
const LATER: BodyFiles = {
  root: "the service's dir",
  readBody: () => ({ ok: true, sha256: "", bytes: 0 }),
};

export function resolveOneRequest(source: OneRequestSource, own: Report): BeforeRequest["request"] {
  const { method, path, headers, body } = resolveRequest(source, LATER, own);
  const isFile = typeof body === "object" && body !== null;
  return { method, path, headers, body: isFile ? { file: body.path } : body };
}

function resolvePath(source: Exclude<RequestSource, string>, bodies: BodyFiles, own: Report) {
  const { path, pathPattern, pathsFile } = source;
  const given = givenOf({ path, pathPattern, pathsFile });
  if (given.length !== 1) {
    const got = given.length === 0 ? "neither" : given.join(" and ");
    own([], `got ${got}, expected one of path, pathPattern, pathsFile`, "key");
  }
  if (pathsFile !== undefined) {
    const file = { path: pathsFile, repeat: null, lines: "paths" as const };
    const paths = resolveFile("pathsFile", file, bodies, own);
    return { path: pathsFile, pathIsPattern: false, paths };
  }
  if (pathPattern === undefined) return { path: path ?? "/", pathIsPattern: false };
  const why = problemOfPathPattern(pathPattern);
  if (why !== null) own(["pathPattern"], `got ${showValue(pathPattern)}: ${why}`);
  return { path: pathPattern, pathIsPattern: true };
}

/** Names of those that are there. */
function givenOf(values: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(values).filter((key) => values[key] !== undefined);
}

export function checkHeaders(headers: Request["headers"], own: Report): void {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    const shown = showValue(name);
    if (!HEADER_NAME.test(name)) own([name], `${shown} is not the name of a header`, "key");
    if (GENERATOR_HEADERS.has(key)) own([name], "set by the load generator; leave it out", "key");
    if (seen.has(key)) own([name], `the header ${shown} was given before`, "key");
    // Control characters would end the header and start another one.
    if (/[^\t\x20-\x7e]/.test(value)) {
      own([name], `got ${showValue(value)}, expected one line of printable ASCII`);
    }
    seen.add(key);
  }
}

function resolveBody(source: Exclude<RequestSource, string>, bodies: BodyFiles, own: Report) {
  const { body, bodyFile, bodiesFile, bodyRepeat, json } = source;
  const given = givenOf({ body, bodyFile, bodiesFile, json });
  if (given.length > 1) {
    const got = given.join(" and ");
    own([], `got ${got}, expected one of body, bodyFile, bodiesFile, json`, "key");
    return null;
  }
  if (bodyRepeat !== undefined && bodyFile === undefined) {
    own(["bodyRepeat"], "repeats a bodyFile, and there is none", "key");
  }
  if (json !== undefined) return JSON.stringify(json);
  if (bodiesFile !== undefined) {
    const file = { path: bodiesFile, repeat: null, lines: "bodies" as const };
    return resolveFile("bodiesFile", file, bodies, own) ?? null;
  }
  if (bodyFile === undefined) return body ?? null;
  const file = { path: bodyFile, repeat: bodyRepeat ?? null };
  return resolveFile("bodyFile", file, bodies, own) ?? null;
}

/** With what was found in it; undefined: reported. */
function resolveFile(
  key: "bodyFile" | "bodiesFile" | "pathsFile",
  file: Pick<BodyFile, "path" | "repeat" | "lines">,
  bodies: BodyFiles,
  own: Report,
): BodyFile | undefined {
  const path = relativePath(file.path);
  const read: BodyRead =
    path === null
      ? { ok: false, why: `it leads out of ${bodies.root ?? "the repository"}` }
      : bodies.readBody({ ...file, path });
  if (read.ok && path !== null) return { ...file, path, sha256: read.sha256, bytes: read.bytes };
  const why = read.ok ? "" : read.why;
  own([key], `cannot read ${showValue(file.path)}: ${why}`);
  return undefined;
}
