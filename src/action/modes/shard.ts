// `mode: plan` spreads services over shards, and says on the pull request that they measure: it runs
// before them and, unlike them, nothing that the change brings. `mode: merge` judges what the shards
// measured, together and once.
import { join } from "node:path";
import { FILES, prepareOutputFolder } from "../../app/documents/reports.ts";
import { writeSamples } from "../../app/documents/samples.ts";
import { reportOn, writeGateReports } from "../../app/gate/outcome.ts";
import { spreadOverShards } from "../../core/plan/shards.ts";
import { markdownCellCode, plainLine } from "../../core/text/escape.ts";
import { mergeShards } from "../../core/verdict/merge-shards.ts";
import { readShards } from "../artifact/artifact-folder.ts";
import { historyFor } from "../history/open.ts";
import { CANCELLED, type Conclusion, type Job } from "../job/job.ts";
import { publishBeginning } from "../publish/publish-own.ts";
import { finish, orTellFailure } from "./gate.ts";

export async function runPlan(job: Job): Promise<Conclusion> {
  const { inputs, runner, useCases, environment } = job;
  await publishBeginning(job);
  const { config } = await useCases.openProject(job.inputs, environment);
  const spread = spreadOverShards(config, inputs.shards ?? 1);
  const include = spread.map((services, i) => ({
    shard: `${i + 1}/${spread.length}`,
    services: services.join(", "),
  }));
  runner.output("matrix", JSON.stringify({ include }));
  for (const { shard, services } of include) runner.log(`shard ${shard}: ${services}`);
  const headline = plainLine(`${config.services.length} services in ${spread.length} shards`);
  const rows = include.map(({ shard, services }) => `| ${shard} | ${markdownCellCode(services)} |`);
  runner.summary(
    `${["### Tailgate: the plan", "", `${headline}.`, "", "| shard | services |", "|:--|:--|", ...rows].join("\n")}\n`,
  );
  return { state: "success", headline };
}

export async function runMerge(job: Job): Promise<Conclusion> {
  return await orTellFailure(job, () => merge(job));
}

async function merge(job: Job): Promise<Conclusion> {
  const { inputs, useCases, environment, runner } = job;
  const project = await useCases.openProject(job.inputs, environment);
  const { config, out } = project;
  const folder = join(environment.workingFolder, inputs.shardsFolder ?? ".");
  const shards = readShards(folder);
  for (const { name, samples } of shards) {
    runner.log(`${name}: ${samples.config.services.map((service) => service.name).join(", ")}`);
  }
  const { samples, machines } = mergeShards(shards, config);
  if (environment.abort.aborted) return CANCELLED;
  prepareOutputFolder(out);
  const path = join(out, FILES.samples);
  writeSamples(path, samples);
  // Stored values are of one kind of machine.
  const baselines = machines === "alike" ? await useCases.baselinesOf(project) : [];
  const history = await historyFor(job, baselines);
  const report = reportOn(samples, baselines, history);
  await writeGateReports(out, report, environment);
  return await finish(job, { report, samples: path, history });
}
