// What the page of a long history costs: five years of nights of 40 series, made, and opened in
// Chromium. The yardstick is a page of one night in the same browser.
//
//   node lab/bench/history-page.ts
//
// Exits 1 when it takes more than two seconds to open.
import { readTrend } from "../../src/app/history/trend.ts";
import { median } from "../../src/core/stats/dispersion.ts";
import { satellites } from "../../src/entry/satellites.ts";
import { Browser } from "../../test/support/chromium.ts";
import { trendOf } from "../../test/support/trend.ts";

const NIGHTS = 5 * 365;
const SERIES = Array.from({ length: 40 }, (_, i) => `api/s${i}/p99`);
const OPENINGS = 9;
const MOST_MS = 2000;

const means = { satellites, workingFolder: import.meta.dirname };

const started = performance.now();
const steps = Object.fromEntries(SERIES.map((id, i) => [id, { night: 40 * i, size: 0.05 }]));
const records = trendOf({ nights: NIGHTS, series: SERIES, steps, releaseAt: 900 });
const read = performance.now();
const trend = await readTrend(records, null, means);
const found = performance.now();
const { renderHistoryPage } = await satellites.pages();
const page = renderHistoryPage(trend, "tailgate");
const made = performance.now();
const one = await readTrend(records.slice(0, 1), null, means);
const small = renderHistoryPage(one, "tailgate");
console.log(
  `${records.length} records made in ${(read - started).toFixed(0)} ms; changes found in ${(found - read).toFixed(0)} ms, page of ${(page.length / 1e6).toFixed(2)} MB made in ${(made - found).toFixed(0)} ms`,
);

await using browser = new Browser();
const openings = { page: [] as number[], small: [] as number[] };
for (let i = 0; i < OPENINGS; i++) {
  openings.page.push(await timeToFrame(page));
  openings.small.push(await timeToFrame(small));
}
const [whole, least] = [median(openings.page), median(openings.small)];
console.log(
  `opened in ${whole.toFixed(0)} ms (the slowest ${Math.max(...openings.page).toFixed(0)}), a page of one night in ${least.toFixed(0)} ms: ratio ${(whole / least).toFixed(1)} (medians of ${OPENINGS})`,
);
process.exitCode = whole > MOST_MS ? 1 : 0;

/** From the start of its loading to a frame with every chart, in milliseconds. */
async function timeToFrame(html: string): Promise<number> {
  const opened = await browser.open(html, { width: 1180 });
  return await opened.evaluate<number>(
    "new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))))",
  );
}
