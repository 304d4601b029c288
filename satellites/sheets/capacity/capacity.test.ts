// What a person reads of a capacity, as golden files, and what holds for all of them.
import { expect, test } from "vitest";
import { type CapacityResult, CapacityResultSchema } from "../../../src/core/capacity/model.ts";
import { summarizeCapacity } from "../../../src/core/capacity/result.ts";
import { renderMarkdownDocument } from "../../../src/core/report/kit/markdown.ts";
import {
  renderTerminalDocument,
  type TerminalOptions,
} from "../../../src/core/report/kit/terminal.ts";
import { displayWidth } from "../../../src/core/text/columns.ts";
import { type CapacityRecipe, makeCapacitySamples } from "../../../test/support/capacity.ts";
import { checkGolden, checkGoldenPage } from "../../../test/support/golden.ts";
import { renderPage } from "../../pages/page.ts";
import { capacityDocument } from "./document.ts";
import { describeCapacity } from "./words.ts";

const CASES: Readonly<Record<string, CapacityRecipe>> = {
  found: {},
  "two-launches": { launches: 2 },
  generator: { generatorLimitRps: 300 },
  disturbed: { disturbed: true, launches: 2 },
  below: { capacityRps: 3, launches: 2 },
  crash: { crashInLaunch: 2, launches: 6 },
  failed: { crashInLaunch: 0, launches: 1 },
  costs: {
    launches: 2,
    cost: { requestsPerDay: [5e7, 123_456_789], peakFactor: 5, coresPerHost: 0.5, hostPrice: 12.5 },
  },
  hostile: {
    launches: 1,
    crashInLaunch: 0,
    scenario: { id: "api/<script>alert(1)</script>|`x`\u001b[31m", connections: 3 },
  },
};

const resultOf = (name: string) =>
  describeCapacity(summarizeCapacity(makeCapacitySamples(CASES[name])));

const terminalOf = (result: CapacityResult, options: TerminalOptions) =>
  renderTerminalDocument(capacityDocument(result), { details: true, ...options });

function pageOf(record: CapacityResult): string {
  const document = capacityDocument(record);
  const { tool } = record;
  return renderPage({ title: document.headline, tool, id: "capacity", record, document });
}

/** The document is the same in both: one is kept of a capacity that was found, and of one that was not. */
const ON_A_TERMINAL = ["found", "crash"];

test.each(Object.keys(CASES))("%s", async (name) => {
  const result = resultOf(name);
  await checkGolden(`capacity/${name}.md`, renderMarkdownDocument(capacityDocument(result)));
  const terminal = terminalOf(result, { width: 100, color: "never" });
  if (ON_A_TERMINAL.includes(name)) await checkGolden(`capacity/${name}.txt`, terminal);
  for (const line of terminal.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(100);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
  expect(terminal).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});

test.each([
  ["found", "✓ FOUND  "],
  ["generator", "≥ AT LEAST  "],
  ["below", "< BELOW  "],
  ["failed", "! INVALID  "],
])("%s has a sign and a word of its own", (name, head) => {
  const terminal = terminalOf(resultOf(name), { width: 100, color: "never" });
  expect(terminal.slice(0, head.length)).toBe(head);
});

test("the page of a capacity", async () => {
  const page = pageOf(resultOf("two-launches"));
  await checkGoldenPage("capacity/two-launches.html", page);
});

test.each(Object.keys(CASES))("%s: the page loads nothing and carries its record", (name) => {
  const page = pageOf(resultOf(name));
  const json = /<script type="application\/json" id="capacity">([^<]*)<\/script>/.exec(page)?.[1];
  expect(CapacityResultSchema.parse(JSON.parse(json ?? ""))).toEqual(resultOf(name));
  const skeleton = page
    .replace(/<script [^>]*>[^<]*<\/script>/, "")
    .replace(/<style>[^<]*<\/style>/, "");
  expect(skeleton).not.toMatch(/NaN|Infinity|undefined|null|<script|src=|href=|style=| on\w+="/);
  expect(page.slice(0, 400)).toContain("default-src &#39;none&#39;");
});

test("every dot of the curve is drawn, and the objective named", () => {
  const result = resultOf("found");
  const page = pageOf(result);
  expect(page.match(/<(circle|rect) class="point/g)).toHaveLength(2 * result.curve.length);
  expect(page).toContain("objective: p99 20 ms");
  expect(page).toMatch(/<figcaption>Look [^<]{30,}\.<\/figcaption>/);
});

test("colour changes nothing but colour", () => {
  const result = resultOf("found");
  const painted = terminalOf(result, { width: 100, color: "always" });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours are the point
  expect(painted.replace(/\u001b\[[0-9;]*m/g, "")).toBe(
    terminalOf(result, { width: 100, color: "never" }),
  );
});
