// What a report is written as is the same bytes wherever it is written.
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const file = (path: string): string => JSON.stringify(resolve(import.meta.dirname, "..", path));

/** Each medium and what it came to. */
const WRITE = `
import { createHash } from "node:crypto";
import { renderExport } from ${file("satellites/export/formats.ts")};
import { renderReportPage } from ${file("satellites/pages/report.ts")};
import { launchesOf } from ${file("src/app/documents/exports.ts")};
import { reportOn } from ${file("src/app/gate/outcome.ts")};
import { EXPORT_FORMATS } from ${file("src/core/model/export.ts")};
import { renderMarkdown } from ${file("src/core/report/gate/markdown.ts")};
import { renderTerminal } from ${file("src/core/report/gate/terminal.ts")};
import { REPORT_CASES } from ${file("test/support/report-cases.ts")};
import { makeSamples } from ${file("test/support/samples.ts")};
const samples = makeSamples({ rounds: 16, noise: 0.02, p99Ratio: { "api/echo": 1.3 } });
const reports = [reportOn(samples, []), ...Object.values(REPORT_CASES).map((make) => make())];
const media = {
  terminal: (report) => renderTerminal(report, { width: 120, color: "never", details: true }),
  markdown: (report) => renderMarkdown(report),
  page: (report) => renderReportPage(report),
};
for (const format of EXPORT_FORMATS)
  media[format] = (report) => renderExport(format, report, () => launchesOf(reports[0], samples));
for (const [name, render] of Object.entries(media)) {
  const hash = createHash("sha256");
  for (const report of reports) hash.update(render(report));
  console.log(name, hash.digest("hex"));
}
`;

function written(locale: string, zone: string): string {
  const env = { PATH: process.env.PATH, LANG: locale, LC_ALL: locale, TZ: zone };
  const words = ["--input-type=module", "--eval", WRITE];
  return execFileSync(process.execPath, words, { env, encoding: "utf8" });
}

const usual = written("C", "UTC");

test.each([
  ["de_DE.UTF-8", "Pacific/Auckland"],
  ["tr_TR.UTF-8", "America/St_Johns"],
  ["ar_EG.UTF-8", "UTC"],
])("reports and exports of %s in %s are those of everybody", (locale, zone) => {
  expect(usual.split("\n").length).toBeGreaterThan(8);
  expect(written(locale, zone)).toBe(usual);
});
