// The port to a load generator.
import type { BodyFile, Scenario, Transport } from "../model/config.ts";
import { total } from "../model/parts.ts";

/** Values and how often each occurred, as a histogram has them. */
export interface LatencyCounts {
  /** Ascending, microseconds: the upper ends of the histogram's steps. */
  values: Float64Array;
  counts: Float64Array;
}

/** Where a running service listens on this machine, and how it is spoken to. */
export interface Address {
  /** On 127.0.0.1. */
  port: number;
  /** Absent: HTTP/1.1 over TCP, without TLS. */
  transport?: RunningTransport | undefined;
}

export interface RunningTransport {
  protocol: Transport["protocol"];
  /** Of a unix socket, in place of the port; null: the port. */
  socket: string | null;
  tls: Transport["tls"];
}

export interface LoadRequest extends Address {
  scenario: Scenario;
  /** So many requests are scheduled, exactly where the generator can count. */
  requests: number;
  cpus: readonly number[];
  /** Folder of its files, which it removes, and of the run's body files. */
  folder: string;
  /** Tells its files from those of others that run at the same time. Default: nothing. */
  label?: string;
  abort: AbortSignal;
}

/** Lines of a file of them, as the generator counts them: each ends with a line break. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Name of a body file's content in the folder of a run. */
export function placedBody({ sha256 }: Pick<BodyFile, "sha256">): string {
  return `body-${sha256}`;
}

/** One row for each answered request, µs since the generator's start. */
export interface LoadRows {
  /** When the schedule released the request: ascending. */
  release: Float64Array;
  start: Float64Array;
  /** When the last byte of the response had come. */
  end: Float64Array;
  /** Lag of each request where the schedule is uneven. Absent: it follows from the rate. */
  lag?: Float64Array;
  /** Size of each answer's body. Absent: not told, and of a mix its parts tell it. */
  bytes?: Float64Array;
}

export interface PartLoad {
  scenario: Scenario;
  requests: number;
  load: LoadDone;
}

export interface LoadDone {
  kind: "done";
  rows: LoadRows;
  statuses: Record<string, number>;
  errors: Record<string, number>;
  wallMs: number;
  /** Of a mix: what it is joined from. */
  parts?: readonly PartLoad[];
}

/** What a generator without rows records. */
export interface LoadDistribution {
  kind: "distribution";
  /** Of each recorded request, counted from its ideal instant; ascending, microseconds. */
  latencies: Float64Array;
  /** Requests that its schedule held; those under way at its end are not recorded. */
  scheduled: number;
  /** Requests that were written to a connection. */
  sent: number;
  /** Estimated number of requests not sent by its end because all connections had stalled. */
  unsent: number;
  /** How long the generator stood still by itself, with no request under way: mean of its threads. */
  oversleptUs: number;
  /** From the first request's instant to the end of the schedule. */
  durationMs: number;
  /** The same requests counted from when each was written, as far as the generator prints it. */
  sinceSend: LatencyCounts;
  /** Mean time by which the generator lengthened each latency: the difference of the two means. */
  slackUs: number;
  statuses: Record<string, number>;
  errors: Record<string, number>;
  wallMs: number;
}

export interface LoadFailed {
  kind: "failed";
  text: string;
  detail: string;
  /** The time that its requests may take was over. */
  tookMs?: number;
}

export type LoadResult = LoadDone | LoadDistribution | LoadFailed;

export interface Sent {
  kind: "sent";
  /** Responses by status code. */
  statuses: Record<string, number>;
  /** Requests without a response, by the generator's own words. */
  errors: Record<string, number>;
}

/** Requests that reached the service, as far as the generator tells. */
export function requestsSent(
  result: LoadResult | Sent,
  { requests }: Pick<LoadRequest, "requests">,
): number {
  switch (result.kind) {
    case "distribution":
      return result.sent;
    case "sent":
      return total(result.statuses) + total(result.errors);
    default:
      return requests;
  }
}

export interface LoadGenerator {
  readonly name: string;
  /** Never rejects: what goes wrong is a `failed` result. */
  run(request: LoadRequest): Promise<LoadResult>;
  /** The same requests as fast as the service answers. Absent: it can only keep a rate. */
  send?(request: LoadRequest): Promise<Sent | LoadFailed>;
}

/** Sends requests that are not timed, at their rate only where it cannot be faster. */
export async function sendBy(
  generator: LoadGenerator,
  request: LoadRequest,
): Promise<Sent | LoadFailed> {
  if (generator.send !== undefined) return await generator.send(request);
  const result = await generator.run(request);
  if (result.kind === "failed") return result;
  return { kind: "sent", statuses: result.statuses, errors: result.errors };
}
