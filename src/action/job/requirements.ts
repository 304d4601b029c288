// What a mode cannot do without, said before anything is built or written: a token, and a run of the
// default branch by GitHub's word, for what later changes are held against comes from no other.
import type { Project } from "../../app/project/project.ts";
import type { ProjectOptions } from "../../app/settings.ts";
import { UserError } from "../../core/base/errors.ts";
import { plainLine } from "../../core/text/escape.ts";
import type { GitHub } from "../../github/port.ts";
import { MODE_PERMISSIONS } from "../inputs/contract.ts";
import type { Job } from "./job.ts";

export function requireGitHub({ github, inputs }: Job): GitHub {
  if (github !== null) return github;
  const permissions = MODE_PERMISSIONS[inputs.mode];
  throw new UserError(`\`mode: ${inputs.mode}\` needs a token, and the input \`token\` is empty`, {
    next: `Leave \`token:\` out, so that the job's own is used, and write:\npermissions:\n${permissions.map((line) => `  ${line}`).join("\n")}`,
  });
}

/** A project that is built here: what the checkout leaves in reach of its builds is told. */
export async function openToBuild(
  { useCases, environment, runner }: Job,
  options: ProjectOptions,
): Promise<Project> {
  // A build could exchange the files that would be loaded after it, into a process that has the token.
  const { explain, pages, sheets, export: formats } = environment.satellites;
  await Promise.allSettled([explain(), pages(), sheets(), formats()]);
  const project = await useCases.openProject(options, environment);
  if (await useCases.keepsToken(project)) {
    const message =
      "the checkout holds a token or a key, which builds and services can read: give actions/checkout `persist-credentials: false`, unless git must complete a partial clone";
    runner.annotate({ level: "warning", title: "Tailgate", message });
  }
  return project;
}

/** Their commit is one of a branch that people can push to, and of which one the ref says. */
export const DEFAULT_BRANCH_EVENTS: readonly string[] = ["schedule", "workflow_dispatch", "push"];

/** `what` begins a sentence: `baselines`. Throws a UserError. */
export async function refuseElsewhere(
  { context }: Pick<Job, "context">,
  github: Pick<GitHub, "repository">,
  what: { are: string; updated: string },
): Promise<void> {
  const { eventName, ref } = context;
  if (!DEFAULT_BRANCH_EVENTS.includes(eventName)) {
    throw new UserError(`${what.updated} on ${eventName}`, {
      next: 'They are of what has been merged. Write:\non:\n  schedule:\n    - cron: "43 3 * * 1"\n  workflow_dispatch:',
    });
  }
  const { defaultBranch } = await github.repository();
  if (ref === `refs/heads/${defaultBranch}`) return;
  throw new UserError(
    `${what.are} of ${defaultBranch}, and this run is of ${plainLine(ref, 200) || "no branch"}`,
    {
      next: `Start it on the default branch only. Write:\nif: github.ref == 'refs/heads/${defaultBranch}'`,
    },
  );
}
