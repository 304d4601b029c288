import { expect, test } from "vitest";
import { judge } from "../../src/core/verdict/judge.ts";
import { identicalArms } from "../../test/support/calibration.ts";
import { varyCpu } from "../../test/support/samples.ts";
import type { StoredRun } from "../evidence/runs.ts";
import { renderNeutral } from "./page.ts";

function gate(seed: number, ratio: number, edit: StoredRun["edit"]): StoredRun {
  const p99Ratio = { "api/echo": ratio };
  const samples = identicalArms({
    rounds: 20,
    noise: 0.02,
    seed,
    p99Ratio,
  });
  const { state, comparisons } = judge({ samples, baselines: [] });
  const red = comparisons.filter((one) => one.level === "gate" && one.state === "regressed");
  return {
    name: `gate-${seed}`,
    kind: edit === undefined ? "aa-calm" : "neutral",
    plant: null,
    ...(edit === undefined ? {} : { edit }),
    disturbance: null,
    commit: "0123456789abcdef",
    minutes: 2,
    exitCode: 0,
    verdict: { state, regressed: red.map(({ id }) => id) },
    load: 0.5,
    samples,
  };
}

const renamed = (name: string) => ({ service: "axum-api", kind: "rename", name });

test("says how to gate edits where none was", () => {
  const page = renderNeutral([gate(1, 1, undefined)]);
  expect(page).toContain("--only neutral");
  expect(page).toContain("None has been gated yet.");
});

test("tells the spread over edits, beside that of equal programs, and names the reds", () => {
  const unsteady = gate(6, 1, renamed("four"));
  varyCpu(unsteady.samples);
  const runs = [
    gate(1, 1, undefined),
    gate(2, 1, undefined),
    gate(3, 1, renamed("one")),
    gate(4, 1.3, renamed("two")),
    // Of these, more is loaded than before.
    { ...gate(5, 1, renamed("three")), kind: "new-scenario" },
    unsteady,
  ];
  const page = renderNeutral(runs);
  const cells = (start: string) =>
    page
      .split("\n")
      .find((line) => line.startsWith(start))
      ?.replaceAll("−", "-")
      .split(" | ")
      .map((cell) => cell.replaceAll("|", "").trim()) ?? [];
  const [question, gates, least, , mid, , most, sd, noise, unchanged, margin, floor, red] = cells(
    "| api/echo p99 typical |",
  );
  expect([question, gates, red]).toEqual(["api/echo p99 typical", "2", "1"]);
  const numbers = [least, mid, most, sd, noise, unchanged].map((cell) =>
    Number.parseFloat(cell ?? ""),
  );
  const [low = 0, middle = 0, high = 0, spread = 0, error = 0, calm = 0] = numbers;
  expect(Math.abs(low)).toBeLessThan(3);
  expect(middle).toBeCloseTo((low + high) / 2, -1);
  expect(high).toBeCloseTo(30, -1);
  // ln 1.3 over √2.
  expect(spread).toBeCloseTo(18.5, -0.5);
  expect(error).toBeLessThan(2);
  expect(calm).toBeLessThan(3);
  expect([margin, floor]).toEqual(["10 %", "5 %"]);
  expect(cells("| a function renamed | axum-api |").slice(2, 6)).toEqual(["3", "2", "1", "0"]);
  expect(page).toContain("- `gate-4`, axum-api rename two: api/echo p99 typical");
  expect(page).toContain("Of all gates: 1 of 3, 33.3 %");
  expect(page).toContain("1 of these gates ran on cores of unsteady speed.");
});
