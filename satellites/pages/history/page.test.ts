import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { seriesChanges } from "../../../src/core/history/changes.ts";
import type { HistoryRecord, Note, Trend } from "../../../src/core/model/history.ts";
import { checkGolden, checkGoldenPage } from "../../../test/support/golden.ts";
import { SERIES } from "../../../test/support/history.ts";
import { HOSTILE_TEXTS } from "../../../test/support/hostile-text.ts";
import { type TrendRecipe, trendOf } from "../../../test/support/trend.ts";
import { type ChartMark, pageData } from "./data.ts";
import { renderHistory, renderHistoryPage } from "./page.ts";

const [P99 = "", RSS = ""] = [SERIES[1], SERIES.at(-1)];
const SMALL: TrendRecipe = {
  nights: 40,
  series: [P99, RSS],
  steps: { [RSS]: { night: 12, size: 0.08 }, [P99]: { night: 20, size: -0.06 } },
  releaseAt: 30,
  newKernelAt: 5,
  waivedAt: 16,
};
const NOTES: Note[] = [{ at: "2026-01-07T00:00:00.000Z", text: "moved to another region" }];

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64");
const historyOf = (records: readonly HistoryRecord[], notes = NOTES): Trend => ({
  records,
  series: seriesChanges(records),
  notes,
});
const pageOf = (records: readonly HistoryRecord[], notes = NOTES): string =>
  renderHistoryPage(historyOf(records, notes), "tailgate 0.1.0");
const small = pageOf(trendOf(SMALL));
const scriptOf = (page: string): string => /<script>([\s\S]*?)<\/script>/.exec(page)?.[1] ?? "";
const dataOf = (page: string): string => /id="history">([^<]*)</.exec(page)?.[1] ?? "";
/** What is there for whoever runs no script. */
const skeletonOf = (page: string): string =>
  page
    .replace(/<style>[^<]*<\/style>/, "")
    .replaceAll(/<script[^>]*>[\s\S]*?<\/script>/g, "")
    .replace(/sha256-[^&]*/, "sha256-…");

test("golden: without its script", async () => {
  await checkGoldenPage("history/small.html", skeletonOf(small));
});

test("golden: in the terminal", async () => {
  const options = { width: 120, color: "never", details: true } as const;
  const text = renderHistory(historyOf(trendOf(SMALL)), options);
  await checkGolden("history/small.txt", text);
});

test("a limit stands beside what it is of", () => {
  const records = structuredClone(trendOf(SMALL));
  Object.assign(records.at(-1)?.series[RSS] ?? {}, {
    candidate: 18.5 * 1024 ** 2,
    max: 20 * 1024 ** 2,
  });
  const text = renderHistory(historyOf(records), { width: 160, color: "never", details: true });
  expect(text).toMatch(/of its limit/);
  expect(text).toMatch(/api RSS after load .* 18\.5 MiB of 20 MiB /);
});

test("what 0 % is, is the median of the anchor's values", () => {
  const records = structuredClone(trendOf({ nights: 4, series: [RSS] }));
  for (const [i, mib] of [10, 40, 20, 30].entries())
    Object.assign(records[i]?.series[RSS] ?? {}, { anchor: mib * 1024 ** 2 });
  expect(pageOf(records)).toMatch(/0 % is [^<]*, about 25\.0 MiB</);
});

test("where nothing has changed, the headline says so", () => {
  const page = pageOf(trendOf({ nights: 20, series: [P99] }));
  expect(page).toContain("<h1>no change found</h1>");
  expect(page).toContain("<p>1 metric over 20 runs, from 2026-01-01 to 2026-01-20.</p>");
});

test("an empty history is a page that says so", () => {
  expect(skeletonOf(pageOf([], []))).toContain("the history has no run yet");
});

test("only the page's own script may run, and nothing may be loaded", () => {
  const script = scriptOf(small);
  expect(small).toContain(`script-src &#39;sha256-${sha256(script)}&#39;`);
  expect(small.match(/<script[ >]/g)).toHaveLength(2);
  expect(script).not.toContain("</");
  expect(script).not.toMatch(/\b(import|require|fetch|innerHTML|eval)\b/);
});

test("at most 100 KB beside its data", () => {
  const beside = small.length - dataOf(small).length;
  expect(beside).toBeLessThan(100_000);
});

test("a page of years has the newest two months as tables, and all of it as data", () => {
  const page = pageOf(trendOf({ nights: 400, series: [P99] }));
  expect(page).toContain("The newest 60 of 400 runs, as a table");
  expect(JSON.parse(dataOf(page)).series[0].value).toHaveLength(400);
  const [table = ""] = /<article[\s\S]*<\/article>/.exec(page) ?? [];
  expect(table.match(/<tr>/g)).toHaveLength(61);
});

test("foreign text is text", () => {
  const [first, ...others] = trendOf({ nights: HOSTILE_TEXTS.length, series: [P99] });
  const hostile = others.map((record, i) => {
    const text = HOSTILE_TEXTS[i] ?? "";
    return {
      ...record,
      run: { ...record.run, url: `javascript:alert(${i})` },
      commit: { ...record.commit, subject: text },
      anchors: { api: { commit: String(i).padStart(40, "0"), name: text } },
    };
  });
  const notes = HOSTILE_TEXTS.map((text) => ({ at: "2026-01-07T00:00:00.000Z", text }));
  const page = pageOf([...(first === undefined ? [] : [first]), ...hostile], notes);
  const tags = skeletonOf(page).match(/<[a-z!][^>]*>/gi) ?? [];
  expect(tags.filter((tag) => /^<(img|iframe|script)|\son\w+=|javascript:/i.test(tag))).toEqual([]);
  expect(dataOf(page)).not.toMatch(/javascript:/);
  expect(JSON.parse(dataOf(page)).marks.length).toBeGreaterThan(HOSTILE_TEXTS.length);
});

test.each<[Pick<ChartMark, "of" | "runnerClass">, boolean]>([
  [{ of: null, runnerClass: null }, true],
  [{ of: null, runnerClass: "c" }, true],
  [{ of: null, runnerClass: "other" }, false],
  [{ of: ["api/"], runnerClass: "c" }, true],
  [{ of: ["ap"], runnerClass: "c" }, false],
  [{ of: [RSS], runnerClass: "c" }, true],
  [{ of: [P99], runnerClass: "c" }, false],
])("%j is of the series: %j", (mark, expected) => {
  const one = { series: RSS, runnerClass: "c", name: "", points: [], changes: [] };
  const { series } = pageData([], [one], [{ ...mark, at: "2026-01-07", kind: "note", text: "" }]);
  expect(series[0]?.marks).toEqual(expected ? [0] : []);
});
