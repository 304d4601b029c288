// What a fake GitHub starts with, and what may be added while it runs.
import { z } from "zod";

const level = z.enum(["read", "write"]);
export type Level = z.infer<typeof level>;

/** The permissions of a job's token, named as GitHub's API names them. */
const PERMISSIONS = ["actions", "contents", "issues", "pull_requests", "statuses"] as const;
export type PermissionName = (typeof PERMISSIONS)[number];

const permissions = z.union([
  z.partialRecord(z.enum(PERMISSIONS), level),
  /** "read-all" is what a job for a fork's pull request has at most. */
  z
    .enum(["read-all", "write-all"])
    .transform((all) =>
      Object.fromEntries(PERMISSIONS.map((name) => [name, all === "read-all" ? "read" : "write"])),
    ),
]);

const token = z.strictObject({
  /** A login that ends in "[bot]" is an app's, which has no `/user`. */
  login: z.string().default("github-actions[bot]"),
  permissions,
  /** Settings > Actions > "Allow GitHub Actions to create and approve pull requests". */
  mayOpenPullRequests: z.boolean().default(true),
});

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const date = z.string().default("2026-11-20T10:00:00Z");

const pullRequest = z.strictObject({
  number: z.int(),
  title: z.string().default("A change"),
  body: z.string().nullable().default(null),
  author: z.string().default("contributor"),
  state: z.enum(["open", "closed"]).default("open"),
  merged: z.boolean().default(false),
  /** Repository null: the fork has been deleted. */
  head: z.strictObject({ repository: z.string().nullable(), ref: z.string(), sha }),
  base: z.strictObject({ ref: z.string().default("main"), sha: sha.optional() }).prefault({}),
  createdAt: date,
});

const issue = z.strictObject({
  number: z.int(),
  title: z.string(),
  body: z.string().default(""),
  author: z.string().default("contributor"),
  state: z.enum(["open", "closed"]).default("open"),
  labels: z.array(z.string()).default([]),
  createdAt: date,
});

const comment = z.strictObject({
  id: z.int().optional(),
  issue: z.int(),
  author: z.string().default("contributor"),
  body: z.string(),
  createdAt: date,
});

const run = z.strictObject({
  id: z.int(),
  attempt: z.int().default(1),
  name: z.string().default("perf-gate"),
  path: z.string().default(".github/workflows/perf-gate.yml"),
  event: z.string().default("pull_request"),
  headSha: sha,
  headBranch: z.string().nullable(),
  headRepository: z.string().nullable(),
  conclusion: z.string().nullable().default("success"),
  /** Numbers; GitHub lists none for a fork's run. */
  pullRequests: z.array(z.int()).default([]),
  createdAt: date,
});

const artifact = z.strictObject({
  id: z.int().optional(),
  run: z.int(),
  name: z.string(),
  /** A zip on disk, or its bytes. */
  file: z.string().optional(),
  base64: z.string().optional(),
  expired: z.boolean().default(false),
});

const fault = z.strictObject({
  /** Which requests: method, and a regular expression of the path with its query. Absent: all. */
  method: z.string().optional(),
  path: z.string().optional(),
  /** Lets so many that fit pass first. */
  skip: z.int().default(0),
  /** Strikes so often; null is for ever. */
  times: z.int().nullable().default(1),
  do: z.discriminatedUnion("kind", [
    /** An answer in place of GitHub's; nothing is done. */
    z.strictObject({
      kind: z.literal("status"),
      status: z.int(),
      message: z.string().default("Server Error"),
      headers: z.record(z.string(), z.string()).default({}),
    }),
    /** As `status`, but the request has been carried out. */
    z.strictObject({ kind: z.literal("status-after"), status: z.int() }),
    /** Closes the connection; nothing is done. */
    z.strictObject({ kind: z.literal("drop") }),
    /** Closes the connection; the request has been carried out. */
    z.strictObject({ kind: z.literal("drop-after") }),
    /** Closes the connection in the middle of the answer. */
    z.strictObject({ kind: z.literal("truncate") }),
    /** An answer that is not GitHub's: a proxy's page, a wrong shape. */
    z.strictObject({ kind: z.literal("body"), status: z.int().default(200), body: z.string() }),
    z.strictObject({
      kind: z.literal("primary-limit"),
      resetSeconds: z.int(),
    }),
    z.strictObject({
      kind: z.literal("secondary-limit"),
      /** null: GitHub says only that there is a limit. */
      retryAfterSeconds: z.int().nullable(),
    }),
    /** As if something else had come first. */
    z.strictObject({ kind: z.literal("delay"), ms: z.int() }),
  ]),
});
export type Fault = z.output<typeof fault>;

/** What may be given at the start and added later. */
export const additions = z.strictObject({
  /** People by login, with what they may do; everybody else may read. */
  collaborators: z.record(z.string(), z.enum(["admin", "write", "read"])).default({}),
  tokens: z.record(z.string(), token).default({}),
  pullRequests: z.array(pullRequest).default([]),
  issues: z.array(issue).default([]),
  comments: z.array(comment).default([]),
  runs: z.array(run).default([]),
  artifacts: z.array(artifact).default([]),
  faults: z.array(fault).default([]),
});

export const seed = additions.extend({
  /** `owner/name`. */
  repository: z.string().default("acme/app"),
  private: z.boolean().default(false),
  defaultBranch: z.string().default("main"),
  /** A bare git repository that is the remote; made in a temporary folder when absent. */
  git: z.string().optional(),
  /** A folder into which runs upload artifacts while they go on: a folder each, by run and name. */
  uploads: z.string().nullable().default(null),
  /** Branches to be made: their files' texts by path. */
  branches: z.record(z.string(), z.record(z.string(), z.string())).default({}),
});

export type Seed = z.input<typeof seed>;
export type FullSeed = z.output<typeof seed>;
export type Additions = z.output<typeof additions>;
export type Token = z.output<typeof token>;
