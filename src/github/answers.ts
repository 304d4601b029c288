// GitHub's answers, as far as Tailgate reads them, and how they become the port's values. An answer
// without a field that is read here is a failure that names the field: a proxy's login page must
// not become a pull request.
import { z } from "zod";
import type { Artifact, Comment, Issue, PullRequest, WorkflowRun } from "./port.ts";

/** The account's name where the account is gone, as GitHub shows it. */
const GHOST = "ghost";

const user = z.object({ login: z.string() }).nullable();
const state = z.enum(["open", "closed"]);
const repositoryName = z.object({ full_name: z.string() });

export const repositoryAnswer = z.object({ default_branch: z.string() });
export const userAnswer = z.object({ login: z.string() });
export const viewerAnswer = z.object({ data: z.object({ viewer: userAnswer }) });
export const nodeAnswer = z.object({ node_id: z.string() });
/** GraphQL says yes and no alike with HTTP 200. */
export const mutationAnswer = z.object({
  errors: z.array(z.object({ type: z.string().optional(), message: z.string() })).default([]),
});
export const shaAnswer = z.object({ sha: z.string() });
export const refAnswer = z.object({ object: shaAnswer });
export const commitAnswer = z.object({ sha: z.string(), tree: shaAnswer });
export const parentsAnswer = z
  .object({ parents: z.array(shaAnswer) })
  .transform(({ parents }) => parents.map(({ sha }) => sha));
export const treeAnswer = z.object({
  tree: z.array(z.object({ path: z.string(), type: z.string(), sha: z.string() })),
  truncated: z.boolean(),
});
export const blobAnswer = z.object({ content: z.string(), encoding: z.literal("base64") });

/** A file, or what else a path can lead to: a list is a directory. */
export const contentsAnswer = z.union([
  z.array(z.unknown()).transform(() => ({ type: "directory" as const })),
  z.object({
    type: z.literal("file"),
    sha: z.string(),
    /** "none" beyond 1 MB: the content is in the blob only. */
    encoding: z.string(),
    content: z.string(),
  }),
  z.object({ type: z.enum(["dir", "symlink", "submodule"]) }).transform(() => ({
    type: "directory" as const,
  })),
]);

export const pullRequestAnswer = z
  .object({
    number: z.int(),
    title: z.string(),
    state,
    head: z.object({ sha: z.string(), ref: z.string(), repo: repositoryName.nullable() }),
    base: z.object({ sha: z.string(), ref: z.string(), repo: repositoryName }),
    html_url: z.string(),
  })
  .transform(
    (it): PullRequest => ({
      number: it.number,
      title: it.title,
      state: it.state,
      head: { sha: it.head.sha, ref: it.head.ref, repository: it.head.repo?.full_name ?? null },
      base: { sha: it.base.sha, ref: it.base.ref, repository: it.base.repo.full_name },
      url: it.html_url,
    }),
  );

export const workflowRunAnswer = z
  .object({
    id: z.int(),
    run_attempt: z.int().default(1),
    event: z.string(),
    head_sha: z.string(),
    head_branch: z.string().nullable(),
    head_repository: repositoryName.nullish(),
    path: z.string(),
    conclusion: z.string().nullable(),
    html_url: z.string(),
    created_at: z.string(),
  })
  .transform(
    (it): WorkflowRun => ({
      id: it.id,
      attempt: it.run_attempt,
      event: it.event,
      headSha: it.head_sha,
      headBranch: it.head_branch,
      headRepository: it.head_repository?.full_name ?? null,
      path: withoutRef(it.path),
      conclusion: it.conclusion,
      url: it.html_url,
      createdAt: it.created_at,
    }),
  );

const artifactAnswer = z
  .object({ id: z.int(), name: z.string(), size_in_bytes: z.int(), expired: z.boolean() })
  .transform(
    (it): Artifact => ({
      id: it.id,
      name: it.name,
      sizeBytes: it.size_in_bytes,
      expired: it.expired,
    }),
  );
export const artifactsAnswer = z.object({ artifacts: z.array(artifactAnswer) });

export const commentAnswer = z
  .object({
    id: z.int(),
    body: z.string().nullish(),
    user,
    html_url: z.string(),
  })
  .transform(
    (it): Comment => ({
      id: it.id,
      body: it.body ?? "",
      author: it.user?.login ?? GHOST,
      url: it.html_url,
    }),
  );

/** An issue with what only this room needs to know of it. */
interface ListedIssue {
  issue: Issue;
  author: string;
  isPullRequest: boolean;
}

export const issueAnswer = z
  .object({
    number: z.int(),
    title: z.string(),
    body: z.string().nullish(),
    state,
    html_url: z.string(),
    user,
    /** Present on pull requests, which GitHub lists among the issues. */
    pull_request: z.unknown().optional(),
  })
  .transform(
    (it): ListedIssue => ({
      issue: {
        number: it.number,
        title: it.title,
        body: it.body ?? "",
        state: it.state,
        url: it.html_url,
      },
      author: it.user?.login ?? GHOST,
      isPullRequest: it.pull_request !== undefined && it.pull_request !== null,
    }),
  );

/** Body of a refusal; whatever does not fit is left out. */
export const refusalAnswer = z.object({
  message: z.string().catch(""),
  errors: z.array(z.unknown()).catch([]),
});

/**
 * GitHub may append the ref: `.github/workflows/gate.yml@refs/heads/main`. A path that ends as a
 * workflow file does is left alone, for `gate.yml@other.yml` is a file's name too and must not pass
 * for `gate.yml`.
 */
function withoutRef(path: string): string {
  if (/\.ya?ml$/.test(path)) return path;
  return /^(.+\.ya?ml)@/.exec(path)?.[1] ?? path;
}
