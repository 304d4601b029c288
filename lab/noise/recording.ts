// What `noise.ts measure` wrote, read back.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Arm, Slice } from "../../src/core/model/samples.ts";
import { median } from "../../src/core/stats/dispersion.ts";

/**
 * A slice and its requests, counted from the first: released, microseconds, and answered, tenths of
 * them; each packed.
 */
export interface RecordedSlice {
  slice: Slice;
  releaseUs: string;
  tenthsUs: string;
}

/** A line of the file. */
export interface Line {
  setting: string;
  service: string;
  index: number;
  startedAtMs: number;
  endedAtMs: number;
  failure: unknown;
  scenarios: { scenario: string; whole: boolean; slices: RecordedSlice[] }[];
}

export interface SliceRequests {
  releaseUs: Uint32Array;
  latencyUs: Float64Array;
}

export interface RecordedRound extends Record<Arm, SliceRequests[]> {
  key: string;
  setting: string;
  service: string;
  scenario: string;
  stepMs: number;
}

function unpack(text: string): Uint32Array {
  const bytes = Buffer.from(text, "base64");
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** Rounds whose every slice pair of a scenario came to count, with its requests. */
export function loadRounds(path: string): RecordedRound[] {
  const lines = gunzipSync(readFileSync(path)).toString("utf8").trimEnd().split("\n");
  return lines.flatMap((line) => {
    const round: Line = JSON.parse(line);
    if (round.failure !== null) return [];
    const stepsMs = stepsOf(round);
    return round.scenarios
      .filter(({ whole }) => whole)
      .map(({ scenario, slices }) => ({
        key: `${round.service}#${round.index}`,
        setting: round.setting,
        service: round.service,
        scenario: scenario.slice(scenario.indexOf("/") + 1),
        stepMs: stepsMs.get(scenario) ?? Number.NaN,
        ...armsOf(slices),
      }));
  });
}

/**
 * By scenario, the median time from the start of one of its slices to whatever slice came next: its
 * load and what surrounds it.
 */
function stepsOf({ scenarios }: Line): Map<string, number> {
  const starts = scenarios
    .flatMap(({ scenario, slices }) =>
      slices.map(({ slice }) => ({
        scenario,
        atMs: slice.startedAtMs,
        isVoid: slice.void !== null,
      })),
    )
    .sort((a, b) => a.atMs - b.atMs);
  const steps = new Map(scenarios.map(({ scenario }) => [scenario, [] as number[]]));
  for (const [i, { scenario, atMs, isVoid }] of starts.entries()) {
    const next = starts[i + 1];
    // After a void slice there may be a pause.
    if (next !== undefined && !isVoid) steps.get(scenario)?.push(next.atMs - atMs);
  }
  return new Map([...steps].map(([scenario, all]) => [scenario, median(all)]));
}

/** Of each pair the attempt of which both slices count, in pair order. */
function armsOf(slices: readonly RecordedSlice[]): Record<Arm, SliceRequests[]> {
  const attempts = new Map<string, Partial<Record<Arm, RecordedSlice>>>();
  for (const entry of slices) {
    const { pair, attempt, arm } = entry.slice;
    const key = `${pair}.${attempt}`;
    attempts.set(key, { ...attempts.get(key), [arm]: entry });
  }
  const whole = [...attempts.values()].flatMap(({ candidate, reference }) =>
    candidate?.slice.void === null && reference?.slice.void === null
      ? [{ candidate, reference }]
      : [],
  );
  const requests = ({ releaseUs, tenthsUs }: RecordedSlice): SliceRequests => ({
    releaseUs: unpack(releaseUs),
    latencyUs: Float64Array.from(unpack(tenthsUs), (tenths) => tenths / 10),
  });
  return {
    candidate: whole.map(({ candidate }) => requests(candidate)),
    reference: whole.map(({ reference }) => requests(reference)),
  };
}
