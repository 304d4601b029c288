import { expect, test } from "vitest";
import type { Tested } from "./max-t.ts";
import { findNew, sourceOf } from "./moved.ts";

const tested = (name: string, reference: number, difference: number): Tested => ({
  ...{ name, reference, candidate: reference + difference, difference },
  ...{ p: 1, isMore: false, isLess: false, interval: null },
});

/** By name: own CPU as before and by how much it rose, and the same with what is called. */
type Costs = Readonly<Record<string, readonly [number, number]>>;

const BELOW: Readonly<Record<string, string[]>> = {
  inner: ["outer", "echo", "main"],
  outer: ["echo", "main"],
  stamp: ["echo", "main"],
  hash: ["echo", "main"],
  echo: ["main"],
};

function newOf(
  rises: Readonly<Record<string, number>>,
  own: Costs,
  inclusive: Costs,
  ofAll = 0,
  seen = 1,
) {
  const all = (costs: Costs): Tested[] =>
    Object.entries(costs).map(([name, [before, rise]]) => tested(name, before, rise));
  const above = (name: string) => new Map((BELOW[name] ?? []).map((one) => [one, seen]));
  const found = findNew(
    Object.entries(rises).map(([name, ms]) => ({ function: name, ms, around: above(name) })),
    { own: all(own), inclusive: all(inclusive), ofAll, above },
  );
  return [...found].map((one) => one.function);
}

test("what is around a rise must have risen by half of it, as measured and as its parts say", () => {
  const check = (echo: number, fell: number, expected: string[]) => {
    const own: Costs = { stamp: [0, 10], echo: [30, fell] };
    const inclusive: Costs = { stamp: [0, 10], echo: [100, echo], main: [150, echo] };
    expect(newOf({ stamp: 10 }, own, inclusive)).toEqual(expected);
  };
  check(10, 0, ["stamp"]);
  check(5, -5, ["stamp"]);
  check(4, 0, []);
  check(10, -6, []);
  check(0, -10, []);
});

test("a caller that is new itself moved nothing: what is around it decides", () => {
  const own: Costs = { inner: [0, 10], outer: [0, 1], echo: [30, -1] };
  const inclusive = (echo: number): Costs => ({
    inner: [0, 10],
    outer: [0, 11],
    echo: [100, echo],
  });
  expect(newOf({ inner: 10 }, own, inclusive(10))).toEqual(["inner"]);
  expect(newOf({ inner: 10 }, own, inclusive(0))).toEqual([]);
});

test("where stacks are cut, what is around rises by the rest", () => {
  const inclusive: Costs = { echo: [100, 4] };
  expect(newOf({ stamp: 10 }, { stamp: [0, 10] }, inclusive, 0, 0.4)).toEqual(["stamp"]);
  expect(newOf({ stamp: 10 }, { stamp: [0, 10] }, inclusive, 0, 1)).toEqual([]);
});

test("of several rises those are new that add up to what is around them", () => {
  const inclusive = (echo: number): Costs => ({ echo: [100, echo] });
  const rises = { stamp: 24, hash: 12 };
  expect(newOf(rises, { echo: [30, -24] }, inclusive(12))).toEqual(["hash"]);
  expect(newOf(rises, { echo: [30, -12] }, inclusive(24))).toEqual(["stamp"]);
  expect(newOf(rises, { echo: [30, 0] }, inclusive(36))).toEqual(["stamp", "hash"]);
  // Its own rise is no part of what its callees may hold.
  expect(newOf({ echo: 20, stamp: 12 }, { echo: [30, 20] }, inclusive(20), 20)).toEqual(["echo"]);
});

test("what is new further in is held against what is around it too", () => {
  const fell: Costs = { echo: [50, -4], hash: [20, -4] };
  const own: Costs = { inner: [0, 10], stamp: [0, 10], outer: [30, 0], ...fell };
  const inclusive: Costs = { outer: [40, 10], echo: [100, 10] };
  expect(newOf({ stamp: 10, inner: 10 }, own, inclusive)).toEqual(["inner"]);
});

test("where nothing is around, all own CPU decides, and for what is not own, all", () => {
  expect(newOf({ main: 10 }, { main: [5, 10], other: [40, -10] }, {}, 10)).toEqual([]);
  expect(newOf({ main: 10 }, { main: [5, 10] }, {}, 0)).toEqual(["main"]);
  expect(newOf({ gc: 10 }, { main: [5, 0] }, {}, 9)).toEqual(["gc"]);
  expect(newOf({ gc: 10 }, { main: [5, 0] }, {}, 1)).toEqual([]);
});

test("code moved from where as much went away, or from what is around it", () => {
  const one = { function: "stamp", ms: 10, around: new Map([["echo", 1]]) };
  expect(sourceOf(one, [tested("main", 50, -8), tested("echo", 50, -2)])).toBe("main");
  expect(sourceOf(one, [tested("main", 50, -5)])).toBe("main");
  expect(sourceOf(one, [tested("main", 50, -2)])).toBe("echo");
  expect(sourceOf({ ...one, around: new Map() }, [])).toBe(null);
});
