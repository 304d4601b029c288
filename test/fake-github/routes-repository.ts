// The repository of the fake GitHub: its settings, files, Git database and commit statuses.
import {
  type Incoming,
  type Need,
  notFound,
  type Outgoing,
  type Route,
  refused,
  tooLong,
  unprocessable,
} from "./route.ts";
import { accountOf, repositoryOf } from "./routes-discussion.ts";
import { nextId, nodeIdOf, type Status } from "./world.ts";

const ROOT = "/repos/{owner}/{repo}";
const READ: Need = { names: ["contents"], level: "read" };
export const WRITE: Need = { names: ["contents"], level: "write" };
const MAX_STATUSES = 1000;
/** Beyond this the contents route names the blob only. */
const MAX_CONTENTS_BYTES = 2 ** 20;

export const REPOSITORY_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: ROOT,
    operation: "repos/get",
    need: null,
    handle: ({ world }) => ({
      status: 200,
      body: {
        ...repositoryOf(world.repository),
        node_id: nodeIdOf(world),
        private: world.private,
        default_branch: world.defaultBranch,
      },
    }),
  },
  {
    method: "GET",
    path: "/user",
    operation: "users/get-authenticated",
    need: null,
    handle: ({ token }) =>
      token.login.endsWith("[bot]")
        ? { status: 403, body: { message: "Resource not accessible by integration" } }
        : { status: 200, body: accountOf(token.login) },
  },
  {
    method: "GET",
    path: `${ROOT}/contents/{path}`,
    operation: "repos/get-content",
    need: READ,
    handle: contents,
  },
  {
    method: "GET",
    path: `${ROOT}/commits/{ref}/statuses`,
    operation: "repos/list-commit-statuses-for-ref",
    need: { names: ["statuses"], level: "read" },
    handle({ world, params }) {
      const all = world.statuses.filter(({ sha }) => sha === params.ref);
      return { status: 200, body: all.toReversed().map(statusBody) };
    },
  },
  {
    method: "GET",
    path: `${ROOT}/commits/{ref}`,
    operation: "repos/get-commit",
    need: READ,
    handle({ world, params }) {
      const sha = world.git.commitOf(params.ref ?? "");
      return sha === null
        ? refused(`No commit found for SHA: ${params.ref}`)
        : { status: 200, body: { sha } };
    },
  },
  {
    method: "GET",
    path: `${ROOT}/compare/{basehead}`,
    operation: "repos/compare-commits-with-basehead",
    need: READ,
    handle({ world, params }) {
      const { git } = world;
      const [base, head] = (params.basehead ?? "").split("...").map((ref) => git.commitOf(ref));
      const mergeBase = base == null || head == null ? null : git.mergeBase(base, head);
      return mergeBase === null
        ? notFound()
        : {
            status: 200,
            body: { base_commit: { sha: base }, merge_base_commit: { sha: mergeBase } },
          };
    },
  },
  {
    method: "GET",
    path: `${ROOT}/collaborators/{username}/permission`,
    operation: "repos/get-collaborator-permission-level",
    need: null,
    handle({ world, params }) {
      const { username = "" } = params;
      // An app is nobody that GitHub could ask.
      if (username.endsWith("[bot]")) return notFound();
      const permission = world.collaborators.get(username) ?? "read";
      return { status: 200, body: { permission, user: accountOf(username) } };
    },
  },
  {
    method: "GET",
    path: `${ROOT}/git/ref/{ref}`,
    operation: "git/get-ref",
    need: READ,
    handle({ world, params }) {
      const sha = world.git.commitOf(`refs/${params.ref}`);
      return sha === null ? notFound() : { status: 200, body: refBody(params.ref ?? "", sha) };
    },
  },
  {
    method: "POST",
    path: `${ROOT}/git/refs`,
    operation: "git/create-ref",
    need: WRITE,
    handle({ world, body }) {
      const { ref, sha } = body as { ref: string; sha: string };
      // GitHub wants two slashes at least.
      if (!/^refs\/[^/]+\/./.test(ref)) {
        return refused("Reference name must start with 'refs/' and have at least two slashes");
      }
      if (world.git.commit(sha) === null) return refused("Object does not exist");
      if (!world.git.moveRef(ref, null, sha)) return refused("Reference already exists");
      return { status: 201, body: refBody(ref.slice("refs/".length), sha) };
    },
  },
  {
    method: "PATCH",
    path: `${ROOT}/git/refs/{ref}`,
    operation: "git/update-ref",
    need: WRITE,
    handle: updateRef,
  },
  {
    method: "GET",
    path: `${ROOT}/git/commits/{commit_sha}`,
    operation: "git/get-commit",
    need: READ,
    handle({ world, params }) {
      const commit = world.git.commit(params.commit_sha ?? "");
      return commit === null ? notFound() : { status: 200, body: commitBody(commit) };
    },
  },
  {
    method: "POST",
    path: `${ROOT}/git/commits`,
    operation: "git/create-commit",
    need: WRITE,
    handle({ world, body }) {
      const request = body as { message: string; tree: string; parents?: string[] };
      const sha = world.git.writeCommit(request.tree, request.parents ?? [], request.message);
      const commit = sha === null ? null : world.git.commit(sha);
      return commit === null
        ? refused("Tree SHA does not exist")
        : { status: 201, body: commitBody(commit) };
    },
  },
  {
    method: "POST",
    path: `${ROOT}/git/trees`,
    operation: "git/create-tree",
    need: WRITE,
    handle({ world, body }) {
      const request = body as { base_tree?: string; tree: TreeEntry[] };
      const changes = request.tree.map(({ path = "", mode = "100644", content }) => ({
        path,
        mode,
        content: content ?? null,
      }));
      const sha = world.git.writeTree(request.base_tree ?? null, changes);
      return sha === null
        ? refused("GitRPC::BadObjectState")
        : { status: 201, body: { sha, tree: [], truncated: false } };
    },
  },
  {
    method: "GET",
    path: `${ROOT}/git/trees/{tree_sha}`,
    operation: "git/get-tree",
    need: READ,
    handle({ world, params, query }) {
      const sha = params.tree_sha ?? "";
      const { git } = world;
      const tree = query.has("recursive") ? git.files(sha) : git.entries(sha);
      return tree === null ? notFound() : { status: 200, body: { sha, tree, truncated: false } };
    },
  },
  {
    method: "GET",
    path: `${ROOT}/git/blobs/{file_sha}`,
    operation: "git/get-blob",
    need: READ,
    handle({ world, params }) {
      const sha = params.file_sha ?? "";
      const bytes = world.git.blob(sha);
      if (bytes === null) return notFound();
      const content = bytes.toString("base64");
      return { status: 200, body: { sha, content, encoding: "base64", size: bytes.length } };
    },
  },
  {
    method: "POST",
    path: `${ROOT}/statuses/{sha}`,
    operation: "repos/create-commit-status",
    need: { names: ["statuses"], level: "write" },
    handle: createStatus,
  },
];

interface TreeEntry {
  path?: string;
  mode?: string;
  content?: string;
  sha?: string | null;
}

function contents({ world, params, query }: Incoming): Outgoing {
  const ref = query.get("ref") ?? world.defaultBranch;
  const commit = world.git.commitOf(ref);
  if (commit === null) return notFound(`No commit found for the ref ${ref}`);
  const path = params.path ?? "";
  const entry = world.git.entry(commit, path);
  if (entry === null) return notFound();
  if (entry.type === "tree") return { status: 200, body: [] };
  const bytes = world.git.blob(entry.sha);
  if (bytes === null) return notFound();
  const small = bytes.length <= MAX_CONTENTS_BYTES;
  return {
    status: 200,
    body: {
      type: "file",
      name: path.split("/").at(-1),
      path,
      sha: entry.sha,
      size: bytes.length,
      encoding: small ? "base64" : "none",
      // In lines of 60, as GitHub.
      content: small
        ? `${
            bytes
              .toString("base64")
              .match(/.{1,60}/g)
              ?.join("\n") ?? ""
          }\n`
        : "",
    },
  };
}

function updateRef({ world, params, body }: Incoming): Outgoing {
  const name = params.ref ?? "";
  const { sha, force } = body as { sha: string; force?: boolean };
  const current = world.git.commitOf(`refs/${name}`);
  if (current === null) return refused("Reference does not exist");
  if (world.git.commit(sha) === null) return refused("Object does not exist");
  // GitHub looks whether a move is forward on branches alone (seen in September 2026).
  const mayMoveBack = force === true || !name.startsWith("heads/");
  if (!mayMoveBack && !world.git.isAncestor(current, sha)) {
    return refused("Update is not a fast forward");
  }
  // Whoever comes second finds that it has moved.
  if (!world.git.moveRef(`refs/${name}`, current, sha)) {
    return refused("Update is not a fast forward");
  }
  return { status: 200, body: refBody(name, sha) };
}

function createStatus({ world, token, params, body }: Incoming): Outgoing {
  const sha = params.sha ?? "";
  const request = body as {
    state: string;
    context?: string;
    description?: string | null;
    target_url?: string | null;
  };
  // Heads of forks are in the network of repositories, though not in ours.
  const known =
    world.pullRequests.some(({ head }) => head.sha === sha) ||
    world.runs.some(({ headSha }) => headSha === sha) ||
    world.git.commit(sha) !== null;
  if (!known) return refused(`No commit found for SHA: ${sha}`);
  const long =
    tooLong("Status", "description", request.description, 140) ??
    tooLong("Status", "context", request.context, 255);
  if (long !== null) return long;
  const context = request.context ?? "default";
  const earlier = world.statuses.filter((it) => it.sha === sha && it.context === context);
  if (earlier.length >= MAX_STATUSES) {
    const message = "This SHA and context has reached the maximum number of statuses.";
    return unprocessable("Status", { code: "custom", message });
  }
  const status = {
    id: nextId(world),
    sha,
    state: request.state,
    context,
    description: request.description ?? "",
    targetUrl: request.target_url ?? null,
    creator: token.login,
  };
  world.statuses.push(status);
  return { status: 201, body: statusBody(status) };
}

function statusBody({ id, state, context, description, targetUrl, creator }: Status): unknown {
  return {
    id,
    state,
    context,
    description,
    target_url: targetUrl,
    creator: accountOf(creator),
  };
}

function refBody(ref: string, sha: string): unknown {
  return { ref: `refs/${ref}`, object: { sha, type: "commit" } };
}

function commitBody(commit: { sha: string; tree: string; parents: string[]; message: string }) {
  return {
    sha: commit.sha,
    message: commit.message,
    tree: { sha: commit.tree },
    parents: commit.parents.map((sha) => ({ sha })),
  };
}
