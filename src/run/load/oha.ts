// oha as the load generator: count mode, an open schedule, raw rows. docs/adr/0001 says why these flags.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import type { Scenario } from "../../model/config.ts";
import { systemClock } from "../../sys/clock.ts";
import { runCommand } from "../../sys/process.ts";
import {
  type LoadGenerator,
  type LoadRequest,
  type LoadResult,
  placedBody,
} from "./load-generator.ts";
import { readOhaRows } from "./oha-rows.ts";
import { parseOha } from "./parse-oha.ts";

/** Beyond the schedule and the last request's time-out: start, draining a backlog, writing the rows. */
const KILL_MARGIN_MS = 20_000;
/** Exit codes of taskset, like a shell's, when the program cannot be executed or is not there. */
const NOT_EXECUTED: readonly number[] = [126, 127];

export function createOha(tool: { path: string; version: string }): LoadGenerator {
  return { name: `oha ${tool.version}`, run: (request) => runOha(tool.path, request) };
}

async function runOha(program: string, request: LoadRequest): Promise<LoadResult> {
  const { scenario, folder, abort } = request;
  const database = join(folder, "oha.db");
  const report = join(folder, "oha.json");
  const { body } = scenario.request;
  const text = join(folder, "body");
  const clear = (): void => {
    for (const file of [database, report, text, `${database}-journal`]) {
      rmSync(file, { force: true });
    }
  };
  clear();
  // As a file: an argument has a limit on its length, and one that starts with a dash would be read as a flag.
  if (typeof body === "string") writeFileSync(text, body);
  const files = {
    database,
    report,
    body: typeof body === "object" && body !== null ? join(folder, placedBody(body)) : text,
  };
  const scheduleMs = (request.requests / scenario.rateRps) * 1000;
  const startedMs = systemClock.nowMs();
  const result = await runCommand([program, ...ohaArguments(request, files)], {
    cpus: request.cpus,
    timeoutMs: scheduleMs + scenario.requestTimeoutMs + KILL_MARGIN_MS,
    abort,
  });
  const wallMs = systemClock.nowMs() - startedMs;
  try {
    if (result.startError !== null) {
      return failed(`oha could not be started: ${result.startError.message}`, "");
    }
    if (result.code !== null && NOT_EXECUTED.includes(result.code)) {
      return failed("oha could not be started", result.tail.join("\n"));
    }
    if (result.timedOut) {
      return failed(
        `oha did not end within ${Math.round((scheduleMs + scenario.requestTimeoutMs + KILL_MARGIN_MS) / 1000)} s`,
        result.tail.join("\n"),
      );
    }
    if (result.code !== 0) {
      const how =
        result.signal === null ? `exited with ${result.code}` : `was ended by ${result.signal}`;
      return failed(`oha ${how}`, result.tail.join("\n"));
    }
    const counts = parseOha(readFileSync(report, "utf8"));
    if (!counts.ok) return failed(counts.why, "");
    const rows = readOhaRows(database);
    const answers = Object.values(counts.statuses).reduce((sum, count) => sum + count, 0);
    if (rows.release.length !== answers) {
      return failed(
        `oha's report counts ${answers} answers and its rows ${rows.release.length}`,
        result.tail.join("\n"),
      );
    }
    return { kind: "done", rows, statuses: counts.statuses, errors: counts.errors, wallMs };
  } catch (error) {
    return failed(`oha's result cannot be read: ${messageOf(error)}`, result.tail.join("\n"));
  } finally {
    clear();
  }
}

function failed(text: string, detail: string): LoadResult {
  return { kind: "failed", text, detail };
}

export interface OhaFiles {
  database: string;
  report: string;
  body: string;
}

export function ohaArguments(request: LoadRequest, files: OhaFiles): string[] {
  const { scenario, requests } = request;
  const flags = [
    "--no-tui",
    "--output-format",
    "json",
    "--output",
    files.report,
    "--db-url",
    files.database,
    "-n",
    String(requests),
    "-q",
    String(scenario.rateRps),
    "-c",
    String(Math.min(scenario.connections, requests)),
    "--latency-correction",
    // The default counts physical cores and does not see the CPU set.
    "--worker-threads",
    String(request.cpus.length),
    "-t",
    `${scenario.requestTimeoutMs}ms`,
    "--redirect",
    "0",
    "--disable-compression",
    "-m",
    scenario.request.method,
  ];
  if (!scenario.keepAlive) flags.push("--disable-keepalive");
  flags.push(...headerFlags(scenario));
  if (scenario.request.body !== null) flags.push("-D", files.body);
  const { path, pathIsPattern } = scenario.request;
  return pathIsPattern
    ? [
        ...flags,
        "--rand-regex-url",
        `http://127[.]0[.]0[.]1:${request.port}${withDotsAsClasses(path)}`,
      ]
    : [...flags, `http://127.0.0.1:${request.port}${path}`];
}

/**
 * oha puts a backslash before every dot of a pattern, so that a dot that is escaped already would become a backslash and any
 * character of Unicode. A class that has only the dot means the same with and without.
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
