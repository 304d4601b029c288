// `mode: gate`: what started the change -> measure and judge -> summary, annotations, outputs, artifact; on a pull request of
// the same repository the comment as well. A shard only measures.
import { dirname } from "node:path";
import type { Change } from "../app/change.ts";
import type { MeasureOptions } from "../app/settings.ts";
import { UserError } from "../base/errors.ts";
import type { Report } from "../model/report.ts";
import { plainLine } from "../report/foreign.ts";
import { writeArtifactFolder } from "./artifact-folder.ts";
import type { Conclusion, Job } from "./job.ts";
import { measureOptions } from "./measure-options.ts";
import { namedByEvent, nameSources } from "./name-sources.ts";
import type { Shard } from "./parse-inputs.ts";
import { publishOwn, publishOwnFailure } from "./publish-own.ts";
import { annotateReport, showReport } from "./show-report.ts";
import { concludeVerdict } from "./verdict-conclusion.ts";

export async function runGate(job: Job): Promise<Conclusion> {
  refuseUnsafeEvents(job);
  const { shard } = job.inputs;
  if (shard !== null) return await measureShard(job, await optionsOf(job), shard);
  return await orTellFailure(job, async () => {
    const { report, files } = await job.useCases.gate(await optionsOf(job), job.environment);
    if (job.environment.abort.aborted) return CANCELLED;
    const [samples = ""] = files;
    return await finish(job, report, samples);
  });
}

async function optionsOf(job: Job): Promise<MeasureOptions> {
  const asked = measureOptions(job);
  return { ...asked, base: await baseFor(job, asked) };
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

/** What a report comes to, measured here or in shards. */
export async function finish(job: Job, measured: Report, samplesPath: string): Promise<Conclusion> {
  const report = nameSources(measured, namedByEvent(job.event));
  handOver(job, samplesPath);
  showReport(job, report);
  annotateReport(job, report);
  job.runner.output("reports", dirname(samplesPath));
  await publishOwn(job, report);
  return concludeVerdict(report, job.inputs);
}

export const CANCELLED: Conclusion = {
  state: "cancelled",
  headline: "CANCELLED: the job was stopped, and there is no verdict",
};

/** Both have secrets and a token that can write, and a gate runs what the pull request brings. */
function refuseUnsafeEvents({ context }: Job): void {
  if (!["pull_request_target", "workflow_run"].includes(context.eventName)) return;
  throw new UserError(
    `\`mode: gate\` does not run on ${context.eventName}: it would run the pull request's code with a token that can write`,
    { next: "Write:\non: pull_request\nand publish from a second workflow with `mode: report`." },
  );
}

/** Null: the reference is given, or the usual merge base is right. */
async function baseFor(job: Job, options: MeasureOptions): Promise<string | null> {
  const { event, useCases, environment } = job;
  const change = changeOf(job);
  // Asked in any case: the checkout must be of the change, whatever it is held against.
  const base = change === null ? null : await useCases.findBaseOfChange(change, environment);
  if (base !== null || options.reference !== null) return base;
  const { config } = await useCases.openProject(options, environment);
  const compare = options.compare ?? config.compare;
  if (compare === "stored" || compare === "replay") return null;
  if (change !== null || !(await useCases.startsFromItself(environment))) return null;
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
      return {
        name: `pull request #${event.number}`,
        head: event.head.sha,
        base: event.base.sha,
      };
    case "merge-group":
      return { name: "the merge group", head: event.headSha, base: event.baseSha };
    default:
      return null;
  }
}

async function measureShard(job: Job, options: MeasureOptions, shard: Shard): Promise<Conclusion> {
  const { useCases, environment, runner } = job;
  const { config } = await useCases.openProject(options, environment);
  const compare = options.compare ?? config.compare;
  const { samples, path } = await useCases.measureOnly(
    // Each shard would screen by itself, and what they compare with could differ.
    { ...options, shard, compare: compare === "auto" ? "base" : compare },
    environment,
  );
  if (environment.abort.aborted) return CANCELLED;
  handOver(job, path);
  const services = samples.config.services.map(({ name }) => name).join(", ");
  const headline = plainLine(
    `MEASURED: shard ${shard.index} of ${shard.of} (${services}), ${samples.rounds.length} rounds; \`mode: merge\` judges`,
  );
  runner.output("verdict", "measured");
  runner.summary(
    `### Tailgate: shard ${shard.index} of ${shard.of} is measured\n\nThe job that merges the shards has the verdict.\n`,
  );
  return { state: "success", headline };
}

function handOver({ runner, environment, context }: Job, samplesPath: string): void {
  const { runId, attempt } = context;
  const about = { version: environment.version, runId, attempt };
  runner.output("artifact", writeArtifactFolder(samplesPath, dirname(samplesPath), about));
}
