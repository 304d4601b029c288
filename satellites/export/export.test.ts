// What other programs are told of a report: the format of each, and no number of what is not decided.
import { expect, test } from "vitest";
import * as z from "zod";
import { launchesOf } from "../../src/app/documents/exports.ts";
import { reportOn } from "../../src/app/gate/outcome.ts";
import { EXPORT_FILES, EXPORT_FORMATS, type ExportFormat } from "../../src/core/model/export.ts";
import type { Report } from "../../src/core/model/report.ts";
import { type ComparisonState, ComparisonStateSchema } from "../../src/core/model/verdict.ts";
import { checkGolden } from "../../test/support/golden.ts";
import { HOSTILE_TEXTS } from "../../test/support/hostile-text.ts";
import { makeReport } from "../../test/support/report.ts";
import { REPORT_CASES, reportCase } from "../../test/support/report-cases.ts";
import { makeSamples } from "../../test/support/samples.ts";
import { decidedOf, isDecided } from "./decided.ts";
import { renderExport } from "./formats.ts";

const SAMPLES = makeSamples({ rounds: 16, noise: 0.02, p99Ratio: { "api/echo": 1.3 } });
const MEASURED = reportOn(SAMPLES, []);
const render = (format: ExportFormat, report: Report): string =>
  renderExport(format, report, () => launchesOf(report, SAMPLES));

const Bound = z.number().nonnegative();
/** https://bencher.dev/docs/reference/bencher-metric-format/ */
const BmfSchema = z.record(
  z.string().min(1).max(1024),
  z.record(
    z.string().min(1).max(64),
    z.strictObject({ value: Bound, lower_value: Bound.optional(), upper_value: Bound.optional() }),
  ),
);
/** As github-action-benchmark reads it (src/extract.ts). */
const GitHubActionBenchmarkSchema = z.array(
  z.strictObject({
    name: z.string().min(1),
    value: z.number(),
    unit: z.string(),
    range: z.string().optional(),
    extra: z.string().optional(),
  }),
);

/** Cells of RFC 4180. */
function readCsv(text: string): string[][] {
  return text
    .split("\r\n")
    .slice(0, -1)
    .map((line) =>
      [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
      ),
    );
}

const SAMPLE = /^([a-z_]+)(?:\{((?:[a-z]+="(?:[^"\\\n]|\\["\\])*",?)*)\})? (\S+)$/;

/** How many metrics each format gives a value. */
const NUMBERS: Readonly<Record<ExportFormat, (text: string) => number>> = {
  bmf: (text) =>
    Object.values(BmfSchema.parse(JSON.parse(text))).flatMap((measures) => Object.keys(measures))
      .length,
  gha: (text) => GitHubActionBenchmarkSchema.parse(JSON.parse(text)).length,
  openmetrics: (text) => {
    expect(text.endsWith("\n# EOF\n")).toBe(true);
    const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    for (const line of samples) expect(line).toMatch(SAMPLE);
    expect(new Set(samples.map((line) => line.replace(/ \S+$/, ""))).size).toBe(samples.length);
    return samples.filter((line) => /^tailgate_value.*arm="candidate"/.test(line)).length;
  },
  // A test case that fails or passes says so of what is decided.
  junit: (text) => {
    const cases = text.match(/<testcase .*<\/testcase>/g) ?? [];
    return cases.filter((one) => !/name="(?:verdict|unchanged)"|<error |<skipped /.test(one))
      .length;
  },
  benchfmt: (text) => {
    for (const line of text.split("\n")) {
      expect(line).toMatch(
        /^$|^[a-z-]+: \S.*$|^Unit \S+ better=lower assume=nothing$|^BenchmarkTailgate\/\S+ 1( \S+ \S+)+$/,
      );
    }
    const units = [...text.matchAll(/^(BenchmarkTailgate\S*) 1 (.*)$/gm)].flatMap(
      ([, name, values = ""]) =>
        values.split(" ").flatMap((word, k) => (k % 2 === 1 ? [`${name} ${word}`] : [])),
    );
    return new Set(units).size;
  },
  csv: (text) => {
    const [names = [], values = [], ...rest] = readCsv(text);
    expect([rest.length, values.length]).toEqual([0, names.length]);
    return names.filter((name, k) => /\[\w+\]$/.test(name) && values[k] !== "").length;
  },
};

/** A copy in which every metric is in this state. */
function allIn(state: ComparisonState, report: Report): Report {
  const copy = structuredClone(report);
  for (const comparison of copy.verdict.comparisons) comparison.state = state;
  return copy;
}

const CASES = Object.entries(REPORT_CASES).map(([name, make]) => ({ name, report: make() }));

test.each(EXPORT_FORMATS)("%s has a number of what is decided, and of nothing else", (format) => {
  for (const { name, report } of [{ name: "measured", report: MEASURED }, ...CASES]) {
    // Its launches are in samples, which those of a renderer's tests do not have.
    if (format === "benchfmt" && report !== MEASURED) continue;
    // A test case and a column tell of a limit as well; elsewhere it would be its metric once more.
    const told = ["junit", "csv"].includes(format)
      ? report.verdict.comparisons.filter(isDecided)
      : decidedOf(report);
    const wanted = told.filter(({ level }) => format !== "junit" || level === "gate").length;
    expect(NUMBERS[format](render(format, report)), name).toBe(wanted);
  }
});

test("a column of a limit holds the limit, beside the candidate's value", () => {
  const report = CASES.find(({ name }) => name === "over-limit")?.report as Report;
  const [names = [], values = []] = readCsv(render("csv", report));
  const held = report.verdict.comparisons.filter(({ against }) => against === "limit");
  expect(held).not.toEqual([]);
  for (const { id, reference } of held) {
    const column = names.findIndex((name) => name.startsWith(`${id} [`));
    expect(Number(values[column]), id).toBe(reference);
  }
});

test.each(ComparisonStateSchema.options)(
  "what is %s is a number or not, in every format alike",
  (state) => {
    const report = allIn(state, MEASURED);
    const isNumber = ["pass", "improved", "worse-within", "regressed"].includes(state);
    for (const format of EXPORT_FORMATS) {
      expect(NUMBERS[format](render(format, report)) > 0, format).toBe(isNumber);
    }
    const { length } = report.verdict.comparisons;
    const metrics = render("openmetrics", report);
    const states = metrics.match(new RegExp(`^tailgate_state.*state="${state}"\\} 1$`, "gm"));
    expect(states).toHaveLength(length);
    expect(readCsv(render("csv", report))[1]?.filter((cell) => cell === state)).toHaveLength(
      length + (report.verdict.state === state ? 1 : 0),
    );
  },
);

test("whatever names are, each format stays what it is", () => {
  for (const text of HOSTILE_TEXTS) {
    const report = structuredClone(MEASURED);
    report.sources.candidate.commit = text;
    report.verdict.headline = text;
    report.tool = text;
    for (const [k, comparison] of report.verdict.comparisons.entries()) {
      comparison.service = text;
      comparison.reason = text;
      comparison.scenario = comparison.scenario === null ? null : `${text}/${k}${text}`;
      comparison.id = `${text} ${comparison.id}`;
    }
    // Of what is known by its id, benchfmt finds the launches; here it must not fall for the text.
    for (const format of EXPORT_FORMATS) NUMBERS[format](render(format, report));
    const [names = [], values = []] = readCsv(render("csv", report));
    for (const cell of [...names, ...values]) expect(cell).not.toMatch(/^[=+\-@]/);
    const xml = render("junit", report);
    expect(xml.replace(/<\/?[a-z-]+(?: [a-z]+="[^"<>]*")* ?\/?>|<\?.*\?>/g, "")).not.toMatch(
      /[<>]/,
    );
    expect(xml).not.toMatch(/&(?!amp;|lt;|gt;|quot;|#39;)/);
  }
});

test("what a zero or a missing bound leaves is a number", () => {
  const report = makeReport();
  const [first] = report.verdict.comparisons;
  if (first?.interval) first.interval.low = null;
  for (const format of EXPORT_FORMATS.filter((one) => one !== "benchfmt")) {
    expect(render(format, report)).not.toMatch(/NaN|Infinity|undefined|null/);
  }
});

test.each(EXPORT_FORMATS)("%s of a run that regressed", async (format) => {
  await checkGolden(`export/${EXPORT_FILES[format]}`, render(format, MEASURED));
});

test("a waiver and an open question are skipped by JUnit, a fault is an error", async () => {
  const states = ["waived", "inconclusive", "invalid", "no-baseline"] as const;
  const report = makeReport({
    services: ["api"],
    scenarios: ["get", "put"],
    state: "inconclusive",
  });
  const gated = report.verdict.comparisons.filter(({ level }) => level === "gate");
  for (const [k, state] of states.entries()) (gated[k] as (typeof gated)[number]).state = state;
  await checkGolden("export/undecided.junit.xml", render("junit", report));
});

test.each(
  ["over-limit", "wrong-answers"].flatMap((name) =>
    (["openmetrics", "csv", "junit"] as const).map((format) => [format, name] as const),
  ),
)("%s tells of what is %s", async (format, name) => {
  const report = reportCase(name);
  await checkGolden(`export/${name}.${EXPORT_FILES[format]}`, render(format, report));
});
