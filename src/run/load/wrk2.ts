// wrk2 as the load generator: timed runs that end before it forgets what it recorded, its own schedule for each connection, and
// the whole corrected distribution by a script of ours. docs/adr/0009 says what it can and cannot tell.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { WRK2_MOST_SECONDS, wrk2Scheduled } from "../../model/load-rules.ts";
import { systemClock } from "../../sys/clock.ts";
import { runCommand } from "../../sys/process.ts";
import {
  type LoadDistribution,
  type LoadGenerator,
  type LoadRequest,
  type LoadResult,
  placedBody,
} from "./load-generator.ts";
import { expandCounts, parseWrk2Report } from "./parse-wrk2-report.ts";
import { parseWrk2Spectra } from "./parse-wrk2-spectrum.ts";
import { renderWrk2Script } from "./wrk2-script.ts";

/** Beyond the run itself: the wait for the next look at the end, and writing the distribution. */
const KILL_MARGIN_MS = 20_000;
/** Exit codes of taskset, like a shell's, when the program cannot be executed or is not there. */
const NOT_EXECUTED: readonly number[] = [126, 127];

/** How wrk2 is run for a request. */
export interface Wrk2Run {
  seconds: number;
  /** Divides the connections: wrk2 would leave out the rest of them. */
  threads: number;
}

export function createWrk2(tool: { path: string; version: string }): LoadGenerator {
  return { name: `wrk2 ${tool.version}`, run: (request) => runWrk2(tool.path, request) };
}

export function planWrk2Run({ scenario, requests, cpus }: LoadRequest): Wrk2Run {
  let threads = Math.max(1, Math.min(cpus.length, scenario.connections));
  while (scenario.connections % threads !== 0) threads--;
  return { seconds: Math.max(1, Math.ceil(requests / scenario.rateRps)), threads };
}

async function runWrk2(program: string, request: LoadRequest): Promise<LoadResult> {
  const { scenario, folder, abort } = request;
  const run = planWrk2Run(request);
  if (run.seconds > WRK2_MOST_SECONDS) {
    return failed(
      `wrk2 cannot run for ${run.seconds} s: it forgets what it recorded after 10 s`,
      "",
    );
  }
  const script = join(folder, "wrk2.lua");
  const report = join(folder, "wrk2.txt");
  const text = join(folder, "body");
  const clear = (): void => {
    for (const file of [script, report, text]) rmSync(file, { force: true });
  };
  clear();
  const { body } = scenario.request;
  if (typeof body === "string") writeFileSync(text, body);
  const bodyFile =
    typeof body === "object" && body !== null ? join(folder, placedBody(body)) : text;
  writeFileSync(
    script,
    renderWrk2Script(scenario, { report, body: body === null ? null : bodyFile }),
  );
  const startedMs = systemClock.nowMs();
  const result = await runCommand([program, ...wrk2Arguments(request, run, script)], {
    cpus: request.cpus,
    timeoutMs: run.seconds * 1000 + KILL_MARGIN_MS,
    abort,
  });
  const wallMs = systemClock.nowMs() - startedMs;
  const tail = result.tail.join("\n");
  try {
    if (result.startError !== null) {
      return failed(`wrk2 could not be started: ${result.startError.message}`, "");
    }
    if (result.code !== null && NOT_EXECUTED.includes(result.code)) {
      return failed("wrk2 could not be started", tail);
    }
    if (result.timedOut) {
      return failed(`wrk2 did not end within ${run.seconds + KILL_MARGIN_MS / 1000} s`, tail);
    }
    if (result.code !== 0) {
      const how =
        result.signal === null ? `exited with ${result.code}` : `was ended by ${result.signal}`;
      return failed(`wrk2 ${how}`, tail);
    }
    return { ...summarize(request, run, readFileSync(report, "utf8"), result.stdout), wallMs };
  } catch (error) {
    return failed(`wrk2's result cannot be read: ${messageOf(error)}`, tail);
  } finally {
    clear();
  }
}

/** Throws when what wrk2 wrote and what it printed do not belong to one whole run. */
function summarize(
  { scenario }: LoadRequest,
  run: Wrk2Run,
  report: string,
  printed: string,
): Omit<LoadDistribution, "wallMs"> {
  const parsed = parseWrk2Report(report);
  if (!parsed.ok) throw new Error(parsed.why);
  const { corrected, uncorrected, reset } = parseWrk2Spectra(printed);
  if (reset) throw new Error("it emptied its histograms during the run");
  const latencies = expandCounts(parsed.recorded);
  // Answers that come together after the end are counted and not recorded, at most one on each connection.
  if (latencies.length < parsed.requests - scenario.connections) {
    throw new Error(`it recorded ${latencies.length} of ${parsed.requests} answers`);
  }
  if ([corrected, uncorrected].some((spectrum) => (spectrum?.total ?? 0) !== latencies.length)) {
    throw new Error("its printed spectra are of another number of requests than its histogram");
  }
  const durationMs = run.seconds * 1000;
  return {
    kind: "distribution",
    latencies,
    scheduled: wrk2Scheduled(scenario, { threads: run.threads, durationMs }),
    durationMs,
    sinceSend: uncorrected?.steps ?? { values: new Float64Array(), counts: new Float64Array() },
    slackUs: Math.max(0, (corrected?.meanUs ?? 0) - (uncorrected?.meanUs ?? 0)),
    statuses: parsed.statuses,
    errors: parsed.errors,
  };
}

function failed(text: string, detail: string): LoadResult {
  return { kind: "failed", text, detail };
}

export function wrk2Arguments(
  { scenario, port }: LoadRequest,
  run: Wrk2Run,
  script: string,
): string[] {
  return [
    "--threads",
    String(run.threads),
    "--connections",
    String(scenario.connections),
    "--duration",
    `${run.seconds}s`,
    "--rate",
    String(scenario.rateRps),
    // Whole seconds only.
    "--timeout",
    `${Math.ceil(scenario.requestTimeoutMs / 1000)}s`,
    "--u_latency",
    "--script",
    script,
    `http://127.0.0.1:${port}/`,
  ];
}
