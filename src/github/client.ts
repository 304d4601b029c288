// The port over GitHub's REST API, by plain fetch: @actions/github would add a megabyte to the
// bundle (measured: 990 kB, against 40 kB for this room), and decides nothing of what matters here,
// which is when a request may be repeated.

import { z } from "zod";
import type { Clock } from "../machine/sys/clock.ts";
import {
  artifactsAnswer,
  blobAnswer,
  commentAnswer,
  contentsAnswer,
  issueAnswer,
  parentsAnswer,
  pullRequestAnswer,
  repositoryAnswer,
  shaAnswer,
  treeAnswer,
  userAnswer,
  viewerAnswer,
  workflowRunAnswer,
} from "./answers.ts";
import { branchSha, commitFiles, pushBranch, refPath } from "./commit.ts";
import { beginTask, type ConnectionOptions, type Task } from "./connection.ts";
import { createOnce } from "./create-once.ts";
import { checkLengths } from "./limits.ts";
import { type GitHub, GitHubError, type GitHubOperation, type PullRequest } from "./port.ts";
import { swapBranch } from "./swap-branch.ts";

export interface ConnectOptions {
  token: string;
  /** `owner/name`. */
  repository: string;
  /** `https://api.github.com`, or GITHUB_API_URL of the runner. */
  apiUrl: string;
  clock: Clock;
  /** Told of every wait, without the token. */
  log(line: string): void;
  /** For tests. */
  fetch?: typeof fetch;
  /** In [0, 1), for the jitter of waits; for tests. */
  random?: () => number;
}

/** Where a thing that a request may have made is listed. */
interface Lookup<T> {
  schema: z.ZodType<T>;
  path: string;
  parameters?: Record<string, string>;
  isIt(one: T, login: string): boolean;
}

const PAGE = "per_page=100";
/**
 * How far back a thing is looked for that a request may just have made: more than clocks are wrong
 * by.
 */
const LOOK_BACK_MS = 3_600_000;
const NO_SUCH_COMMIT = /no commit found/i;

export function connectGitHub(options: ConnectOptions): GitHub {
  const connection = checkedOptions(options);
  const { repository } = connection;
  const owner = repository.split("/")[0] ?? "";
  const begin = (operation: GitHubOperation): Task => beginTask(connection, operation);

  const pullRequests = async (task: Task, query: string): Promise<PullRequest[]> => {
    const found: PullRequest[] = [];
    for await (const page of task.pages(z.array(pullRequestAnswer), `pulls?${query}&${PAGE}`)) {
      found.push(...page);
    }
    return found;
  };

  const openPullRequests = (
    task: Task,
    { headBranch, base }: { headBranch: string; base: string },
  ) => pullRequests(task, query({ state: "open", head: `${owner}:${headBranch}`, base }));

  let me: string | null = null;
  const whoAmI = async (task: Task): Promise<string> => {
    me ??= await loginOf(task);
    return me;
  };
  /** Makes a thing, and after a lost answer looks for it: ours, and made since this was called. */
  const createdOnce = <T>(
    task: Task,
    create: () => Promise<T>,
    { schema, path, parameters = {}, isIt }: Lookup<T>,
  ): Promise<T> => {
    const since = new Date(Date.parse(connection.clock.wallTime()) - LOOK_BACK_MS).toISOString();
    const find = async (): Promise<T | null> => {
      const login = await whoAmI(task);
      const listed = `${path}?${query({ ...parameters, since })}&${PAGE}`;
      for await (const page of task.pages(z.array(schema), listed)) {
        const ours = page.find((one) => isIt(one, login));
        if (ours !== undefined) return ours;
      }
      return null;
    };
    return createOnce(task, { create, find });
  };

  return {
    async repository() {
      const it = await begin("repository").get(repositoryAnswer, "");
      return { defaultBranch: it.default_branch };
    },

    async pullRequestsOf(headSha) {
      const open = await pullRequests(
        begin("pullRequestsOf"),
        "state=open&sort=created&direction=desc",
      );
      return open.filter(({ head }) => head.sha === headSha);
    },

    workflowRun: (id) => begin("workflowRun").get(workflowRunAnswer, `actions/runs/${id}`),

    async artifactsOf(runId) {
      const found = [];
      const path = `actions/runs/${runId}/artifacts?${PAGE}`;
      for await (const page of begin("artifactsOf").pages(artifactsAnswer, path)) {
        found.push(...page.artifacts);
      }
      return found;
    },

    downloadArtifact: (id, { maxBytes }) =>
      begin("downloadArtifact").download(`actions/artifacts/${id}/zip`, maxBytes),

    async *comments(issue) {
      const path = `issues/${issue}/comments?${PAGE}`;
      for await (const page of begin("comments").pages(z.array(commentAnswer), path)) yield* page;
    },

    async createComment(issue, body) {
      checkLengths("createComment", { body });
      const task = begin("createComment");
      const path = `issues/${issue}/comments`;
      const create = () => task.send(commentAnswer, "POST", path, { body }, "once");
      return createdOnce(task, create, {
        schema: commentAnswer,
        path,
        isIt: (it, login) => it.author === login && sameText(it.body, body),
      });
    },

    async updateComment(id, body) {
      checkLengths("updateComment", { body });
      return begin("updateComment").send(commentAnswer, "PATCH", `issues/comments/${id}`, { body });
    },

    deleteComment: (id) => begin("deleteComment").remove(`issues/comments/${id}`),

    async setStatus(sha, { state, context, description, targetUrl }) {
      checkLengths("setStatus", { context, description });
      // The latest of a context counts, so that a second one changes nothing.
      await begin("setStatus").send(z.object({}), "POST", `statuses/${encodeURIComponent(sha)}`, {
        state,
        context,
        description,
        ...(targetUrl === null ? {} : { target_url: targetUrl }),
      });
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
      const blob = await task.get(blobAnswer, `git/blobs/${found.sha}`);
      return Buffer.from(blob.content, "base64");
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
        throw new GitHubError("too-large", `${commit} in ${repository} has too many files to list`);
      };
      let at = commit;
      for (const name of folder.split("/").filter((one) => one !== ".")) {
        const inside = (await list(at)).find(({ type, path }) => type === "tree" && path === name);
        if (inside === undefined) return [];
        at = inside.sha;
      }
      return (await list(at, "?recursive=1")).flatMap(({ type, path, sha }) =>
        type === "blob" ? [{ path, sha }] : [],
      );
    },

    async blob(sha) {
      const it = await begin("blob").get(blobAnswer, `git/blobs/${encodeURIComponent(sha)}`);
      return Buffer.from(it.content, "base64");
    },

    parentsOf: (sha) =>
      begin("parentsOf").getOrNull(parentsAnswer, `git/commits/${encodeURIComponent(sha)}`),

    commitFiles: (request) => commitFiles(begin("commitFiles"), request),

    pushBranch: (name, sha, how) => pushBranch(begin("pushBranch"), name, sha, how),

    swapBranch: (name, change) => swapBranch(begin("swapBranch"), name, change),

    openPullRequests: (which) => openPullRequests(begin("openPullRequests"), which),

    async createPullRequest({ title, body, head, base }) {
      checkLengths("createPullRequest", { title, body });
      const task = begin("createPullRequest");
      return createOnce(task, {
        create: () =>
          task.send(pullRequestAnswer, "POST", "pulls", { title, body, head, base }, "once"),
        // GitHub has at most one open pull request from a branch into another.
        find: async () => (await openPullRequests(task, { headBranch: head, base }))[0] ?? null,
      });
    },

    async updatePullRequest(number, change) {
      checkLengths("updatePullRequest", change);
      return begin("updatePullRequest").send(pullRequestAnswer, "PATCH", `pulls/${number}`, change);
    },

    async *issues({ label, state }) {
      const path = `issues?${query({ labels: label, state, sort: "created", direction: "asc" })}&${PAGE}`;
      for await (const page of begin("issues").pages(z.array(issueAnswer), path)) {
        for (const { issue, isPullRequest } of page) if (!isPullRequest) yield issue;
      }
    },

    async createIssue({ title, body, labels }) {
      checkLengths("createIssue", { title, body });
      const task = begin("createIssue");
      const wanted = { title, body, labels };
      const create = () => task.send(issueAnswer, "POST", "issues", wanted, "once");
      const created = await createdOnce(task, create, {
        schema: issueAnswer,
        path: "issues",
        parameters: { state: "all" },
        isIt: ({ issue, author }, login) =>
          author === login && issue.title === title && sameText(issue.body, body),
      });
      return created.issue;
    },

    async updateIssue(number, change) {
      checkLengths("updateIssue", change);
      const task = begin("updateIssue");
      return (await task.send(issueAnswer, "PATCH", `issues/${number}`, change)).issue;
    },

    whoAmI: () => whoAmI(begin("whoAmI")),
  };
}

/** The job's own token has no user, so that `/user` is refused to it; GraphQL names its bot. */
async function loginOf(task: Task): Promise<string> {
  try {
    const answer = await task.send(viewerAnswer, "POST", "/graphql", {
      query: "query { viewer { login } }",
    });
    return answer.data.viewer.login;
  } catch (thrown) {
    if (!(thrown instanceof GitHubError) || thrown.reason === "rate-limited") throw thrown;
    const user = await task.get(userAnswer, "/user");
    return user.login;
  }
}

function checkedOptions(options: ConnectOptions): ConnectionOptions {
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
  return {
    token,
    repository,
    apiUrl: options.apiUrl.replace(/\/+$/, ""),
    clock: options.clock,
    log: options.log,
    send: options.fetch ?? fetch,
    random: options.random ?? Math.random,
  };
}

function query(parameters: Record<string, string>): string {
  return new URLSearchParams(parameters).toString();
}

/** GitHub may store other line ends than it was sent. */
function sameText(a: string, b: string): boolean {
  const plain = (text: string) => text.replaceAll("\r\n", "\n").trimEnd();
  return plain(a) === plain(b);
}
