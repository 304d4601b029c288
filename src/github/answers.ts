// GitHub's answers, as far as Tailgate reads them, and how they become the port's values. An answer
// without a field that is read here is a failure that names the field: a proxy's login page must
// not become a pull request.
import * as z from "zod";

/** The account's name where the account is gone, as GitHub shows it. */
const GHOST = "ghost";

const login = z
  .object({ login: z.string() })
  .nullable()
  .transform((user) => user?.login ?? GHOST);
const text = z
  .string()
  .nullish()
  .transform((body) => body ?? "");
const state = z.enum(["open", "closed"]);
const repositoryName = z.object({ full_name: z.string() });

export const repositoryAnswer = z
  .object({ default_branch: z.string() })
  .transform((it) => ({ defaultBranch: it.default_branch }));
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
export const blobAnswer = z
  .object({ content: z.string(), encoding: z.literal("base64") })
  .transform(({ content }): Uint8Array => Buffer.from(content, "base64"));

/** A file, or what else a path can lead to: a list is a directory. */
export const contentsAnswer = z.union([
  z.object({
    type: z.literal("file"),
    sha: z.string(),
    /** "none" beyond 1 MB: the content is in the blob only. */
    encoding: z.string(),
    content: z.string(),
  }),
  z
    .union([z.array(z.unknown()), z.object({ type: z.enum(["dir", "symlink", "submodule"]) })])
    .transform(() => ({ type: "directory" as const })),
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
  .transform(({ number, title, state, head, base, html_url }) => ({
    number,
    title,
    state,
    head: {
      sha: head.sha,
      /** Branch name, without `refs/heads/`. */
      ref: head.ref,
      /** `owner/name`; null when the fork has been deleted. */
      repository: head.repo?.full_name ?? null,
    },
    base: { sha: base.sha, ref: base.ref, repository: base.repo.full_name },
    /** The page for people. */
    url: html_url,
  }));
/** `maintain` is told as write, `triage` as read. */
export const permissionAnswer = z.object({ permission: z.string() });
export const comparisonAnswer = z
  .object({ base_commit: shaAnswer, merge_base_commit: shaAnswer })
  .transform((it) => ({ base: it.base_commit.sha, mergeBase: it.merge_base_commit.sha }));
export const pullRequestsAnswer = z.array(pullRequestAnswer);

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
  .transform((it) => ({
    id: it.id,
    /** 1 for the first attempt, more after a re-run. */
    attempt: it.run_attempt,
    /** What started it: `pull_request`, `merge_group`, `schedule`, … */
    event: it.event,
    headSha: it.head_sha,
    headBranch: it.head_branch,
    /** `owner/name` of the head; null when the fork has been deleted. */
    headRepository: it.head_repository?.full_name ?? null,
    /**
     * Path of the workflow file, as `.github/workflows/perf-gate.yml`, without the ref GitHub may
     * append.
     */
    path: withoutRef(it.path),
    /** null while it runs. */
    conclusion: it.conclusion,
    url: it.html_url,
    /** ISO 8601. */
    createdAt: it.created_at,
  }));

const artifactAnswer = z
  .object({ id: z.int(), name: z.string(), size_in_bytes: z.int(), expired: z.boolean() })
  .transform(({ id, name, size_in_bytes, expired }) => ({
    id,
    name,
    /** Size of the zip as GitHub states it. */
    sizeBytes: size_in_bytes,
    /** True when the bytes are gone and only the record is left. */
    expired,
  }));
export const artifactsAnswer = z
  .object({ artifacts: z.array(artifactAnswer) })
  .transform(({ artifacts }) => artifacts);

export const commentAnswer = z
  .object({ id: z.int(), body: text, user: login, html_url: z.string() })
  .transform(({ id, body, user, html_url }) => ({
    id,
    /** Markdown as it was sent. */
    body,
    /** Login; "ghost" when the account is gone. */
    author: user,
    url: html_url,
  }));
export const commentsAnswer = z.array(commentAnswer);

export const issueAnswer = z
  .object({
    number: z.int(),
    title: z.string(),
    body: text,
    state,
    html_url: z.string(),
    user: login,
  })
  .transform(({ number, title, body, state, html_url, user }) => ({
    number,
    title,
    body,
    state,
    /** Login; "ghost" when the account is gone. */
    author: user,
    url: html_url,
  }));
/** Without pull requests, which GitHub lists among the issues and marks. */
export const issuesAnswer = z
  .array(z.looseObject({ pull_request: z.unknown().optional() }))
  .transform((all) => all.filter(({ pull_request }) => pull_request == null))
  .pipe(z.array(issueAnswer));

export const statusesAnswer = z.array(
  z
    .object({ state: z.string(), context: z.string(), target_url: z.string().nullable() })
    .transform(({ state, context, target_url }) => ({ state, context, targetUrl: target_url })),
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
