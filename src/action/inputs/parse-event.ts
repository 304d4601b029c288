// The event that started the workflow: GitHub's payload -> what the modes need of it. GitHub writes
// the payload, so who sent what is true; names and titles in it are still somebody else's text.
// Pure.
import * as z from "zod";
import { UserError } from "../../core/base/errors.ts";
import { describeIssues } from "../../core/base/issues.ts";

const sha = z.string().regex(/^[0-9a-f]{40,64}$/);
const repository = z.object({ full_name: z.string() });
const changes = z.object({ base: z.unknown().optional() }).optional();
const account = z.object({ login: z.string() });

/** By the names of the events: GitHub's payload -> what is read of it. */
const EVENTS = {
  /** Of a version of the workflow that no pull request changes. */
  pull_request_target: z
    .object({ action: z.string(), number: z.int().positive(), changes })
    .transform(({ action, number, changes }) => ({
      kind: "target" as const,
      pullRequest: number,
      /** Edited may have been its words alone. */
      isReworded: action === "edited" && changes?.base === undefined,
    })),
  pull_request: z
    .object({
      number: z.int().positive(),
      pull_request: z.object({
        title: z.string(),
        head: z.object({ sha, repo: repository.nullable() }),
        base: z.object({ sha, ref: z.string(), repo: repository }),
      }),
      sender: account.optional(),
    })
    .transform(({ number, pull_request: { title, head, base }, sender }) => ({
      kind: "pull-request" as const,
      number,
      /** Who pushed, or set the label. Null: a payload made by hand does not say. */
      asker: sender?.login ?? null,
      /** As its author wrote it. */
      title,
      /** `owner/name`; null when the fork is gone. */
      head: { sha: head.sha, repository: head.repo?.full_name ?? null },
      base: { sha: base.sha, ref: base.ref, repository: base.repo.full_name },
    })),
  issue_comment: z
    .object({
      action: z.string(),
      issue: z.object({ number: z.int().positive(), pull_request: z.object({}).optional() }),
      comment: z.object({ body: z.string() }),
      sender: account,
    })
    .transform(({ action, issue, comment, sender }) => ({
      kind: "comment" as const,
      /** Null: of an issue that is no pull request. */
      number: issue.pull_request === undefined ? null : issue.number,
      asker: sender.login,
      /** Empty where it was changed or removed: whoever did may not have written it. */
      body: action === "created" ? comment.body : "",
    })),
  merge_group: z
    .object({ merge_group: z.object({ head_sha: sha, base_sha: sha }) })
    .transform(({ merge_group: { head_sha, base_sha } }) => ({
      kind: "merge-group" as const,
      headSha: head_sha,
      baseSha: base_sha,
    })),
  push: z.object({ before: sha }).transform(({ before }) => ({
    kind: "push" as const,
    /** What the branch pointed to; null when it is new. */
    before: /^0+$/.test(before) ? null : before,
  })),
  workflow_run: z
    .object({ workflow_run: z.object({ id: z.int().positive(), head_sha: sha }) })
    .transform(({ workflow_run: { id, head_sha } }) => ({
      kind: "workflow-run" as const,
      runId: id,
      headSha: head_sha,
    })),
};

/** Null: it is gone. */
type Place = { repository: string | null };
export type Event = z.output<(typeof EVENTS)[keyof typeof EVENTS]> | { kind: "other" };

export function parseEvent(name: string, payload: unknown): Event {
  const schema = Object.hasOwn(EVENTS, name) ? EVENTS[name as keyof typeof EVENTS] : null;
  if (schema === null) return { kind: "other" };
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
export function isSameRepository({ head, base }: Record<"head" | "base", Place>): boolean {
  return head.repository?.toLowerCase() === (base.repository ?? "").toLowerCase();
}
