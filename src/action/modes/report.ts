// `mode: report`: publishes what another workflow run measured, or on request another job of this
// one. Who, which commit and which pull request come from the event and the API; the artifact is a
// stranger's data, whose verdict is made again here by the base branch's terms.
import { failureIn, messageOf, UserError } from "../../core/base/errors.ts";
import { showValue } from "../../core/base/show-value.ts";
import { onlyServices } from "../../core/model/config.ts";
import type { Samples } from "../../core/model/samples.ts";
import { type CommentContext, renderComment } from "../../core/report/pull-request/comment.ts";
import type { NoticeKind } from "../../core/report/pull-request/notice.ts";
import { plainLine } from "../../core/text/escape.ts";
import { type Problem, problem } from "../../core/untrusted/problem.ts";
import { type ExpectedCommits, verdictForBase } from "../../core/untrusted/verdict-for-base.ts";
import type { Artifact, GitHub, PullRequest, WorkflowRun } from "../../github/port.ts";
import { GitHubError } from "../../github/port.ts";
import { fetchArtifact, newestNamed } from "../artifact/fetch-artifact.ts";
import type { ArtifactContents } from "../artifact/read-artifact-zip.ts";
import { historyFor } from "../history/open.ts";
import type { Conclusion, Job } from "../job/job.ts";
import { requireGitHub } from "../job/requirements.ts";
import { readBaseTerms, readOwnWaivers } from "../publish/base-terms.ts";
import { changedBaselines } from "../publish/changed-baselines.ts";
import { differingSource } from "../publish/differing-source.ts";
import { type Named, nameSources } from "../publish/name-sources.ts";
import { markBegun, publish, type Result, withdrawOutdated } from "../publish/publication.ts";
import { showReport, unreported } from "../publish/show-report.ts";
import { concludeVerdict } from "../publish/verdict-conclusion.ts";

/** What a run's result is published for, and the branch that it goes into. `from`: GitHub names it. */
type Subject = Named & { baseRef: string; from?: string };

interface Asked {
  run: WorkflowRun;
  subject: Subject;
  job: Job;
  github: GitHub;
}

export async function runReport(job: Job): Promise<Conclusion> {
  const { event, inputs } = job;
  const github = requireGitHub(job);
  if (inputs.commit !== null) return await reportRequest(inputs.commit, job, github);
  if (event.kind === "target") return await tellTarget(event, job, github);
  if (event.kind !== "workflow-run") throw wrongEvent(job);
  const run = await github.workflowRun(event.runId);
  rejectUnexpectedRun(run, event, inputs.workflow);
  const { conclusion } = run;
  if (conclusion !== null && NO_RESULT_EXPECTED.has(conclusion)) {
    return nothing(job, `the run ended as ${conclusion}: it measured nothing`);
  }
  const subject = await subjectOf(run, job, github);
  if (typeof subject === "string") return nothing(job, subject);
  const asked = { run, subject, job, github };
  return conclusion === null ? await tellBeginning(asked) : await publishRun(asked);
}

/** A commit may have its status from another pull request, or from when this one went elsewhere. */
async function tellTarget(
  { pullRequest, isReworded }: Extract<Job["event"], { kind: "target" }>,
  job: Job,
  github: GitHub,
): Promise<Conclusion> {
  if (isReworded) return nothing(job, "the pull request goes into the same branch as before");
  const done = await withdrawOutdated(pullRequest, github, job);
  return nothing(job, done ?? "no status stands that is for another base branch");
}

/** What was asked for in a pull request, and measured in this very run. */
async function reportRequest(headSha: string, job: Job, github: GitHub): Promise<Conclusion> {
  const number = "number" in job.event ? job.event.number : null;
  if (number === null) {
    throw new UserError("`commit` is of a pull request, and the event names none", {
      next: "Write it in the workflow whose `mode: request` was asked, or remove the line.",
    });
  }
  const { title, head, base } = await github.pullRequest(number);
  const run = await github.workflowRun(job.context.runId);
  // Of the run there is no conclusion yet: without a result, the job that measured has failed.
  const ofHead = { ...run, headSha, headRepository: head.repository, conclusion: "failure" };
  const subject = { kind: "pull-request" as const, number, title, headSha, baseRef: base.ref };
  return await publishRun({ run: ofHead, subject, job, github });
}

async function publishRun(asked: Asked): Promise<Conclusion> {
  const { run, subject, job, github } = asked;
  const { result, headline } = show(await resultOf(asked), job);
  const pullRequest = subject.kind === "pull-request" ? subject.number : null;
  // A request may be for a part of the gate, and a status would pass for all of it.
  const isSilent = job.inputs.status === "never" || job.inputs.commit !== null;
  const statusSha = isSilent ? null : run.headSha;
  const failures = await publish(result, { pullRequest, statusSha }, github, job);
  const late = await failureIn(async () => {
    if (pullRequest === null || statusSha === null) return;
    // It may have got another base while it was judged.
    const done = await withdrawOutdated(pullRequest, github, job);
    if (done !== null) job.runner.log(done);
  });
  const failure = failures[0] ?? late;
  if (failure !== null) return unreported(job, headline, failure);
  return { state: "success", headline: `published: ${headline}` };
}

/**
 * As output and summary, without annotations: this job is of the default branch's commit. What
 * cannot be shown here or in the comment, whatever a stranger put into it, is told as that.
 */
function show(result: Result, job: Job): { result: Result; headline: string } {
  const { context } = result;
  if (result.kind === "notice") {
    const { kind, text } = result.notice;
    job.runner.output("verdict", "error");
    return { result, headline: plainLine(`no verdict (${kind}): ${text}`) };
  }
  try {
    renderComment(result.report, result.context);
    const { headline } = concludeVerdict(result.report, job.inputs);
    showReport(job, result.report);
    return { result, headline };
  } catch (thrown) {
    const text = `the verdict on the samples cannot be shown: ${messageOf(thrown)}`;
    return show({ kind: "notice", notice: { kind: "refused", text, detail: "" }, context }, job);
  }
}

/** As of a run that was asked for: what stands in the comment is of another commit. */
async function tellBeginning({ run, subject, job, github }: Asked): Promise<Conclusion> {
  const done =
    subject.kind === "pull-request" && job.inputs.comment !== "never"
      ? await markBegun(subject.number, { ...whereOf(run, job), askedAt: run.createdAt }, github)
      : null;
  return nothing(job, `the run has not ended${done === null ? "" : `; ${done}`}`);
}

function whereOf(run: WorkflowRun, { context, inputs }: Job) {
  return {
    identity: { repository: context.repository, key: inputs.key },
    origin: { runId: run.id, attempt: run.attempt, headSha: run.headSha },
    runUrl: run.url,
  };
}

/**
 * Of runs that never came to their steps: waiting for approval, skipped by a condition, replaced.
 */
const NO_RESULT_EXPECTED = new Set(["skipped", "action_required", "stale", "neutral"]);

function nothing({ runner }: Job, why: string): Conclusion {
  const headline = plainLine(`nothing to publish: ${why}`);
  runner.output("verdict", "error");
  return { state: "success", headline };
}

function wrongEvent({ context, inputs }: Job): UserError {
  return new UserError(`\`mode: report\` runs on workflow_run, and this is ${context.eventName}`, {
    next: `Write:\non:\n  workflow_run:\n    workflows: [<name: of ${inputs.workflow}>]\n    types: [requested, completed]\n  pull_request_target:\n    types: [opened, reopened, synchronize, edited]`,
  });
}

/**
 * A fork can add a workflow of the same name; only its place tells whose rules it was started by.
 */
function rejectUnexpectedRun(run: WorkflowRun, event: { headSha: string }, workflow: string): void {
  if (run.path !== workflow) {
    throw new UserError(
      `the run is of ${plainLine(run.path, 200)}, and only runs of ${workflow} are published`,
      { next: "If that is the gate, name it:\nwith:\n  workflow: .github/workflows/<file>" },
    );
  }
  if (run.headSha !== event.headSha) {
    throw new UserError("the API and the event name different commits for the same run", {
      next: "Run the workflow again.",
    });
  }
}

/** A sentence when there is nobody to tell. */
async function subjectOf(run: WorkflowRun, job: Job, github: GitHub): Promise<Subject | string> {
  switch (run.event) {
    case "merge_group": {
      // `gh-readonly-queue/<base>/pr-<number>-<what it goes on>`: GitHub names it, and nobody else
      // may push there.
      const queued = /^gh-readonly-queue\/(.+)\/pr-\d+-([0-9a-f]+)$/.exec(run.headBranch ?? "");
      const [, baseRef, from] = queued ?? [];
      return baseRef === undefined || !isOfRepository(run, job)
        ? "the run is of no branch of this repository's merge queue"
        : { kind: "merge-group", baseRef, from };
    }
    case "pull_request": {
      const from = { repository: run.headRepository ?? "", branch: run.headBranch ?? "" };
      const open = (await github.openPullRequests(from)).filter((one) =>
        isOf(one, run, job.context.repository),
      );
      const [pullRequest] = open;
      if (pullRequest === undefined) {
        return `no open pull request has ${run.headSha.slice(0, 10)} as its head: it was closed, or has moved on`;
      }
      if (open.length > 1) {
        return `${open.length} open pull requests have ${run.headSha.slice(0, 10)} as their head, and nothing tells which the run was for`;
      }
      const { number, title, head, base } = pullRequest;
      return { kind: "pull-request", number, title, headSha: head.sha, baseRef: base.ref };
    }
    default:
      return `the run was started by ${plainLine(run.event, 40)}, which is no pull request`;
  }
}

function isOfRepository({ headRepository }: WorkflowRun, { context }: Job): boolean {
  return headRepository?.toLowerCase() === context.repository.toLowerCase();
}

function isOf({ state, head, base }: PullRequest, run: WorkflowRun, repository: string): boolean {
  return (
    state === "open" &&
    head.sha === run.headSha &&
    head.repository !== null &&
    head.repository.toLowerCase() === run.headRepository?.toLowerCase() &&
    head.ref === run.headBranch &&
    base.repository.toLowerCase() === repository.toLowerCase()
  );
}

async function resultOf(asked: Asked): Promise<Result> {
  const { run, subject, job, github } = asked;
  const { inputs } = job;
  const artifacts = await github.artifactsOf(run.id);
  const [artifact] = newestNamed(artifacts, inputs.artifactName);
  const [page] = newestNamed(artifacts, `${inputs.artifactName}-report`);
  const urlOf = (one: Artifact | undefined): string | null =>
    one === undefined ? null : `${run.url}/artifacts/${one.id}`;
  const tip = await github.branch(subject.baseRef);
  if (tip === null) {
    throw new UserError(`there is no branch ${plainLine(subject.baseRef, 200)} any more`, {
      next: "Run the workflow again once the base branch is settled.",
    });
  }
  const base = { ref: subject.baseRef, commit: tip.sha };
  const urls = { samplesUrl: urlOf(artifact), reportUrl: urlOf(page) };
  const where = { ...whereOf(run, job), ...urls, base };
  const notice = (kind: NoticeKind, { text, detail }: Omit<Problem, "kind">): Result => ({
    kind: "notice",
    notice: { kind, text, detail },
    context: where,
  });
  if (artifact === undefined) {
    return notice(absence(run.conclusion), whatElse(artifacts, inputs.artifactName));
  }
  const handedOver = await readHandedOver(artifact, github);
  if (handedOver === "expired") return notice("expired", { text: "", detail: "" });
  if (handedOver.kind === "problem") return notice("refused", handedOver);
  const judged = await judgeForBase(handedOver.samples, base, asked);
  if (judged.kind === "problem") return notice("refused", judged);
  return {
    kind: "report",
    report: judged.report,
    context: {
      ...where,
      trust: "attested",
      notes: judged.notes,
      changedBaselines: judged.changedBaselines,
      history: judged.history,
      manifest: handedOver.manifest,
    },
  };
}

function absence(conclusion: string | null): NoticeKind {
  switch (conclusion) {
    case "cancelled":
      return "cancelled";
    case "timed_out":
      return "timed-out";
    case "success":
      return "missing";
    default:
      return "failed";
  }
}

/** What was uploaded in place of what is looked for, and how to name it. Empty: nothing was. */
function whatElse(artifacts: readonly Artifact[], wanted: string): Omit<Problem, "kind"> {
  const names = [...new Set(artifacts.map(({ name }) => name))];
  const [likely] = names.filter((name) => !name.endsWith("-report"));
  if (likely === undefined) return { text: "", detail: "" };
  const listed = names.map((name) => showValue(name)).join(", ");
  return {
    text: `the run has no artifact named ${showValue(wanted)}; it has ${listed}`,
    detail: `If ${showValue(likely)} is the gate's artifact folder:\nwith:\n  mode: report\n  artifact-name: ${likely}`,
  };
}

async function readHandedOver(
  artifact: Artifact,
  github: GitHub,
): Promise<ArtifactContents | Problem | "expired"> {
  if (artifact.expired) return "expired";
  try {
    return await fetchArtifact(artifact, github);
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) return problem(messageOf(thrown));
    if (thrown.reason === "not-found") return "expired";
    if (thrown.reason === "too-large") return problem(messageOf(thrown));
    // GitHub does not work, which is nobody's result.
    throw thrown;
  }
}

/** Of two changes to one file GitHub does not say what becomes when they are merged. */
const UP_TO_DATE =
  "If the pull request does not change it, merge the base branch into its branch, and push.";

async function judgeForBase(samples: Samples, base: CommentContext["base"], asked: Asked) {
  const { run, subject, job, github } = asked;
  const { environment, inputs } = job;
  const { compare } = samples.run;
  if (inputs.reference !== null && compare !== "base") {
    return problem(`the samples compare by ${compare}, and a commit was asked for`);
  }
  const path = inputs.config;
  const terms = await readBaseTerms(github, { commit: base.commit, path });
  const expected = await expectedCommits(samples, base.commit, asked);
  // The artifact could name waivers that no reviewer is shown.
  const waivers = isOfRepository(run, job)
    ? await readOwnWaivers(github, { head: run.headSha, path })
    : null;
  const now = environment.clock.wallTime();
  const history = await historyFor(job, terms.baselines);
  const { services } = inputs;
  try {
    const config = services === null ? terms.config : onlyServices(terms.config, services);
    const judged = verdictForBase(samples, { ...terms, config, history, expected, waivers, now });
    if (judged.kind === "problem") return judged;
    const place = { configPath: path, head: run.headSha, base: base.commit };
    const differing = await differingSource(github, { ...samples, ...judged }, config, place);
    if (differing !== null) return problem(differing, UP_TO_DATE);
    const report = nameSources(judged.report, subject);
    const changed = await changedBaselines(github, report.config.baselines.dir, place);
    return { ...judged, report, changedBaselines: changed, history };
  } catch (thrown) {
    // More files than GitHub lists are a stranger's doing too.
    if (thrown instanceof GitHubError && thrown.reason !== "too-large") throw thrown;
    // Whatever a stranger's samples bring about, the pull request is told.
    return problem(`the samples cannot be judged: ${messageOf(thrown)}`);
  }
}

/**
 * Checked out is the head, or the commit by which GitHub would merge it, whose second parent is the
 * head. Compared with is where that left the base branch, unless this workflow names another: a
 * commit of a fork can have any parents.
 */
async function expectedCommits(
  { sources }: Samples,
  base: string,
  { run: { headSha }, subject, job, github }: Asked,
): Promise<ExpectedCommits> {
  const { commit } = sources.candidate;
  // GitHub refuses to look for what is no commit's id.
  const isId = /^[0-9a-f]+$/.test(commit) && commit.length === headSha.length;
  const parents = commit === headSha || !isId ? null : await github.parentsOf(commit);
  const isMerge = parents?.length === 2 && parents[1] === headSha;
  const { reference } = job.inputs;
  const measured = isMerge ? commit : headSha;
  const found = await github.compare(reference ?? base, measured);
  const left = reference === null ? found?.mergeBase : found?.base;
  return {
    candidates: [...new Set([headSha, measured])],
    references: [subject.from, left].filter((one) => one !== undefined),
  };
}
