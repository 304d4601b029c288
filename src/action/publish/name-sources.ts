// What was measured and against what, by the names that people know: a workflow checks out a commit
// that GitHub made, "detached HEAD" to git, and holds it against a bare commit. Names come from the
// event or the API; they change what is shown and nothing that is judged. Pure.

import type { Report } from "../../core/model/report.ts";
import type { Source } from "../../core/model/samples.ts";
import { shortCommit } from "../../core/report/provenance.ts";
import type { Event } from "../inputs/parse-event.ts";

export type Named =
  | {
      kind: "pull-request";
      number: number;
      /** Foreign text. */
      title: string;
      headSha: string;
      /** Branch that it goes into. */
      baseRef: string;
    }
  | { kind: "merge-group" };

/** Null: the event is of no change, and the checkout's own names are the best there are. */
export function namedByEvent(event: Event): Named | null {
  switch (event.kind) {
    case "pull-request": {
      const { kind, number, title, head, base } = event;
      return { kind, number, title, headSha: head.sha, baseRef: base.ref };
    }
    case "merge-group":
      return { kind: event.kind };
    default:
      return null;
  }
}

export function nameSources(report: Report, named: Named | null): Report {
  if (named === null) return report;
  const { candidate, reference } = report.sources;
  return {
    ...report,
    sources: {
      ...report.sources,
      candidate: nameCandidate(candidate, named),
      reference: reference === null ? null : nameReference(reference, named),
    },
  };
}

function nameCandidate(source: Source, named: Named): Source {
  if (named.kind === "merge-group") return { ...source, label: "merge group" };
  const { number, title, headSha } = named;
  const isHead = source.commit === headSha;
  const merged = isHead ? "" : ` (head ${shortCommit(headSha)} merged into its base)`;
  return { ...source, label: `pull request #${number}${merged}`, subject: title };
}

/**
 * Only where it has no better name than its commit: `reference:` and the stored baseline have one.
 */
function nameReference(source: Source, named: Named): Source {
  if (source.label !== source.commit) return source;
  return { ...source, label: named.kind === "merge-group" ? "base of the group" : named.baseRef };
}
