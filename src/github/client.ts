// The port over GitHub's REST API, by plain fetch. `@octokit/core` with its plugins for retries,
// limits and pages sends a request to create something again after an answer that never came, and
// so makes it twice: docs/adr/0004 weighs the two.
import * as z from "zod";
import {
  artifactsAnswer,
  blobAnswer,
  commentAnswer,
  commentsAnswer,
  contentsAnswer,
  issueAnswer,
  issuesAnswer,
  parentsAnswer,
  pullRequestAnswer,
  pullRequestsAnswer,
  repositoryAnswer,
  shaAnswer,
  treeAnswer,
  userAnswer,
  viewerAnswer,
  workflowRunAnswer,
} from "./answers.ts";
import { type Connection, Task } from "./connection.ts";
import { branchSha, commitFiles, pushBranch, refPath, swapBranch } from "./git-database.ts";
import { checkLengths } from "./limits.ts";
import {
  type CommitRequest,
  type CommitStatus,
  type GitHub,
  GitHubError,
  type GitHubOperation,
  type PullRequest,
  type PullRequestText,
} from "./port.ts";

export type ConnectOptions = Connection;

/**
 * How far back a thing is looked for that a request may just have made: more than clocks are wrong
 * by.
 */
const LOOK_BACK_MS = 3_600_000;
const NO_SUCH_COMMIT = /no commit found/i;

/** Throws a GitHubError where the options cannot be right; nothing is sent yet. */
export function connectGitHub(options: ConnectOptions): GitHub {
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
  return new Client({ ...options, apiUrl: options.apiUrl.replace(/\/+$/, "") });
}

class Client implements GitHub {
  readonly #to: Connection;
  #me: string | null = null;

  constructor(to: Connection) {
    this.#to = to;
  }

  #begin(operation: GitHubOperation, texts: Parameters<typeof checkLengths>[1] = {}): Task {
    checkLengths(operation, texts);
    return new Task(this.#to, operation);
  }

  repository() {
    return this.#begin("repository").get(repositoryAnswer, "");
  }

  async pullRequestsOf(headSha: string) {
    const how = { state: "open", sort: "created", direction: "desc" };
    const open = await Array.fromAsync(
      this.#begin("pullRequestsOf").list(pullRequestsAnswer, "pulls", how),
    );
    return open.filter(({ head }) => head.sha === headSha);
  }

  workflowRun(id: number) {
    return this.#begin("workflowRun").get(workflowRunAnswer, `actions/runs/${id}`);
  }

  artifactsOf(runId: number) {
    const path = `actions/runs/${runId}/artifacts`;
    return Array.fromAsync(this.#begin("artifactsOf").list(artifactsAnswer, path));
  }

  downloadArtifact(id: number, { maxBytes }: { maxBytes: number }) {
    return this.#begin("downloadArtifact").download(`actions/artifacts/${id}/zip`, maxBytes);
  }

  comments(issue: number) {
    return this.#begin("comments").list(commentsAnswer, `issues/${issue}/comments`);
  }

  async createComment(issue: number, body: string) {
    const task = this.#begin("createComment", { body });
    const path = `issues/${issue}/comments`;
    const isIt = (it: { body: string }) => sameText(it.body, body);
    const find = this.#finder(task, commentsAnswer, path, {}, isIt);
    return await task.create(commentAnswer, path, { body }, find);
  }

  async updateComment(id: number, body: string) {
    const task = this.#begin("updateComment", { body });
    return await task.send(commentAnswer, "PATCH", `issues/comments/${id}`, { body });
  }

  deleteComment(id: number) {
    return this.#begin("deleteComment").remove(`issues/comments/${id}`);
  }

  async setStatus(sha: string, { state, context, description, targetUrl }: CommitStatus) {
    const task = this.#begin("setStatus", { context, description });
    const status = { state, context, description, target_url: targetUrl ?? undefined };
    // The latest of a context counts, so that a second one changes nothing.
    await task.send(z.object({}), "POST", `statuses/${encodeURIComponent(sha)}`, status);
  }

  async file(path: string, ref: string) {
    const task = this.#begin("file");
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
  }

  async branch(name: string) {
    const sha = await branchSha(this.#begin("branch"), name);
    return sha === null ? null : { sha };
  }

  async tree(commit: string, folder = ".") {
    const task = this.#begin("tree");
    const list = async (sha: string, how = "") => {
      const path = `git/trees/${encodeURIComponent(sha)}${how}`;
      const { tree, truncated } = await task.get(treeAnswer, path);
      if (!truncated) return tree;
      const where = `${commit} in ${this.#to.repository}`;
      throw new GitHubError("too-large", `${where} has too many files to list`);
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
  }

  blob(sha: string) {
    return this.#begin("blob").get(blobAnswer, `git/blobs/${encodeURIComponent(sha)}`);
  }

  parentsOf(sha: string) {
    const path = `git/commits/${encodeURIComponent(sha)}`;
    return this.#begin("parentsOf").getOrNull(parentsAnswer, path);
  }

  commitFiles(request: CommitRequest) {
    return commitFiles(this.#begin("commitFiles"), request);
  }

  pushBranch(name: string, sha: string, how: { force: boolean }) {
    return pushBranch(this.#begin("pushBranch"), name, sha, how);
  }

  swapBranch(name: string, change: { from: string | null; to: string }) {
    return swapBranch(this.#begin("swapBranch"), name, change);
  }

  openPullRequests(which: { headBranch: string; base: string }) {
    return this.#openFrom(this.#begin("openPullRequests"), which);
  }

  async createPullRequest(request: PullRequestText & { head: string; base: string }) {
    const { title, body, head, base } = request;
    const task = this.#begin("createPullRequest", { title, body });
    // GitHub has at most one open pull request from a branch into another.
    const find = async () => (await this.#openFrom(task, { headBranch: head, base }))[0] ?? null;
    return await task.create(pullRequestAnswer, "pulls", { title, body, head, base }, find);
  }

  async updatePullRequest(number: number, change: Partial<PullRequestText>) {
    const task = this.#begin("updatePullRequest", change);
    return await task.send(pullRequestAnswer, "PATCH", `pulls/${number}`, change);
  }

  issues({ label, state }: { label: string; state: string }) {
    const how = { labels: label, state, sort: "created", direction: "asc" };
    return this.#begin("issues").list(issuesAnswer, "issues", how);
  }

  async createIssue(request: { title: string; body: string; labels: string[] }) {
    const { title, body, labels } = request;
    const task = this.#begin("createIssue", { title, body });
    const isIt = (it: { title: string; body: string }) =>
      it.title === title && sameText(it.body, body);
    const find = this.#finder(task, issuesAnswer, "issues", { state: "all" }, isIt);
    return await task.create(issueAnswer, "issues", { title, body, labels }, find);
  }

  async updateIssue(
    number: number,
    change: { title?: string; body?: string; state?: "open" | "closed" },
  ) {
    const task = this.#begin("updateIssue", change);
    return await task.send(issueAnswer, "PATCH", `issues/${number}`, change);
  }

  whoAmI() {
    return this.#whoAmI(this.#begin("whoAmI"));
  }

  /** The job's own token has no user, so that `/user` is refused to it; GraphQL names its bot. */
  async #whoAmI(task: Task): Promise<string> {
    if (this.#me !== null) return this.#me;
    try {
      const query = { query: "query { viewer { login } }" };
      const { data } = await task.send(viewerAnswer, "POST", "/graphql", query);
      this.#me = data.viewer.login;
    } catch (thrown) {
      if (!(thrown instanceof GitHubError) || thrown.reason === "rate-limited") throw thrown;
      this.#me = (await task.get(userAnswer, "/user")).login;
    }
    return this.#me;
  }

  #openFrom(
    task: Task,
    { headBranch, base }: { headBranch: string; base: string },
  ): Promise<PullRequest[]> {
    const [owner = ""] = this.#to.repository.split("/");
    const which = { state: "open", head: `${owner}:${headBranch}`, base };
    return Array.fromAsync(task.list(pullRequestsAnswer, "pulls", which));
  }

  /** Looks for what an earlier request made: ours, and made since this was called. */
  #finder<T extends { author: string }>(
    task: Task,
    schema: z.ZodType<T[]>,
    path: string,
    parameters: Record<string, string>,
    isIt: (one: T) => boolean,
  ): () => Promise<T | null> {
    const nowMs = Date.parse(this.#to.clock.wallTime());
    const since = new Date(nowMs - LOOK_BACK_MS).toISOString();
    return async () => {
      const me = await this.#whoAmI(task);
      for await (const one of task.list(schema, path, { ...parameters, since })) {
        if (one.author === me && isIt(one)) return one;
      }
      return null;
    };
  }
}

/** GitHub may store other line ends than it was sent. */
function sameText(a: string, b: string): boolean {
  const plain = (text: string) => text.replaceAll("\r\n", "\n").trimEnd();
  return plain(a) === plain(b);
}
