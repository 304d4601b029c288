// What tests of the client share: a clock that never waits, a fake GitHub with something on it, and
// the client to it.
import { connectGitHub } from "../../src/github/client.ts";
import type { Connection } from "../../src/github/connection.ts";
import type { GitHub } from "../../src/github/port.ts";
import type { Clock } from "../../src/machine/sys/clock.ts";
import { openRoute } from "../../src/machine/sys/route.ts";
import type { Fault, Seed } from "./seed.ts";
import { type ServedGitHub, startFakeGitHub } from "./server.ts";

/** A token as long and as odd as GitHub's, so that a leak is found in any text. */
export const WRITE_TOKEN = "ghs_writeWRITEwriteWRITEwriteWRITEwrite01";
/** What a job for a fork's pull request has. */
export const READ_TOKEN = "ghs_readREADreadREADreadREADreadREADread02";

const HEAD_SHA = "1".repeat(40);
export const FORK_SHA = "2".repeat(40);

const BASE = { ref: "main", sha: "3".repeat(40) };

export const SEED: Seed = {
  branches: { main: { "tailgate.yml": "version: 1\n", "baselines/api.json": "{}\n" } },
  tokens: {
    [WRITE_TOKEN]: { permissions: "write-all" },
    [READ_TOKEN]: { permissions: "read-all" },
  },
  pullRequests: [
    { number: 41, head: { repository: "acme/app", ref: "quicker", sha: HEAD_SHA }, base: BASE },
    { number: 42, head: { repository: "fork/app", ref: "main", sha: FORK_SHA }, base: BASE },
    {
      number: 40,
      state: "closed",
      head: { repository: null, ref: "gone", sha: FORK_SHA },
      base: BASE,
    },
  ],
  issues: [{ number: 7, title: "Nightly is red", labels: ["perf"] }],
  comments: [
    { id: 501, issue: 42, body: "Nice.", author: "reviewer" },
    { id: 502, issue: 42, body: "<!-- marker -->", author: "github-actions[bot]" },
  ],
  runs: [
    { id: 9001, headSha: FORK_SHA, headBranch: "main", headRepository: "fork/app" },
    { id: 9002, headSha: HEAD_SHA, headBranch: "quicker", headRepository: "acme/app" },
  ],
  artifacts: [
    { id: 601, run: 9001, name: "tailgate", base64: Buffer.from("a zip").toString("base64") },
    { id: 602, run: 9001, name: "old", expired: true },
  ],
};

interface TestClock extends Clock {
  /** What was slept, in order. */
  waitsMs: number[];
}

/** Starts at a date, and a sleep takes no time but moves the clock. */
export function testClock(): TestClock {
  let elapsedMs = 0;
  const startMs = Date.parse("2026-11-21T12:00:00Z");
  const waitsMs: number[] = [];
  return {
    waitsMs,
    nowMs: () => elapsedMs,
    wallTime: () => new Date(startMs + elapsedMs).toISOString(),
    sleep: async (ms) => {
      waitsMs.push(ms);
      elapsedMs += ms;
    },
  };
}

export interface Meeting extends AsyncDisposable {
  fake: ServedGitHub;
  github: GitHub;
  /** Another client of it. */
  connect(change?: Partial<Connection>): GitHub;
  clock: TestClock;
  /** Lines that the client logged. */
  lines: string[];
}

/** A client and the fake it speaks to; the fake ends with the scope. */
export async function meet({
  token = WRITE_TOKEN,
  seed = SEED,
  faults = [],
}: {
  token?: string;
  seed?: Seed;
  faults?: Partial<Fault>[];
} = {}): Promise<Meeting> {
  const fake = await startFakeGitHub({ seed: { ...seed, faults: faults as Seed["faults"] } });
  const clock = testClock();
  const lines: string[] = [];
  const connect: Meeting["connect"] = (change = {}) =>
    connectGitHub({
      token,
      repository: "acme/app",
      apiUrl: fake.url,
      route: openRoute(fake.url, {}),
      clock,
      log: (line) => lines.push(line),
      random: () => 0.5,
      ...change,
    });
  const close = () => fake.close();
  return { fake, github: connect(), connect, clock, lines, [Symbol.asyncDispose]: close };
}

/** The same GitHub, but for these operations. */
export function butFor(github: GitHub, others: Partial<GitHub>): GitHub {
  return new Proxy(github, {
    get: (_, name: keyof GitHub) => others[name] ?? github[name]?.bind(github),
  });
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
