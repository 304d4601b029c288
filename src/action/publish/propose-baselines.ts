// The baseline-update pull request: one branch, built anew from the default branch's newest commit,
// and one pull request that is edited in place. Runs only on measurements of the default branch:
// what a run says of itself is checked with GitHub first.

import { posix } from "node:path";
import { baselinePath } from "../../app/documents/baselines.ts";
import type { Sheets } from "../../app/settings.ts";
import { UserError } from "../../core/base/errors.ts";
import { renderReviewableJson } from "../../core/base/reviewable-json.ts";
import { planBaselineUpdate } from "../../core/baseline/update/update.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import type { Fingerprint } from "../../core/model/host.ts";
import type { Samples } from "../../core/model/samples.ts";
import { machineOf } from "../../core/model/workload.ts";
import type { CommitRequest, GitHub, PullRequest, WorkflowRun } from "../../github/port.ts";
import { DEFAULT_BRANCH_EVENTS } from "../job/requirements.ts";
import { readBaselines } from "./base-terms.ts";

/** Machines of a class may take turns: each has a pull request of its own. */
export const baselineBranch = (fingerprint: Fingerprint): string =>
  `tailgate/baselines-${machineOf(fingerprint)}`;

export interface ProposeRequest {
  /** `owner/name` of the repository that the port speaks for. */
  repository: string;
  samples: Samples;
  /** Id of the workflow run that measured them, from the event or the API. */
  workflowRun: number;
  history: readonly HistoryRecord[];
}

export type BaselineProposal =
  /** All is within noise: nothing was written. */
  | { kind: "none"; text: string }
  /**
   * The measurement cannot become a baseline: nothing was written. Lines after a reason's first are
   * a tool's.
   */
  | { kind: "refused"; reasons: string[] }
  | {
      kind: "proposed";
      /** `kept`: it had these very files on the newest commit already, and was left alone. */
      branch: "kept" | "built";
      action: "created" | "updated";
      pullRequest: PullRequest;
      /** For the log, such as what the token cannot do. */
      notes: string[];
    };

export async function proposeBaselines(
  request: ProposeRequest,
  github: GitHub,
  { describeRefusal, renderUpdateBody, renderUpdateTitle }: Sheets,
): Promise<BaselineProposal> {
  const { defaultBranch } = await github.repository();
  const { samples, workflowRun, repository, history } = request;
  const run = await github.workflowRun(workflowRun);
  assertOfDefaultBranch(run, samples, { repository, defaultBranch });

  const base = await github.branch(defaultBranch);
  if (base === null) {
    throw new UserError(`the default branch ${defaultBranch} does not exist`, {
      next: "Commit something to it first.",
    });
  }
  const stored = await readBaselines(github, samples.config, base.sha);
  const plan = planBaselineUpdate({ stored, fresh: samples, history });
  if (plan.kind === "refused") {
    return { kind: "refused", reasons: plan.refusals.map(describeRefusal) };
  }
  if (plan.kind !== "update") return plan;

  const files = new Map(
    plan.services.map(({ baseline }) => [
      pathOf(samples, baseline),
      renderReviewableJson(baseline),
    ]),
  );
  const title = renderUpdateTitle(plan);
  const message = `${title}\n\nMeasured in run ${plan.run.id}.`;
  const headBranch = baselineBranch(plan.fingerprint);
  const branch = await placeFiles(headBranch, { parent: base.sha, message, files }, github);
  const login = await github.whoAmI();
  const notes = login === JOB_TOKEN ? [CHECKS_DO_NOT_RUN] : [];
  const links = [{ label: `workflow run ${run.id}`, url: run.url }];
  const text = { title, body: renderUpdateBody(plan, { notes, links }) };
  const from = { repository, branch: headBranch, base: defaultBranch };
  const [open] = await github.openPullRequests(from);
  const pullRequest =
    open === undefined
      ? await github.createPullRequest({ ...text, head: headBranch, base: defaultBranch })
      : await github.updatePullRequest(open.number, text);
  return {
    kind: "proposed",
    branch,
    action: open === undefined ? "created" : "updated",
    pullRequest,
    notes,
  };
}

const JOB_TOKEN = "github-actions[bot]";
const CHECKS_DO_NOT_RUN =
  "This was opened with the job's own token, so GitHub holds its checks back: somebody with write access presses “Approve workflows to run”, or closes and reopens it. With a GitHub App's token they start at once.";

/** Whatever a pull request's code may have measured or claimed stays out of the baselines. */
function assertOfDefaultBranch(
  run: WorkflowRun,
  samples: Samples,
  { repository, defaultBranch }: { repository: string; defaultBranch: string },
): void {
  const { commit } = samples.sources.candidate;
  const wrong = !DEFAULT_BRANCH_EVENTS.includes(run.event)
    ? `it was started by ${run.event}`
    : run.headRepository?.toLowerCase() !== repository.toLowerCase()
      ? `it is of ${run.headRepository ?? "a repository that is gone"}`
      : run.headBranch !== defaultBranch
        ? `it is of the branch ${run.headBranch ?? "(none)"}`
        : run.headSha !== commit
          ? `it ran at commit ${run.headSha.slice(0, 10)}, and its samples are of ${commit.slice(0, 10)}`
          : null;
  if (wrong === null) return;
  throw new UserError(`workflow run ${run.id} cannot make baselines: ${wrong}`, {
    next: `Measure on ${defaultBranch} itself: on push, on a schedule or by workflow_dispatch.`,
  });
}

function pathOf({ config }: Samples, baseline: Baseline): string {
  const path = posix.normalize(baselinePath(config.baselines.dir, baseline).replaceAll("\\", "/"));
  if (path.startsWith("/") || path.split("/").includes("..")) {
    throw new UserError(`${path} is no place for a baseline: it leads out of the repository`);
  }
  return path;
}

/**
 * A branch that has these files on the newest commit of the default branch is left alone, so that
 * proposing twice changes nothing and restarts no checks. Any other is built anew: there is never a
 * conflict to resolve.
 */
async function placeFiles(
  branch: string,
  commit: CommitRequest,
  github: GitHub,
): Promise<"kept" | "built"> {
  const current = await github.branch(branch);
  if (current !== null && (await isBuilt(current.sha, commit, github))) return "kept";
  const sha = await github.commitFiles(commit);
  await github.pushBranch(branch, sha, { force: true });
  return "built";
}

async function isBuilt(
  sha: string,
  { parent, files }: CommitRequest,
  github: GitHub,
): Promise<boolean> {
  const [first] = (await github.parentsOf(sha)) ?? [];
  if (first !== parent) return false;
  for (const [path, text] of files) {
    const bytes = await github.file(path, sha);
    if (bytes === null || Buffer.from(bytes).toString() !== text) return false;
  }
  return true;
}
