// `mode: update-baseline`: measures the default branch's commit alone, and proposes what it found
// as the stored baselines. Nothing else is ever built here: this job's token may write.
import { UserError } from "../../core/base/errors.ts";
import { plainLine } from "../../core/text/escape.ts";
import { requireHistory } from "../history/open.ts";
import { CANCELLED, type Conclusion, type Job } from "../job/job.ts";
import { openToBuild, refuseElsewhere, requireGitHub } from "../job/requirements.ts";
import { proposeBaselines } from "../publish/propose-baselines.ts";

export async function runUpdateBaseline(job: Job): Promise<Conclusion> {
  const { context, environment, runner, useCases } = job;
  const github = requireGitHub(job);
  // Before anything is built; what was measured is held against the API's word once more before it
  // is proposed.
  await refuseElsewhere(job, github, {
    are: "baselines are",
    updated: "baselines are never updated",
  });
  const history = await requireHistory(job);
  const project = await openToBuild(job, { ...job.inputs, history });
  const samples = await useCases.measureForBaseline(project, environment);
  if (environment.abort.aborted) return CANCELLED;
  const { repository, runId } = context;
  const request = { repository, samples, workflowRun: runId, history };
  const sheets = await environment.satellites.sheets();
  const proposal = await proposeBaselines(request, github, sheets);
  switch (proposal.kind) {
    case "none": {
      const headline = `nothing to update: ${proposal.text}`;
      runner.summary(
        `### Tailgate: the baselines stay as they are\n\nNothing moved beyond noise.\n`,
      );
      return { state: "success", headline };
    }
    case "refused":
      throw new UserError(
        `the measurement cannot become a baseline: ${proposal.reasons[0]?.split("\n")[0]}`,
        { detail: proposal.reasons.join("\n"), next: "Nothing was changed. Measure again." },
        "invalid",
      );
    case "proposed": {
      const { url, number } = proposal.pullRequest;
      runner.output("pull-request", url);
      for (const note of proposal.notes) runner.log(note);
      runner.summary(`### Tailgate: new baselines are proposed\n\nSee #${number}.\n`);
      return { state: "success", headline: plainLine(`${proposal.action} ${url}`) };
    }
  }
}
