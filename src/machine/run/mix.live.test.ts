// What a round keeps of a mix passes for measured wherever samples are read, whatever went wrong
// with one of its parts.
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { type Case, PAIRS, run } from "../../../test/support/run.ts";
import { makeRequest, makeSamples, makeScenario } from "../../../test/support/samples.ts";
import { total } from "../../core/model/parts.ts";
import type { Round, Slice, SliceRule } from "../../core/model/samples.ts";
import type { LoadRequest, LoadResult } from "../../core/slice/load.ts";
import { implausible } from "../../core/untrusted/implausible.ts";

const SCENARIO = makeScenario({
  rateRps: 1000,
  connections: 2,
  slice: { durationMs: 100, pairs: PAIRS },
  // None of the requests falls to the last.
  mix: [
    { name: "a", weight: 300, request: makeRequest({ path: "/a" }), expectStatus: 200 },
    { name: "b", weight: 100, request: makeRequest({ path: "/b" }), expectStatus: 201 },
    { name: "rare", weight: 1, request: makeRequest({ path: "/rare" }), expectStatus: 200 },
  ],
});

/** `odd`: the first two loads of part `b`. `voids`: what becomes of slices of the whole. */
async function check(
  odd: (done: LoadResult & { kind: "done" }) => LoadResult,
  voids: readonly SliceRule[],
): Promise<void> {
  let loads = 0;
  // No two loads are answered alike to the microsecond.
  let latencyUs = 300;
  const script: NonNullable<Case["script"]> = async ({ requests, scenario }: LoadRequest) => {
    const release = Float64Array.from({ length: requests }, (_, i) => (i * 1e6) / scenario.rateRps);
    latencyUs++;
    const done = {
      kind: "done" as const,
      rows: { release, start: release, end: release.map((at) => at + latencyUs) },
      statuses: { [scenario.expectStatus]: requests },
      errors: {},
      wallMs: 100,
    };
    return scenario.name === "echo[b]" && loads++ < 2 ? odd(done) : done;
  };
  const { round } = await run({ script, scenario: { ...SCENARIO, warmupRequests: 0 } });
  const [whole] = round.scenarios;
  expect(whole?.slices.flatMap((slice) => slice.void?.rule ?? [])).toEqual(voids);
  const samples = makeSamples({ rounds: 0, noise: 0 });
  samples.config.scenarios = [SCENARIO];
  expect(implausible({ ...samples, rounds: [round] })).toBeNull();
  for (const slice of whole?.slices ?? []) checkParts(round, slice);
}

/** A slice of a mix has the answers of its parts, which count as it does. */
function checkParts({ scenarios }: Round, whole: Slice): void {
  const parts = scenarios.slice(1).flatMap(({ scenario, slices }) => {
    const own = slices.find((one) => isDeepStrictEqual(placeOf(one), placeOf(whole)));
    return own === undefined ? [] : [{ own, status: scenario === "api/echo[b]" ? 201 : 200 }];
  });
  // A generator that failed tells nothing of its parts.
  if (parts.length === 0 && whole.void !== null) return;
  expect(parts).toHaveLength(3);
  expect(parts.map(({ own }) => own.void === null)).toEqual(parts.map(() => whole.void === null));
  const sum = (counts: number[]): number => counts.reduce((all, count) => all + count, 0);
  expect(total(whole.statuses)).toBe(sum(parts.map(({ own }) => total(own.statuses))));
  expect(total(whole.errors)).toBe(sum(parts.map(({ own }) => total(own.errors))));
  expect(whole.statuses[200] ?? 0).toBe(
    sum(parts.map(({ own, status }) => own.statuses[status] ?? 0)),
  );
}

const placeOf = ({ pair, attempt, arm }: Slice) => [pair, attempt, arm];

test("all is answered", () => check((done) => done, []));

test("a part is answered wrongly", () =>
  check((done) => ({ ...done, statuses: { 200: 25 } }), ["status", "status"]));

test("a part fails", () =>
  check(
    ({ rows: { release, start, end }, ...done }) => ({
      ...done,
      rows: { release: answered(release), start: answered(start), end: answered(end) },
      statuses: { 201: 20 },
      errors: { timeout: 5 },
    }),
    ["transport", "transport"],
  ));

const answered = (column: Float64Array): Float64Array => column.subarray(0, 20);

test("a generator fails", () =>
  check(
    () => ({ kind: "failed", text: "no more", detail: "" }),
    ["generator-failed", "generator-failed"],
  ));
