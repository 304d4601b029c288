// What `noise.mjs measure` wrote, read back.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { median } from "../../src/stats/dispersion.ts";

function unpack(text) {
  const bytes = Buffer.from(text, "base64");
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** Rounds whose every slice pair of a scenario came to count, with its requests. */
export function loadRounds(path) {
  const lines = gunzipSync(readFileSync(path)).toString("utf8").trimEnd().split("\n");
  return lines.flatMap((line) => {
    const round = JSON.parse(line);
    if (round.failure !== null) return [];
    const stepsMs = stepsOf(round);
    return round.scenarios
      .filter(({ whole }) => whole)
      .map(({ scenario, slices }) => ({
        key: `${round.service}#${round.index}`,
        setting: round.setting,
        service: round.service,
        scenario: scenario.split("/")[1],
        stepMs: stepsMs.get(scenario),
        ...armsOf(slices),
      }));
  });
}

/** By scenario, the median time from the start of one of its slices to whatever slice came next: its load and what surrounds it. */
function stepsOf({ scenarios }) {
  const starts = scenarios
    .flatMap(({ scenario, slices }) =>
      slices.map(({ slice }) => ({
        scenario,
        atMs: slice.startedAtMs,
        isVoid: slice.void !== null,
      })),
    )
    .sort((a, b) => a.atMs - b.atMs);
  const steps = new Map(scenarios.map(({ scenario }) => [scenario, []]));
  for (const [i, { scenario, atMs, isVoid }] of starts.slice(0, -1).entries()) {
    // After a void slice there may be a pause.
    if (!isVoid) steps.get(scenario).push(starts[i + 1].atMs - atMs);
  }
  return new Map([...steps].map(([scenario, all]) => [scenario, median(all)]));
}

/** Of each pair the attempt of which both slices count, in pair order. */
function armsOf(slices) {
  const attempts = new Map();
  for (const entry of slices) {
    const { pair, attempt, arm } = entry.slice;
    const key = `${pair}.${attempt}`;
    attempts.set(key, { ...attempts.get(key), [arm]: entry });
  }
  const whole = [...attempts.values()].filter(
    ({ candidate, reference }) =>
      candidate !== undefined &&
      reference !== undefined &&
      candidate.slice.void === null &&
      reference.slice.void === null,
  );
  const requests = ({ releaseUs, tenthsUs }) => ({
    releaseUs: unpack(releaseUs),
    latencyUs: Float64Array.from(unpack(tenthsUs), (tenths) => tenths / 10),
  });
  return {
    candidate: whole.map(({ candidate }) => requests(candidate)),
    reference: whole.map(({ reference }) => requests(reference)),
  };
}
