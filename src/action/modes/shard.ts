// `mode: plan` divides a run over shards, and says on the pull request that they measure: it runs
// before them and, unlike them, nothing that the change brings. `mode: merge` judges what the shards
// measured, together and once.
import { join } from "node:path";
import { mergeFolder } from "../../app/gate/merge.ts";
import { reportOn, writeGateReports } from "../../app/gate/outcome.ts";
import { spreadOverShards } from "../../core/plan/shards.ts";
import { markdownCellCode } from "../../core/text/escape.ts";
import { historyFor } from "../history/open.ts";
import { CANCELLED, type Conclusion, type Job } from "../job/job.ts";
import { publishBeginning } from "../publish/publish-own.ts";
import { finish, orTellFailure } from "./gate.ts";

export async function runPlan(job: Job): Promise<Conclusion> {
  const { inputs, runner, useCases, environment } = job;
  await publishBeginning(job);
  const { config } = await useCases.openProject(job.inputs, environment);
  const spread = spreadOverShards(config, inputs.shards ?? 1);
  const include = spread.map(({ services, part, parts }, i) => ({
    shard: `${i + 1}/${spread.length}`,
    services: services.join(", "),
    rounds: parts === 1 ? "all" : `part ${part + 1} of ${parts}`,
    artifact: `shard-${i + 1}`,
  }));
  runner.output("matrix", JSON.stringify({ include }));
  for (const { shard, services, rounds } of include)
    runner.log(`shard ${shard}: ${services}, rounds: ${rounds}`);
  const counted = (of: readonly unknown[], word: string): string =>
    `${of.length} ${word}${of.length === 1 ? "" : "s"}`;
  const headline = `${counted(config.services, "service")} in ${counted(spread, "shard")}`;
  const rows = include.map(
    ({ shard, services, rounds }) => `| ${shard} | ${markdownCellCode(services)} | ${rounds} |`,
  );
  runner.summary(
    `${["### Tailgate: the plan", "", `${headline}.`, "", "| shard | services | rounds |", "|:--|:--|:--|", ...rows].join("\n")}\n`,
  );
  return { state: "success", headline };
}

export async function runMerge(job: Job): Promise<Conclusion> {
  return await orTellFailure(job, () => merge(job));
}

async function merge(job: Job): Promise<Conclusion> {
  const { inputs, useCases, environment, runner } = job;
  const project = await useCases.openProject(job.inputs, environment);
  const folder = join(environment.workingFolder, inputs.shardsFolder ?? ".");
  const { samples, path, machines } = mergeFolder(folder, project, (line) => runner.log(line));
  if (environment.abort.aborted) return CANCELLED;
  // Stored values are of one kind of machine.
  const baselines = machines === "alike" ? await useCases.baselinesOf(project) : [];
  const history = await historyFor(job, baselines);
  const report = reportOn(samples, baselines, history);
  await writeGateReports(project.out, report, environment);
  return await finish(job, { report, samples: path, history });
}
