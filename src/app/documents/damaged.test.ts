// Whatever number stands in a file of ours: it is judged or rendered, or refused in words. Never
// anything else is thrown.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeCapacitySamples } from "../../../test/support/capacity.ts";
import { makeComparisonSamples } from "../../../test/support/comparison.ts";
import { sharedFolder } from "../../../test/support/files.ts";
import { anyOf, type Json, mutated, pathsOf, valueAt } from "../../../test/support/places.ts";
import { makeSamples } from "../../../test/support/samples.ts";
import { UserError } from "../../core/base/errors.ts";
import { renderMarkdown } from "../../core/report/gate/markdown.ts";
import { renderTerminal } from "../../core/report/gate/terminal.ts";
import { satellites } from "../../entry/satellites.ts";
import { capacityFromFile } from "../capacity/capacity.ts";
import { comparisonFromFile } from "../comparison/compare.ts";
import { judgeFile } from "../gate/judge.ts";
import { reportOn } from "../gate/outcome.ts";
import type { Environment } from "../settings.ts";
import { readReport } from "./samples.ts";

const folder = sharedFolder();
const file = join(folder, "file.json");
const environment = { workingFolder: folder, satellites } as Environment;

const EXTREME = [
  0,
  -0,
  -1,
  0.5,
  1,
  5e-324,
  1e-300,
  1e-16,
  1e-7,
  1e9,
  2 ** 31,
  1e15,
  2 ** 53 - 1,
  1e16,
  1e300,
  1.7e308,
]
  .map(String)
  .concat("1e999", "-1e308", "-5e-324");

/** The text with one of its numbers replaced. */
function mutations(value: unknown): fc.Arbitrary<string> {
  const json = JSON.parse(JSON.stringify(value)) as Json;
  const numbers = pathsOf(json).filter((path) => typeof valueAt(json, path) === "number");
  return fc
    .tuple(anyOf(numbers), fc.constantFrom(...EXTREME))
    .map(([path, extreme]) =>
      JSON.stringify(mutated(json, path, PLACEHOLDER)).replace(`"${PLACEHOLDER}"`, extreme),
    );
}

/** Of a number that JSON can tell and JavaScript cannot. */
const PLACEHOLDER = "a number";

const out = join(folder, "out");
const SAMPLES = makeSamples({
  rounds: 16,
  noise: 0.02,
  p99Ratio: { "api/echo": 1.3 },
  whole: true,
});
const REPORT = reportOn(SAMPLES, []);

const COMMANDS: [string, unknown, () => unknown][] = [
  [
    "judge",
    SAMPLES,
    async () => {
      const request = { samples: file, config: null, baselines: null, history: [], out };
      await judgeFile(request, environment);
      readReport(join(out, "report.v1.json"));
    },
  ],
  [
    "report",
    REPORT,
    async () => {
      const report = readReport(file);
      renderTerminal(report, { width: 100, color: "never", details: true });
      renderMarkdown(report);
      (await satellites.pages()).renderReportPage(report);
    },
  ],
  [
    "capacity",
    makeCapacitySamples({ launches: 2 }),
    () => capacityFromFile({ samples: file, cost: {}, out }, environment),
  ],
  [
    "compare",
    makeComparisonSamples({ rounds: 8, whole: true }),
    () => comparisonFromFile({ samples: file, out }, environment),
  ],
];

test.each(COMMANDS)(
  "%s answers or refuses, whatever number stands in its file",
  async (_, value, run) => {
    writeFileSync(file, JSON.stringify(value));
    await run();
    await fc.assert(
      fc.asyncProperty(mutations(value), async (text) => {
        writeFileSync(file, text);
        try {
          await run();
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(UserError);
        }
      }),
      { numRuns: 40, endOnFailure: true },
    );
  },
);
