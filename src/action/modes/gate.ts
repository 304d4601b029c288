// `mode: gate`: what started the change -> measure and judge -> summary, annotations, outputs,
// artifact; on a pull request of the same repository the comment as well. A shard only measures.
import { dirname } from "node:path";
import type { Change } from "../../app/project/change.ts";
import type { Project } from "../../app/project/project.ts";
import { UserError } from "../../core/base/errors.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import type { Report } from "../../core/model/report.ts";
import { plainLine } from "../../core/text/escape.ts";
import { writeArtifactFolder } from "../artifact/artifact-folder.ts";
import { continueEarlier } from "../artifact/earlier-attempt.ts";
import { historyFor } from "../history/open.ts";
import type { Shard } from "../inputs/parse-inputs.ts";
import { CANCELLED, type Conclusion, type Job } from "../job/job.ts";
import { openToBuild } from "../job/requirements.ts";
import { namedByEvent, nameSources } from "../publish/name-sources.ts";
import { publishBeginning, publishOwn, publishOwnFailure } from "../publish/publish-own.ts";
import { tellReport, withRemark } from "../publish/show-report.ts";
import { concludeVerdict } from "../publish/verdict-conclusion.ts";

export async function runGate(job: Job): Promise<Conclusion> {
  refuseUnsafeEvents(job);
  const { shard } = job.inputs;
  if (shard !== null) return await measureShard(job, shard);
  await publishBeginning(job);
  return await orTellFailure(job, async () => {
    const { project, tell } = await continueEarlier(job, await projectOf(job));
    const { report, files } = await job.useCases.gate(project, job.environment);
    if (job.environment.abort.aborted) return CANCELLED;
    const [samples = ""] = files;
    return await finish(job, { report, samples, history: project.history }, tell(report.run));
  });
}

async function projectOf(job: Job): Promise<Project> {
  const { useCases } = job;
  const project = await openToBuild(job, job.inputs);
  const base = await baseFor(job, project);
  return { ...project, base, history: await historyFor(job, await useCases.baselinesOf(project)) };
}

/** What ends the step early is said on the pull request too, where this job may write there. */
export async function orTellFailure(
  job: Job,
  work: () => Promise<Conclusion>,
): Promise<Conclusion> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof UserError && thrown.kind !== "interrupted") {
      await publishOwnFailure(job, thrown);
    }
    throw thrown;
  }
}

interface Measured {
  report: Report;
  /** The file. */
  samples: string;
  history: readonly HistoryRecord[];
}

/** What a report comes to, measured here or in shards. `remark` is added to the summary. */
export async function finish(
  job: Job,
  { report: measured, samples: samplesPath, history }: Measured,
  remark = "",
): Promise<Conclusion> {
  const report = nameSources(measured, namedByEvent(job.event));
  handOver(job, samplesPath);
  await tellReport(job, { report, samplesPath }, remark);
  await publishOwn(job, report, history);
  return concludeVerdict(report, job.inputs);
}

/** Both have secrets and a token that can write, and a gate runs what the pull request brings. */
function refuseUnsafeEvents({ context }: Job): void {
  if (!["pull_request_target", "workflow_run"].includes(context.eventName)) return;
  throw new UserError(
    `\`mode: gate\` does not run on ${context.eventName}: it would run the pull request's code with a token that can write`,
    { next: "Write:\non: pull_request\nand publish from a second workflow with `mode: report`." },
  );
}

/** Null: the reference is given, or the usual merge base is right. */
async function baseFor(job: Job, project: Project): Promise<string | null> {
  const { event, useCases } = job;
  const change = changeOf(job);
  // Asked in any case: the checkout must be of the change, whatever it is held against.
  const base = change === null ? null : await useCases.findBaseOfChange(change, project);
  if (base !== null || project.reference !== null) return base;
  const { compare } = project.config;
  if (compare === "stored" || compare === "replay") return null;
  if (change !== null || !(await useCases.startsFromItself(project))) return null;
  if (event.kind === "push" && event.before !== null) return event.before;
  throw new UserError(
    "there is nothing to compare with: the checkout is a commit of the default branch, which is its own merge base",
    {
      next: "Say what to hold it against, for example:\nwith:\n  reference: HEAD~1\nor the stored baseline:\nwith:\n  compare: replay",
    },
  );
}

/** The commits that the event names; null: it names none. */
function changeOf({ event }: Job): Change | null {
  switch (event.kind) {
    case "pull-request":
      return { name: `pull request #${event.number}`, head: event.head.sha, base: event.base.sha };
    case "merge-group":
      return { name: "the merge group", head: event.headSha, base: event.baseSha };
    default:
      return null;
  }
}

async function measureShard(job: Job, shard: Shard): Promise<Conclusion> {
  const { useCases, environment, runner } = job;
  const { project, tell } = await continueEarlier(job, await projectOf(job));
  const { samples, path } = await useCases.measureOnly(project, environment);
  if (environment.abort.aborted) return CANCELLED;
  handOver(job, path);
  const services = samples.config.services.map(({ name }) => name).join(", ");
  const headline = plainLine(
    `MEASURED: shard ${shard.index} of ${shard.of} (${services}), ${samples.rounds.length} rounds; \`mode: merge\` judges`,
  );
  const remark = tell(samples.run);
  runner.output("verdict", "measured");
  runner.summary(
    `### Tailgate: shard ${shard.index} of ${shard.of} is measured\n\nThe job that merges the shards has the verdict.\n${withRemark(remark)}`,
  );
  return { state: "success", headline };
}

function handOver({ runner, environment, context }: Job, samplesPath: string): void {
  const { runId, attempt } = context;
  const about = { version: environment.version, runId, attempt };
  runner.output("artifact", writeArtifactFolder(samplesPath, dirname(samplesPath), about));
}
