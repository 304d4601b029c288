// Which gates of the evidence become this repository's history.
import { expect, test } from "vitest";
import { pairedNight, tipOf } from "../../test/support/history.ts";
import type { StoredRun } from "../evidence/runs.ts";
import { recordsOf } from "./from-evidence.ts";

function runOf(day: number, change: (run: StoredRun) => void = () => {}): StoredRun {
  const samples = pairedNight(day);
  const run: StoredRun = {
    name: `gate-${day}`,
    kind: "aa-calm",
    plant: null,
    disturbance: null,
    commit: tipOf(day),
    minutes: 3,
    exitCode: 0,
    verdict: { state: "pass", regressed: [] },
    load: 0,
    samples,
  };
  change(run);
  return run;
}

test("unplanted gates of a clean commit against another one are the history", () => {
  const runs = [
    runOf(1),
    runOf(2, (run) => {
      run.plant = { service: "api", faults: "latency_us=30", finds: "api/echo p99" };
    }),
    runOf(3, ({ samples }) => {
      samples.sources.candidate.dirty = true;
    }),
    runOf(4, ({ samples: { sources } }) => {
      sources.candidate.commit = sources.reference?.commit ?? "";
    }),
    runOf(5, ({ samples }) => {
      samples.sources.reference = null;
    }),
    runOf(6, (run) => {
      run.kind = "full";
    }),
  ];
  expect(recordsOf(runs, (commit) => `before ${commit}`)).toMatchObject([
    { run: { id: "night-1" }, commit: { sha: tipOf(1), parent: `before ${tipOf(1)}` } },
  ]);
});
