// Pull requests, issues and comments of the fake GitHub.
import {
  type Incoming,
  type Need,
  notFound,
  type Outgoing,
  page,
  type Route,
  tooLong,
  unprocessable,
} from "./route.ts";
import type { Level } from "./seed.ts";
import {
  type Comment,
  headSha,
  type Issue,
  isPullRequest,
  nextId,
  nextNumber,
  now,
  type PullRequest,
  type World,
} from "./world.ts";

const MAX_BODY = 65_536;
const MAX_TITLE = 256;

export function accountOf(login: string): Record<string, unknown> {
  return { login, type: login.endsWith("[bot]") ? "Bot" : "User" };
}

export function repositoryOf(fullName: string): Record<string, unknown> {
  const [owner = "", name = ""] = fullName.split("/");
  return { name, full_name: fullName, owner: accountOf(owner) };
}

function pullRequestBody(world: World, it: PullRequest): unknown {
  const [headOwner] = (it.head.repository ?? "ghost/ghost").split("/");
  return {
    number: it.number,
    title: it.title,
    body: it.body,
    state: it.state,
    merged: it.merged,
    merged_at: it.merged ? it.updatedAt : null,
    html_url: `https://github.com/${world.repository}/pull/${it.number}`,
    user: accountOf(it.author),
    created_at: it.createdAt,
    updated_at: it.updatedAt,
    head: {
      ref: it.head.ref,
      sha: headSha(world, it),
      label: `${headOwner}:${it.head.ref}`,
      user: accountOf(headOwner ?? ""),
      repo: it.head.repository === null ? null : repositoryOf(it.head.repository),
    },
    base: {
      ref: it.base.ref,
      sha: it.base.sha,
      label: `${world.repository.split("/")[0]}:${it.base.ref}`,
      user: accountOf(world.repository.split("/")[0] ?? ""),
      repo: { ...repositoryOf(world.repository), private: world.private },
    },
  };
}

function issueBody(world: World, it: Issue): unknown {
  return {
    number: it.number,
    title: it.title,
    body: it.body,
    state: it.state,
    labels: it.labels.map((name) => ({ name })),
    html_url: `https://github.com/${world.repository}/issues/${it.number}`,
    user: accountOf(it.author),
    created_at: it.createdAt,
    updated_at: it.updatedAt,
  };
}

/** A pull request as it stands among the issues. */
function pullRequestAsIssue(world: World, it: PullRequest): unknown {
  const url = `https://github.com/${world.repository}/pull/${it.number}`;
  return {
    ...(issueBody(world, { ...it, body: it.body ?? "", labels: [] }) as object),
    html_url: url,
    pull_request: { url, html_url: url, diff_url: `${url}.diff`, patch_url: `${url}.patch` },
  };
}

function commentBody(world: World, it: Comment): unknown {
  const kind = isPullRequest(world, it.issue) ? "pull" : "issues";
  return {
    id: it.id,
    body: it.body,
    user: accountOf(it.author),
    html_url: `https://github.com/${world.repository}/${kind}/${it.issue}#issuecomment-${it.id}`,
    created_at: it.createdAt,
    updated_at: it.updatedAt,
    author_association: "NONE",
  };
}

/** Comments of a pull request are guarded as pull requests, those of an issue as issues. */
function discussionNeed(level: Level): (incoming: Incoming) => Need {
  return ({ world, params }) => {
    const { issue_number: number, comment_id: id } = params;
    const target =
      number === undefined
        ? world.comments.find((one) => one.id === Number(id))?.issue
        : Number(number);
    const ofPull = target !== undefined && isPullRequest(world, target);
    return { names: [ofPull ? "pull_requests" : "issues"], level };
  };
}

const ROOT = "/repos/{owner}/{repo}";

export const DISCUSSION_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: `${ROOT}/pulls`,
    operation: "pulls/list",
    need: { names: ["pull_requests"], level: "read" },
    handle(incoming) {
      const { world, query } = incoming;
      const state = query.get("state") ?? "open";
      const head = query.get("head");
      const base = query.get("base");
      const found = world.pullRequests.filter(
        (it) =>
          (state === "all" || it.state === state) &&
          (base === null || it.base.ref === base) &&
          // As GitHub: `user:branch`, and anything else filters nothing.
          (head === null ||
            !head.includes(":") ||
            `${it.head.repository?.split("/")[0]}:${it.head.ref}` === head),
      );
      found.sort((a, b) => b.number - a.number);
      if (query.get("direction") === "asc") found.reverse();
      const { items, headers } = page(found, incoming);
      const body = items.map((it) => pullRequestBody(world, it));
      return { status: 200, headers, body };
    },
  },
  {
    method: "POST",
    path: `${ROOT}/pulls`,
    operation: "pulls/create",
    need: { names: ["pull_requests"], level: "write" },
    handle: createPullRequest,
  },
  {
    method: "GET",
    path: `${ROOT}/pulls/{pull_number}`,
    operation: "pulls/get",
    need: { names: ["pull_requests"], level: "read" },
    handle({ world, params }) {
      const it = world.pullRequests.find(({ number }) => number === Number(params.pull_number));
      return it === undefined ? notFound() : { status: 200, body: pullRequestBody(world, it) };
    },
  },
  {
    method: "PATCH",
    path: `${ROOT}/pulls/{pull_number}`,
    operation: "pulls/update",
    need: { names: ["pull_requests"], level: "write" },
    handle({ world, params, body }) {
      const it = world.pullRequests.find(({ number }) => number === Number(params.pull_number));
      if (it === undefined) return notFound();
      return change(it, "PullRequest", body) ?? { status: 200, body: pullRequestBody(world, it) };
    },
  },
  {
    method: "GET",
    path: `${ROOT}/issues`,
    operation: "issues/list-for-repo",
    need: { names: ["issues"], level: "read" },
    handle(incoming) {
      const { world, query } = incoming;
      const state = query.get("state") ?? "open";
      const labels = (query.get("labels") ?? "").split(",").filter((one) => one !== "");
      const since = query.get("since") ?? "";
      const listed = [
        ...world.issues.map((it) => ({ it, labels: it.labels, body: issueBody(world, it) })),
        ...world.pullRequests.map((it) => ({
          it,
          labels: [] as string[],
          body: pullRequestAsIssue(world, it),
        })),
      ].filter(
        (one) =>
          (state === "all" || one.it.state === state) &&
          Date.parse(one.it.updatedAt) >= (Date.parse(since) || 0) &&
          labels.every((label) => one.labels.includes(label)),
      );
      listed.sort((a, b) => b.it.number - a.it.number);
      if (query.get("direction") === "asc") listed.reverse();
      const { items, headers } = page(listed, incoming);
      return { status: 200, headers, body: items.map(({ body }) => body) };
    },
  },
  {
    method: "POST",
    path: `${ROOT}/issues`,
    operation: "issues/create",
    need: { names: ["issues"], level: "write" },
    handle({ world, token, body }) {
      const { title, body: text, labels } = body as IssueRequest;
      const long = tooLongText("Issue", { title, body: text });
      if (long !== null) return long;
      const issue: Issue = {
        number: nextNumber(world),
        title,
        body: text ?? "",
        author: token.login,
        state: "open",
        labels: labels ?? [],
        createdAt: now(),
        updatedAt: now(),
      };
      world.issues.push(issue);
      return { status: 201, body: issueBody(world, issue) };
    },
  },
  {
    method: "PATCH",
    path: `${ROOT}/issues/{issue_number}`,
    operation: "issues/update",
    need: { names: ["issues"], level: "write" },
    handle({ world, params, body }) {
      const it = world.issues.find(({ number }) => number === Number(params.issue_number));
      if (it === undefined) return notFound();
      return change(it, "Issue", body) ?? { status: 200, body: issueBody(world, it) };
    },
  },
  {
    method: "GET",
    path: `${ROOT}/issues/{issue_number}/comments`,
    operation: "issues/list-comments",
    need: discussionNeed("read"),
    handle(incoming) {
      const { world, params, query } = incoming;
      const issue = Number(params.issue_number);
      if (!exists(world, issue)) return notFound();
      const since = Date.parse(query.get("since") ?? "") || 0;
      const all = world.comments
        .filter((it) => it.issue === issue && Date.parse(it.updatedAt) >= since)
        .sort((a, b) => a.id - b.id);
      const { items, headers } = page(all, incoming);
      return { status: 200, headers, body: items.map((it) => commentBody(world, it)) };
    },
  },
  {
    method: "POST",
    path: `${ROOT}/issues/{issue_number}/comments`,
    operation: "issues/create-comment",
    need: discussionNeed("write"),
    handle({ world, token, params, body }) {
      const issue = Number(params.issue_number);
      if (!exists(world, issue)) return notFound();
      const { body: text } = body as { body: string };
      const long = tooLongText("IssueComment", { body: text });
      if (long !== null) return long;
      const at = { createdAt: now(), updatedAt: now() };
      const comment = { id: nextId(world), issue, author: token.login, body: text, ...at };
      world.comments.push(comment);
      return { status: 201, body: commentBody(world, comment) };
    },
  },
  {
    method: "PATCH",
    path: `${ROOT}/issues/comments/{comment_id}`,
    operation: "issues/update-comment",
    need: discussionNeed("write"),
    handle({ world, params, body }) {
      const it = world.comments.find(({ id }) => id === Number(params.comment_id));
      if (it === undefined) return notFound();
      return change(it, "IssueComment", body) ?? { status: 200, body: commentBody(world, it) };
    },
  },
  {
    method: "DELETE",
    path: `${ROOT}/issues/comments/{comment_id}`,
    operation: "issues/delete-comment",
    need: discussionNeed("write"),
    handle({ world, params }) {
      const at = world.comments.findIndex(({ id }) => id === Number(params.comment_id));
      if (at === -1) return notFound();
      world.comments.splice(at, 1);
      return { status: 204 };
    },
  },
];

interface IssueRequest {
  title: string;
  body?: string;
  labels?: string[];
}

function createPullRequest({ world, token, body }: Incoming): Outgoing {
  const request = body as { title: string; body?: string; head: string; base: string };
  if (token.login.endsWith("[bot]") && !token.mayOpenPullRequests) {
    const message = "GitHub Actions is not permitted to create or approve pull requests.";
    return { status: 403, body: { message } };
  }
  const long = tooLongText("PullRequest", request);
  if (long !== null) return long;
  const [owner = ""] = world.repository.split("/");
  const ref = request.head.startsWith(`${owner}:`)
    ? request.head.slice(owner.length + 1)
    : request.head;
  const sha = world.git.commitOf(`refs/heads/${ref}`);
  if (sha === null) return unprocessable("PullRequest", { field: "head", code: "invalid" });
  const baseSha = world.git.commitOf(`refs/heads/${request.base}`);
  if (baseSha === null) return unprocessable("PullRequest", { field: "base", code: "invalid" });
  if (world.git.isAncestor(sha, baseSha)) {
    const message = `No commits between ${request.base} and ${ref}`;
    return unprocessable("PullRequest", { code: "custom", message });
  }
  const same = world.pullRequests.some(
    (it) =>
      it.state === "open" &&
      it.head.repository === world.repository &&
      it.head.ref === ref &&
      it.base.ref === request.base,
  );
  if (same) {
    const message = `A pull request already exists for ${owner}:${ref}.`;
    return unprocessable("PullRequest", { code: "custom", message });
  }
  const made: PullRequest = {
    number: nextNumber(world),
    title: request.title,
    body: request.body ?? null,
    author: token.login,
    state: "open",
    merged: false,
    head: { repository: world.repository, ref, sha },
    base: { ref: request.base, sha: baseSha },
    createdAt: now(),
    updatedAt: now(),
  };
  world.pullRequests.push(made);
  return { status: 201, body: pullRequestBody(world, made) };
}

function exists(world: World, number: number): boolean {
  return isPullRequest(world, number) || world.issues.some((it) => it.number === number);
}

/** The refusal of a change that is too long; null: it is made. */
function change(it: { updatedAt: string }, resource: string, body: unknown): Outgoing | null {
  const long = tooLongText(resource, body as { title?: string; body?: string });
  if (long === null) Object.assign(it, body, { updatedAt: now() });
  return long;
}

function tooLongText(
  resource: string,
  { title, body }: { title?: string | null; body?: string | null | undefined },
): Outgoing | null {
  return tooLong(resource, "title", title, MAX_TITLE) ?? tooLong(resource, "body", body, MAX_BODY);
}
