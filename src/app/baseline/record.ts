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
import type { Samples } from "../../core/model/samples.ts";
import { median } from "../../core/stats/dispersion.ts";
import { formatChange } from "../../core/text/format.ts";
import { driftFor } from "../../core/verdict/stored.ts";
import { type Revision, revisionOf, uncommittedPaths } from "../../machine/build/source.ts";
import { readBaselines, writeBaseline } from "../documents/baselines.ts";
import { FILES } from "../documents/reports.ts";
import { readSamples } from "../documents/samples.ts";
import { baselinesOf } from "../gate/gate.ts";
import { measureInto } from "../gate/measure.ts";
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
export async function showBaselines(
  project: Project,
  { clock, satellites }: Pick<Environment, "clock" | "satellites">,
): Promise<BaselineResult> {
  const { renderBaseline } = await satellites.sheets();
  const baselines = baselinesOf(project);
  const { dir } = project.config.baselines;
  const none = `${dir} has no baseline for runner class ${project.config.runner.class}; record one: tailgate baseline record`;
  const texts = baselines.map((baseline) =>
    renderBaseline(baseline, null, median, (key) => describeDrift(key, baseline, project, clock)),
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
  const { renderBaseline } = await environment.satellites.sheets();

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
    texts.push(`${renderBaseline(next, previous, median)}\n  wrote ${path}`);
  }
  return { baselines: written, text: texts.join("\n\n") };
}

/** A baseline is of a commit: the candidate alone, until every gated metric has enough launches. */
export async function measureForBaseline(
  project: Project,
  environment: Environment,
): Promise<Samples> {
  const commit = await lastCommit(project);
  const own = { ...project, candidate: async () => commit };
  const until = { rounds: FIRST_LOOK, counted: calmLaunches };
  // Nothing is asked of them: without a number there would be none.
  const plan = { kind: "rounds", reference: "none", ...until } as const;
  return (await measureInto(FILES.samples, plan, own, environment)).samples;
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
