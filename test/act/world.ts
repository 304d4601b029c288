// A repository on a fake GitHub, its remote, and the events that GitHub would send for it: a tiny
// service with this checkout's workflows, action and bundle, or another repository that uses the
// action. What a workflow does is real but for the load and for the rest of the machine, which is
// not seen: a verdict is that of the code (test/support/fake-oha).
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { additions } from "../fake-github/seed.ts";
import { type LogEntry, type ServedGitHub, startFakeGitHub } from "../fake-github/server.ts";
import { addTo } from "../fake-github/world.ts";
import { ANOTHER_DAY, fakeLoad, Project, QUIET_HOST } from "../support/project.ts";
import { act, type Outcome } from "./act.ts";
import { parseGrants } from "./grants.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SERVICE = join(import.meta.dirname, "service");
const REPOSITORY = "acme/app";

interface Ran {
  runId: number;
  outcome: Outcome;
  /** What GitHub was asked, in order. */
  calls: string[];
}

interface RunOptions {
  payload?: object;
  /** Default: the default branch. */
  ref?: string;
  /** A GitHub App is set up. */
  app?: boolean;
  /**
   * The run is of a fork's pull request: its token can read and no more, whatever the workflow asks
   * for.
   */
  readOnly?: boolean;
}

/** What a machine shows that is not seen as it is. */
interface Day {
  /** After today; before it where negative. */
  days: number;
  kernel: string;
}

interface PullRequest {
  number: number;
  /** `owner/name` of the head. */
  repository: string;
  branch: string;
  head: string;
  base: string;
}

/** What our action is made of, as a folder. */
function placeAction(folder: string): void {
  cpSync(join(ROOT, "action.yml"), join(folder, "action.yml"));
  // A bundle that is not the committed one, while somebody works on it: `node scripts/build.ts
  // --out <folder>`.
  cpSync(process.env.TAILGATE_DIST ?? join(ROOT, "dist"), join(folder, "dist"), {
    recursive: true,
  });
}

/** A tiny service with the workflows of this repository, and the action as `./`. */
function ownWorkflows(project: Project): void {
  cpSync(SERVICE, project.root, { recursive: true });
  cpSync(join(SERVICE, "tailgate.yml"), join(project.root, "services/tailgate.full.yml"));
  cpSync(join(ROOT, ".github"), join(project.root, ".github"), { recursive: true });
  cpSync(join(SERVICE, "canary.patch"), join(project.root, ".github/canary.patch"));
  rmSync(join(project.root, "canary.patch"));
  placeAction(project.root);
  project.write(".gitignore", "/.tailgate/\n");
}

/** With what GitHub would make of it where it is not escaped. */
function titleOf(number: number): string {
  return `Change ${number} for @everyone`;
}

export class World {
  readonly github: ServedGitHub;
  readonly project: Project;
  readonly #action: string;
  readonly #artifacts: string;
  readonly #remote: string;
  #nextRun = 1001;

  readonly #load: Record<string, string>;
  /** On which the workflows run from now on. */
  day: Day = { days: 0, kernel: "6.8.0-1" };

  private constructor(
    github: ServedGitHub,
    project: Project,
    { folder, oha }: { folder: string; oha: "real" | "fake" },
  ) {
    this.#load = oha === "fake" ? fakeLoad(project.root) : {};
    this.github = github;
    this.project = project;
    this.#action = join(folder, "action");
    this.#artifacts = join(folder, "artifacts");
    this.#remote = join(folder, "remote.git");
  }

  /**
   * `fill` writes the files of the first commit; by default those of a service with our own
   * workflows.
   */
  static async create(
    fill: (project: Project) => void = ownWorkflows,
    oha: "real" | "fake" = "fake",
  ): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), "tailgate-world-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const remote = join(folder, "remote.git");
    execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", remote]);
    // The fake GitHub reads loose objects.
    execFileSync("git", ["--git-dir", remote, "config", "transfer.unpackLimit", "1000000"]);
    const project = new Project([]);
    onTestFinished(() => project.remove());
    fill(project);
    project.git("remote", "add", "origin", `https://github.com/${REPOSITORY}.git`);
    project.git("config", `url.${remote}.insteadOf`, `https://github.com/${REPOSITORY}.git`);
    project.commit("a service and its gate");
    project.git("push", "--quiet", "origin", "main");
    placeAction(join(folder, "action"));
    const github = await startFakeGitHub({
      seed: {
        repository: REPOSITORY,
        git: remote,
        uploads: join(folder, "artifacts"),
      },
    });
    onTestFinished(() => github.close());
    return new World(github, project, { folder, oha });
  }

  /** Commits to the default branch, as a merge would. */
  commitToMain(message: string, files: Readonly<Record<string, string>>): string {
    this.project.git("checkout", "--quiet", "main");
    for (const [path, text] of Object.entries(files)) this.project.write(path, text);
    const sha = this.project.commit(message);
    this.project.git("push", "--quiet", "origin", "main");
    return sha;
  }

  /**
   * Opens a pull request that changes these files, or brings an open one to them; from a fork of
   * this name where given.
   */
  async propose(
    number: number,
    change: { files: Readonly<Record<string, string>>; fork?: string },
  ): Promise<PullRequest> {
    const { project } = this;
    const branch = `change-${number}`;
    const known = project.git("branch", "--list", branch) !== "";
    project.git("checkout", "--quiet", ...(known ? [branch] : ["-b", branch, "main"]));
    for (const [path, text] of Object.entries(change.files)) project.write(path, text);
    const head = project.commit(`change ${number}`);
    const base = project.git("rev-parse", "main");
    // GitHub checks out what a merge would give.
    project.git("checkout", "--quiet", "--detach", "main");
    project.git("merge", "--quiet", "--no-ff", "--message", `Merge ${head} into ${base}`, branch);
    const refs = [`${branch}:refs/pull/${number}/head`, `HEAD:refs/pull/${number}/merge`];
    if (change.fork === undefined) refs.push(`${branch}:refs/heads/${branch}`);
    project.git("push", "--quiet", "--force", "origin", ...refs);
    const repository = change.fork ?? REPOSITORY;
    const pullRequest = { number, repository, branch, head, base };
    await this.#add({
      pullRequests: [
        {
          number,
          title: titleOf(number),
          head: { repository, ref: branch, sha: head },
          base: { ref: "main", sha: base },
        },
      ],
    });
    return pullRequest;
  }

  /** The gate of a pull request; its run and its artifact are then on GitHub. */
  async gatePullRequest(pullRequest: PullRequest): Promise<Ran> {
    const { number, repository, branch, head, base } = pullRequest;
    const isFork = repository !== REPOSITORY;
    const payload = {
      action: "synchronize",
      sender: { login: "ada" },
      number,
      pull_request: {
        number,
        title: titleOf(number),
        head: { sha: head, ref: branch, repo: { full_name: repository, fork: isFork } },
        base: { sha: base, ref: "main", repo: { full_name: REPOSITORY } },
      },
    };
    const ran = await this.run("perf-gate", "pull_request", {
      payload,
      ref: `refs/pull/${number}/merge`,
      readOnly: isFork,
    });
    await this.#recordGate(ran.runId, ran.outcome, {
      event: "pull_request",
      headSha: head,
      headBranch: branch,
      headRepository: repository,
    });
    return ran;
  }

  /** A gate that somebody stopped at once: its run is on GitHub, and nothing else. */
  async cancelGate({ branch, head, repository }: PullRequest): Promise<{ runId: number }> {
    const runId = this.#nextRun++;
    await this.#add({
      runs: [
        {
          id: runId,
          event: "pull_request",
          headSha: head,
          headBranch: branch,
          headRepository: repository,
          conclusion: "cancelled",
        },
      ],
    });
    return { runId };
  }

  async gateMergeGroup(pullRequest: PullRequest): Promise<Ran> {
    const { number, base } = pullRequest;
    const headSha = this.project.git("rev-parse", "HEAD");
    const branch = `gh-readonly-queue/main/pr-${number}-${base}`;
    const payload = {
      action: "checks_requested",
      merge_group: {
        head_sha: headSha,
        head_ref: `refs/heads/${branch}`,
        base_sha: base,
        base_ref: "refs/heads/main",
      },
    };
    const ran = await this.run("perf-gate", "merge_group", {
      payload,
      ref: `refs/heads/${branch}`,
    });
    await this.#recordGate(ran.runId, ran.outcome, {
      event: "merge_group",
      headSha,
      headBranch: branch,
      headRepository: REPOSITORY,
    });
    return ran;
  }

  /** The report on a gate's run, on the default branch as GitHub runs it. */
  async report(gate: { runId: number }): Promise<Ran> {
    const run = this.github.world.runs.find(({ id }) => id === gate.runId);
    if (run === undefined) throw new Error(`no run ${gate.runId}`);
    this.project.git("checkout", "--quiet", "main");
    const [owner = ""] = (run.headRepository ?? "").split("/");
    const payload = {
      action: "completed",
      workflow_run: {
        id: run.id,
        name: "perf-gate",
        path: run.path,
        event: run.event,
        head_sha: run.headSha,
        head_branch: run.headBranch,
        head_repository: { full_name: run.headRepository, owner: { login: owner } },
        conclusion: run.conclusion,
        run_attempt: 1,
        pull_requests: [],
      },
    };
    return this.run("perf-report", "workflow_run", { payload });
  }

  /** Runs `.github/workflows/<workflow>.yml` of what is checked out. */
  async run(workflow: string, event: string, more: RunOptions = {}): Promise<Ran> {
    const path = `.github/workflows/${workflow}.yml`;
    const runId = this.#nextRun++;
    const [token, appToken] = [`ghs_job${runId}`, `ghs_app${runId}`];
    const grants = parseGrants(this.project.read(path));
    await this.#add({
      tokens: {
        [token]: { permissions: more.readOnly === true ? { contents: "read" } : grants.jobs },
        [appToken]: { login: "tailgate-test[bot]", permissions: grants.app },
      },
      runs: [
        {
          id: runId,
          name: workflow,
          path,
          event,
          headSha: this.project.git("rev-parse", "HEAD"),
          headBranch: "main",
          headRepository: REPOSITORY,
          conclusion: null,
        },
      ],
    });
    const withApp = more.app === true;
    const before = this.github.log.length;
    const outcome = await act(this.project.root, {
      name: event,
      workflow: path,
      payload: {
        repository: { full_name: REPOSITORY, default_branch: "main" },
        ...more.payload,
      },
      runId,
      ref: more.ref ?? "refs/heads/main",
      token,
      apiUrl: this.github.url,
      action: this.#action,
      artifacts: this.#artifacts,
      repository: REPOSITORY,
      env: {
        TAILGATE_TEST_APP_TOKEN: withApp ? appToken : "",
        TAILGATE_TEST_REMOTE: this.#remote,
        NODE_OPTIONS: `--require=${QUIET_HOST} --require=${ANOTHER_DAY}`,
        FAKE_DAYS: String(this.day.days),
        FAKE_KERNEL: this.day.kernel,
        ...this.#load,
      },
      variables: withApp ? { TAILGATE_APP_CLIENT_ID: "Iv1.test" } : {},
      secrets: withApp ? { TAILGATE_APP_PRIVATE_KEY: "test" } : {},
    });
    return { runId, outcome, calls: this.#calls(this.github.log.slice(before)) };
  }

  /** As `METHOD path status`, without what no two runs share. */
  #calls(entries: readonly LogEntry[]): string[] {
    return entries.map(({ method, path, status }) => {
      const [place = ""] = path.replace(`/repos/${REPOSITORY}`, "").split("?");
      const steady = place
        .replace(/[0-9a-f]{40}/g, "COMMIT")
        .replace(/(baselines-|hello(?:@|%40))[a-z0-9.-]+-cpus/g, "$1MACHINE")
        .replace(/\d+/g, "#");
      return `${method} ${steady || "/"} ${status}`;
    });
  }

  /** The service with this much latency more. */
  slowed(delayMs: number): Record<string, string> {
    const source = this.project.read("server.mjs");
    return {
      "server.mjs": source.replace(/latencyUs = \d+/, `latencyUs = ${1000 + delayMs * 1000}`),
    };
  }

  /** The stored baseline: of this machine, by whose model its file is named. */
  baseline() {
    const folder = "baselines/default";
    const [name = ""] = this.project.files(folder).filter((one) => one.startsWith("hello@"));
    return JSON.parse(this.project.read(`${folder}/${name}`));
  }

  /** Merges an open pull request of this repository, as somebody who looked at it would. */
  merge(number: number): void {
    const pullRequest = this.github.world.pullRequests.find((one) => one.number === number);
    if (pullRequest === undefined) throw new Error(`no pull request ${number}`);
    this.project.git("checkout", "--quiet", "main");
    this.project.git("fetch", "--quiet", "origin", pullRequest.head.ref);
    this.project.git("merge", "--quiet", "--no-ff", "--message", pullRequest.title, "FETCH_HEAD");
    this.project.git("push", "--quiet", "origin", "main");
    pullRequest.state = "closed";
    pullRequest.merged = true;
  }

  /** What GitHub says of the last push to the default branch. */
  pushed(): object {
    const [after, before] = this.project.git("rev-list", "--max-count=2", "main").split("\n");
    return { before, after, ref: "refs/heads/main" };
  }

  openIssue(issue: {
    number: number;
    title: string;
    body: string;
    labels: string[];
  }): Promise<void> {
    return this.#add({ issues: [issue] });
  }

  /** Files of an artifact that a run handed over, or of all of them. */
  artifacts(runId: number): string[] {
    const folder = join(this.#artifacts, String(runId));
    return existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()
      : [];
  }

  async #add(more: unknown): Promise<void> {
    addTo(this.github.world, additions.parse(more));
  }

  async #recordGate(
    id: number,
    outcome: Outcome,
    run: { event: string; headSha: string; headBranch: string; headRepository: string },
  ): Promise<void> {
    await this.#add({ runs: [{ id, ...run, conclusion: outcome.jobs.gate ?? "cancelled" }] });
  }
}
