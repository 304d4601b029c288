import { expect, test } from "vitest";
import { ReportSchema } from "../../src/core/model/report.ts";
import { describeRun } from "../../src/core/report/words/verdict.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import { checkGoldenPage } from "../../test/support/golden.ts";
import { REPORT_CASES, reportsOfAllStates } from "../../test/support/report-cases.ts";
import { makeSamples, withNew } from "../../test/support/samples.ts";
import { renderReportPage } from "./report.ts";

const caseNames = Object.keys(REPORT_CASES);
const make = (name: string) => {
  const factory = REPORT_CASES[name];
  if (factory === undefined) throw new Error(`no case ${name}`);
  return factory();
};
const pages = new Map(caseNames.map((name) => [name, renderReportPage(make(name))]));
const pageOf = (name: string): string => pages.get(name) ?? "";

test("a pass that rests on a waiver has its own banner, and says who accepts what", () => {
  const page = pageOf("waived");
  expect(page).toContain('<header class="banner waived">');
  expect(page).toContain("PASS WITH WAIVER");
  expect(page).toContain("owner: @shop/api; brought by this change");
});

test("golden", async () => {
  await checkGoldenPage("report/minimal.html", pageOf("minimal"));
});

interface Tag {
  name: string;
  attributes: string[];
}

const WITHOUT_END = new Set(["meta", "!doctype"]);

/**
 * A strict reader of our own output: every tag closed in order, every attribute quoted, no stray
 * `<`.
 */
function readTags(html: string): Tag[] {
  const tags: Tag[] = [];
  const open: string[] = [];
  const pattern = /<(\/?)([a-z!][a-z0-9]*)((?: [a-zA-Z][a-zA-Z0-9:-]*(?:="[^"<>]*")?)*)>|<|>/g;
  for (const match of html.matchAll(pattern)) {
    const [whole, closing, name = "", attributes = ""] = match;
    const { index } = match;
    if (whole === "<" || whole === ">")
      throw new Error(`stray ${whole} before ${html.slice(index, index + 60)}`);
    if (closing === "/") expect(open.pop()).toBe(name);
    else {
      if (!WITHOUT_END.has(name)) open.push(name);
      tags.push({
        name,
        attributes: [...attributes.matchAll(/ ([a-zA-Z][a-zA-Z0-9:-]*)(?:="[^"]*")?/g)].map(
          ([, attribute = ""]) => attribute,
        ),
      });
    }
  }
  expect(open).toEqual([]);
  return tags;
}

/** The style sheet may use `>`; the record is checked on its own. */
const skeletonOf = (html: string): string =>
  html.replace(/<style>[^<]*<\/style>/, "").replace(/(<script [^>]*>)[^<]*(<\/script>)/, "$1$2");

const NAMES = new Set(
  "!doctype html head meta title body header h1 h2 h4 p ul li dl dt dd span pre code main section div table thead tbody tr th td details summary figure figcaption svg text line polyline polygon circle rect path footer script strong".split(
    " ",
  ),
);
const ATTRIBUTES = new Set(
  "html lang charset http-equiv content name class scope colspan title open viewBox role aria-label x y x1 x2 y1 y2 cx cy r width height d points transform text-anchor stroke-width type id data-label".split(
    " ",
  ),
);

test.each(caseNames)("%s is well-formed and made of nothing but our own elements", (name) => {
  const tags = readTags(skeletonOf(pageOf(name)));
  expect(tags.map((tag) => tag.name).filter((tag) => !NAMES.has(tag))).toEqual([]);
  expect(
    tags.flatMap((tag) => tag.attributes).filter((attribute) => !ATTRIBUTES.has(attribute)),
  ).toEqual([]);
  expect(tags.filter((tag) => tag.name === "script")).toHaveLength(1);
});

test("the page may load, run and send nothing", () => {
  // No src, href, style or on… among ATTRIBUTES above; what is left is the policy and the style
  // sheet.
  const page = pageOf("hostile");
  expect(page.slice(0, 400)).toContain(
    "default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;;",
  );
  expect(/<style>[^<]*<\/style>/.exec(page)?.[0]).not.toMatch(/url\(|@import|https?:/);
});

test.each(caseNames)("%s carries its own record", (name) => {
  const page = pageOf(name);
  const json =
    /<script type="application\/json" id="report">([^<]*)<\/script>/.exec(page)?.[1] ?? "";
  expect(ReportSchema.parse(JSON.parse(json))).toEqual(make(name));
});

test("every plot has a title, axes with titles, and a sentence on what to look for", () => {
  for (const name of caseNames) {
    const figures = pageOf(name).match(/<figure[\s\S]*?<\/figure>/g) ?? [];
    if (name !== "nothing-measured") expect(figures.length, name).toBeGreaterThan(0);
    for (const figure of figures) {
      expect(figure).toMatch(/<h4>[^<]{5,}<\/h4>/);
      expect((figure.match(/class="axis-title"/g) ?? []).length).toBeGreaterThanOrEqual(2);
      expect(figure).toMatch(/<figcaption>Look [^<]{30,}\.<\/figcaption>/);
    }
  }
});

test("no coordinate is missing", () => {
  for (const name of caseNames) {
    const skeleton = skeletonOf(pageOf(name));
    const at = skeleton.search(/NaN|Infinity|undefined|null/);
    const missing = at < 0 ? undefined : skeleton.slice(Math.max(0, at - 60), at + 20);
    expect(missing, name).toBeUndefined();
  }
});

test("rounds after the decision are told apart", () => {
  const page = pageOf("regressed-p99");
  const figure =
    /<h4>p99 of all requests, round by round: regressed[\s\S]*?<\/figure>/.exec(page)?.[0] ?? "";
  expect(figure.match(/class="round"/g)).toHaveLength(16);
  expect(figure.match(/class="round after"/g)).toHaveLength(4);
});

test("states differ in word, symbol and class", () => {
  const banners = reportsOfAllStates().map((report) =>
    /class="banner ([a-z-]+)"><h1><span class="mark">([^<]+)<\/span>([^<]+)<\/h1>/
      .exec(renderReportPage(report))
      ?.slice(1),
  );
  for (const index of [0, 1, 2]) {
    expect(new Set(banners.map((banner) => banner?.[index])).size).toBe(banners.length);
  }
});

test("what passes is folded", () => {
  expect(pageOf("pass")).not.toContain('<details class="subject" open="">');
  expect(pageOf("pass")).not.toContain("At a glance");
  expect(pageOf("pass").match(/<details class="subject">/g)).toHaveLength(6);
});

test("what is worst is drawn above all tables, and not again below", () => {
  const page = pageOf("regressed-p99");
  const [above = "", below = ""] = page.split("<h2>Gated metrics</h2>");
  expect(above).toMatch(/<details class="subject" open=""><summary>gin-api\/echo</);
  expect([...above.matchAll(/<h4>([^<]*)/g)].map(([, title]) => title)).toEqual([
    "Latency by percentile",
    "p99, round by round: regressed",
  ]);
  const own = /<summary>gin-api\/echo<[\s\S]*?<\/details>/.exec(below)?.[0] ?? "";
  expect(own).toContain("p99 of all requests, round by round: regressed");
  expect(own).not.toMatch(/Latency by percentile|p99, round/);
});

test("what is new is neither the worst, nor held to a limit by a bar", () => {
  const report = structuredClone(make("pass"));
  const bars = (): number => renderReportPage(report).split('class="strip"').length;
  const before = bars();
  const [one] = report.verdict.comparisons.filter(({ level }) => level === "gate");
  Object.assign(one ?? {}, { state: "new", reference: null });
  expect(renderReportPage(report)).not.toContain("At a glance");
  expect(bars()).toBe(before - 1);
});

test("of what is new the values alone are shown, over all requests too", () => {
  const samples = withNew(makeSamples({ rounds: 20, noise: 0.02 }), "api/hello");
  for (const policy of samples.config.policy.metrics)
    if (policy.estimator === "pooled") policy.level = "warn";
  const page = renderReportPage(describeRun(samples, judge({ samples, baselines: [] })));
  const cells = [...page.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, text = ""]) => text);
  // Of the p99 and beside it, and of the p99 of all requests.
  expect(cells.filter((text) => /^307\sµs$/.test(text))).toHaveLength(3);
  expect(cells.filter((text) => text.startsWith("–\u00a0→") || text.startsWith("– →"))).toEqual([]);
});

test("a curve without a reference is not sought beside one", () => {
  expect(pageOf("candidate-only")).toContain("there is no reference");
  expect(pageOf("pass")).not.toContain("there is no reference");
});
