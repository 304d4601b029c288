// What is exported is read by the programs that it is for. One that is not here is skipped, and
// the test says so; .ci/run installs them.
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { readRuns } from "../lab/evidence/runs.ts";
import { RUNS } from "../lab/evidence/working-copy.ts";
import { renderExport } from "../satellites/export/formats.ts";
import { launchesOf } from "../src/app/documents/exports.ts";
import { reportOn } from "../src/app/gate/outcome.ts";
import type { ExportFormat } from "../src/core/model/export.ts";
import type { Report } from "../src/core/model/report.ts";
import type { Samples } from "../src/core/model/samples.ts";
import { makeTestFolder } from "./support/build.ts";
import { HOSTILE_TEXTS } from "./support/hostile-text.ts";
import { makeReport } from "./support/report.ts";
import { REPORT_CASES } from "./support/report-cases.ts";
import { makeSamples } from "./support/samples.ts";

const ROOT = resolve(import.meta.dirname, "..");
/** A Python that has prometheus_client and Apache Otava; see .ci/run. */
const READERS = process.env.TAILGATE_READERS ?? "python3";

const answers = (program: string, words: readonly string[]): boolean =>
  spawnSync(program, words, { stdio: "ignore" }).status === 0;
const HAS_BENCHSTAT = spawnSync("benchstat", ["-h"], { stdio: "ignore" }).error === undefined;
const HAS_PYTHON = answers("python3", ["-c", "import xml.etree"]);
const HAS_OPENMETRICS = answers(READERS, ["-c", "import prometheus_client.openmetrics.parser"]);
const HAS_OTAVA = answers(READERS, ["-c", "import otava.importer"]);
const HAS_PROMTOOL = answers("promtool", ["--version"]);

const SIMULATED: Readonly<Record<string, Samples>> = {
  slower: makeSamples({ rounds: 16, noise: 0.02, p99Ratio: { "api/echo": 1.3 } }),
  faster: makeSamples({ rounds: 16, noise: 0.02, p99Ratio: { "api/echo": 0.7 } }),
  same: makeSamples({ rounds: 16, noise: 0.02 }),
};

const noSamples = (): never => {
  throw new Error("asked for samples");
};
const exported = (format: ExportFormat, report: Report): string =>
  renderExport(format, report, noSamples);

/** Every report of the renderers' tests, and one of each hostile name. */
function reports(): Report[] {
  const hostile = HOSTILE_TEXTS.map((name, k) =>
    makeReport({ services: [`${name}${k}`], scenarios: [name || "-"] }),
  );
  return [...Object.values(REPORT_CASES).map((make) => make()), ...hostile];
}

/** Runs a program of Python on the texts, one JSON list on its standard input; returns its JSON. */
function python(program: string, source: string, texts: readonly string[]): unknown {
  const input = JSON.stringify(texts);
  return JSON.parse(execFileSync(program, ["-c", source], { input, encoding: "utf8" }));
}

/** Where benchstat sees the candidate: sign of its difference, and whether it calls it one. */
function benchstat(samples: Samples, report: Report, folder: string) {
  const file = join(folder, "launches.txt");
  writeFileSync(
    file,
    renderExport("benchfmt", report, () => launchesOf(report, samples)),
  );
  const text = execFileSync("benchstat", ["-col", "arm", "-format", "csv", file], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  let unit = "";
  return text.split("\n").flatMap((line) => {
    const cells = line.split(",");
    if (cells[0] === "" && cells[2] === "CI") unit = cells[1] ?? "";
    const [name = "", reference, , candidate, , delta] = cells;
    if (!name.startsWith("Tailgate")) return [];
    return [{ name, unit, sign: Math.sign(Number(candidate) - Number(reference)), delta }];
  });
}

const SIGNS: Readonly<Record<string, number>> = { regressed: 1, "worse-within": 1, improved: -1 };

test("benchstat sees what is decided where it was decided", (context) => {
  if (!HAS_BENCHSTAT) context.skip("benchstat not on PATH");
  using folder = makeTestFolder();
  const recorded = readRuns(RUNS).map(({ name, samples }) => [name, samples] as const);
  let asked = 0;
  for (const [run, samples] of [...Object.entries(SIMULATED), ...recorded]) {
    const report = reportOn(samples, []);
    const seen = benchstat(samples, report, folder.path);
    for (const comparison of report.verdict.comparisons) {
      const { id, service, scenario, metric, estimator, state, candidate } = comparison;
      const wanted = SIGNS[state];
      // The slowest of any scenario is a ratio without values of its own.
      if (wanted === undefined || candidate === null) continue;
      const name = `Tailgate/service=${service}${scenario === null ? "" : `/scenario=${scenario.slice(service.length + 1)}`}`;
      const unit = estimator === "launch" ? metric : `${metric}-${estimator}`;
      const own = seen.find((one) => one.name === name && one.unit.startsWith(unit));
      expect(own, `${run}: ${id}`).toBeDefined();
      // Its test is not paired by rounds: where it finds no difference, its sign is chance.
      if (own?.delta === "~") continue;
      asked++;
      expect(own?.sign, `${run}: ${id} is ${state}`).toBe(wanted);
      expect(own?.delta?.startsWith(wanted > 0 ? "+" : "-"), id).toBe(true);
    }
  }
  expect(asked).toBeGreaterThan(25);
});

test("JUnit files have what Jenkins' schema knows (xunit plugin, junit-10.xsd), and their counts", (context) => {
  if (!HAS_PYTHON) context.skip("python3 not on PATH");
  const texts = reports().map((report) => exported("junit", report));
  const counts = python(
    "python3",
    `
import json, sys, xml.etree.ElementTree as xml
known = {
    "testsuites": "name time tests failures errors",
    "testsuite": "name tests failures errors group time skipped timestamp hostname id package file log url",
    "testcase": "name time classname group",
    "failure": "type message", "error": "type message", "skipped": "type message", "system-out": "",
}
rows = []
for text in json.load(sys.stdin):
    root = xml.fromstring(text.encode())
    for element in root.iter():
        assert set(element.keys()) <= set(known[element.tag].split()), (element.tag, element.keys())
    suite = root.find("testsuite")
    found = [len(suite.findall("testcase"))] + [len(suite.findall("testcase/" + kind)) for kind in ("failure", "error", "skipped")]
    rows.append([found, [int(suite.get(key)) for key in ("tests", "failures", "errors", "skipped")]])
print(json.dumps(rows))`,
    texts,
  ) as [number[], number[]][];
  expect(counts).toHaveLength(texts.length);
  for (const [found, said] of counts) expect(found).toEqual(said);
});

test("the reference parser of OpenMetrics reads every family", (context) => {
  if (!HAS_OPENMETRICS) context.skip("prometheus_client not in TAILGATE_READERS");
  const texts = reports().map((report) => exported("openmetrics", report));
  const families = python(
    READERS,
    `
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read
print(json.dumps([[family.name for family in read(text)] for text in json.load(sys.stdin)]))`,
    texts,
  ) as string[][];
  expect(families).toHaveLength(texts.length);
  for (const names of families) expect(names).toContain("tailgate_verdict");
});

test("promtool finds nothing to blame", (context) => {
  if (!HAS_PROMTOOL) context.skip("promtool not on PATH");
  for (const report of reports()) {
    const input = exported("openmetrics", report);
    const { status, stderr } = spawnSync("promtool", ["check", "metrics"], { input });
    expect([status, String(stderr)]).toEqual([0, ""]);
  }
});

// Go compiles the reader first.
test("Prometheus' own reader of the older text format takes it", { timeout: 400_000 }, () => {
  using folder = makeTestFolder();
  const program = join(folder.path, "main.go");
  writeFileSync(
    program,
    `package main

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

func main() {
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		panic(err)
	}
	for _, text := range texts {
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(text))
		if err != nil {
			panic(err)
		}
		if families["tailgate_verdict"] == nil {
			panic("no verdict in " + text)
		}
	}
}
`,
  );
  execFileSync("go", ["run", program], {
    cwd: join(ROOT, "services/gin-api"),
    input: JSON.stringify(reports().map((report) => exported("openmetrics", report))),
    stdio: ["pipe", "ignore", "pipe"],
  });
});

test("Apache Otava imports rows of several runs", (context) => {
  if (!HAS_OTAVA) context.skip("apache-otava not in TAILGATE_READERS");
  using folder = makeTestFolder();
  const report = reportOn(SIMULATED.same as Samples, []);
  const rows = [1, 2, 3].map((day) => {
    const one = structuredClone(report);
    one.run.startedAt = `2026-01-0${day}T03:04:05.000Z`;
    return exported("csv", one).split("\r\n");
  });
  const file = join(folder.path, "history.csv");
  const header = rows[0]?.[0] ?? "";
  writeFileSync(file, [header, ...rows.map(([, row]) => row), ""].join("\r\n"));
  const column = header.split(",").find((name) => name.endsWith("]")) ?? "";
  const data = python(
    READERS,
    `
import json, sys
from otava.importer import CsvImporter
from otava.test_config import CsvMetric, CsvTestConfig
file, column = json.load(sys.stdin)
test = CsvTestConfig("tailgate", file, metrics=[CsvMetric("m", 1, 1.0, column)], attributes=["commit"])
print(json.dumps(CsvImporter().fetch_data(test).data["m"]))`,
    [file, column],
  ) as number[];
  expect(data).toHaveLength(3);
  expect(data.every((value) => value > 0)).toBe(true);
});
