// What a reader works out of two values is the change beside them, in every medium: of all recorded
// gates at night, of a tenth by day.
import { expect, test } from "vitest";
import { renderExport } from "../../satellites/export/formats.ts";
import { renderReportPage } from "../../satellites/pages/report.ts";
import type { Report } from "../../src/core/model/report.ts";
import { renderMarkdown } from "../../src/core/report/gate/markdown.ts";
import { renderTerminal } from "../../src/core/report/gate/terminal.ts";
import { describeRun } from "../../src/core/report/words/verdict.ts";
import { formatChange } from "../../src/core/text/format.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import { trialsOf } from "../../test/support/trials.ts";
import { readRuns } from "../evidence/runs.ts";
import { RUNS } from "../evidence/working-copy.ts";

const MEDIA: Readonly<Record<string, (report: Report) => string>> = {
  terminal: (report) => renderTerminal(report, { width: 200, color: "never" }),
  Markdown: renderMarkdown,
  HTML: (report) => renderReportPage(report).replace(/<[^<>]*>|\s/g, " "),
};

const PAIR = String.raw`(?<from>[\d.,]+) → (?<to>[\d.,]+)`;
/** Not the limit, in brackets, of a row that has no change. */
const CHANGE = String.raw`(?<bound>[≥≤] )?(?<change>(?<!\()(?:[+−][\d.,]+|(?<![\d.])0) %)`;
/** On a line of its own; the limit follows the values there. */
const CHANGE_FIRST = new RegExp(`^[^→;]*?${CHANGE}[^→;]*?${PAIR}`, "i");
const CHANGE_LAST = new RegExp(String.raw`${PAIR}(?: [a-zµ]+)?[\s|*(]+${CHANGE}`, "gi");
/** A page is one line, in which the change follows its values. */
const LONGEST_ROW = 1000;
/** A short text leaves the rest to a longer one. */
const SHORTEST = 10;
const read = (text: string): number => Number(text.replaceAll(",", "").replace("−", "-"));

test("two values and a change say the same wherever they stand together", () => {
  const all = readRuns(RUNS);
  const step = Math.floor(all.length / trialsOf(all.length));
  for (const { name, samples } of all.filter((_, k) => k % step === 0)) {
    const report = describeRun(samples, judge({ samples, baselines: [] }));
    for (const [medium, render] of Object.entries(MEDIA)) {
      const rows = render(report).split("\n").flatMap(rowsOf);
      const gated = report.verdict.comparisons.filter(
        ({ level, estimate, candidate }) =>
          level === "gate" && estimate !== null && candidate !== null,
      ).length;
      expect(rows.length, `${name} ${medium}`).toBeGreaterThanOrEqual(Math.min(gated, SHORTEST));
      for (const { 0: row, groups: { from = "", to = "", bound, change = "" } = {} } of rows) {
        const seen = Math.log(read(to) / read(from));
        const where = `${name} ${medium}: ${row}`;
        if (bound === undefined) expect(formatChange(seen), where).toBe(change);
        else {
          const beyond = 100 * Math.expm1(seen) - read(change.replace(" %", ""));
          expect(Math.sign(beyond), where).toBe(bound === "≥ " ? 1 : -1);
        }
      }
    }
    checkMetrics(name, report);
  }
});

function rowsOf(line: string): RegExpMatchArray[] {
  const text = line.replace(/\s/g, " ");
  const row = line.length > LONGEST_ROW ? null : CHANGE_FIRST.exec(text);
  return row === null ? [...text.matchAll(CHANGE_LAST)] : [row];
}

/** `tailgate_value…{…,arm="candidate"} 1.2` and `tailgate_change_ratio{…,bound="estimate"} 1.1`. */
function checkMetrics(name: string, report: Report): void {
  const lines = renderExport("openmetrics", report, () => new Map()).split("\n");
  const values = new Map(
    lines.map((line) => [line.replace(/ \S+$/, ""), read(line.split(" ").at(-1) ?? "")]),
  );
  const isClipped = report.verdict.comparisons.some(({ clipped }) => clipped);
  for (const [key, ratio] of values) {
    const labels = /^tailgate_change_ratio\{(.*),bound="estimate"\}$/.exec(key)?.[1];
    if (labels === undefined || (isClipped && labels.includes('"windows"'))) continue;
    const [candidate, reference] = ["candidate", "reference"].map((arm) => {
      const found = [...values].find(([other]) => other.includes(`{${labels},arm="${arm}"}`));
      return found?.[1] ?? Number.NaN;
    });
    expect((candidate ?? 0) / (reference ?? 0), `${name} ${key}`).toBeCloseTo(ratio, 9);
  }
}
