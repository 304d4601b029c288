// Measures gates for the evidence, unattended, for as long as it is told: of the kinds in kinds.ts
// the one that has the smallest share of its gates. A gate is kept when it has ended, whatever it
// says; stopping at any time loses one gate, and the next call goes on from there. One that ends
// without rounds, as where an edit does not build, is left out by this call, which then exits with 1.
// Nothing else may run on the machine meanwhile, but with `--beside-work`, which records that others
// were at work. Disturbances take root.
//
//   node lab/evidence/collect.ts --for 25m [--gates 1] [--only neutral --only p99+10 …] [--beside-work]
//   node lab/evidence/collect.ts --status
//   node lab/evidence/collect.ts --samples 2026-11-22T031635Z-aa-calm > samples.v1.json
import { existsSync, readFileSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { readSamples } from "../../src/app/documents/samples.ts";
import { ReportSchema } from "../../src/core/model/report.ts";
import { editInto, identityOf, titleOf } from "../edit.ts";
import { timeName } from "../lines.ts";
import { disturbanceOf, WORK } from "./disturbances.ts";
import { ANCHOR, chooseTask, isPresent, KINDS, type Kind, type Task } from "./kinds.ts";
import { measuredMinutes, readRuns, storeRun } from "./runs.ts";
import { collect, type Place, whileChanged } from "./unattended.ts";
import {
  changeIn,
  headOf,
  outputOf,
  planted,
  RUNS,
  runGate,
  withScenario,
} from "./working-copy.ts";

const { values } = parseArgs({
  options: {
    for: { type: "string" },
    gates: { type: "string", default: "1000" },
    only: { type: "string", multiple: true, default: [] },
    "beside-work": { type: "boolean", default: false },
    status: { type: "boolean", default: false },
    samples: { type: "string" },
  },
});

if (values.status) {
  printStatus();
} else if (values.samples !== undefined) {
  printSamples(values.samples);
} else if (values.for === undefined) {
  console.error("usage: node lab/evidence/collect.ts --for 25m | --status | --samples RUN");
  process.exitCode = 2;
} else {
  await collect(
    { duration: values.for, most: Number(values.gates), only: values.only },
    {
      kinds: Object.keys(KINDS),
      folder: RUNS,
      choose: (left) => chooseTask(readRuns(RUNS), { ...left, besideWork: values["beside-work"] }),
      measure: measureAndKeep,
    },
  );
}

async function measureAndKeep({ kind, nth }: Task, place: Place): Promise<void> {
  const { clone, batch, abort } = place;
  const { plant: plantOf, edit: editOf, scenario, isDisturbed, config } = KINDS[kind] as Kind;
  const plant = plantOf?.(nth) ?? null;
  const edit = editOf?.(nth);
  const disturbance = values["beside-work"] ? WORK : isDisturbed ? disturbanceOf(nth) : null;
  const load = loadavg()[0] ?? 0;
  const faults = plant?.faults;
  const done = edit === undefined ? [plant?.service, faults] : [titleOf(edit)];
  console.error(`\n== ${[kind, nth + 1, ...done, disturbance].filter((one) => one).join(" ")}`);
  rmSync(outputOf(clone, ""), { recursive: true, force: true });
  // Where nothing is changed both arms are one build, which a gate would not measure.
  const isChanged = plant !== null || edit !== undefined;
  const against = isChanged ? ["HEAD"] : [ANCHOR, "--measure-unchanged"];
  const args = ["--config", config, "--reference", ...against];
  const { exitCode } = await whileChanged(place, { change, disturbance }, () =>
    runGate(clone, args, abort),
  );
  if (abort.aborted) return;
  const path = outputOf(clone, "samples.v1.json");
  if (exitCode === null || !existsSync(path)) {
    throw new Error(`the gate ended with ${exitCode} and left no samples`);
  }
  const samples = readSamples(path);
  if (samples.rounds.length === 0) throw new Error("both arms are the same program");
  const name = `${timeName(new Date(samples.run.startedAt))}-${kind}`;
  const verdict = verdictOf(clone);
  storeRun(batch, {
    name,
    kind,
    plant,
    ...(edit === undefined ? {} : { edit: identityOf(edit) }),
    disturbance,
    commit: headOf(clone),
    minutes: measuredMinutes(samples),
    exitCode,
    verdict,
    load: Number(load.toFixed(2)),
    samples,
  });
  console.error(`== ${name}: ${verdict.state} after ${measuredMinutes(samples)} minutes, kept`);

  function change(): void {
    const service = plant?.service;
    if (service !== undefined && faults !== undefined)
      changeIn(clone, config, (text) => planted(text, { service, faults }));
    if (edit === undefined) return;
    editInto(clone, edit);
    if (scenario !== undefined)
      changeIn(clone, config, (text) => withScenario(text, { ...scenario, service: edit.service }));
  }
}

/** The program's own words. */
function verdictOf(clone: string) {
  const text = readFileSync(outputOf(clone, "report.v1.json"), "utf8");
  const { verdict } = ReportSchema.parse(JSON.parse(text));
  const regressed = verdict.comparisons
    .filter(({ level, state }) => level === "gate" && state === "regressed")
    .map(({ id }) => id);
  return { state: verdict.state, regressed };
}

function printStatus(): void {
  const runs = readRuns(RUNS);
  for (const [kind, { wanted }] of Object.entries(KINDS)) {
    const own = runs.filter((run) => run.kind === kind && isPresent(run));
    const states = Map.groupBy(own, ({ verdict }) => verdict.state);
    const told = [...states].map(([state, { length }]) => `${length} ${state}`).join(", ");
    console.log(`${kind}: ${own.length} of ${wanted}${told === "" ? "" : `; ${told}`}`);
  }
}

/** A samples file, for `tailgate judge`. */
function printSamples(name: string): void {
  const run = readRuns(RUNS).find((one) => one.name === name);
  if (run === undefined) throw new Error(`no run ${name}`);
  process.stdout.write(`${JSON.stringify(run.samples)}\n`);
}
