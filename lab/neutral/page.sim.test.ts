import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readRuns } from "../evidence/runs.ts";
import { RUNS } from "../evidence/working-copy.ts";
import { renderNeutral } from "./page.ts";

test.each(["README.md", "docs/method.md", "docs/adr/0032-margins-by-profile.md"])(
  "%s says of how many",
  (page) => {
    const edited = readRuns(RUNS).filter(({ kind }) => kind === "neutral");
    const red = edited.filter(({ verdict }) => verdict.state === "regressed");
    expect(red).toEqual([]);
    const said = new RegExp(`[Oo]f ${edited.length}\\s+\\[edits that change no behaviour\\]`);
    expect(readFileSync(page, "utf8")).toMatch(said);
  },
);

test("the page says what the recorded runs say: node lab/evidence/render.ts", () => {
  expect(renderNeutral(readRuns(RUNS))).toBe(readFileSync("lab/neutral/README.md", "utf8"));
});
