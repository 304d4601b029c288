// oha as the load generator: count mode, an open schedule, raw rows. docs/adr/0001 says why these
// flags.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "../../../../core/model/config.ts";
import { total } from "../../../../core/model/parts.ts";
import {
  type Address,
  type LoadDone,
  type LoadFailed,
  type LoadGenerator,
  type LoadRequest,
  linesOf,
  placedBody,
  type Sent,
} from "../../../../core/slice/load.ts";
import { HOST } from "../../probe/exchange.ts";
import { bodyFile, clear, failed, flagsOf, runGenerator } from "../run-generator.ts";
import { parseOha } from "./parse-oha.ts";
import { readOhaRows } from "./rows.ts";

export function createOha({ path, version }: { path: string; version: string }): LoadGenerator {
  return {
    name: `oha ${version}`,
    run: (request) =>
      withOha<LoadDone>(path, request, true, (counts, { database, wallMs, tail }) => {
        const rows = readOhaRows(database);
        const [counted, kept] = [total(counts.statuses), rows.release.length];
        return kept === counted
          ? { kind: "done", rows, ...counts, wallMs }
          : failed(`oha's report counts ${counted} answers and its rows ${kept}`, tail);
      }),
    send: (request) =>
      withOha<Sent>(path, request, false, (counts) => ({ kind: "sent", ...counts })),
  };
}

/** `keepsRows`: else requests follow each other as fast as they are answered. */
async function withOha<T>(
  program: string,
  request: LoadRequest,
  keepsRows: boolean,
  read: (
    counts: ReturnType<typeof parseOha>,
    run: { database: string; wallMs: number; tail: string },
  ) => T | LoadFailed,
): Promise<T | LoadFailed> {
  const { scenario, folder, label = "" } = request;
  const at = (name: string): string => join(folder, `${name}${label}`);
  const [database, report, text, urls] = [at("oha.db"), at("oha.json"), at("body"), at("urls")];
  const files = [database, report, text, urls, `${database}-journal`];
  clear(files);
  writeUrls(request, urls);
  // As a file: an argument has a limit on its length, and one that starts with a dash would be read
  // as a flag.
  const body = bodyFile(request, text) ?? text;
  const argv = [
    program,
    ...ohaArguments(request, { database: keepsRows ? database : null, report, body, urls }),
  ];
  const scheduleMs = (request.requests / scenario.rateRps) * 1000;
  const neededMs = scheduleMs + scenario.requestTimeoutMs;
  const parse = (run: { wallMs: number; tail: string }) =>
    read(parseOha(readFileSync(report, "utf8")), { ...run, database });
  return await runGenerator({ name: "oha", argv, neededMs, files, read: parse }, request);
}

/** The port is another for each launch. */
function writeUrls(request: LoadRequest, path: string): void {
  const { paths } = request.scenario.request;
  if (paths === undefined) return;
  const lines = linesOf(readFileSync(join(request.folder, placedBody(paths)), "utf8"));
  const origin = originOf(request);
  writeFileSync(path, lines.map((line) => `${origin}${line}\n`).join(""));
}

interface OhaFiles {
  /** Null: no rows are kept, and requests follow each other as fast as they are answered. */
  database: string | null;
  report: string;
  body: string;
  /** Of a request whose paths are lines of a file. */
  urls: string;
}

export function ohaArguments(request: LoadRequest, files: OhaFiles): string[] {
  const { scenario, requests } = request;
  const isTimed = files.database !== null;
  const flags = flagsOf({
    "--no-tui": true,
    "--output-format": "json",
    "--output": files.report,
    "--db-url": files.database,
    "-n": requests,
    "-q": isTimed && scenario.rateRps,
    "-c": Math.min(scenario.connections, requests),
    "--latency-correction": isTimed,
    // The default counts physical cores and does not see the CPU set.
    "--worker-threads": request.cpus.length,
    "-t": `${scenario.requestTimeoutMs}ms`,
    "--redirect": 0,
    "--disable-compression": true,
    "-m": scenario.request.method,
    "--disable-keepalive": !scenario.keepAlive,
  });
  flags.push(...headerFlags(scenario));
  const { path, pathIsPattern, paths, body } = scenario.request;
  const isLines = typeof body === "object" && body?.lines !== undefined;
  if (body !== null) flags.push(isLines ? "-Z" : "-D", files.body);
  flags.push(...transportFlags(request));
  if (paths !== undefined) return [...flags, "--urls-from-file", files.urls];
  const origin = originOf(request);
  return pathIsPattern
    ? [...flags, "--rand-regex-url", `${origin.replaceAll(".", "[.]")}${withDotsAsClasses(path)}`]
    : [...flags, `${origin}${path}`];
}

/** With TLS the name that the certificate has: `--connect-to` leads it to the service. */
function originOf({ port, transport }: Address): string {
  const tls = transport?.tls ?? null;
  return tls === null ? `http://${HOST}:${port}` : `https://${tls.name}:${port}`;
}

function transportFlags({ port, transport }: Address): string[] {
  if (transport === undefined) return [];
  const { protocol, socket, tls } = transport;
  return flagsOf({
    "--http2": protocol !== "http1",
    "--unix-socket": socket,
    "--cacert": tls?.ca ?? null,
    "--connect-to": tls && `${tls.name}:${port}:${HOST}:${port}`,
  });
}

/**
 * oha puts a backslash before every dot of a pattern, so that a dot that is escaped already would
 * become a backslash and any character of Unicode. A class that has only the dot means the same
 * with and without.
 */
function withDotsAsClasses(pattern: string): string {
  let inClass = false;
  return pattern.replaceAll(/\\.|[[\]]/g, (piece) => {
    if (piece === "[" || piece === "]") inClass = piece === "[";
    if (piece !== "\\.") return piece;
    return inClass ? "." : "[.]";
  });
}

/** A content type is a flag of its own: given as a header it would be sent twice. */
function headerFlags(scenario: Scenario): string[] {
  return Object.entries(scenario.request.headers).flatMap(([name, value]) =>
    name.toLowerCase() === "content-type" ? ["-T", value] : ["-H", `${name}: ${value}`],
  );
}
