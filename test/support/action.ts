// What tests of the action share: a runner that remembers, a GitHub in memory that fails on demand,
// and an application whose gate measures nothing.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import type { Conclusion } from "../../src/action/job/job.ts";
import type { UseCases } from "../../src/action/job/use-cases.ts";
import { type ActionPorts, runAction } from "../../src/action/run-action.ts";
import type { Runner } from "../../src/action/runner/runner.ts";
import { configFromText } from "../../src/app/config/load.ts";
import { FILES } from "../../src/app/documents/reports.ts";
import { writeSamples } from "../../src/app/documents/samples.ts";
import { reportOn } from "../../src/app/gate/outcome.ts";
import type { Project } from "../../src/app/project/project.ts";
import { inOrder, parseRecords } from "../../src/core/history/layout.ts";
import type { Annotation } from "../../src/core/model/export.ts";
import type { HistoryRecord } from "../../src/core/model/history.ts";
import type { Samples } from "../../src/core/model/samples.ts";
import { satellites } from "../../src/entry/satellites.ts";
import { connectGitHub } from "../../src/github/client.ts";
import { OPERATIONS } from "../../src/github/permission.ts";
import {
  type GitHub,
  GitHubError,
  type GitHubFailure,
  type GitHubOperation,
} from "../../src/github/port.ts";
import { openRoute } from "../../src/machine/sys/route.ts";
import { additions, type Seed } from "../fake-github/seed.ts";
import { createFakeGitHub } from "../fake-github/server.ts";
import { testClock } from "../fake-github/testing.ts";
import { addTo, type PullRequest, type Run } from "../fake-github/world.ts";
import { makeArtifact } from "./artifact.ts";
import { makeProfile } from "./calibration.ts";
import { sharedFolder } from "./files.ts";
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
  "issue-comment": "issue_comment",
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

const TOKEN = "ghs_token";
const PARENTS: Readonly<Record<string, readonly string[]>> = {
  [HEAD]: [BASE],
  [MERGE]: [BASE, HEAD],
};
const ARTIFACT_ID = 3;

/**
 * The fake GitHub with a repository of one pull request, whose gate has run once, and the real client
 * to it.
 */
export class FakeGitHub {
  readonly #fake = createFakeGitHub({
    repository: REPOSITORY,
    tokens: { [TOKEN]: { permissions: "write-all" } },
    collaborators: { ada: "write", ann: "admin", rita: "read" },
    pullRequests: [
      {
        number: 12,
        title: "Faster carts",
        head: { sha: HEAD, ref: "carts", repository: FORK },
        base: { sha: BASE, ref: "main" },
      },
    ],
    runs: [
      {
        id: RUN_ID,
        headSha: HEAD,
        headBranch: "carts",
        headRepository: FORK,
        createdAt: "2026-11-21T12:00:00Z",
      },
    ],
  });
  readonly #world = this.#fake.world;
  readonly #git = this.#world.git;
  readonly #files = new Map<string, Record<string, string>>();
  readonly #pullRequests = this.#world.pullRequests;
  readonly comments = this.#world.comments;
  readonly statuses = this.#world.statuses;
  readonly issues = this.#world.issues;
  /** Every operation that was asked for, in order. */
  readonly asked: GitHubOperation[] = [];
  /** This operation fails, whenever it is asked for. */
  failing: Failing | null = null;
  /** Called before each operation. */
  onAsk: (operation: GitHubOperation) => void = () => {};
  /** Operations that the test itself answers. */
  others: Partial<GitHub> = {};

  constructor() {
    this.put(BASE, { "tailgate.yml": CONFIG });
    for (const commit of [HEAD, MERGE]) this.put(commit, {});
    this.#git.moveRef("refs/heads/main", null, BASE);
    this.artifact = makeArtifact(sampled());
  }

  get pullRequests(): PullRequest[] {
    return this.#pullRequests;
  }
  set pullRequests(all: readonly PullRequest[]) {
    this.#pullRequests.splice(0, Number.POSITIVE_INFINITY, ...all);
  }
  /** Pull requests that a mode opened. */
  get proposals(): PullRequest[] {
    return this.pullRequests.filter(({ number }) => number !== 12);
  }
  get run(): Run {
    const [run] = this.#world.runs;
    if (run === undefined) throw new Error("no run");
    return run;
  }
  /** The artifacts are this one's. */
  set run(run: Run) {
    this.#world.runs[0] = run;
    for (const artifact of this.#world.artifacts) artifact.run = run.id;
  }
  /** What the run handed over. */
  set artifact(bytes: Uint8Array | null) {
    const { artifacts } = this.#world;
    const at = artifacts.findIndex(({ id }) => id === ARTIFACT_ID);
    if (at !== -1) artifacts.splice(at, 1);
    if (bytes !== null) this.upload(ARTIFACT_ID, "tailgate", bytes);
  }
  /** The artifact is listed, and kept no longer. */
  expire(): void {
    for (const artifact of this.#world.artifacts) artifact.expired = true;
  }
  upload(id: number, name: string, bytes: Uint8Array = Buffer.from("x")): void {
    const artifact = { id, name, run: this.run.id, expired: false, bytes: Buffer.from(bytes) };
    this.#world.artifacts.push(artifact);
  }
  openIssue(issue: NonNullable<Seed["issues"]>[number]): void {
    addTo(this.#world, additions.parse({ issues: [issue] }));
  }
  set login(login: string) {
    this.#hold({ login });
  }
  set isReadOnly(isReadOnly: boolean) {
    this.#hold({ permissions: isReadOnly ? "read-all" : "write-all" });
  }
  #hold(token: Partial<NonNullable<Seed["tokens"]>[string]>): void {
    const tokens = { [TOKEN]: { permissions: "write-all" as const, ...token } };
    addTo(this.#world, additions.parse({ tokens }));
  }

  /** What GitHub's description finds wrong with what was asked and answered. */
  problems(): string[] {
    // The description forgets that a fork may be gone.
    return this.#fake.problems().filter((one) => !one.endsWith("/head/repo: must be object"));
  }

  /** Files of a commit that has this id, beside those that it had. */
  put(
    commit: string,
    files: Readonly<Record<string, string>>,
    parents: readonly string[] = PARENTS[commit] ?? [],
  ): void {
    const all = { ...this.#files.get(commit), ...files };
    this.#files.set(commit, all);
    this.#git.plant(commit, all, parents);
  }

  /** Somebody else pushes; returns the commit's id. */
  push(branch: string, files: Readonly<Record<string, string>>): string {
    const head = this.branch(branch);
    const changes = Object.entries(files).map(([path, content]) => ({
      path,
      content,
      mode: "100644",
    }));
    const tree = this.#git.writeTree(head, changes) ?? "";
    const sha = this.#git.writeCommit(tree, head === null ? [] : [head], "a push") ?? "";
    this.moveBranch(branch, sha);
    return sha;
  }

  moveBranch(name: string, to: string): void {
    this.#git.moveRef(`refs/heads/${name}`, this.branch(name), to);
  }

  /** Its commit; null: there is none. */
  branch(name: string): string | null {
    return this.#git.commitOf(`refs/heads/${name}`);
  }

  /** Texts by path; empty where there is no such commit. */
  filesOf(commit: string | null): Map<string, string> {
    const files = this.#git.files(commit ?? "") ?? [];
    return new Map(files.map(({ path, sha }) => [path, String(this.#git.blob(sha))]));
  }

  /** What the history's branch holds. */
  history(): HistoryRecord[] {
    const files = this.filesOf(this.branch("tailgate-history"));
    return inOrder([...files].flatMap(([path, text]) => parseRecords(text, path)));
  }

  readonly client: GitHub = connectGitHub({
    token: TOKEN,
    repository: REPOSITORY,
    apiUrl: "https://api.github.com",
    route: openRoute("https://api.github.com", {}),
    clock: testClock(),
    log: () => {},
    fetch: this.#fake.fetch,
  });

  /** Each operation is remembered when it is called, and fails where the test says so. */
  port(): GitHub {
    const { client } = this;
    return new Proxy(client, {
      get: (_, name: string) => {
        if (!Object.hasOwn(OPERATIONS, name)) return undefined;
        const operation = name as GitHubOperation;
        const call = (...given: never[]) => {
          this.#ask(operation);
          const answer = this.others[operation] ?? client[operation];
          return (answer as (...given: never[]) => unknown).apply(client, given);
        };
        const isList = operation === "comments" || operation === "issues";
        return isList ? call : async (...given: never[]) => call(...given);
      },
    });
  }

  #ask(operation: GitHubOperation): void {
    this.asked.push(operation);
    this.onAsk(operation);
    const { failing } = this;
    if (failing?.operation === operation) {
      throw new GitHubError(failing.reason, `could not do ${operation}: ${failing.reason}`);
    }
  }
}

/** The page for people. */
export function urlOf(it: { issue: number; id: number } | { number: number } | undefined): string {
  if (it === undefined) return "";
  return "id" in it
    ? `https://github.com/${REPOSITORY}/pull/${it.issue}#issuecomment-${it.id}`
    : `https://github.com/${REPOSITORY}/issues/${it.number}`;
}

/** Of the test that runs, in files that call `freshForEach`. */
export let workspace = "";
export let github = new FakeGitHub();

export function freshForEach(): void {
  // A mode that is cancelled may go on for a moment, and write: all go when the file is over.
  const folder = sharedFolder();
  beforeEach(() => {
    workspace = mkdtempSync(join(folder, "workspace-"));
    github = new FakeGitHub();
  });
  afterEach(() => expect(github.problems()).toEqual([]));
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
  /** What the event's payload has in place of the fixture's. */
  payload?: object;
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
  const given = { token: TOKEN, ...step.inputs };
  const { runId = RUN_ID, headSha = HEAD } = step;
  const asked = step.github ?? github;
  const eventPath = join(workspace, `event-${runId}.json`);
  const payload = readFileSync(join(EVENTS, `${step.event}.json`), "utf8");
  const ofRun = payload.replaceAll(String(RUN_ID), String(asked.run.id));
  const ofHead = JSON.parse(ofRun.replaceAll(HEAD, headSha));
  writeFileSync(eventPath, JSON.stringify({ ...ofHead, ...step.payload }));
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
    connect: async () => asked.port(),
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
    keepsToken: async () => false,
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
