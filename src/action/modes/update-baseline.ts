// `mode: update-baseline`: measures the default branch's commit alone, and proposes what it found
// as the stored baselines. Nothing else is ever built here: this job's token may write.
import { UserError } from "../../core/base/errors.ts";
import { plainLine } from "../../core/text/escape.ts";
import type { GitHub } from "../../github/port.ts";
import { MODE_FACTS } from "../inputs/contract.ts";
import { requireGitHub } from "../inputs/require-github.ts";
import type { Conclusion, Job } from "../job.ts";
import { CANCELLED } from "./gate.ts";

/** Their commit is one of a branch that people can push to, and of which one the ref says. */
const BASELINE_EVENTS = MODE_FACTS["update-baseline"].events;

export async function runUpdateBaseline(job: Job): Promise<Conclusion> {
  const { context, environment, runner, useCases } = job;
  const github = requireGitHub(job);
  await refuseUnmerged(job, github);
  const project = await useCases.openProject(job.inputs, environment);
  const samples = await useCases.measureForBaseline(project, environment);
  if (environment.abort.aborted) return CANCELLED;
  const measurements = [{ samples, workflowRun: context.runId }];
  const { repository } = context;
  const proposal = await useCases.proposeBaselines({ repository, measurements }, github);
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
        `the measurement cannot become a baseline: ${firstLine(proposal.reasons[0] ?? "")}`,
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

/**
 * Before anything is built; what was measured is held against the API's word once more before it is
 * proposed.
 */
async function refuseUnmerged({ context }: Job, github: GitHub): Promise<void> {
  const { eventName, ref } = context;
  if (!BASELINE_EVENTS.includes(eventName)) {
    throw new UserError(`baselines are never updated on ${eventName}`, {
      next: 'They are of what has been merged. Write:\non:\n  schedule:\n    - cron: "43 3 * * 1"\n  workflow_dispatch:',
    });
  }
  const { defaultBranch } = await github.repository();
  if (ref === `refs/heads/${defaultBranch}`) return;
  throw new UserError(
    `baselines are of ${defaultBranch}, and this run is of ${plainLine(ref, 200) || "no branch"}`,
    {
      next: `Start it on the default branch only. Write:\nif: github.ref == 'refs/heads/${defaultBranch}'`,
    },
  );
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}
