import { expect, test } from "vitest";
import { makeContext } from "../../../../test/support/comment-context.ts";
import { checkGolden } from "../../../../test/support/golden.ts";
import { makeReport } from "../../../../test/support/report.ts";
import {
  REPORT_CASES,
  reportCase,
  reportsOfAllStates,
} from "../../../../test/support/report-cases.ts";
import { trendOf } from "../../../../test/support/trend.ts";
import { seriesId } from "../../model/history.ts";
import { renderMarkdown } from "../gate/markdown.ts";
import {
  commitLine,
  footerLine,
  isPlainPass,
  MAX_COMMENT_CHARS,
  renderComment,
  termsLine,
} from "./comment.ts";
import { parseMarker, renderMarker } from "./marker.ts";
import { NOTICE_FACTS, type NoticeKind, renderNotice } from "./notice.ts";

const NOTICE_KINDS = Object.keys(NOTICE_FACTS) as NoticeKind[];

const plain = renderComment(reportCase("regressed-p99"), makeContext());
/** Of another comment on the same report. */
const linesBesidePlain = (comment: string): string => {
  const known = new Set(plain.split("\n").filter((line) => line !== ""));
  const lines = comment.split("\n").filter((line) => !known.has(line));
  return `${lines
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()}\n`;
};

const NOTES = [
  "The pull request's configuration has other settings than the base branch's (alpha, looks): the base branch's are applied.",
  "gin-api/upload is measured here but not on the base branch: it is shown and not judged.",
];
const MANIFEST = {
  schema: "tailgate.manifest.v1" as const,
  tool: "tailgate 0.1.0",
  run: { id: 7_164_329_001, attempt: 1 },
};

test.each(Object.keys(REPORT_CASES))("%s: the report, and what it is of", (name) => {
  const context = makeContext({ reportUrl: "https://github.com/acme/shop/actions/runs/7" });
  const [title = "", blank, headline = "", ...body] = renderMarkdown(reportCase(name))
    .trimEnd()
    .split("\n");
  const summary = body[1]?.startsWith("At worst: ") === true ? body.splice(0, 2) : [];
  expect(renderComment(reportCase(name), context).trimEnd().split("\n")).toEqual([
    renderMarker(context.identity, context.origin),
    title,
    blank,
    headline,
    ...summary,
    "",
    `${commitLine(context.origin)} ${termsLine(reportCase(name), context)}`,
    ...body,
    "",
    footerLine(context),
  ]);
});

test("golden", async () => {
  await checkGolden("publish/regressed-p99.md", plain);
});

test("golden: from a fork", async () => {
  const context = makeContext({
    identity: { repository: "acme/shop", key: "perf-forks" },
    origin: {
      runId: 7_164_329_001,
      attempt: 2,
      headSha: "9f1c2d3e4a5b6c7d8e9f0a1b2c3d4e5f60718293",
    },
    trust: "attested",
    notes: NOTES,
    manifest: MANIFEST,
  });
  await checkGolden(
    "publish/attested.md",
    linesBesidePlain(renderComment(reportCase("regressed-p99"), context)),
  );
});

test("golden: where the default branch comes from", async () => {
  const report = reportCase("regressed-p99");
  const series = report.verdict.comparisons
    .filter(({ level }) => level === "gate")
    .map((one) => seriesId({ ...one, policy: one }));
  const [first = ""] = series;
  const history = trendOf({ nights: 25, series, steps: { [first]: { night: 15, size: 0.12 } } });
  const own = history.map((record) => ({ ...record, runnerClass: report.config.runner.class }));
  await checkGolden(
    "publish/history.md",
    linesBesidePlain(renderComment(report, makeContext({ history: own }))),
  );
});

test("golden: whose change it is", async () => {
  const report = reportCase("regressed-p99");
  const stored = makeReport({ stored: true }).verdict.stored;
  const crept = stored.find(({ id }) => id.startsWith("axum-api rss"));
  if (crept !== undefined) {
    Object.assign(crept, {
      state: "regressed",
      estimate: 0.09,
      candidate: (crept.reference ?? 0) * Math.exp(0.09),
      interval: { low: 0.06, high: 0.11, level: 0.95 },
    });
  }
  report.verdict.stored = stored;
  await checkGolden("publish/blame.md", linesBesidePlain(renderComment(report, makeContext())));
});

test("below the verdict's words stands the measured commit, and changed baselines", () => {
  const context = makeContext({ changedBaselines: ["baselines/default/api.json"] });
  const lines = renderComment(reportCase("regressed-p99"), context).split("\n");
  expect(lines[5]).toMatch(/^Result for commit `9f1c2d3e4a`\./);
  expect(lines[7]).toMatch(
    /^> \*\*Its stored baselines .*`baselines\/default\/api.json`.*not rest/,
  );
});

test("what only the page shows is said to be there, or linked", () => {
  const text = renderComment(reportCase("regressed-p99"), makeContext());
  expect(text).toMatch(/curves[\s\S]*`report.html`: an artifact of the run[\s\S]*`tailgate judge/);
  const linked = renderComment(
    reportCase("regressed-p99"),
    makeContext({ reportUrl: "https://github.com/acme/shop/actions/runs/7/artifacts/53" }),
  );
  expect(linked).not.toContain("report.html");
  expect(linked).toMatch(/\[Report with curves\]\(<https.*\/53>\)/);
});

test.each(NOTICE_KINDS)("golden: %s", async (kind) => {
  const notice = {
    cancelled: { text: "", detail: "" },
    "timed-out": { text: "", detail: "" },
    failed: {
      text: "building gin-api at 9f1c2d3e4a failed: go build exited with code 1",
      detail: "# shop/gin-api\n./main.go:14:2: undefined: stor",
    },
    missing: {
      text: 'the run has no artifact named "tailgate"; it has "perf"',
      detail: "with:\n  artifact-name: perf",
    },
    expired: { text: "", detail: "" },
    refused: {
      text: 'the artifact\'s entry "../../x" is not one of the two files that are read',
      detail: "",
    },
  }[kind];
  await checkGolden(
    `publish/notice-${kind}.md`,
    renderNotice({ kind, ...notice }, makeContext({ samplesUrl: null })),
  );
});

test.each([24_000, 20_000, 12_000])("sixty scenarios in %i characters", (maxChars) => {
  const text = renderComment(reportCase("sixty-scenarios"), makeContext({ maxChars }));
  expect(text.length).toBeLessThanOrEqual(maxChars);
  expect(text).toMatch(/^<!-- tailgate:comment /);
  expect(text).toContain("❌ Tailgate: REGRESSED");
  expect(text).toMatch(/eft out.*The summary of the workflow run has more/s);
});

test("a hundred scenarios, all of them worse, with names as long as can be", () => {
  const scenarios = Array.from({ length: 50 }, (_, index) => `${index}-${"<@&|`".repeat(80)}`);
  const services = ["a", "b"].map((name) => name.repeat(300));
  const changes = Object.fromEntries(
    services.flatMap((service) =>
      scenarios.map((name) => [
        `${service}/${name} p99 typical`,
        { state: "regressed" as const, shift: 0.5 },
      ]),
    ),
  );
  const report = makeReport({ services, scenarios, changes, state: "regressed", measured: 8 });
  report.verdict.headline = "|@".repeat(5000);
  const text = renderComment(report, makeContext({ trust: "attested", notes: NOTES }));
  expect(text.length).toBeLessThanOrEqual(MAX_COMMENT_CHARS);
  expect(text).toContain("Numbers attested by");
  expect(text).toMatch(/eft out/);
});

test("the first line is the marker, the second the verdict, unlike that of any other state", () => {
  const texts = [
    ...reportsOfAllStates().map((report) => renderComment(report, makeContext())),
    ...NOTICE_KINDS.map((kind) => renderNotice({ kind, text: "", detail: "" }, makeContext())),
  ];
  const heads = texts.map((text) =>
    /^### (\S+) Tailgate: ([A-Z ]+)$/.exec(text.split("\n")[1] ?? ""),
  );
  expect(new Set(heads.map((head) => head?.[1])).size).toBe(texts.length);
  expect(new Set(heads.map((head) => head?.[2])).size).toBe(texts.length);
  for (const text of texts) {
    const { identity, origin } = makeContext();
    expect(parseMarker(text)).toEqual({ ...identity, ...origin, begun: null });
  }
});

test("a plain pass is one with nothing to read", () => {
  for (const name of ["pass", "thin", "dirty-tree"])
    expect(isPlainPass(reportCase(name), { notes: [] }), name).toBe(true);
  expect(isPlainPass(reportCase("pass"), { notes: ["a note"] })).toBe(false);
  expect(isPlainPass(reportCase("pass"), { notes: [], changedBaselines: ["b.json"] })).toBe(false);
  for (const name of ["improved", "worse-within", "inconclusive", "regressed-rss", "invalid"]) {
    expect(isPlainPass(reportCase(name), { notes: [] }), name).toBe(false);
  }
});
