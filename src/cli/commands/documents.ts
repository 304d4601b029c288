// Show what was recorded: a report, in our forms and in those of other programs, and a history.
import { dirname, join, resolve } from "node:path";
import type { Satellites } from "../../app/settings.ts";
import { UserError } from "../../core/base/errors.ts";
import { EXPORT_FORMATS } from "../../core/model/export.ts";
import type { Report } from "../../core/model/report.ts";
import { screenJson } from "../../core/text/screen.ts";
import { command, historyOf, output, positional } from "../command.ts";
import { aSwitch, oneOf, text } from "../flags.ts";
import { deliver, terminalOptions } from "../output.ts";

const REPORT_FORMATS = ["terminal", "markdown", "html", "json"] as const;

export const report = command({
  summary: "show a report file as text, Markdown or HTML",
  positionals: "<report.v1.json>",
  flags: {
    format: oneOf("format", "(default: terminal)", REPORT_FORMATS),
    output,
  },
  examples: {
    "tailgate report .tailgate/report.v1.json --format markdown": "what a pull request would show",
  },
  async run(given, { workingFolder, satellites }) {
    const { readReport } = await import("../../app/documents/samples.ts");
    const { format, output } = given.flags;
    const found = readReport(resolve(workingFolder, positional(given, "a report file")));
    const rendered = await renderAs(format ?? "terminal", found, satellites);
    deliver(rendered, output, workingFolder);
    return 0;
  },
});

async function renderAs(
  format: (typeof REPORT_FORMATS)[number],
  report: Report,
  satellites: Satellites,
): Promise<string> {
  switch (format) {
    case "terminal": {
      const { renderTerminal } = await import("../../core/report/gate/terminal.ts");
      return renderTerminal(report, { ...terminalOptions(), color: "never", details: true });
    }
    case "markdown":
      return (await import("../../core/report/gate/markdown.ts")).renderMarkdown(report);
    case "html":
      return (await satellites.pages()).renderReportPage(report);
    case "json":
      return `${screenJson(JSON.stringify(report, null, 2))}\n`;
  }
}

export const exportReport = command({
  summary: "a report in a format of other programs, without numbers for what is undecided",
  positionals: "<report.v1.json>",
  flags: {
    format: oneOf("format", "of the other program", EXPORT_FORMATS),
    output,
  },
  examples: {
    "tailgate export .tailgate/report.v1.json --format junit --output junit.xml":
      "a test case for each gated metric",
    "tailgate export .tailgate/report.v1.json --format benchfmt --output launches.txt":
      "every launch, for: benchstat -col arm launches.txt",
  },
  async run(given, { workingFolder, satellites }) {
    const { exportReport } = await import("../../app/documents/exports.ts");
    const { FILES } = await import("../../app/documents/reports.ts");
    const { readReport } = await import("../../app/documents/samples.ts");
    const { format, output } = given.flags;
    if (format === null) {
      throw new UserError("tailgate export: --format is missing", {
        next: `One of: ${EXPORT_FORMATS.map((one) => `--format ${one}`).join(", ")}.`,
      });
    }
    const path = resolve(workingFolder, positional(given, "a report file"));
    const run = { report: readReport(path), samplesPath: join(dirname(path), FILES.samples) };
    const exported = await exportReport(format, run, satellites);
    deliver(exported, output, workingFolder);
    return 0;
  },
});

export const history = command({
  summary: "each metric over the runs of the default branch, and when its level changed",
  flags: {
    historyFolder: text(
      "history",
      "<folder>",
      "records of the runs: git worktree add history origin/tailgate-history (default: history)",
    ),
    annotations: text(
      "annotations",
      "<file>",
      "YAML list of days or commits with a text, to mark in the charts (default: tailgate.annotations.yml where there is one)",
    ),
    html: aSwitch("html", "a page with charts instead"),
    output,
  },
  examples: {
    "tailgate history": "each metric against its anchor, and the latest change of its level",
    "tailgate history --html --output history.html": "one page, to open or to publish",
  },
  async run({ flags }, environment) {
    const { readTrend } = await import("../../app/history/trend.ts");
    const { annotations, html, output } = flags;
    const historyFolder = flags.historyFolder ?? "history";
    const damages: UserError[] = [];
    const records = await historyOf({ historyFolder }, environment, (one) => damages.push(one));
    const [first, ...others] = damages;
    if (first !== undefined) {
      if (records.length === 0) throw first;
      const more = others.length === 0 ? "" : `; nor are ${others.length} more lines`;
      environment.progress.note(`left out: ${first.message}${more}`);
    }
    const trend = await readTrend(records, annotations, environment);
    const plain =
      output === null ? terminalOptions() : { ...terminalOptions(), color: "never" as const };
    const pages = await environment.satellites.pages();
    const says = html
      ? pages.renderHistoryPage(trend, `tailgate ${environment.version}`)
      : pages.renderHistory(trend, plain);
    deliver(says, output, environment.workingFolder);
    return 0;
  },
});
