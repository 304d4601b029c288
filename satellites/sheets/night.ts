// A night on the default branch as the text of its issue: what is wrong, and the details.
import type { EndedJob, Night, NightFacts, NightText } from "../../src/core/model/night.ts";
import { summarizeJobs } from "../../src/core/model/night.ts";
import type { Report } from "../../src/core/model/report.ts";
import { list } from "../../src/core/report/kit/blocks.ts";
import { blockLines } from "../../src/core/report/kit/markdown.ts";
import { verdictFacts } from "../../src/core/report/words/states.ts";
import {
  markdownBlock,
  markdownCellCode,
  plainLine,
  plainLines,
} from "../../src/core/text/escape.ts";
import { renderStanding, standingHeadline } from "./standing.ts";

/**
 * A night that passed is no peace where these are told: slowly worse, and held against something
 * old.
 */
const TROUBLING = new Set(["creep", "stale"]);
const MAX_TROUBLES = 20;

export function tellNight(facts: NightFacts): NightText {
  const { night, standing, repositoryUrl } = facts;
  const troubles = [...troublesOf(facts), ...standing.map(standingHeadline)];
  const details = [
    ...(standing.length === 0 ? [] : [renderStanding(standing, repositoryUrl)]),
    ...detailsOf(facts),
  ];
  return { troubles, title: titleOf(night, troubles), body: bodyOf(troubles, details, facts) };
}

function troublesOf({ night, measured }: NightFacts): string[] {
  if (night.kind === "failed") return [`no verdict: ${night.error.message}`];
  if (night.kind === "jobs") {
    return night.jobs
      .filter(wentWrong)
      .map(({ name, result, headline }) => `${name}: ${headline || result}`);
  }
  const { report } = night;
  const { verdict } = report;
  return [
    ...(measured?.fails ? [`${verdictFacts(verdict).word}: ${verdict.summary}`] : []),
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

function bodyOf(
  troubles: readonly string[],
  details: readonly string[],
  { runUrl }: Pick<NightFacts, "runUrl">,
): string {
  return [
    troubles.length === 0
      ? "All is right again."
      : ["**What is wrong**", "", ...blockLines(list(troubles, MAX_TROUBLES))].join("\n"),
    ...details,
    `Brought up to date by [this run](${runUrl}). The first night on which all is right closes this issue.`,
  ].join("\n\n");
}

function detailsOf({ night, measured }: NightFacts): string[] {
  if (night.kind === "measured") return measured === null ? [] : [measured.markdown];
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

/** A job that was skipped or cancelled has shown nothing. */
function wentWrong({ result }: EndedJob): boolean {
  return result !== "success";
}
