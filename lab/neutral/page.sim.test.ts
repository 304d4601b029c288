import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readRuns } from "../evidence/runs.ts";
import { RUNS } from "../evidence/working-copy.ts";
import { renderNeutral } from "./page.ts";

test("the page says what the recorded runs say: node lab/evidence/render.ts", () => {
  expect(renderNeutral(readRuns(RUNS))).toBe(readFileSync("lab/neutral/README.md", "utf8"));
});
