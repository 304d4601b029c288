// What tests of the action share: a runner that remembers, a GitHub in memory that fails on demand,
// and an application whose gate measures nothing.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach } from "vitest";
import type { Conclusion } from "../../src/action/job/job.ts";
import type { UseCases } from "../../src/action/job/use-cases.ts";
import { type ActionPorts, runAction } from "../../src/action/run-action.ts";
import type { Runner } from "../../src/action/runner/runner.ts";
import { configFromText } from "../../src/app/config/load.ts";
import { FILES } from "../../src/app/documents/reports.ts";
import { writeSamples } from "../../src/app/documents/samples.ts";
import { reportOn } from "../../src/app/gate/outcome.ts";
import type { Project } from "../../src/app/project/project.ts";
import { parseRecords } from "../../src/core/history/layout.ts";
import { inOrder } from "../../src/core/history/order.ts";
import type { HistoryRecord } from "../../src/core/model/history.ts";
import type { Samples } from "../../src/core/model/samples.ts";
import type { Annotation } from "../../src/core/report/gate/annotations.ts";
import { satellites } from "../../src/entry/satellites.ts";
import {
  type Artifact,
  type Comment,
  type CommitStatus,
  type GitHub,
  GitHubError,
  type GitHubFailure,
  type GitHubOperation,
  type Issue,
  type PullRequest,
  type PullRequestText,
  type WorkflowRun,
} from "../../src/github/port.ts";
import { testClock } from "../fake-github/testing.ts";
import { makeArtifact } from "./artifact.ts";
import { makeProfile } from "./calibration.ts";
import { makeFolder } from "./files.ts";
import { makeSamples, type SamplesRecipe } from "./samples.ts";

export const HEAD = "9f1c2d3e4a5b6c7d8e9f0a1b2c3d4e5f60718293";
export const BASE = "1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e";
export const MERGE = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00";
export const REPOSITORY = "acme/shop";
export const FORK = "mallory/shop";
export const RUN_ID = 7_164_329_001;
const EVENTS = resolve(import.meta.dirname, "../fixtures/events");

const EVENT_NAMES = {
  "pull-request": "pull_request",
  "pull-request-fork": "pull_request",
  "pull-request-fork-gone": "pull_request",
  "merge-group": "merge_group",
  push: "push",
  "push-new-branch": "push",
  schedule: "schedule",
  "workflow-run": "workflow_run",
};
export type EventFixture = keyof typeof EVENT_NAMES;

export function readEvent(name: EventFixture): unknown {
  return JSON.parse(readFileSync(join(EVENTS, `${name}.json`), "utf8"));
}

/** The configuration of the base branch and of the change, as long as a test says nothing else. */
export const CONFIG = `version: 1
services:
  api: { dir: api, run: "node server.mjs {port}", ready: /healthz }
scenarios:
  echo:
    request: GET /echo
    rate: 2000/s
    connections: 16
    slice: { duration: 500ms, pairs: 4 }
  hello:
    request: GET /hello
    rate: 2000/s
    connections: 16
    slice: { duration: 500ms, pairs: 4 }
`;

const config = configFromText(CONFIG, "tailgate.yml");

/** Samples of the change's merge commit against its base, by CONFIG. */
export function sampled(recipe: Partial<SamplesRecipe> = {}): Samples {
  const samples = makeSamples({ rounds: 20, noise: 0.02, ...recipe });
  const source = { label: "test", dirty: false, subject: "Faster carts" };
  return {
    ...samples,
    config,
    sources: {
      candidate: { ...source, commit: MERGE },
      reference: { ...source, commit: BASE },
    },
  };
}

export const REGRESSED: Partial<SamplesRecipe> = { p99Ratio: { "api/echo": 1.6 } };

class FakeRunner implements Runner {
  readonly outputs: Record<string, string> = {};
  readonly annotations: Annotation[] = [];
  readonly lines: string[] = [];
  readonly hidden: string[] = [];
  shown = "";

  output(name: string, value: string): void {
    this.outputs[name] = value;
  }
  annotate(annotation: Annotation): void {
    this.annotations.push(annotation);
  }
  summary(markdown: string): void {
    this.shown = markdown;
  }
  log = (line: string): void => {
    this.lines.push(line);
  };
  startGroup(title: string): void {
    this.lines.push(`> ${title}`);
  }
  endGroup(): void {
    this.lines.push("<");
  }
  hide(secret: string): void {
    this.hidden.push(secret);
  }
}

interface Failing {
  operation: GitHubOperation;
  reason: GitHubFailure;
}

const WRITES = /^(create|update|delete|set|commitFiles|push|swap)/;

/** A repository with one pull request, whose gate has run once. */
export class FakeGitHub {
  readonly comments: (Comment & { issue: number })[] = [];
  readonly statuses: (CommitStatus & { sha: string })[] = [];
  readonly issues: Issue[] = [];
  readonly files = new Map<string, string>([[`${BASE}:tailgate.yml`, CONFIG]]);
  /** Their commits, by name. */
  readonly branches = new Map([["main", BASE]]);
  /** Files of the commits that were made here, by commit and path. */
  readonly commits = new Map<string, ReadonlyMap<string, string>>();
  readonly #parents = new Map<string, string | null>();
  login = "github-actions[bot]";
  /** Pull requests that a mode opened. */
  readonly proposals: (PullRequest & PullRequestText)[] = [];
  /** Every operation that was asked for, in order. */
  readonly asked: GitHubOperation[] = [];
  run: WorkflowRun = {
    id: RUN_ID,
    attempt: 1,
    event: "pull_request",
    headSha: HEAD,
    headBranch: "carts",
    headRepository: FORK,
    path: ".github/workflows/perf-gate.yml",
    conclusion: "success",
    url: "https://github.com/acme/shop/actions/runs/7164329001",
    createdAt: "2026-11-21T12:00:00Z",
  };
  pullRequests: PullRequest[] = [
    {
      number: 12,
      title: "Faster carts",
      state: "open",
      head: { sha: HEAD, ref: "carts", repository: FORK },
      base: { sha: BASE, ref: "main", repository: REPOSITORY },
      url: "https://github.com/acme/shop/pull/12",
    },
  ];
  artifact: Uint8Array | null = makeArtifact(sampled());
  /** The artifact is listed, and kept no longer. */
  isExpired = false;
  /** What else the run uploaded. */
  moreArtifacts: Artifact[] = [];
  /** This operation fails, whenever it is asked for. */
  failing: Failing | null = null;
  /** Every write is refused. */
  isReadOnly = false;
  /** Called before each operation. */
  onAsk: (operation: GitHubOperation) => void = () => {};

  #ask(operation: GitHubOperation): void {
    this.asked.push(operation);
    this.onAsk(operation);
    const { failing } = this;
    if (failing?.operation === operation) {
      throw new GitHubError(failing.reason, `could not do ${operation}: ${failing.reason}`);
    }
    if (this.isReadOnly && WRITES.test(operation)) {
      throw new GitHubError("permission", `GitHub refused ${operation}`, {
        next: "Write:\npermissions:\n  pull-requests: write",
      });
    }
  }

  /** What was put there, and what was committed. */
  #filesOf(commit: string): Map<string, string> {
    const start = `${commit}:`;
    const put = [...this.files].filter(([key]) => key.startsWith(start));
    return new Map([
      ...(this.commits.get(commit) ?? []),
      ...put.map(([key, text]) => [key.slice(start.length), text] as const),
    ]);
  }

  #commit(parent: string | null, files: ReadonlyMap<string, string | null>): string {
    const all = new Map(parent === null ? [] : this.commits.get(parent));
    for (const [path, text] of files) {
      if (text === null) all.delete(path);
      else all.set(path, text);
    }
    const sha = String(this.commits.size + 1).padStart(40, "c");
    this.commits.set(sha, all);
    this.#parents.set(sha, parent);
    return sha;
  }

  /** Somebody else pushes; returns the commit's id. */
  push(branch: string, files: Readonly<Record<string, string>>): string {
    const parent = this.branches.get(branch) ?? null;
    const sha = this.#commit(parent, new Map(Object.entries(files)));
    this.branches.set(branch, sha);
    return sha;
  }

  /** What the history's branch holds. */
  history(): HistoryRecord[] {
    const files = this.commits.get(this.branches.get("tailgate-history") ?? "") ?? [];
    return inOrder([...files].flatMap(([path, text]) => parseRecords(text, path)));
  }

  /** Each operation is remembered when it is called, and fails where the test says so. */
  port(): GitHub {
    const called = Object.entries(this.#operations()).map(([name, answer]) => {
      const operation = name as GitHubOperation;
      const list = (...given: never[]) => {
        this.#ask(operation);
        return (answer as (...given: never[]) => unknown)(...given);
      };
      const isList = operation === "comments" || operation === "issues";
      return [operation, isList ? list : async (...given: never[]) => list(...given)];
    });
    return Object.fromEntries(called);
  }

  #operations(): GitHub {
    const self = this;
    return {
      repository: async () => ({ defaultBranch: "main" }),
      whoAmI: async () => this.login,
      workflowRun: async () => this.run,
      pullRequestsOf: async (sha) => this.pullRequests.filter(({ head }) => head.sha === sha),
      artifactsOf: async () => {
        const { artifact, isExpired: expired } = this;
        if (artifact === null) return this.moreArtifacts;
        const own = { id: 3, name: "tailgate", sizeBytes: artifact.length, expired };
        return [own, ...this.moreArtifacts];
      },
      downloadArtifact: async () => this.artifact ?? new Uint8Array(),
      async *comments(issue) {
        yield* self.comments.filter((one) => one.issue === issue);
      },
      createComment: async (issue, body) => {
        const comment = {
          id: 1 + Math.max(0, ...this.comments.map(({ id }) => id)),
          issue,
          body,
          author: "github-actions[bot]",
          url: `https://github.com/acme/shop/pull/12#issuecomment-${this.comments.length + 1}`,
        };
        this.comments.push(comment);
        return comment;
      },
      updateComment: async (id, body) =>
        Object.assign(
          found(this.comments, (one) => one.id === id),
          { body },
        ),
      deleteComment: async (id) => {
        const at = this.comments.findIndex((one) => one.id === id);
        if (at !== -1) this.comments.splice(at, 1);
      },
      setStatus: async (sha, status) => void this.statuses.push({ ...status, sha }),
      file: async (path, ref) => {
        const text = this.#filesOf(ref).get(path);
        return text === undefined ? null : new TextEncoder().encode(text);
      },
      branch: async (name) => {
        const sha = this.branches.get(name);
        return sha === undefined ? null : { sha };
      },
      // The sha of a file is its content in other letters: the same for the same.
      tree: async (commit, folder) => {
        const start = folder === undefined ? "" : `${folder}/`;
        return [...this.#filesOf(commit)]
          .filter(([path]) => path.startsWith(start))
          .map(([path, text]) => ({
            path: path.slice(start.length),
            sha: Buffer.from(text).toString("base64url"),
          }));
      },
      blob: async (sha) => Buffer.from(sha, "base64url"),
      parentsOf: async (sha) => {
        if (sha.length !== HEAD.length) throw new GitHubError("invalid", `${sha} is no commit`);
        if (sha === MERGE) return [BASE, HEAD];
        const parent = this.#parents.get(sha);
        return parent == null ? null : [parent];
      },
      commitFiles: async ({ parent, files }) => this.#commit(parent, files),
      pushBranch: async (name, sha, { force }) => {
        const before = this.branches.get(name);
        if (!force && before !== undefined && this.#parents.get(sha) !== before) {
          throw new GitHubError("conflict", `${name} has moved`);
        }
        this.branches.set(name, sha);
      },
      swapBranch: async (name, { to }) => void this.branches.set(name, to),
      openPullRequests: async () => this.proposals.filter(({ state }) => state === "open"),
      createPullRequest: async ({ title, body, head, base }) => {
        const number = 100 + this.proposals.length;
        const proposal = {
          number,
          title,
          body,
          state: "open" as const,
          head: { sha: this.branches.get(head) ?? "", ref: head, repository: REPOSITORY },
          base: { sha: BASE, ref: base, repository: REPOSITORY },
          url: `https://github.com/acme/shop/pull/${number}`,
        };
        this.proposals.push(proposal);
        return proposal;
      },
      updatePullRequest: async (number, change) =>
        Object.assign(
          found(this.proposals, (one) => one.number === number),
          change,
        ),
      async *issues({ state }) {
        yield* self.issues.filter((issue) => issue.state === state);
      },
      createIssue: async ({ title, body }) => {
        const number = this.issues.length + 1;
        const url = `https://github.com/acme/shop/issues/${number}`;
        const issue: Issue = { number, title, body, state: "open", author: this.login, url };
        this.issues.push(issue);
        return issue;
      },
      updateIssue: async (number, change) =>
        Object.assign(
          found(this.issues, (one) => one.number === number),
          change,
        ),
    };
  }
}

function found<T>(all: readonly T[], isIt: (one: T) => boolean): T {
  const one = all.find(isIt);
  if (one === undefined) throw new Error("the test's GitHub has no such thing");
  return one;
}

/** Of the test that runs, in files that call `freshForEach`. */
export let workspace = "";
export let github = new FakeGitHub();

export function freshForEach(): void {
  beforeEach(() => {
    workspace = makeFolder();
    github = new FakeGitHub();
  });
}

export interface Step {
  event: EventFixture;
  /** Default: the one that the fixture is of. */
  eventName?: string;
  /** Default: the default branch. */
  ref?: string;
  /** Of the workflow run; default: the first. */
  attempt?: number;
  /** Later runs have larger ids; default: RUN_ID. */
  runId?: number;
  /** The head of the event; default: HEAD. */
  headSha?: string;
  inputs?: Record<string, string>;
  /** Default: the test's own. */
  github?: FakeGitHub;
  useCases?: Partial<UseCases>;
  /** What the gate measures. */
  samples?: Samples;
  abort?: AbortController;
}

interface StepEnd {
  conclusion: Conclusion;
  runner: FakeRunner;
}

/**
 * The whole step, as the runner would start it; only git, the gate and the network are not there.
 */
export async function runStep(step: Step): Promise<StepEnd> {
  const runner = new FakeRunner();
  const abort = step.abort ?? new AbortController();
  const given = { token: "ghs_token", ...step.inputs };
  const { runId = RUN_ID, headSha = HEAD } = step;
  const eventPath = join(workspace, `event-${runId}.json`);
  const payload = readFileSync(join(EVENTS, `${step.event}.json`), "utf8");
  writeFileSync(eventPath, payload.replaceAll(HEAD, headSha));
  const ports: ActionPorts = {
    version: "0.0.0-test",
    inputs: new Map(Object.entries(given)),
    env: {
      GITHUB_REPOSITORY: REPOSITORY,
      GITHUB_RUN_ID: String(runId),
      GITHUB_RUN_ATTEMPT: String(step.attempt ?? 1),
      GITHUB_WORKSPACE: workspace,
      GITHUB_REF: step.ref ?? "refs/heads/main",
      GITHUB_EVENT_NAME: step.eventName ?? EVENT_NAMES[step.event],
      GITHUB_EVENT_PATH: eventPath,
    },
    runner,
    clock: testClock(),
    abort: abort.signal,
    satellites,
    cache: workspace,
    useCases: { ...fakeUseCases(step.samples ?? sampled()), ...step.useCases },
    connect: async () => (step.github ?? github).port(),
  };
  return { conclusion: await runAction(ports), runner };
}

/** Of an application that finds `samples` measured, whatever it is asked for. */
export function fakeUseCases(samples: Samples): UseCases {
  const out = join(workspace, ".tailgate");
  const path = join(out, FILES.samples);
  return {
    gate: async () => {
      writeSamples(path, samples);
      writeFileSync(join(out, FILES.html), "<p>Rendering it is others' test.</p>");
      return { report: reportOn(samples, []), files: [path] };
    },
    measureOnly: async () => {
      writeSamples(path, samples);
      return { samples, path };
    },
    openProject: async (options) =>
      ({
        root: workspace,
        config: { ...samples.config, compare: options.compare ?? samples.config.compare },
        reference: options.reference ?? null,
        out,
      }) as unknown as Project,
    baselinesOf: async () => [],
    findBaseOfChange: async () => BASE,
    startsFromItself: async () => false,
    measureForBaseline: async () => samples,
    calibrate: async () => ({
      profile: makeProfile({ noise: 0.03, voidShare: 0 }),
      files: [join(workspace, "baselines/test/_profile.json")],
    }),
  };
}
