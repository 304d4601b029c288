// The port over GitHub's REST API, by plain fetch. `@octokit/core` with its plugins for retries,
// limits and pages sends a request to create something again after an answer that never came, and
// so makes it twice: docs/adr/0004 weighs the two.
import * as z from "zod";
import {
  artifactsAnswer,
  blobAnswer,
  commentAnswer,
  commentsAnswer,
  comparisonAnswer,
  contentsAnswer,
  issueAnswer,
  issuesAnswer,
  parentsAnswer,
  permissionAnswer,
  pullRequestAnswer,
  pullRequestsAnswer,
  repositoryAnswer,
  shaAnswer,
  statusesAnswer,
  treeAnswer,
  userAnswer,
  viewerAnswer,
  workflowRunAnswer,
} from "./answers.ts";
import { type Connection, Task } from "./connection.ts";
import { branchSha, commitFiles, pushBranch, refPath, swapBranch } from "./git-database.ts";
import { checkLengths } from "./limits.ts";
import { type GitHub, GitHubError, type GitHubOperation, type Head, type Issue } from "./port.ts";

/**
 * How far back a thing is looked for that a request may just have made: more than clocks are wrong
 * by.
 */
const LOOK_BACK_MS = 3_600_000;
const NO_SUCH_COMMIT = /no commit found/i;

/** Throws a GitHubError where the options cannot be right; nothing is sent yet. */
export function connectGitHub(options: Connection): GitHub {
  const { token, repository } = options;
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) {
    throw new GitHubError("invalid", "the repository is not given as owner/name", {
      next: "GITHUB_REPOSITORY has it on a runner.",
    });
  }
  // Anything else would appear, token and all, in the message of the header it does not fit in.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    const what = token === "" ? "there is no token" : "the token has characters that no token has";
    throw new GitHubError("permission", `${what} to speak to GitHub with`, {
      next: `Pass the job's own: \`token: \${{ github.token }}\`.`,
    });
  }
  const url = URL.parse(options.apiUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new GitHubError("invalid", "the address of GitHub's API is no http or https address", {
      next: "GITHUB_API_URL has it on a runner, as https://api.github.com.",
    });
  }
  return clientOf({ ...options, apiUrl: options.apiUrl.replace(/\/+$/, "") });
}

function clientOf(to: Connection): GitHub {
  const { repository, clock } = to;
  let me: string | null = null;

  const begin = (
    operation: GitHubOperation,
    texts: Parameters<typeof checkLengths>[1] = {},
  ): Task => {
    checkLengths(operation, texts);
    return new Task(to, operation);
  };

  /** The job's own token has no user, so that `/user` is refused to it; GraphQL names its bot. */
  const whoAmI = async (task: Task): Promise<string> => {
    if (me !== null) return me;
    try {
      const query = { query: "query { viewer { login } }" };
      const { data } = await task.send(viewerAnswer, "POST", "/graphql", query);
      me = data.viewer.login;
    } catch (thrown) {
      if (!(thrown instanceof GitHubError) || thrown.reason === "rate-limited") throw thrown;
      me = (await task.get(userAnswer, "/user")).login;
    }
    return me;
  };

  const openFrom = async (task: Task, { repository: of, branch, base }: Head) => {
    const [owner = ""] = of.split("/");
    const which = { state: "open", head: `${owner}:${branch}` };
    const all = await Array.fromAsync(task.list(pullRequestsAnswer, "pulls", which));
    return base === undefined ? all : all.filter((one) => one.base.ref === base);
  };

  /** Looks for what an earlier request made: ours, and made since this was called. */
  const finder = <T extends { author: string }>(
    task: Task,
    schema: z.ZodType<T[]>,
    path: string,
    parameters: Record<string, string>,
    isIt: (one: T) => boolean,
  ): (() => Promise<T | null>) => {
    const nowMs = Date.parse(clock.wallTime());
    const how = { ...parameters, since: new Date(nowMs - LOOK_BACK_MS).toISOString() };
    return async () => {
      const login = await whoAmI(task);
      for await (const one of task.list(schema, path, how)) {
        if (one.author === login && isIt(one)) return one;
      }
      return null;
    };
  };

  return {
    repository: () => begin("repository").get(repositoryAnswer, ""),

    pullRequest: (number) => begin("pullRequest").get(pullRequestAnswer, `pulls/${number}`),

    async mayWrite(login) {
      const path = `collaborators/${encodeURIComponent(login)}/permission`;
      const found = await begin("mayWrite").getOrNull(permissionAnswer, path);
      return found?.permission === "admin" || found?.permission === "write";
    },

    compare(base, head) {
      // The first page has the diff too, which GitHub cannot make of large changes.
      const path = `compare/${refPath(base)}...${refPath(head)}?per_page=1&page=2`;
      return begin("compare").getOrNull(comparisonAnswer, path);
    },

    workflowRun: (id) => begin("workflowRun").get(workflowRunAnswer, `actions/runs/${id}`),

    artifactsOf(runId) {
      const path = `actions/runs/${runId}/artifacts`;
      return Array.fromAsync(begin("artifactsOf").list(artifactsAnswer, path));
    },

    downloadArtifact: (id, { maxBytes }) =>
      begin("downloadArtifact").download(`actions/artifacts/${id}/zip`, maxBytes),

    comments: (issue) => begin("comments").list(commentsAnswer, `issues/${issue}/comments`),

    async createComment(issue, body) {
      const task = begin("createComment", { body });
      const path = `issues/${issue}/comments`;
      const find = finder(task, commentsAnswer, path, {}, (it) => sameText(it.body, body));
      return await task.create(commentAnswer, path, { body }, find);
    },

    async updateComment(id, body) {
      const task = begin("updateComment", { body });
      return await task.send(commentAnswer, "PATCH", `issues/comments/${id}`, { body });
    },

    deleteComment: (id) => begin("deleteComment").remove(`issues/comments/${id}`),

    async setStatus(sha, { state, context, description, targetUrl }) {
      const task = begin("setStatus", { context, description });
      const status = { state, context, description, target_url: targetUrl ?? undefined };
      // The latest of a context counts, so that a second one changes nothing.
      await task.send(z.object({}), "POST", `statuses/${encodeURIComponent(sha)}`, status);
    },

    async status(sha, context) {
      const all = begin("status").list(statusesAnswer, `commits/${refPath(sha)}/statuses`);
      // The newest first.
      for await (const one of all) if (one.context === context) return one;
      return null;
    },

    async file(path, ref) {
      const task = begin("file");
      const address = `contents/${refPath(path)}?ref=${encodeURIComponent(ref)}`;
      const found = await task.getOrNull(contentsAnswer, address, NO_SUCH_COMMIT);
      if (found === null) {
        // "Not found" is also what a token hears that may not look: only a commit that can be read
        // lacks a file.
        await task.get(shaAnswer, `commits/${refPath(ref)}?per_page=1`);
        return null;
      }
      if (found.type !== "file") return null;
      if (found.encoding === "base64") return Buffer.from(found.content, "base64");
      return await task.get(blobAnswer, `git/blobs/${found.sha}`);
    },

    async branch(name) {
      const sha = await branchSha(begin("branch"), name);
      return sha === null ? null : { sha };
    },

    async tree(commit, folder = ".") {
      const task = begin("tree");
      const list = async (sha: string, how = "") => {
        const path = `git/trees/${encodeURIComponent(sha)}${how}`;
        const { tree, truncated } = await task.get(treeAnswer, path);
        if (!truncated) return tree;
        const where = `${commit} in ${repository}`;
        throw new GitHubError("too-large", `${where} has too many files to list`);
      };
      let at = commit;
      for (const name of folder.split("/").filter((one) => one !== ".")) {
        const inside = (await list(at)).find(({ type, path }) => type === "tree" && path === name);
        if (inside === undefined) return [];
        at = inside.sha;
      }
      return (await list(at, "?recursive=1")).flatMap(({ type, path, sha }) =>
        type === "tree" ? [] : [{ path, sha }],
      );
    },

    blob: (sha) => begin("blob").get(blobAnswer, `git/blobs/${encodeURIComponent(sha)}`),

    parentsOf: (sha) =>
      begin("parentsOf").getOrNull(parentsAnswer, `git/commits/${encodeURIComponent(sha)}`),

    commitFiles: (request) => commitFiles(begin("commitFiles"), request),

    pushBranch: (name, sha, how) => pushBranch(begin("pushBranch"), name, sha, how),

    swapBranch: (name, change) => swapBranch(begin("swapBranch"), name, change),

    openPullRequests: (from) => openFrom(begin("openPullRequests"), from),

    async createPullRequest({ title, body, head, base }) {
      const task = begin("createPullRequest", { title, body });
      // GitHub has at most one open pull request from a branch into another.
      const from = { repository, branch: head, base };
      const find = async () => (await openFrom(task, from))[0] ?? null;
      return await task.create(pullRequestAnswer, "pulls", { title, body, head, base }, find);
    },

    async updatePullRequest(number, change) {
      const task = begin("updatePullRequest", change);
      return await task.send(pullRequestAnswer, "PATCH", `pulls/${number}`, change);
    },

    issues({ label, state }) {
      const how = { labels: label, state, sort: "created", direction: "asc" };
      return begin("issues").list(issuesAnswer, "issues", how);
    },

    async createIssue({ title, body, labels }) {
      const task = begin("createIssue", { title, body });
      const isIt = (it: Issue) => it.title === title && sameText(it.body, body);
      const find = finder(task, issuesAnswer, "issues", { state: "all" }, isIt);
      return await task.create(issueAnswer, "issues", { title, body, labels }, find);
    },

    async updateIssue(number, change) {
      const task = begin("updateIssue", change);
      return await task.send(issueAnswer, "PATCH", `issues/${number}`, change);
    },

    whoAmI: () => whoAmI(begin("whoAmI")),
  };
}

/** GitHub may store other line ends than it was sent. */
function sameText(a: string, b: string): boolean {
  const plain = (text: string) => text.replaceAll("\r\n", "\n").trimEnd();
  return plain(a) === plain(b);
}
