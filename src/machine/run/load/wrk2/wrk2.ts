// wrk2 as the load generator: timed runs that end before it forgets what it recorded, its own
// schedule for each connection, and the whole corrected distribution by a script of ours.
// docs/adr/0009 says what it can and cannot tell.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WRK2_MOST_SECONDS, wrk2Scheduled } from "../../../../core/model/load-rules.ts";
import type {
  LoadDistribution,
  LoadGenerator,
  LoadRequest,
  LoadResult,
} from "../../../../core/slice/load.ts";
import { bodyFile, clear, failed, flagsOf, runGenerator } from "../run-generator.ts";
import { expandCounts, parseWrk2Report } from "./parse-report.ts";
import { parseWrk2Spectra } from "./parse-spectrum.ts";
import { renderWrk2Script } from "./script.ts";

/** How wrk2 is run for a request. */
interface Wrk2Run {
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
  const { scenario, folder } = request;
  const run = planWrk2Run(request);
  // The configuration is refused where it asks for this; another arm's recipe may.
  if (request.transport !== undefined) {
    return failed("wrk2 speaks HTTP/1.1 over TCP without TLS, and the service does not");
  }
  if (run.seconds > WRK2_MOST_SECONDS) {
    return failed(`wrk2 cannot run for ${run.seconds} s: it forgets what it recorded after 10 s`);
  }
  const script = join(folder, "wrk2.lua");
  const report = join(folder, "wrk2.txt");
  const text = join(folder, "body");
  const files = [script, report, text];
  clear(files);
  const body = bodyFile(request, text);
  writeFileSync(script, renderWrk2Script(scenario, { report, body }));
  const argv = [program, ...wrk2Arguments(request, run, script)];
  const neededMs = run.seconds * 1000;
  const read = ({ stdout, wallMs }: { stdout: string; wallMs: number }) => {
    const told = summarize(request, run, readFileSync(report, "utf8"), stdout);
    return { ...told, wallMs };
  };
  return await runGenerator({ name: "wrk2", argv, neededMs, files, read }, request);
}

/** Throws when what wrk2 wrote and what it printed do not belong to one whole run. */
function summarize(
  { scenario }: LoadRequest,
  run: Wrk2Run,
  report: string,
  printed: string,
): Omit<LoadDistribution, "wallMs"> {
  const parsed = parseWrk2Report(report);
  const { corrected, uncorrected, reset } = parseWrk2Spectra(printed);
  if (reset) throw new Error("it emptied its histograms during the run");
  const latencies = expandCounts(parsed.recorded);
  // Answers that come together after the end are counted and not recorded, at most one on each
  // connection.
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
    sent: parsed.sent,
    unsent: Math.round(((parsed.behindUs / 1e6) * scenario.rateRps) / run.threads),
    // Where each request opens its connection, the service may be what keeps wrk2 from sending.
    oversleptUs: scenario.keepAlive ? parsed.stoppedUs / run.threads : 0,
    durationMs,
    sinceSend: uncorrected?.steps ?? { values: new Float64Array(), counts: new Float64Array() },
    slackUs: Math.max(0, (corrected?.meanUs ?? 0) - (uncorrected?.meanUs ?? 0)),
    statuses: parsed.statuses,
    errors: parsed.errors,
  };
}

export function wrk2Arguments(
  { scenario, port }: LoadRequest,
  run: Wrk2Run,
  script: string,
): string[] {
  const flags = flagsOf({
    "--threads": run.threads,
    "--connections": scenario.connections,
    "--duration": `${run.seconds}s`,
    "--rate": scenario.rateRps,
    // Whole seconds only.
    "--timeout": `${Math.ceil(scenario.requestTimeoutMs / 1000)}s`,
    "--u_latency": true,
    "--script": script,
  });
  return [...flags, `http://127.0.0.1:${port}/`];
}
