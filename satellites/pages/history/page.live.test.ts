// The page of a history in a real browser: with keys, with a pointer, without its script, on a narrow
// screen, and for whoever cannot see it.
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readTrend } from "../../../src/app/history/trend.ts";
import { satellites } from "../../../src/entry/satellites.ts";
import {
  Browser,
  HAS_CHROMIUM,
  type Page,
  type PageOptions,
} from "../../../test/support/chromium.ts";
import { SERIES } from "../../../test/support/history.ts";
import { trendOf } from "../../../test/support/trend.ts";
import { renderHistoryPage } from "./page.ts";

/** axe.min.js of axe-core; see .ci/run. */
const AXE = process.env.TAILGATE_AXE ?? "";
const RSS = SERIES.at(-1) ?? "";
const LEAST_FONT_PX = 11;

const recordsWith = (newKernelAt: number) =>
  trendOf({
    nights: 80,
    steps: { [RSS]: { night: 30, size: 0.08 } },
    releaseAt: 60,
    newKernelAt,
  });
const records = recordsWith(10);
const means = { satellites, workingFolder: import.meta.dirname };
const pageOf = async (history: typeof records) =>
  renderHistoryPage(await readTrend(history, null, means), "tailgate 0.1.0");
const html = await pageOf(records);

let browser: Browser;
beforeAll(() => {
  if (HAS_CHROMIUM) browser = new Browser();
});
afterAll(async () => {
  if (HAS_CHROMIUM) await browser[Symbol.asyncDispose]();
});
beforeEach((context) => {
  if (!HAS_CHROMIUM) context.skip("chromium not on PATH");
});
const open = async (options: Partial<PageOptions> = {}): Promise<Page> =>
  await browser.open(html, { width: 1180, ...options });

const hash = (page: Page) =>
  page.evaluate<string>("decodeURIComponent(location.hash).replaceAll('+', ' ')");
const ticks = (page: Page) =>
  page.evaluate<string[]>(
    "[...document.querySelectorAll('#s0 .chart > svg > .tick')].map((t) => t.textContent)",
  );
const spoken = (page: Page) =>
  page.evaluate<string>("document.activeElement.getAttribute('aria-valuetext') ?? ''");
const toFirstChart = async (page: Page) => {
  await page.evaluate("document.querySelector('#all').focus()");
  await page.press("Tab");
};

test.each([
  [10, ["machine", "release"]],
  [60, ["release, machine"]],
  [61, ["release, machine"]],
])("words of marks do not overlap, with a new kernel in night %i", async (night, words) => {
  const page = await browser.open(await pageOf(recordsWith(night)), { width: 1180 });
  const marks = await page.evaluate<string[][]>(
    "[...document.querySelectorAll('#s0 .chart > svg > .tick > title')].map((title) => [title.parentNode.firstChild.data, ...title.textContent.split('\\n')])",
  );
  expect(marks.map(([text]) => text)).toEqual(words);
  expect(marks.flatMap(([, ...texts]) => texts)).toHaveLength(2);
});

test("runs stand at equal distances, however long nothing ran, and a change is a step", async () => {
  const page = await browser.open(await pageOf(records.filter((_, i) => i < 40 || i > 55)), {
    width: 1180,
  });
  const drawn = await page.evaluate<{ dots: string; levels: string[][] }>(
    "({ dots: document.querySelector('#s0 .points').getAttribute('d'), levels: [...document.querySelectorAll('#s0 .level')].map((l) => ['x1', 'x2', 'y1'].map((name) => l.getAttribute(name))) })",
  );
  const places = [...drawn.dots.matchAll(/M([\d.]+)/g)].map(([, x]) => Number(x));
  const steps = places.slice(1).map((x, i) => x - (places[i] ?? 0));
  expect(Math.max(...steps) - Math.min(...steps)).toBeLessThan(0.3);
  const [before = [], after = [], ...others] = drawn.levels.map((level) => level.map(Number));
  expect(others).toEqual([]);
  expect(before[1]).toBe(after[0]);
  expect((before[2] ?? 0) - (after[2] ?? 0)).toBeGreaterThan(50);
});

test("arrow keys walk the points, and each is told with its commits and its run", async () => {
  const page = await open();
  await toFirstChart(page);
  expect(await spoken(page)).toMatch(/^2026-03-21: \+\d\.\d % \[.*\] %$/);
  for (let i = 0; i < 49; i++) await page.press("ArrowLeft");
  expect(await spoken(page)).toMatch(/^2026-01-31: .*; change of level: \+8\.\d % \[.*\] % in /);
  const links = await page.evaluate<string[]>(
    "[...document.querySelectorAll('#s0 .readout a')].map((a) => a.href)",
  );
  expect(links).toEqual([
    `https://github.com/acme/shop/compare/${records[29]?.commit.sha}...${records[30]?.commit.sha}`,
    "https://github.com/acme/shop/actions/runs/1030",
  ]);
});

test("of a change that nothing bounds this is told", async () => {
  const [last, ...others] = trendOf({ nights: 12 }).reverse();
  if (last === undefined) throw new Error("no night");
  for (const { ratio } of Object.values(last.series)) {
    if (ratio !== null) Object.assign(ratio, { low: null, high: null });
  }
  const page = await browser.open(await pageOf([...others.reverse(), last]), { width: 1180 });
  await toFirstChart(page);
  expect(await spoken(page)).toMatch(/^2026-01-12: \S+ % \(no bound yet\)$/);
});

test("keys zoom around the point, and the address brings the same view back", async () => {
  const page = await open();
  const whole = await ticks(page);
  await toFirstChart(page);
  for (let i = 0; i < 49; i++) await page.press("ArrowLeft");
  await page.press("+");
  await page.press("+");
  const state = await hash(page);
  expect(state).toMatch(
    /^#from=2026-01-\d\dT.*&to=2026-02-\d\dT.*&series=api RSS after load&at=2026-01-31/,
  );
  const zoomed = await ticks(page);
  expect(zoomed).not.toEqual(whole);
  const again = await open({ fragment: await page.evaluate<string>("location.hash") });
  expect(await ticks(again)).toEqual(zoomed);
  expect(await hash(again)).toBe(state);
  expect(await again.evaluate("document.querySelector('#s0 .readout').textContent")).toMatch(
    /^2026-01-31/,
  );
  await page.press("0");
  expect(await ticks(page)).toEqual(whole);
  expect(await hash(page)).not.toContain("from=");
});

test("dragging zooms every chart, a click chooses a point", async () => {
  const page = await open();
  const box = await page.evaluate<{ x: number; y: number; width: number }>(
    "(() => { const b = document.querySelector('#s1 .chart'); b.scrollIntoView({ block: 'center' }); return b.getBoundingClientRect().toJSON(); })()",
  );
  const at = (share: number) => ({ x: box.x + 56 + share * (box.width - 64), y: box.y + 90 });
  const whole = await ticks(page);
  await page.drag(at(0.5), at(0.25));
  const state = await hash(page);
  expect(state).toMatch(/^#from=2026-01-2\dT.*&to=2026-02-\d\d/);
  expect(await ticks(page)).not.toEqual(whole);
  await page.drag(at(0.5));
  expect(await hash(page)).toContain("series=");
  await page.evaluate("document.querySelector('#all').click()");
  expect(await ticks(page)).toEqual(whole);
});

test.each([
  { axis: "zero", has: "−100 %" },
  { axis: "log", has: "0 %" },
  { axis: "units", has: "320 B" },
  { axis: "nonsense", has: "0 %" },
])("the axis $axis", async ({ axis, has }) => {
  const page = await open({ fragment: `#axis=${axis}` });
  expect(await ticks(page)).toContain(has);
  expect((await ticks(page)).includes("−100 %")).toBe(axis === "zero");
});

test("a table says what its chart shows, as the page had it before", async () => {
  const page = await open();
  const rows =
    "[...document.querySelectorAll('#s0 tbody tr')].map((r) => [...r.cells].map((c) => [c.textContent, c.dataset.label, c.querySelector('a')?.href]))";
  const before = await (await open({ scripts: false })).evaluate<unknown[]>(rows);
  // The page fills the table at the same event, and listened first.
  await page.evaluate(
    "new Promise((resolve) => { const rows = document.querySelector('#s0 details'); rows.addEventListener('toggle', resolve); rows.open = true; })",
  );
  const after = await page.evaluate<unknown[]>(rows);
  expect([before.length, after.length]).toEqual([60, 80]);
  expect(after.slice(0, 60)).toEqual(before);
});

test.each([
  { width: 400, scheme: "light", scripts: true },
  { width: 400, scheme: "dark", scripts: false },
  { width: 1180, scheme: "dark", scripts: true },
] as const)("$width px, $scheme, scripts: $scripts: it fits, and can be read", async (options) => {
  const page = await open(options);
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
  const fonts = await page.evaluate<number[]>(
    "[...document.querySelectorAll('body *')].filter((e) => e.textContent !== '' && e.getClientRects().length > 0).map((e) => parseFloat(getComputedStyle(e).fontSize))",
  );
  expect(Math.min(...fonts)).toBeGreaterThanOrEqual(LEAST_FONT_PX);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(
    options.width,
  );
  expect(await page.evaluate("document.querySelectorAll('.chart > svg').length")).toBe(
    options.scripts ? SERIES.length : 0,
  );
});

describe("axe", () => {
  beforeEach((context) => {
    if (!existsSync(AXE)) context.skip("axe-core not in TAILGATE_AXE");
  });

  test.each([
    { width: 1180, scheme: "light" },
    { width: 1180, scheme: "dark" },
    { width: 400, scheme: "light" },
  ] as const)("finds nothing: $width px, $scheme", async (options) => {
    const page = await open(options);
    await toFirstChart(page);
    await page.evaluate("document.querySelector('#s0 details').open = true");
    await page.evaluate(readFileSync(AXE, "utf8"));
    const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      "axe.run()",
    );
    expect(found.violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
  });
});
