// The page on a telephone, in a real Chromium: what the gated table says is there to read, the
// plots' words are large enough, and nothing is pushed out of sight.
import { beforeEach, expect, test } from "vitest";
import { Browser, HAS_CHROMIUM } from "../../test/support/chromium.ts";
import { REPORT_CASES } from "../../test/support/report-cases.ts";
import { renderReportPage } from "./report.ts";

const WIDTH = 400;
/** Smaller than this is not read. */
const LEAST_FONT_PX = 11;

interface Seen {
  /** Of the whole page, in CSS pixels. */
  scrollWidth: number;
  /** Of the gated table's rows, what each cell says under which label, if it can be seen. */
  rows: { label: string; text: string; isSeen: boolean }[][];
  /** Of every word in a plot, as it is painted. */
  fonts: { text: string; px: number }[];
  text: string;
}

/** Evaluated from outside: the page itself admits no script. */
const LOOK = `(() => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  const isSeen = (element) => {
    const { left, right, height } = element.getBoundingClientRect();
    return left >= 0 && right <= ${WIDTH} + 0.5 && right > left && height > 0;
  };
  const table = [...document.querySelectorAll("section")]
    .find((section) => section.querySelector("h2")?.textContent === "Gated metrics")
    ?.querySelector("table");
  const rows = [...(table?.querySelectorAll("tbody tr:not(.subject)") ?? [])].map((row) =>
    [...row.cells].map((cell) => ({
      label: cell.dataset.label ?? "",
      text: cell.textContent,
      isSeen: isSeen(cell),
    })),
  );
  const fonts = [...document.querySelectorAll("figure svg text")].map((text) => {
    const { a, b } = text.getScreenCTM();
    // Titles of axes are turned.
    return { text: text.textContent, px: parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b) };
  });
  return { scrollWidth: document.documentElement.scrollWidth, rows, fonts, text: document.body.innerText };
})()`;

async function look(name: string): Promise<Seen> {
  const make = REPORT_CASES[name];
  if (make === undefined) throw new Error(`no case ${name}`);
  await using browser = new Browser();
  const page = await browser.open(renderReportPage(make()), { width: WIDTH });
  return await page.evaluate<Seen>(LOOK);
}

const NAMES = ["regressed-p99", "inconclusive", "unicode"];

beforeEach((context) => {
  if (!HAS_CHROMIUM) context.skip("chromium not on PATH");
});

test.each(NAMES)("%s at 400 px", async (name) => {
  const { scrollWidth, rows, fonts, text } = await look(name);
  expect(scrollWidth).toBeLessThanOrEqual(WIDTH);

  expect(rows.length).toBeGreaterThan(0);
  for (const cells of rows) {
    const labels = cells.map(({ label }) => label);
    expect(labels).toEqual(
      expect.arrayContaining(["before → after", "change", "limit", "MDE", "n"]),
    );
    expect(labels.some((label) => /interval$/.test(label))).toBe(true);
    expect(cells.filter(({ isSeen, text }) => !isSeen && text !== "")).toEqual([]);
  }
  expect(text).toMatch(/limit: what is proven worse fails/);

  expect(fonts.length).toBeGreaterThan(20);
  expect(fonts.filter(({ px }) => px < LEAST_FONT_PX)).toEqual([]);
});
