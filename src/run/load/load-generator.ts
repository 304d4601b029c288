// The port to a load generator: a fixed count of requests at a fixed rate, and every one of them back as a row.
import type { BodyFile, Scenario } from "../../model/config.ts";

export interface LoadRequest {
  scenario: Scenario;
  /** On 127.0.0.1. */
  port: number;
  /** Exactly so many requests are scheduled. */
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

export type LoadResult = LoadDone | { kind: "failed"; text: string; detail: string };

export interface LoadGenerator {
  readonly name: string;
  /** Never rejects: what goes wrong is a `failed` result. */
  run(request: LoadRequest): Promise<LoadResult>;
}
