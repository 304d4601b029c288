// What of an explanation goes into a gate's report: the cause with what rose, and its functions.
import { expect, test } from "vitest";
import { ExplanationSchema } from "../../src/core/model/samples.ts";
import { briefOf } from "./brief.ts";
import type { Explanation } from "./explanation.ts";

const change = (name: string, before: number, after: number) => ({ name, before, after });

const EXPLANATION: Explanation = {
  cause: { kind: "cpu" },
  also: [],
  share: null,
  unit: "cpu",
  rows: [
    {
      function: `example.com/shop/server.${"long".repeat(100)}`,
      calledBy: "example.com/shop/server.echo",
      within: null,
      before: 1,
      after: 9,
      interval: { low: 7, high: 9 },
      p: 0.001,
      changedHere: [{ file: "echo.go", from: 1, to: 2 }],
    },
    {
      function: "shop::echo::audit",
      calledBy: null,
      within: null,
      before: 0,
      after: 2,
      interval: null,
      p: 0.01,
      changedHere: [],
    },
  ],
  more: 0,
  moved: [],
  calls: [],
  mappings: [change("heap", 100, 300)],
  waits: [],
  latencyUs: change("meanUs", 200, 210),
  cpuMs: change("cpuMs", 150, 160),
  startMs: change("startMs", 20, 90),
  rounds: 12,
  samples: 5000,
};

const CAUSES: readonly [Explanation["cause"], cause: string, before: number, after: number][] = [
  [{ kind: "cpu" }, "cpu", 150, 160],
  [{ kind: "start" }, "start", 20, 90],
  [{ kind: "memory", mapping: "heap" }, "memory", 100, 300],
  [{ kind: "waiting", for: "service" }, "service", 200, 210],
  [{ kind: "waiting", for: "unknown" }, "waiting", 200, 210],
  [{ kind: "nothing" }, "nothing", 200, 210],
];

test.each(CAUSES)("%o", (cause, ...expected) => {
  const brief = briefOf({ ...EXPLANATION, cause });
  expect([brief.cause, brief.before, brief.after]).toEqual(expected);
  expect(ExplanationSchema.parse(brief)).toEqual(brief);
});

test("names are short enough for any artifact, and lines of the change are told of, not listed", () => {
  const { rows } = briefOf(EXPLANATION);
  expect(rows.map((row) => row.changedHere)).toEqual(["yes", "no"]);
  expect(rows[0]?.function).toMatch(/^server\.(long)+/);
  expect(rows[0]?.function.length).toBeLessThanOrEqual(120);
  expect(rows[0]?.calledBy).toBe("server.echo");
  expect(rows[1]).toEqual({
    function: "echo::audit",
    calledBy: null,
    before: 0,
    after: 2,
    changedHere: "no",
  });
});
