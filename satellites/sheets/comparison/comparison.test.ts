// What people read of a comparison, as golden files; and foreign names in every medium.
import { expect, test } from "vitest";
import { compareServices } from "../../../src/core/comparison/compare.ts";
import { ServiceComparisonSchema } from "../../../src/core/comparison/model.ts";
import type { Samples } from "../../../src/core/model/samples.ts";
import { renderMarkdownDocument } from "../../../src/core/report/kit/markdown.ts";
import { renderTerminalDocument } from "../../../src/core/report/kit/terminal.ts";
import { displayWidth } from "../../../src/core/text/columns.ts";
import { makeComparisonSamples } from "../../../test/support/comparison.ts";
import { checkGolden, checkGoldenPage } from "../../../test/support/golden.ts";
import { renderPage } from "../../pages/page.ts";
import { comparisonDocument } from "./document.ts";
import { formatRatio, formatRatioInterval } from "./text.ts";
import { describeServices } from "./words.ts";

const HOSTILE = "</script><img src=x>|`$(x)`\u001b[31m\u202e@all";
const CASES = {
  measured: makeComparisonSamples(),
  few: makeComparisonSamples({ rounds: 3, values: { candidate: {}, reference: {} } }),
  invalid: makeComparisonSamples({ crashInRound: 2 }),
  unmeasured: makeComparisonSamples({ omitScenario: "api/hello" }),
  hostile: makeComparisonSamples({
    rounds: 6,
    names: { candidate: HOSTILE, reference: `${HOSTILE}2` },
  }),
};

/** The document is the same as in Markdown: one is kept of each layout. */
const ON_A_TERMINAL = ["measured.80.txt", "invalid.120.txt", "hostile.120.txt"];

function pageOf(samples: Samples): string {
  const record = describeServices(compareServices(samples));
  const document = comparisonDocument(record);
  const { tool } = record;
  return renderPage({ title: document.headline, tool, id: "comparison", record, document });
}

test.each(Object.entries(CASES))("%s: terminal, Markdown, HTML, JSON", async (name, samples) => {
  const comparison = describeServices(compareServices(samples));
  const document = comparisonDocument(comparison);
  expect(ServiceComparisonSchema.parse(comparison)).toEqual(comparison);
  for (const width of [80, 120]) {
    const text = renderTerminalDocument(document, { width, color: "never" });
    expect(text.split("\n").filter((line) => displayWidth(line) > width)).toEqual([]);
    for (const hidden of ["\u001b", "\u202e"]) expect(text).not.toContain(hidden);
    const file = `${name}.${width}.txt`;
    if (ON_A_TERMINAL.includes(file)) await checkGolden(`comparison/${file}`, text);
  }
  await checkGolden(`comparison/${name}.md`, renderMarkdownDocument(document));
  const html = pageOf(samples);
  expect(html).not.toMatch(/<img|https?:\/\//);
  expect(html.match(/<\/script>/g)).toHaveLength(1);
});

test("the page", async () => {
  await checkGoldenPage("comparison/few.html", pageOf(CASES.few));
});

test.each([
  { log: Math.log(0.7414), says: "0.741" },
  { log: 0, says: "1.000" },
  { log: Math.log(12.34), says: "12.3" },
  { log: Math.log(0.00342), says: "0.00342" },
  { log: Math.log(345.4), says: "345" },
  { log: null, says: "–" },
])("ratio $says", ({ log, says }) => {
  expect(formatRatio(log)).toBe(says);
});

test.each([
  { low: 0, high: 0, says: "[1.000, 1.000]" },
  { low: Math.log(0.7119), high: Math.log(0.7731), says: "[0.711, 0.774]" },
  { low: null, high: Math.log(2), says: "[0, 2.000]" },
  { low: null, high: null, says: "–" },
])("interval $says is rounded outwards", ({ low, high, says }) => {
  expect(formatRatioInterval({ interval: { low, high, level: 0.95 } })).toBe(says);
});
