// One request as written -> what is sent. Pure.
import type { BodyFile, Request } from "../../model/config.ts";
import { problemOfPathPattern } from "../path-pattern.ts";
import { type Report, showValue } from "../problem.ts";
import { relativePath } from "../relative-path.ts";
import type { RequestSource } from "../source.ts";

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

/** Problems go to `own`, whose paths begin where the request is a key. */
export function resolveRequest(source: RequestSource, bodies: BodyFiles, own: Report): Request {
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
  { path, pathPattern }: Exclude<RequestSource, string>,
  own: Report,
): Pick<Request, "path" | "pathIsPattern"> {
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
  source: Exclude<RequestSource, string>,
  bodies: BodyFiles,
  own: Report,
): Request["body"] {
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
