// The port to a load generator: requests at a fixed rate, and what became of them, as rows or as a distribution.
import type { BodyFile, Scenario } from "../../model/config.ts";

/** Values and how often each occurred, as a histogram has them. */
export interface LatencyCounts {
  /** Ascending, microseconds: the upper ends of the histogram's steps. */
  values: Float64Array;
  counts: Float64Array;
}

export interface LoadRequest {
  scenario: Scenario;
  /** On 127.0.0.1. */
  port: number;
  /** So many requests are scheduled, exactly where the generator can count. */
  requests: number;
  /** CPU numbers to pin the generator to. */
  cpus: readonly number[];
  /** For its files: the generator removes what it makes. Holds the body files of the run, under `placedBody`. */
  folder: string;
  abort: AbortSignal;
}

/** Name of a body file's content in the folder of a run. */
export function placedBody({ sha256 }: Pick<BodyFile, "sha256">): string {
  return `body-${sha256}`;
}

/** One row for each request that got a response; times are microseconds since the generator's own start. */
export interface LoadRows {
  /** When the schedule released the request: ascending. */
  release: Float64Array;
  /** When it was written to a connection. */
  start: Float64Array;
  /** When the last byte of the response had come. */
  end: Float64Array;
}

export interface LoadDone {
  kind: "done";
  rows: LoadRows;
  /** Responses by status code. */
  statuses: Record<string, number>;
  /** Requests without a response, by the generator's own words. */
  errors: Record<string, number>;
  /** From start to end of the generator's process. */
  wallMs: number;
}

/** What a generator knows that keeps no rows: how long each request took, but not when it was released. */
export interface LoadDistribution {
  kind: "distribution";
  /** Of each recorded request, counted from its ideal instant; ascending, microseconds. */
  latencies: Float64Array;
  /** Requests that the generator's schedule held for this run; those under way at its end are not recorded. */
  scheduled: number;
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

export type LoadResult =
  | LoadDone
  | LoadDistribution
  | { kind: "failed"; text: string; detail: string };

/** Requests that reached the service, as far as the generator tells. */
export function requestsSent(
  result: LoadResult,
  { requests }: Pick<LoadRequest, "requests">,
): number {
  if (result.kind !== "distribution") return requests;
  const counts = [...Object.values(result.statuses), ...Object.values(result.errors)];
  return counts.reduce((sum, count) => sum + count, 0);
}

export interface LoadGenerator {
  readonly name: string;
  /** Never rejects: what goes wrong is a `failed` result. */
  run(request: LoadRequest): Promise<LoadResult>;
}
