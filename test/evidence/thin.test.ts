import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRuns, readStoredRuns, storeRun } from "../../scripts/evidence/runs.ts";
import { thinSamples } from "../../scripts/evidence/thin.ts";
import { SamplesSchema } from "../../src/model/samples.ts";
import { judge } from "../../src/verdict/judge.ts";
import { fewRuns } from "./fixture.ts";

test("what is kept is a samples file, a fraction of the size, and gives the same verdict", () => {
  for (const { samples } of fewRuns()) {
    const thin = thinSamples(samples);
    SamplesSchema.parse(thin);
    expect(JSON.stringify(thin).length).toBeLessThan(0.95 * JSON.stringify(samples).length);
    const [before, after] = [samples, thin].map((s) =>
      judge({ samples: s, baselines: [] })
        .comparisons.filter(({ level }) => level === "gate")
        .map(({ id, state, estimate, looks }) => ({ id, state, estimate, looks })),
    );
    expect(after).toEqual(before);
  }
});

test("runs are read as they were stored, in order, and no run is the same as nothing stored", () => {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-evidence-"));
  try {
    expect(readStoredRuns(folder)).toEqual([]);
    const runs = fewRuns();
    for (const { samples, ...run } of runs) storeRun(folder, run, samples);
    expect(readRuns(folder)).toEqual(runs.map(({ samples: _, ...run }) => run));
    expect(readStoredRuns(folder)).toEqual(
      runs.map((run) => ({ ...run, samples: thinSamples(run.samples) })),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
