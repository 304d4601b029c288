import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { fitPlants, KINDS, plantsOf, serviceOf } from "../../scripts/evidence/kinds.ts";
import { chooseTask, doneOf, fitInto, readPlan } from "../../scripts/evidence/plan.ts";
import { nextTrial, type Observed, sizeFor } from "../../scripts/evidence/size.ts";
import { changed, UNCHANGED } from "../../scripts/evidence/working-copy.ts";
import { fewRuns } from "./fixture.ts";

const plan = { poolRounds: 100, chunkRounds: 16, gates: { aa: 10, "p99+10": 5 } };

test.each([
  ["a gate first, which adds to the pool", 0, {}, { kind: "gate", gate: "aa", nth: 0 }],
  ["no plant without levels", 4, { aa: 1 }, { kind: "pool", rounds: 16 }],
  ["then what has least of its own", 16, { aa: 1 }, { kind: "gate", gate: "p99+10", nth: 0 }],
  ["gates are numbered", 50, { aa: 5, "p99+10": 1 }, { kind: "gate", gate: "p99+10", nth: 1 }],
  [
    "what is complete is left alone",
    100,
    { aa: 3, "p99+10": 5 },
    { kind: "gate", gate: "aa", nth: 3 },
  ],
  ["all is there", 120, { aa: 10, "p99+10": 9 }, null],
] as const)("%s", (_, poolRounds, gates, expected) => {
  expect(chooseTask(plan, { poolRounds, gates }, poolRounds >= 8)).toEqual(expected);
});

test("plants alone are left, on a machine of which nothing is known", () => {
  const done = { poolRounds: 120, gates: { aa: 10, "p99+10": 4 } };
  expect(chooseTask(plan, done, false)).toEqual({ kind: "pool", rounds: 8 });
});

test.each([
  ["a gate may take its longest", 13, [], { kind: "gate", gate: "aa", nth: 0 }],
  ["where there is no time for it, rounds for the pool", 10, [], { kind: "pool", rounds: 16 }],
  ["as many as there is time for", 5, [], { kind: "pool", rounds: 8 }],
  ["or none, when they would be too few", 4.5, [], null],
  ["three gates say how long one takes", 7, [5, 6, 7], { kind: "gate", gate: "aa", nth: 0 }],
  ["the longest of them", 6.9, [5, 6, 7], { kind: "pool", rounds: 11 }],
] as const)("%s", (_, left, minutes, expected) => {
  const [run] = fewRuns();
  if (run === undefined) throw new Error("no run");
  const earlier = minutes.map((own) => ({ ...run, kind: "aa", minutes: own }));
  expect(fitInto({ kind: "gate", gate: "aa", nth: 0 }, left, earlier, plan)).toEqual(expected);
});

test("a kind that nobody defined is a mistake in the plan", () => {
  expect(() =>
    chooseTask({ ...plan, gates: { p98: 1 } }, { poolRounds: 0, gates: {} }, false),
  ).toThrow("p98");
});

test("the repository's plan is one", () => {
  const own = readPlan("docs/evidence");
  expect(Object.keys(own.gates).sort()).toEqual(Object.keys(KINDS).sort());
  expect(chooseTask(own, { poolRounds: 0, gates: {} }, false)).toEqual({
    kind: "gate",
    gate: "aa-all",
    nth: 0,
  });
});

test("invalid gates are measured again", () => {
  const runs = fewRuns();
  expect(doneOf(runs, 40).gates).toEqual({ "aa-all": 2, "aa-two-builds": 1, "p99+10": 1 });
  const invalid = runs.map((run) => ({
    ...run,
    verdict: run.verdict === null ? null : { state: "invalid", regressed: [] },
  }));
  expect(doneOf(invalid, 40).gates).toEqual({});
});

const context = {
  levels: {
    p99Us: { a: 400, b: 800 },
    rssBytes: { a: 4_000_000, b: 10_000_000 },
    requests: { a: 10_000, b: 10_000 },
  },
  sizeOf: (service: string, effect: number) => Math.round(effect * (service === "a" ? 100 : 200)),
};

test.each([
  ["aa", "a", []],
  ["p99+10", "a", ["route=/echo,latency_us=10", "keep_bytes=200000"]],
  ["p99+10", "b", ["route=/echo,latency_us=20", "keep_bytes=500000"]],
  ["p99+5", "a", ["route=/echo,latency_us=5", "keep_bytes=200000", "start_delay_ms=100"]],
  ["tail-and-leak", "b", ["route=/echo,slow_one_in=20,slow_us=400", "keep_bytes_per_request=100"]],
  ["stalls-and-heap", "a", ["route=/echo,stall_every_ms=1000,stall_us=40000", "keep_bytes=400000"]],
] as const)("%s in %s: %o", (kind, service, expected) => {
  expect(plantsOf(kind, service, context).map(({ faults }) => faults)).toEqual(expected);
});

test("no heap is planted where a collector would take it from its headroom", () => {
  const levels = { p99Us: {}, rssBytes: { "gin-api": 2e7 }, requests: {} };
  const plants = plantsOf("p99+10", "gin-api", { ...context, levels });
  expect(plants.map(({ faults }) => faults)).toEqual(["route=/echo,latency_us=20"]);
});

test("a delay is sized beside the heap that it is planted with", () => {
  const [delay, heap] = fitPlants("a", { ...context, sizeOf: () => 99 });
  const [, planted] = plantsOf("p99+10", "a", context);
  expect(delay?.faults).toBe("route=/echo,latency_us=99");
  expect(heap).toEqual(planted);
});

test("services take turns", () => {
  expect([0, 1, 2].map((nth) => serviceOf(nth, ["a", "b"]))).toEqual(["a", "b", "a"]);
});

const own = readFileSync("tailgate.yml", "utf8");

test("faults are added up in the environment of their service alone", () => {
  const faults = ["keep_bytes=7", "start_delay_ms=1"].map((text) => ({
    service: "gin-api",
    faults: text,
  }));
  const before = parse(own);
  const after = parse(changed(own, { ...UNCHANGED, faults }));
  before.services["gin-api"].env.TAILGATE_FAULTS = "keep_bytes=7,start_delay_ms=1";
  expect(after).toEqual(before);
  expect(() => changed(own, { ...UNCHANGED, faults: [{ service: "nobody", faults: "" }] })).toThrow(
    "nobody",
  );
});

test("a closer promise of p99, its floors half of it", () => {
  const { metrics } = parse(changed(own, { ...UNCHANGED, p99Promise: 0.05 }));
  expect(metrics.p99).toEqual({ promise: "5%", floor: "2.5%", absoluteFloor: "5us" });
  expect(metrics.rss).toEqual(parse(own).metrics.rss);
});

test("one service with its echo alone", () => {
  const { services, scenarios } = parse(changed(own, { ...UNCHANGED, only: "gin-api" }));
  expect(Object.keys(services)).toEqual(["gin-api"]);
  expect(scenarios).toEqual({ echo: parse(own).scenarios.echo });
});

const observed = (latencyUs: number, ratio: number): Observed => ({
  latencyUs,
  logRatio: Math.log(ratio),
  rounds: 8,
});

test("a delay is found from what delays came to", () => {
  expect(sizeFor(0.1, [])).toBeNull();
  expect(sizeFor(0.1, [observed(40, 0.99)])).toBeNull();
  expect(sizeFor(0.1, [observed(40, 1.1001)])).toBe(40);
  expect(sizeFor(0.2, [observed(40, 1.1001)])).toBe(80);
  // Between 4 and 24 µs: .09 at 4 and .01 more for each µs.
  expect(sizeFor(0.15, [observed(24, 1.29), observed(4, 1.09)])).toBe(10);
  // Planting alone costs something: what is asked for is reached before the shortest delay, the next µs is taken.
  expect(sizeFor(0.05, [observed(3, 1.09), observed(7, 1.16)])).toBe(2);
  expect(sizeFor(0.01, [observed(3, 1.09)])).toBe(1);
  // Rounds of the same delay are pooled: .12 at 10.
  expect(sizeFor(0.12, [observed(10, 1.1), observed(40, 1.5), observed(10, 1.14)])).toBe(10);
  // A longer delay that seems to come to less is noise: .1 at 15, then .04 for each 5.
  expect(sizeFor(0.14, [observed(10, 1.12), observed(20, 1.08), observed(25, 1.18)])).toBe(20);
  expect(sizeFor(0.1, [observed(5, 0.97), observed(10, 1.13)])).toBe(10);
  expect(nextTrial(0.1, 400, null)).toBe(40);
  expect(nextTrial(0.1, 400, observed(40, 1.2))).toBe(20);
  expect(nextTrial(0.1, 400, observed(40, 1.0))).toBe(120);
});
