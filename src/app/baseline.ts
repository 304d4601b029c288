// `baseline record | update | show`: accepted values, written only from a run that can be trusted.
import { join, resolve } from "node:path";
import { UserError } from "../base/errors.ts";
import { metricOfKey } from "../baseline/key.ts";
import { recordBaseline } from "../baseline/record.ts";
import { readBaselines, writeBaseline } from "../baseline/store.ts";
import { refusalsOf } from "../baseline/update-trust.ts";
import { resolveCandidate } from "../build/source.ts";
import type { Baseline } from "../model/baseline.ts";
import { METRIC_FACTS, type Metric } from "../model/metric.ts";
import type { Samples } from "../model/samples.ts";
import { formatValue } from "../report/format.ts";
import { median } from "../stats/dispersion.ts";
import { driftOf } from "../verdict/drift.ts";
import { percentOf } from "../verdict/wording.ts";
import { baselinesOf } from "./gate.ts";
import { measure } from "./measure.ts";
import { FILES, prepareOutputFolder } from "./outcome.ts";
import { openProject, type Project } from "./project.ts";
import { readSamples } from "./samples-file.ts";
import type { Environment, MeasureOptions } from "./settings.ts";

export interface RecordOptions extends MeasureOptions {
  /** A samples file; null: measure now. */
  from: string | null;
  /** `record` starts or renews; `update` needs a baseline to be there. */
  mode: "record" | "update";
}

export interface BaselineResult {
  baselines: Baseline[];
  text: string;
}

export async function showBaselines(
  options: MeasureOptions,
  environment: Environment,
): Promise<BaselineResult> {
  const project = await openProject(options, environment);
  const baselines = baselinesOf(project);
  const { dir } = project.config.baselines;
  const text =
    baselines.length === 0
      ? `${dir} has no baseline for runner class ${project.config.runner.class}; record one: tailgate baseline record`
      : baselines.map((baseline) => renderOne(baseline, null)).join("\n\n");
  return { baselines, text };
}

export async function recordBaselines(
  options: RecordOptions,
  environment: Environment,
): Promise<BaselineResult> {
  const project = await openProject(options, environment);
  const dir = join(project.root, project.config.baselines.dir);
  const samples =
    options.from === null
      ? await measureAlone(project, options, environment)
      : readSamples(resolve(environment.workingFolder, options.from));
  const { runner, services } = samples.config;
  const names = services.map(({ name }) => name);
  const earlier = readBaselines(dir, runner.class, names);
  refuseUntrustworthy(samples, earlier);

  const written: Baseline[] = [];
  const texts: string[] = [];
  for (const name of names) {
    const previous = earlier.find(({ service }) => service === name) ?? null;
    if (options.mode === "update" && previous === null) {
      throw new UserError(`there is no baseline of ${name} to update`, {
        next: "Start one: tailgate baseline record.",
      });
    }
    const next = recordBaseline(samples, name, environment.clock.wallTime(), previous);
    const path = writeBaseline(dir, next);
    written.push(next);
    texts.push(`${renderOne(next, previous)}\n  wrote ${path}`);
  }
  return { baselines: written, text: texts.join("\n\n") };
}

/** The samples of a commit that a baseline can be made of. */
export async function measureForBaseline(
  options: MeasureOptions,
  environment: Environment,
): Promise<Samples> {
  return await measureAlone(await openProject(options, environment), options, environment);
}

/** A baseline is of a commit: the candidate alone, at the first look's number of rounds. */
async function measureAlone(
  project: Project,
  options: MeasureOptions,
  environment: Environment,
): Promise<Samples> {
  const { source } = await resolveCandidate(project.git);
  if (source.dirty) {
    throw new UserError(
      "a baseline names the commit it came from, and the working tree has uncommitted changes",
      {
        next: "Commit or stash them first.",
      },
    );
  }
  prepareOutputFolder(project.out);
  return await measure(
    {
      project,
      baselines: [],
      options,
      compare: "stored",
      // Nothing is asked of them: without a number there would be none.
      rounds: project.config.policy.looks[0] ?? 1,
      path: join(project.out, FILES.samples),
    },
    environment,
  );
}

/** The terms of a proposed update: a baseline is accepted by the same whoever writes it. */
function refuseUntrustworthy(samples: Samples, stored: readonly Baseline[]): void {
  const [first, ...more] = refusalsOf(samples, stored);
  if (first === undefined) return;
  const [reason, ...said] = first.split("\n");
  throw new UserError(`no baseline is recorded from this run: ${reason}`, {
    detail: [...said, ...more].join("\n"),
    next: "Record from a run that is complete, valid and of a commit, and that answered what it was asked.",
  });
}

function renderOne(baseline: Baseline, previous: Baseline | null): string {
  const lines = Object.entries(baseline.metrics).map(([key, values]) => {
    const metric = metricOfKey(key) as Metric;
    const unit = METRIC_FACTS[metric]?.unit ?? "count";
    const now = median(values);
    const before = previous?.metrics[key];
    const change =
      before === undefined
        ? ""
        : `, was ${formatValue(unit, median(before))} (${percentOf(Math.log(now / median(before)))})`;
    const drift = driftOf(baseline, key);
    const wander = drift === null ? "" : `, drift ${percentOf(drift)}`;
    return `  ${key.padEnd(28)} ${formatValue(unit, now)} over ${values.length} launches${change}${wander}`;
  });
  return [
    `${baseline.service} on ${baseline.runnerClass}, ${baseline.recordedAt.slice(0, 10)}, commit ${baseline.source.commit.slice(0, 10)}, ${baseline.history.length} earlier records`,
    ...lines,
  ].join("\n");
}
