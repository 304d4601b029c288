// The nightly's one issue: opened when something is wrong, brought up to date while it is, closed
// when all is right again.

import type { StandingChange } from "../../core/model/history.ts";
import type { Night } from "../../core/model/night.ts";
import { renderMarkdown } from "../../core/report/gate/markdown.ts";
import { plainLine } from "../../core/text/escape.ts";
import type { GitHub, Issue } from "../../github/port.ts";
import type { Job } from "../job/job.ts";
import { concludeVerdict } from "./verdict-conclusion.ts";

interface Findings {
  night: Night;
  /** Of the series that it measured; null: not known. */
  changes: readonly StandingChange[] | null;
}

/** Below GitHub's limit by what stands around a report: changes and their commits, by the dozen. */
const MAX_REPORT_CHARS = 40_000;

interface IssueChange {
  url: string;
  done: "issue opened" | "issue brought up to date" | "issue closed";
}

/** Null: all is right and no issue is open. */
export async function syncIssue(
  { night, changes }: Findings,
  { inputs, context, environment }: Pick<Job, "inputs" | "context" | "environment">,
  github: Pick<GitHub, "issues" | "createIssue" | "updateIssue">,
): Promise<IssueChange | null> {
  const { issueLabel, key } = inputs;
  const open = await findOpen(github, issueLabel, key);
  const { tellNight } = await environment.satellites.sheets();
  const { repositoryUrl, runUrl } = context;
  const standing = changes ?? [];
  const measured =
    night.kind !== "measured"
      ? null
      : {
          fails: concludeVerdict(night.report, inputs).state === "failure",
          markdown: renderMarkdown(night.report, { maxChars: MAX_REPORT_CHARS }).trimEnd(),
        };
  const told = tellNight({ night, measured, standing, repositoryUrl, runUrl });
  const body = `${markerOf(key)}\n\n${told.body}\n`;
  if (told.troubles.length === 0) {
    // What stood yesterday may stand.
    if (open === null || changes === null) return null;
    const { url } = await github.updateIssue(open.number, { state: "closed", body });
    return { url, done: "issue closed" };
  }
  const title = plainLine(
    `Tailgate nightly${key === "default" ? "" : ` (${key})`}: ${told.title}`,
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
