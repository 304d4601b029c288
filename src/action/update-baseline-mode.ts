// `mode: update-baseline`: measures the default branch's commit alone, and proposes what it found as the stored baselines.

import { UserError } from "../base/errors.ts";
import { plainLine } from "../report/foreign.ts";
import { CANCELLED } from "./gate-mode.ts";
import type { Conclusion, Job } from "./job.ts";
import { measureOptions } from "./measure-options.ts";
import { requireGitHub } from "./require-github.ts";

export async function runUpdateBaseline(job: Job): Promise<Conclusion> {
  const { context, environment, event, runner, useCases } = job;
  const github = requireGitHub(job);
  if (event.kind === "pull-request" || event.kind === "merge-group") {
    throw new UserError(`baselines are never updated on ${context.eventName}`, {
      next: 'They are of what has been merged. Write:\non:\n  schedule:\n    - cron: "43 3 * * 1"\n  workflow_dispatch:',
    });
  }
  const samples = await useCases.measureForBaseline(measureOptions(job), environment);
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

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}
