// Files of the version that wrote sentences where codes are now: what it measured, and what it said
// of it.
import { expect, test } from "vitest";
import { RUN_ENDS, RunEndSchema } from "../../core/model/samples.ts";
import { renderMarkdown } from "../../core/report/gate/markdown.ts";
import { renderTerminal } from "../../core/report/gate/terminal.ts";
import { reportOn } from "../gate/outcome.ts";
import { readReport, readSamples } from "./samples.ts";

const FOLDER = "test/fixtures/documents";

test("how its run ended is known, and what its samples say is the same", () => {
  const samples = readSamples(`${FOLDER}/sentences.samples.v1.json`);
  expect(samples.run).toMatchObject({ state: "complete", ended: "out-of-time" });
  const then = readReport(`${FOLDER}/sentences.report.v1.json`).verdict;
  const now = reportOn(samples, []).verdict;
  expect(now.headline).toBe(then.headline);
  expect(now.reasons).toEqual(then.reasons);
  // Another rule decided then; what was measured is the same.
  const measured = ({ id, candidate, reference, series }: (typeof now.comparisons)[number]) => ({
    ...{ id, candidate, reference, series },
  });
  expect(now.comparisons.map(measured)).toEqual(then.comparisons.map(measured));
});

test("its report is shown in its own words", () => {
  const report = readReport(`${FOLDER}/sentences.report.v1.json`);
  expect(report.verdict.causes).toBeUndefined();
  const words = "api (candidate) exited with code 70 in round 1";
  expect(renderTerminal(report, { width: 200, color: "never" })).toContain(words);
  expect(renderMarkdown(report)).toContain("exited with code 70 in round 1");
});

test.each([
  ["", "running"],
  ["every question is answered", "answered"],
  ["all wanted rounds are measured", "rounds"],
  ["all launches are measured", "launches"],
  ["all planned looks are used", "max-rounds"],
  ["looks", "max-rounds"],
  ["the screen is over", "screened"],
  ["the time budget is used up", "out-of-time"],
  ["stopped by a signal", "interrupted"],
  ["api/echo: 40 of 116 slices are void, mostly by rule lag: 13.8 ms", "failed"],
])("%j was %s", (sentence, code) => {
  expect(RunEndSchema.parse(sentence)).toBe(code);
});

test("what is written now is read as it is", () => {
  for (const end of RUN_ENDS) expect(RunEndSchema.parse(end)).toBe(end);
});
