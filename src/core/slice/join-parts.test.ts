// The parts of a mix as one load, whatever each process's clock was.
import { expect, test } from "vitest";
import { makeRequest, makeScenario } from "../../../test/support/samples.ts";
import type { Scenario } from "../model/config.ts";
import { partsOf } from "../model/mix.ts";
import { joinParts } from "./join-parts.ts";
import type { LoadDone, PartLoad } from "./load.ts";
import { emptySlice, summarizeSlice } from "./slice.ts";

const request = makeRequest();
const MIX = makeScenario({
  id: "api/shop",
  name: "shop",
  rateRps: 1000,
  connections: 8,
  mix: [
    { name: "browse", weight: 9, request, expectStatus: 200 },
    { name: "buy", weight: 1, request, expectStatus: 201 },
  ],
});

/** A part that keeps its rate, but for requests that are late, with a clock of its own. */
function partLoad(scenario: Scenario, requests: number, take: LoadTaken): PartLoad {
  const { latencyUs, clockUs, lateUs = () => 0 } = take;
  const periodUs = 1e6 / scenario.rateRps;
  const release = Float64Array.from(
    { length: requests },
    (_, i) => clockUs + i * periodUs + lateUs(i),
  );
  const load: LoadDone = {
    kind: "done",
    rows: { release, start: release, end: release.map((at) => at + latencyUs) },
    statuses: { [scenario.expectStatus]: requests },
    errors: {},
    wallMs: 1000,
  };
  return { scenario, requests, load };
}

interface LoadTaken {
  latencyUs: number;
  /** Of the process's own start. */
  clockUs: number;
  lateUs?: (request: number) => number;
}

function load(browse: Partial<LoadTaken> = {}, buy: Partial<LoadTaken> = {}): LoadDone {
  const [first, second] = partsOf(MIX);
  if (first === undefined || second === undefined) throw new Error("no parts");
  return joinParts(MIX, [
    partLoad(first, 1800, { latencyUs: 100, clockUs: 5000, ...browse }),
    partLoad(second, 200, { latencyUs: 900, clockUs: 90_000, ...buy }),
  ]);
}

const FACTS = {
  arm: "candidate" as const,
  pair: 0,
  attempt: 0,
  startedAtMs: 0,
  scheduled: 2000,
  host: emptySlice({
    arm: "candidate",
    pair: 0,
    attempt: 0,
    startedAtMs: 0,
    scheduled: 0,
    host: { steal: 0, foreign: 0, generator: 0, service: 0, throttled: 0 },
  }).host,
};

test("rows are in the order of release, each with its own latency", () => {
  const { rows } = load();
  expect(rows.release).toHaveLength(2000);
  expect(rows.release.every((at, i) => i === 0 || at >= (rows.release[i - 1] ?? 0))).toBe(true);
  const first = Array.from(rows.release.subarray(0, 11));
  expect(first.filter((at) => Math.abs(at) < 0.001)).toHaveLength(2);
  const latencies = rows.end.map((end, i) => Math.round(end - (rows.release[i] ?? 0)));
  expect(latencies.filter((us) => us === 900)).toHaveLength(200);
  const { slice } = summarizeSlice(load(), MIX, FACTS);
  // A tenth of the requests takes longer: nothing of it is in the p50, all of it in the p99.
  expect(slice.latency).toMatchObject({ p50: 100, p99: 900 });
  expect(slice.achievedRps).toBeGreaterThan(990);
  expect(slice.windows?.length).toBeGreaterThan(10);
});

test("lag is each part's own: the joint schedule is not even", () => {
  const quiet = summarizeSlice(load(), MIX, FACTS).slice;
  expect(quiet.lag?.max).toBeLessThan(1);
  const lateUs = (i: number): number => (i === 150 ? 7000 : 0);
  const late = summarizeSlice(load({}, { lateUs }), MIX, FACTS).slice;
  expect(late.lag?.max).toBe(7000);
});

test("an expected status counts as the whole's, any other names its part", () => {
  const { parts = [] } = load();
  expect(joinParts(MIX, parts).statuses).toEqual({ 200: 2000 });
  const odd = parts.map((part, i) => {
    const errors: Record<string, number> = i === 0 ? {} : { timeout: 3 };
    return { ...part, load: { ...part.load, statuses: { 200: 10 }, errors } };
  });
  const joined = joinParts(MIX, odd);
  expect(joined.statuses).toEqual({ 200: 10, "200 of shop[buy]": 10 });
  expect(joined.errors).toEqual({ "timeout of shop[buy]": 3 });
});

test("a part of which nothing was answered leaves the rows of the others", () => {
  const [browse, buy] = load().parts ?? [];
  if (browse === undefined || buy === undefined) throw new Error("no parts");
  const none = new Float64Array();
  const silent = { ...buy.load, rows: { release: none, start: none, end: none }, statuses: {} };
  const joined = joinParts(MIX, [browse, { ...buy, load: silent }]);
  expect(joined.rows.release).toHaveLength(1800);
  expect(joined.statuses).toEqual({ 200: 1800 });
});
