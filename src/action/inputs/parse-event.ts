// The event that started the workflow: GitHub's payload -> what the modes need of it. GitHub writes
// the payload, so who sent what is true; names and titles in it are still somebody else's text.
// Pure.
import { z } from "zod";
import { UserError } from "../../core/base/errors.ts";
import { describeIssues } from "../../core/base/issues.ts";

export type Event =
  | {
      kind: "pull-request";
      number: number;
      /** As its author wrote it. */
      title: string;
      head: {
        sha: string;
        /** `owner/name`; null when the fork is gone. */
        repository: string | null;
      };
      base: { sha: string; ref: string; repository: string };
    }
  | { kind: "merge-group"; headSha: string; baseSha: string }
  | {
      kind: "push";
      /** What the branch pointed to; null when it is new. */
      before: string | null;
    }
  | { kind: "workflow-run"; runId: number; headSha: string }
  | { kind: "other" };

const sha = z.string().regex(/^[0-9a-f]{40,64}$/);
const repository = z.object({ full_name: z.string() });

const PullRequestPayload = z.object({
  number: z.int().positive(),
  pull_request: z.object({
    title: z.string(),
    head: z.object({ sha, repo: repository.nullable() }),
    base: z.object({ sha, ref: z.string(), repo: repository }),
  }),
});
const MergeGroupPayload = z.object({
  merge_group: z.object({ head_sha: sha, base_sha: sha }),
});
const PushPayload = z.object({ before: sha });
const WorkflowRunPayload = z.object({
  workflow_run: z.object({ id: z.int().positive(), head_sha: sha }),
});

export function parseEvent(name: string, payload: unknown): Event {
  switch (name) {
    case "pull_request": {
      const { number, pull_request } = read(PullRequestPayload, name, payload);
      const { title, head, base } = pull_request;
      return {
        kind: "pull-request",
        number,
        title,
        head: { sha: head.sha, repository: head.repo?.full_name ?? null },
        base: { sha: base.sha, ref: base.ref, repository: base.repo.full_name },
      };
    }
    case "merge_group": {
      const { merge_group } = read(MergeGroupPayload, name, payload);
      return { kind: "merge-group", headSha: merge_group.head_sha, baseSha: merge_group.base_sha };
    }
    case "push": {
      const { before } = read(PushPayload, name, payload);
      return { kind: "push", before: /^0+$/.test(before) ? null : before };
    }
    case "workflow_run": {
      const { workflow_run } = read(WorkflowRunPayload, name, payload);
      return { kind: "workflow-run", runId: workflow_run.id, headSha: workflow_run.head_sha };
    }
    default:
      return { kind: "other" };
  }
}

function read<T>(schema: z.ZodType<T>, name: string, payload: unknown): T {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const [first = ""] = describeIssues(parsed.error, payload);
  throw new UserError(`the payload of the event ${name} is not as GitHub sends it: ${first}`, {
    next: "The runner names the file in GITHUB_EVENT_PATH.",
  });
}

/**
 * Whether the pull request's head is a branch of the repository that it is opened in: its author
 * may push here.
 */
export function isSameRepository(event: Event): boolean {
  return (
    event.kind === "pull-request" &&
    event.head.repository?.toLowerCase() === event.base.repository.toLowerCase()
  );
}
