// The nightly's one issue: opened when something is wrong, brought up to date while it is, closed
// when all is right again.
import type { UserError } from "../../core/base/errors.ts";
import type { Report } from "../../core/model/report.ts";
import type { StandingChange } from "../../core/model/trend.ts";
import { renderMarkdown } from "../../core/report/gate/markdown.ts";
import { verdictFacts } from "../../core/report/words/states.ts";
import {
  markdownBlock,
  markdownCellCode,
  markdownText,
  plainLine,
  plainLines,
} from "../../core/text/escape.ts";
import type { GitHub, Issue } from "../../github/port.ts";
import type { EndedJob } from "../inputs/parse-inputs.ts";
import type { Job } from "../job/job.ts";
import { concludeVerdict } from "./verdict-conclusion.ts";

export interface MeasuredNight {
  report: Report;
  /** The file. */
  samples: string;
}

export type Night =
  | ({ kind: "measured" } & MeasuredNight)
  /** It came to no verdict. */
  | { kind: "failed"; error: UserError }
  /** Others measured it. */
  | { kind: "jobs"; jobs: readonly EndedJob[] };

interface Findings {
  night: Night;
  /** Of the series that it measured; null: not known. */
  changes: readonly StandingChange[] | null;
}

/** Below GitHub's limit by what stands around a report. */
const MAX_REPORT_CHARS = 60_000;

/**
 * A night that passed is no peace where these are told: slowly worse, and held against something
 * old.
 */
const TROUBLING = new Set(["creep", "stale"]);

interface IssueChange {
  url: string;
  done: "issue opened" | "issue brought up to date" | "issue closed";
}

/** Null: all is right and no issue is open. */
export async function syncIssue(
  { night, changes }: Findings,
  job: Pick<Job, "inputs" | "context" | "environment">,
  github: Pick<GitHub, "issues" | "createIssue" | "updateIssue">,
): Promise<IssueChange | null> {
  const { issueLabel, key } = job.inputs;
  const open = await findOpen(github, issueLabel, key);
  const { standingHeadline, renderStanding } = await job.environment.satellites.sheets();
  const standing = changes ?? [];
  // One line each, most important first; none: all is right.
  const troubles = [...troublesOf(night, job.inputs), ...standing.map(standingHeadline)];
  const details = [
    ...(standing.length === 0 ? [] : [renderStanding(standing, job.context.repositoryUrl)]),
    ...detailsOf(night),
  ];
  const body = bodyOf(troubles, details, job);
  if (troubles.length === 0) {
    // What stood yesterday may stand.
    if (open === null || changes === null) return null;
    const { url } = await github.updateIssue(open.number, { state: "closed", body });
    return { url, done: "issue closed" };
  }
  const title = plainLine(
    `Tailgate nightly${key === "default" ? "" : ` (${key})`}: ${titleOf(night, troubles)}`,
    200,
  );
  if (open !== null) {
    const { url } = await github.updateIssue(open.number, { title, body });
    return { url, done: "issue brought up to date" };
  }
  const { url } = await github.createIssue({ title, body, labels: [issueLabel] });
  return { url, done: "issue opened" };
}

async function findOpen(
  github: Pick<GitHub, "issues">,
  label: string,
  key: string,
): Promise<Issue | null> {
  for await (const issue of github.issues({ label, state: "open" })) {
    if (issue.body.startsWith(markerOf(key))) return issue;
  }
  return null;
}

function markerOf(key: string): string {
  return `<!-- tailgate:nightly key=${key} -->`;
}

function troublesOf(night: Night, inputs: Pick<Job["inputs"], "inconclusive">): string[] {
  if (night.kind === "failed") return [`no verdict: ${night.error.message}`];
  if (night.kind === "jobs") {
    return night.jobs
      .filter(wentWrong)
      .map(({ name, result, headline }) => `${name}: ${headline || result}`);
  }
  const { report } = night;
  const { verdict } = report;
  const failed = concludeVerdict(report, inputs).state === "failure";
  return [
    ...(failed ? [`${verdictFacts(verdict).word}: ${verdict.summary}`] : []),
    ...verdict.warnings.filter(({ kind }) => TROUBLING.has(kind)).map(({ text }) => text),
    ...unwatched(report),
  ];
}

/**
 * Stored values of other workloads or another machine: then creep would be seen by nobody, and
 * nothing else would say so.
 */
function unwatched({ verdict }: Report): string[] {
  const gated = verdict.stored.filter(({ level }) => level === "gate");
  const [first] = gated;
  return first === undefined || gated.some(({ state }) => state !== "no-baseline")
    ? []
    : [`no gated metric can be compared with the stored baselines: ${first.reason}`];
}

function titleOf(night: Night, [first = ""]: readonly string[]): string {
  return night.kind === "jobs" && night.jobs.some(wentWrong) ? summarizeJobs(night.jobs) : first;
}

/** The jobs that went wrong, or that none did. */
export function summarizeJobs(jobs: readonly EndedJob[]): string {
  const wrong = jobs.filter(wentWrong).map(({ name }) => name);
  return wrong.length === 0 ? "all jobs went well" : `${wrong.join(", ")} went wrong`;
}

/** A job that was skipped or cancelled has shown nothing. */
function wentWrong({ result }: EndedJob): boolean {
  return result !== "success";
}

function bodyOf(
  troubles: readonly string[],
  details: readonly string[],
  { inputs, context }: Pick<Job, "inputs" | "context">,
): string {
  return `${[
    markerOf(inputs.key),
    troubles.length === 0
      ? "All is right again."
      : ["**What is wrong**", "", ...troubles.map((text) => `- ${markdownText(text)}`)].join("\n"),
    ...details,
    `Brought up to date by [this run](${context.runUrl}). The first night on which all is right closes this issue.`,
  ].join("\n\n")}\n`;
}

function detailsOf(night: Night): string[] {
  if (night.kind === "measured") {
    return [renderMarkdown(night.report, { maxChars: MAX_REPORT_CHARS }).trimEnd()];
  }
  if (night.kind === "jobs") return [jobsTable(night.jobs).join("\n")];
  const { detail = "", next = "" } = night.error;
  const lines = plainLines(detail);
  return [
    ...(lines.length === 0 ? [] : [markdownBlock(lines).join("\n")]),
    ...(next === "" ? [] : [markdownBlock(plainLines(next)).join("\n")]),
  ];
}

function jobsTable(jobs: readonly EndedJob[]): string[] {
  const cell = (text: string): string => (text === "" ? "–" : markdownCellCode(plainLine(text)));
  return [
    "| job | ended | verdict | |",
    "|:--|:--|:--|:--|",
    ...jobs.map(
      ({ name, result, verdict, headline }) =>
        `| ${[name, result, verdict, headline].map(cell).join(" | ")} |`,
    ),
  ];
}
