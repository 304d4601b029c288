// What was measured, by the name that people know it by: a workflow checks out a commit that GitHub made, "detached HEAD" to git.
// Names come from the event or the API; they change what is shown and nothing that is judged. Pure.
import type { Report } from "../model/report.ts";
import { shortCommit } from "../report/facts.ts";
import type { Event } from "./parse-event.ts";

export type Named =
  | {
      kind: "pull-request";
      number: number;
      /** Foreign text. */
      title: string;
      headSha: string;
    }
  | { kind: "merge-group"; headSha: string };

/** Null: the event is of no change, and the checkout's own name is the best there is. */
export function namedByEvent(event: Event): Named | null {
  switch (event.kind) {
    case "pull-request":
      return {
        kind: event.kind,
        number: event.number,
        title: event.title,
        headSha: event.head.sha,
      };
    case "merge-group":
      return { kind: event.kind, headSha: event.headSha };
    default:
      return null;
  }
}

export function nameCandidate(report: Report, named: Named | null): Report {
  if (named === null) return report;
  const { candidate } = report.sources;
  const subject = named.kind === "pull-request" ? named.title : candidate.subject;
  const renamed = { ...candidate, label: labelOf(named, candidate.commit), subject };
  return { ...report, sources: { ...report.sources, candidate: renamed } };
}

function labelOf(named: Named, commit: string): string {
  if (named.kind === "merge-group") return "merge group";
  const merged =
    commit === named.headSha ? "" : ` (head ${shortCommit(named.headSha)} merged into its base)`;
  return `pull request #${named.number}${merged}`;
}
