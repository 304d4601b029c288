import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { KINDS, plantsOf } from "../../scripts/evidence/kinds.ts";
import { chooseTask, doneOf, fitInto, readPlan } from "../../scripts/evidence/plan.ts";
import { nextTrial, type Observed, sizeFor } from "../../scripts/evidence/size.ts";
import { withFaults } from "../../scripts/evidence/working-copy.ts";
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
  expect(chooseTask(plan, { poolRounds, gates }, 8)).toEqual(expected);
});

test.each([
  ["a gate may take its whole time budget", 17, [], { kind: "gate", gate: "aa", nth: 0 }],
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
  expect(() => chooseTask({ ...plan, gates: { p98: 1 } }, { poolRounds: 0, gates: {} }, 8)).toThrow(
    "p98",
  );
});

test("the repository's plan is one", () => {
  const own = readPlan("docs/evidence");
  expect(Object.keys(own.gates).sort()).toEqual(Object.keys(KINDS).sort());
  expect(chooseTask(own, { poolRounds: 0, gates: {} }, 8)).toEqual({
    kind: "gate",
    gate: "aa",
    nth: 0,
  });
});

test("invalid gates are measured again", () => {
  const runs = fewRuns();
  expect(doneOf(runs, 40).gates).toEqual({ aa: 2, "p99+10": 1 });
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
  ["aa", 0, []],
  ["p99+10", 0, ["a: route=/echo,latency_us=10", "b: keep_bytes=500000"]],
  ["p99+10", 1, ["b: route=/echo,latency_us=20", "a: keep_bytes=200000"]],
  ["p99+5", 2, ["a: route=/echo,latency_us=5", "b: start_delay_ms=100"]],
  [
    "tail-and-leak",
    0,
    ["a: route=/echo,slow_one_in=20,slow_us=200", "b: keep_bytes_per_request=100"],
  ],
  [
    "stalls-and-heap",
    1,
    ["b: route=/echo,stall_every_ms=1000,stall_us=40000", "a: keep_bytes=400000"],
  ],
] as const)("%s, gate %d: plants in two services, which change places", (kind, nth, expected) => {
  const plants = plantsOf(kind, nth, ["a", "b"], context);
  expect(plants.map(({ service, faults }) => `${service}: ${faults}`)).toEqual(expected);
});

test("a fault goes into the environment of its service alone", () => {
  const text = readFileSync("tailgate.yml", "utf8");
  const changed = withFaults(text, "gin-api", "keep_bytes=7");
  const added = changed.split("\n").filter((line) => !text.split("\n").includes(line));
  expect(added).toEqual([
    '    env: { TAILGATE_FAULTS: "keep_bytes=7", ADDR: "127.0.0.1:{port}", GOMAXPROCS: 1 }',
  ]);
  expect(() => withFaults(text, "nobody", "")).toThrow("nobody");
});

const observed = (latencyUs: number, ratio: number): Observed => ({
  latencyUs,
  logRatio: Math.log(ratio),
  rounds: 8,
});

test("a delay is found from what delays came to", () => {
  expect(sizeFor(0.1, [])).toBeNull();
  expect(sizeFor(0.1, [observed(40, 0.99)])).toBeNull();
  expect(sizeFor(0.1, [observed(40, 1.1)])).toBe(40);
  expect(sizeFor(0.2, [observed(40, 1.1)])).toBe(80);
  // .002 and .003 more per µs, the larger delay counting four times as much: .0028.
  expect(sizeFor(0.28, [observed(10, 1.02), observed(20, 1.06)])).toBe(100);
  expect(nextTrial(0.1, 400, null)).toBe(40);
  expect(nextTrial(0.1, 400, observed(40, 1.2))).toBe(20);
  expect(nextTrial(0.1, 400, observed(40, 1.0))).toBe(120);
});
