// Damaged files: single mutations of a samples file and of a baseline. Each is refused with a
// message that names the place, or judged; never a throw of another kind, and never a pass of a run
// that regressed everywhere.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readBaseline } from "../src/app/documents/baselines.ts";
import { readSamples } from "../src/app/documents/samples.ts";
import { UserError } from "../src/core/base/errors.ts";
import { renderReviewableJson } from "../src/core/base/reviewable-json.ts";
import type { Baseline } from "../src/core/model/baseline.ts";
import type { Samples } from "../src/core/model/samples.ts";
import { renderTerminal } from "../src/core/report/gate/terminal.ts";
import { describeRun } from "../src/core/report/words/verdict.ts";
import { judge } from "../src/core/verdict/judge.ts";
import { sharedFolder } from "./support/files.ts";
import { anyOf, type Json, mutated, pathsOf } from "./support/places.ts";
import { makeSamples } from "./support/samples.ts";
import { makeSteadySamples, STEADY, STEADY_NIGHTS } from "./support/stored.ts";
import { trialsOf } from "./support/trials.ts";

const folder = sharedFolder();

/** Wrong types, extremes, and a value that makes the place vanish. */
const JUNK: readonly (Json | undefined)[] = [
  undefined,
  null,
  true,
  -1,
  0,
  0.5,
  1e308,
  "",
  "NaN",
  "<script>",
  [],
  {},
  { __proto__: null, extra: 1 },
];

function expectRefusal(error: unknown, file: string): void {
  expect(error).toBeInstanceOf(UserError);
  const { message } = error as UserError;
  expect(message).toContain(file);
  expect(message.split("\n")).toHaveLength(1);
}

const SAMPLES = JSON.parse(
  JSON.stringify(
    makeSamples({
      rounds: 16,
      noise: 0.02,
      p99Ratio: { "api/echo": 8, "api/hello": 8 },
      rssRatio: { api: 1.5 },
      whole: true,
    }),
  ),
) as Json;

test("many damaged samples files", () => {
  const file = join(folder, "samples.v1.json");
  // Policy is the reader's to change: with nothing gated there is nothing to refuse.
  const paths = pathsOf(SAMPLES).filter((path) => !(path[0] === "config" && path[1] === "policy"));
  fc.assert(
    fc.property(anyOf(paths), fc.constantFrom(...JUNK), (path, junk) => {
      writeFileSync(file, JSON.stringify(mutated(SAMPLES, path, junk)) ?? "");
      try {
        const samples = readSamples(file);
        const verdict = judge({ samples, baselines: [] });
        expect(["pass", "improved"]).not.toContain(verdict.state);
        renderTerminal(describeRun(samples, verdict), { width: 100, color: "never" });
      } catch (error) {
        expectRefusal(error, file);
      }
    }),
    { numRuns: trialsOf(1000), seed: 20261121 },
  );
});

test("many damaged baselines", () => {
  const file = join(folder, "api.json");
  const original = JSON.parse(renderReviewableJson(STEADY)) as Json;
  const state = (samples: Samples, baseline: Baseline): string =>
    judge({ samples, baselines: [baseline], history: STEADY_NIGHTS }).state;
  // Undamaged it lets pass what is as it was, so that it is the damage or the regression that
  // nothing below passes for.
  expect(state(makeSteadySamples(), STEADY)).toBe("pass");
  const regressed = makeSteadySamples(
    Object.fromEntries(Object.keys(STEADY.metrics).map((key) => [key, 8])),
    16,
  );
  expect(state(regressed, STEADY)).toBe("regressed");
  const paths = pathsOf(original);
  fc.assert(
    fc.property(anyOf(paths), fc.constantFrom(...JUNK), (path, junk) => {
      writeFileSync(file, JSON.stringify(mutated(original, path, junk)) ?? "");
      try {
        const read = readBaseline(file, { runnerClass: "test", service: "api" });
        expect(["pass", "improved"]).not.toContain(state(regressed, read));
      } catch (error) {
        expectRefusal(error, file);
      }
    }),
    { numRuns: trialsOf(1000), seed: 20261121 },
  );
});
