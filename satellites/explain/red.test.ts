// Which load an explanation of a red verdict is sought under, and what of a gate it is to account for.
import { expect, test } from "vitest";
import { makeReport } from "../../test/support/report.ts";
import { asksForMemory, chooseRed, gateChangesOf } from "./red.ts";

type Changes = NonNullable<Parameters<typeof makeReport>[0]>["changes"];

const report = (changes: Changes) => makeReport({ state: "regressed", changes });
const red = (shift: number) => ({ state: "regressed" as const, shift });

const CASES: Readonly<Record<string, [changes: Changes, chosen: ReturnType<typeof chooseRed>]>> = {
  "the scenario with the largest change": [
    { "gin-api/echo p99 typical": red(0.2), "axum-api/process p99 typical": red(0.4) },
    { service: "axum-api", scenario: "process" },
  ],
  "a scenario before a service, whose first scenario need not be it": [
    { "gin-api rss": red(0.9), "gin-api/process p99 typical": red(0.2) },
    { service: "gin-api", scenario: "process" },
  ],
  "of a service alone the scenario that changed most, though it is not red": [
    { "gin-api rss": red(0.1), "gin-api/process p99 pooled": { shift: 0.5 } },
    { service: "gin-api", scenario: "process" },
  ],
  "nothing where nothing is red": [{}, null],
};

test.each(Object.entries(CASES))("%s", (_, [changes, chosen]) => {
  expect(chooseRed(report(changes))).toEqual(chosen);
});

test("a limit of its own, or stored values, are no other build", () => {
  for (const against of ["limit", "stored"] as const) {
    const found = report({ "gin-api/echo p99 typical": red(0.2) });
    for (const one of found.verdict.comparisons) one.against = against;
    expect(chooseRed(found)).toBeNull();
  }
});

test("what is only watched made nothing red", () => {
  const found = report({ "gin-api/echo p99 typical": red(0.2) });
  for (const one of found.verdict.comparisons) one.level = "warn";
  expect(chooseRed(found)).toBeNull();
});

test("what no profile shows is not looked for", () => {
  const found = report({ "gin-api/echo p99 typical": red(0.2) });
  for (const one of found.verdict.comparisons) if (one.state === "regressed") one.metric = "fds";
  expect(chooseRed(found)).toBeNull();
});

const BUILT = report({ "gin-api/echo p99 typical": red(0.2), "axum-api rss": red(0.2) });
const keys = BUILT.artifacts.map(({ key }) => key);

test("changes are of the scenario and its service alone", () => {
  const changes = gateChangesOf({ report: BUILT, keys, scenario: "gin-api/echo" });
  expect(changes.filter((one) => one.red)).toEqual([
    expect.objectContaining({ kind: "latency", red: true }),
  ]);
  expect(new Set(changes.map(({ kind }) => kind))).toEqual(
    new Set(["latency", "cpu", "memory", "start"]),
  );
});

test("a report of other builds, or none, says nothing of these", () => {
  const scenario = "gin-api/echo";
  expect(gateChangesOf({ report: BUILT, keys: [...keys, "other"], scenario })).toEqual([]);
  expect(gateChangesOf({ report: null, keys, scenario })).toEqual([]);
});

test("memory is asked for where it is red, or nothing is", () => {
  const change = (kind: "latency" | "memory", red: boolean) => ({
    kind,
    reference: 1,
    candidate: 2,
    red,
  });
  expect(asksForMemory([])).toBe(true);
  expect(asksForMemory([change("latency", false)])).toBe(true);
  expect(asksForMemory([change("latency", true), change("memory", true)])).toBe(true);
  expect(asksForMemory([change("latency", true), change("memory", false)])).toBe(false);
});
