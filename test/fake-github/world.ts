// The state of the fake GitHub: one repository with its pull requests, issues, runs and artifacts.
// Plain data, and the few questions that several routes ask.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { zipFolder } from "../support/zip.ts";
import { GitStore } from "./git-store.ts";
import type { Additions, Fault, FullSeed, Token } from "./seed.ts";

/** As seeded, with what changes. */
type Living<T> = T & { updatedAt: string };
type Seeded<K extends keyof Additions> = Additions[K] extends (infer T)[] ? T : never;

export type PullRequest = Living<Seeded<"pullRequests"> & { base: { sha: string } }>;
export type Issue = Living<Seeded<"issues">>;
export type Comment = Living<Seeded<"comments"> & { id: number }>;
export type Run = Seeded<"runs">;
export type Artifact = Omit<Seeded<"artifacts">, "file" | "base64"> & { id: number; bytes: Buffer };

export interface Status {
  id: number;
  sha: string;
  state: string;
  context: string;
  description: string;
  targetUrl: string | null;
  creator: string;
}

export interface World {
  git: GitStore;
  /** `owner/name`. */
  repository: string;
  private: boolean;
  defaultBranch: string;
  collaborators: Map<string, string>;
  tokens: Map<string, Token>;
  pullRequests: PullRequest[];
  issues: Issue[];
  comments: Comment[];
  statuses: Status[];
  runs: Run[];
  artifacts: Artifact[];
  uploads: string | null;
  faults: Fault[];
}

export function createWorld(seed: FullSeed): World {
  const { repository, private: isPrivate, defaultBranch, git, uploads, branches, ...more } = seed;
  const world: World = {
    git: new GitStore(git, branches),
    repository,
    private: isPrivate,
    defaultBranch,
    collaborators: new Map(),
    tokens: new Map(),
    pullRequests: [],
    issues: [],
    comments: [],
    statuses: [],
    runs: [],
    artifacts: [],
    uploads,
    faults: [],
  };
  addTo(world, more);
  return world;
}

/** What has a known number or id is replaced. */
export function addTo(world: World, more: Additions): void {
  for (const one of Object.entries(more.collaborators)) world.collaborators.set(...one);
  for (const [name, token] of Object.entries(more.tokens)) world.tokens.set(name, token);
  for (const one of more.pullRequests) {
    const baseSha = one.base.sha ?? world.git.commitOf(one.base.ref) ?? "0".repeat(40);
    put(world.pullRequests, "number", {
      ...one,
      base: { ref: one.base.ref, sha: baseSha },
      updatedAt: one.createdAt,
    });
  }
  for (const one of more.issues) put(world.issues, "number", { ...one, updatedAt: one.createdAt });
  for (const one of more.comments) {
    put(world.comments, "id", { ...one, id: one.id ?? nextId(world), updatedAt: one.createdAt });
  }
  for (const one of more.runs) put(world.runs, "id", one);
  for (const { file, base64, ...one } of more.artifacts) {
    const bytes = file === undefined ? Buffer.from(base64 ?? "", "base64") : readFileSync(file);
    put(world.artifacts, "id", { ...one, id: one.id ?? nextId(world), bytes });
  }
  world.faults.push(...more.faults);
}

/** What a run has uploaded so far. */
export function artifactsOf(world: World, run: number): Artifact[] {
  const { artifacts, uploads } = world;
  const known = artifacts.filter((it) => it.run === run);
  const folder = uploads === null ? "" : join(uploads, String(run));
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (known.some((it) => it.name === name)) continue;
    const bytes = Buffer.from(zipFolder(join(folder, name)));
    const it = { id: nextId(world), run, name, expired: false, bytes };
    artifacts.push(it);
    known.push(it);
  }
  return known;
}

/** As GraphQL names the repository. */
export function nodeIdOf({ repository }: Pick<World, "repository">): string {
  return `R_${Buffer.from(repository).toString("base64url")}`;
}

function put<K extends string, T extends Record<K, number>>(list: T[], key: K, item: T): void {
  const index = list.findIndex((one) => one[key] === item[key]);
  if (index === -1) list.push(item);
  else list[index] = item;
}

/** Larger than every id in use. */
export function nextId(world: World): number {
  const { comments, artifacts, statuses } = world;
  return 1 + Math.max(1000, ...[...comments, ...artifacts, ...statuses].map(({ id }) => id));
}

/** Pull requests and issues share their numbers. */
export function nextNumber({ pullRequests, issues }: World): number {
  return 1 + Math.max(0, ...[...pullRequests, ...issues].map(({ number }) => number));
}

export function isPullRequest(world: World, number: number): boolean {
  return world.pullRequests.some((one) => one.number === number);
}

/**
 * The head's commit now: a branch of this repository may have moved since the pull request was
 * made.
 */
export function headSha(world: World, { head, state }: PullRequest): string {
  if (head.repository !== world.repository || state === "closed") return head.sha;
  return world.git.commitOf(`refs/heads/${head.ref}`) ?? head.sha;
}

export function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, "Z");
}
