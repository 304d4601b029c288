// `baseline record | update | show`: accepted values, written only from a run that can be trusted.
import { join, resolve } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { recordBaseline } from "../../core/baseline/record.ts";
import {
  calmLaunches,
  FIRST_LOOK,
  type Known,
  refusalsOf,
  storedOf,
} from "../../core/baseline/update/update.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import { partsOfSeries } from "../../core/model/history.ts";
import { METRIC_FACTS, type Metric } from "../../core/model/metric.ts";
import type { Samples } from "../../core/model/samples.ts";
import { machineName, metricOfKey } from "../../core/model/workload.ts";
import { median } from "../../core/stats/dispersion.ts";
import { formatChange, formatValue } from "../../core/text/format.ts";
import { driftFor } from "../../core/verdict/stored.ts";
import { type Revision, revisionOf, uncommittedPaths } from "../../machine/build/source.ts";
import { readBaselines, writeBaseline } from "../documents/baselines.ts";
import { FILES, prepareOutputFolder } from "../documents/reports.ts";
import { readSamples } from "../documents/samples.ts";
import { baselinesOf } from "../gate/gate.ts";
import { measure } from "../gate/measure.ts";
import type { Project } from "../project/project.ts";
import type { Environment, Satellites } from "../settings.ts";

interface RecordOptions {
  /** A samples file; null: measure now. */
  from: string | null;
  /** `record` starts or renews; `update` needs a baseline to be there. */
  mode: "record" | "update";
}

interface BaselineResult {
  baselines: Baseline[];
  text: string;
}

/** With the drift of each value, where a history is at hand. */
export function showBaselines(
  project: Project,
  { clock }: Pick<Environment, "clock">,
): BaselineResult {
  const baselines = baselinesOf(project);
  const { dir } = project.config.baselines;
  const none = `${dir} has no baseline for runner class ${project.config.runner.class}; record one: tailgate baseline record`;
  const texts = baselines.map((baseline) =>
    renderOne(baseline, null, (key) => describeDrift(key, baseline, project, clock)),
  );
  return { baselines, text: texts.join("\n\n") || none };
}

export async function recordBaselines(
  options: RecordOptions,
  project: Project,
  environment: Environment,
): Promise<BaselineResult> {
  const dir = join(project.root, project.config.baselines.dir);
  const samples =
    options.from === null
      ? await measureForBaseline(project, environment)
      : readSamples(resolve(environment.workingFolder, options.from));
  const earlier = readBaselines(dir, samples.config);
  const known = { stored: earlier, history: project.history };
  await refuseUntrustworthy(samples, known, environment.satellites);

  const written: Baseline[] = [];
  const texts: string[] = [];
  for (const { name } of samples.config.services) {
    const previous = storedOf(earlier, name, samples);
    if (options.mode === "update" && previous === null) {
      throw new UserError(`there is no baseline of ${name} on this machine to update`, {
        next: "Start one: tailgate baseline record.",
      });
    }
    const next = recordBaseline(samples, name);
    const path = writeBaseline(dir, next);
    written.push(next);
    texts.push(`${renderOne(next, previous)}\n  wrote ${path}`);
  }
  return { baselines: written, text: texts.join("\n\n") };
}

/** A baseline is of a commit: the candidate alone, until every gated metric has enough launches. */
export async function measureForBaseline(
  project: Project,
  environment: Environment,
): Promise<Samples> {
  const commit = await lastCommit(project);
  prepareOutputFolder(project.out);
  return await measure(
    {
      project: { ...project, candidate: async () => commit },
      baselines: [],
      path: join(project.out, FILES.samples),
      earlier: null,
      // Nothing is asked of them: without a number there would be none.
      plan: { kind: "rounds", rounds: FIRST_LOOK, counted: calmLaunches, reference: "none" },
    },
    environment,
  );
}

const MAX_PATHS = 5;

/**
 * As it was committed: a profile or a baseline that was just written is no part of what is measured.
 */
async function lastCommit({ git, config, candidate }: Project): Promise<Revision> {
  const revision = await candidate();
  const { commit, label, dirty } = revision.source;
  if (!dirty) return revision;
  const { dir } = config.baselines;
  const changed = await uncommittedPaths(git, revision);
  const others = changed.filter((path) => !path.startsWith(`${dir}/`));
  if (others.length === 0) return await revisionOf(git, commit, label);
  const more = others.length - MAX_PATHS;
  throw new UserError(
    "a baseline names the commit it came from, and the working tree has uncommitted changes",
    {
      detail: [...others.slice(0, MAX_PATHS), ...(more > 0 ? [`and ${more} more`] : [])].join("\n"),
      next: "Commit or stash them first.",
    },
  );
}

/** The terms of a proposed update: a baseline is accepted by the same whoever writes it. */
async function refuseUntrustworthy(samples: Samples, known: Known, { sheets }: Satellites) {
  const refusals = refusalsOf(samples, known);
  if (refusals.length === 0) return;
  const [first = "", ...more] = refusals.map((await sheets()).describeRefusal);
  const [reason, ...said] = first.split("\n");
  throw new UserError(`no baseline is recorded from this run: ${reason}`, {
    detail: [...said, ...more].join("\n"),
    next: "Record from a run that is complete, valid and of a commit, and that answered what it was asked.",
  });
}

/** Empty: no history is at hand. */
function describeDrift(
  key: string,
  baseline: Baseline,
  { history, config }: Project,
  clock: Environment["clock"],
): string {
  const parts = partsOfSeries(`${baseline.service}/${key}`);
  if (history.length === 0 || parts === null) return "";
  const asked = { history, config, now: clock.wallTime() };
  const drift = driftFor({ ...parts, policy: parts }, baseline, asked);
  return drift.known
    ? `, drift ${formatChange(drift.margin)}`
    : `, drift not known (${drift.nights} of ${drift.needed} nights${drift.ready === null ? "" : `, the last on ${drift.ready}`})`;
}

function renderOne(
  baseline: Baseline,
  previous: Baseline | null,
  driftOfKey: (key: string) => string = () => "",
): string {
  const lines = Object.entries(baseline.metrics).map(([key, values]) => {
    const metric = metricOfKey(key) as Metric;
    const unit = METRIC_FACTS[metric]?.unit ?? "count";
    const now = median(values);
    const before = previous?.metrics[key];
    const change =
      before === undefined
        ? ""
        : `, was ${formatValue(unit, median(before))} (${formatChange(Math.log(now / median(before)))})`;
    return `  ${key.padEnd(28)} ${formatValue(unit, now)} over ${values.length} launches${change}${driftOfKey(key)}`;
  });
  return [
    `${baseline.service} on ${baseline.runnerClass} (${machineName(baseline.fingerprint)}), ${baseline.recordedAt.slice(0, 10)}, commit ${baseline.source.commit.slice(0, 10)}`,
    ...lines,
  ].join("\n");
}
