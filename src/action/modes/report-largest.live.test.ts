// The reporting job on the largest files that it admits, as a process of its own: it ends in time,
// within its memory, and with a status, whatever a stranger puts into them.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type TestContext, test } from "vitest";
import { startFakeGitHub } from "../../../test/fake-github/server.ts";
import { BASE, CONFIG, HEAD, MERGE, REPOSITORY, sampled } from "../../../test/support/action.ts";
import { manifestEntry, samplesEntry } from "../../../test/support/artifact.ts";
import { makeFolder } from "../../../test/support/files.ts";
import { makeZip } from "../../../test/support/zip.ts";
import { ARTIFACT_LIMITS } from "../../core/model/manifest.ts";
import type { Round, Samples } from "../../core/model/samples.ts";

const ENTRY = resolve(import.meta.dirname, "../../entry/action.ts");
const MOST_MIB = 512;
/** So that what is garbage by then is not counted: by itself Node lets it grow to several GiB. */
const MOST_HEAP_MIB = 320;
const MOST_MS = 60_000;
const MIB = 1024 * 1024;
/** Told by the process itself when it ends. */
const TELLS_PEAK =
  'data:text/javascript,process.on("exit",()=>console.error("peak",process.resourceUsage().maxRSS))';

interface Largest {
  name: string;
  /** Default: honest samples of a few rounds. */
  samples?: () => Samples;
  /** Of the change, at its head. */
  config?: () => string;
  /** Whose branch the change is. */
  from?: "fork" | "repository";
  /** Under the pull request, each as long as GitHub takes. */
  comments?: number;
}

/** Of what is admitted, since a round more must fit. */
const KEEPS = 0.97;
/** Apart from those of all others in every number that is drawn from it. */
let nth = 0;

/** As many rounds as fit into an artifact, each with numbers of its own. */
function filled(one: Round, rest: Samples, charsOfAll = ARTIFACT_LIMITS.samplesBytes): Samples {
  const text = JSON.stringify(one);
  const values = text.split(/[,[{]/).length;
  const { json } = ARTIFACT_LIMITS;
  const count = Math.floor(KEEPS * Math.min(charsOfAll / text.length, json.values / values, 400));
  return { ...rest, rounds: Array.from({ length: count }, (_, index) => later(one, index)) };
}

function later(one: Round, index: number): Round {
  const round = structuredClone(one);
  const atMs = index * 100_000;
  Object.assign(round, { index, startedAtMs: atMs, endedAtMs: atMs + 90_000 });
  for (const { slices } of round.scenarios) {
    for (const [k, slice] of slices.entries()) {
      slice.startedAtMs = atMs + k;
      if (slice.latency !== null) slice.latency.p50 += nth++ / 1e4;
    }
  }
  return round;
}

/** A round whose scenarios are repeated under other names, with these slices in each. */
function firstRound(samples: Samples, change: (round: Round) => void): Round {
  const [round] = structuredClone(samples.rounds);
  if (round === undefined) throw new Error("no round");
  change(round);
  return round;
}

function withScenarios(count: number): Samples {
  const samples = sampled({ whole: true });
  const [like] = samples.config.scenarios;
  const entry = samples.rounds[0]?.scenarios[0];
  if (like === undefined || entry === undefined) throw new Error("no scenario");
  const names = Array.from({ length: count }, (_, k) => `echo${k}`);
  const config = {
    ...samples.config,
    scenarios: names.map((name) => ({ ...like, id: `api/${name}`, name })),
  };
  const one = firstRound(samples, (round) => {
    round.scenarios = names.map((name) => ({ ...structuredClone(entry), scenario: `api/${name}` }));
  });
  return filled(one, { ...samples, config });
}

const CASES: readonly Largest[] = [
  { name: "the most rounds", samples: withPairs },
  { name: "the most scenarios", samples: () => withScenarios(500) },
  {
    name: "the most values",
    samples: () => {
      const samples = sampled();
      const one = firstRound(samples, ({ scenarios }) => {
        for (const { arms } of scenarios) {
          const curve = Array.from({ length: 4900 }, (_, i): [number, number] => [i / 5000, i]);
          arms.candidate.curve = curve;
        }
      });
      return filled(one, samples);
    },
  },
  {
    name: "the longest texts",
    samples: () => {
      const samples = sampled();
      const detail = `€${"x".repeat(MIB - 20)}`;
      const one = firstRound(samples, (round) => {
        round.failure = { kind: "crash", arm: null, scenario: null, text: "it crashed", detail };
      });
      return filled(one, samples);
    },
  },
  { name: "the most comments of others", comments: 2500 },
  {
    name: "a configuration of the change with services times scenarios",
    from: "repository",
    config: () => {
      const lines = (count: number, line: (i: number) => string) =>
        Array.from({ length: count }, (_, i) => line(i)).join("");
      const services = lines(2500, (i) => `  s${i}: {run: x}\n`);
      const scenarios = lines(
        3500,
        (i) => `  c${i}: {request: GET /, rate: 10/s, connections: 1}\n`,
      );
      return `version: 1\nservices:\n${services}scenarios:\n${scenarios}`;
    },
  },
];

/** Slices as many as a round of 400 may have. */
function withPairs(): Samples {
  const samples = sampled({ whole: true });
  const one = firstRound(samples, (round) => {
    for (const entry of round.scenarios) {
      const [slice] = entry.slices;
      if (slice === undefined) continue;
      const pairs = Array.from({ length: 20 }, (_, pair) => pair);
      entry.slices = pairs.flatMap((pair) =>
        (["candidate", "reference"] as const).map((arm, k) => ({
          ...structuredClone(slice),
          arm,
          pair,
          latency: slice.latency && { ...slice.latency, p50: slice.latency.p50 + pair + k / 7 },
        })),
      );
    }
  });
  return filled(one, samples);
}

test.for(CASES)("$name", async (largest, { expect, onTestFinished }: TestContext) => {
  const { samples = sampled, config = () => CONFIG, from = "fork", comments = 0 } = largest;
  const repository = from === "fork" ? "mallory/shop" : REPOSITORY;
  const bytes = makeZip([samplesEntry(JSON.stringify(samples())), manifestEntry()]);
  expect(bytes.length).toBeLessThan(ARTIFACT_LIMITS.zipBytes);
  const github = await startFakeGitHub({
    seed: {
      repository: REPOSITORY,
      tokens: { ghs_token: { permissions: "write-all" } },
      pullRequests: [
        { number: 12, head: { sha: HEAD, ref: "carts", repository }, base: { sha: BASE } },
      ],
      comments: Array.from({ length: comments }, () => ({ issue: 12, body: "é".repeat(65_000) })),
      runs: [{ id: 7, headSha: HEAD, headBranch: "carts", headRepository: repository }],
    },
  });
  onTestFinished(() => github.close());
  const { git, artifacts } = github.world;
  git.plant(BASE, { "tailgate.yml": CONFIG }, []);
  git.plant(HEAD, { "tailgate.yml": config() }, [BASE]);
  git.plant(MERGE, {}, [BASE, HEAD]);
  git.moveRef("refs/heads/main", null, BASE);
  if (repository === REPOSITORY) git.moveRef("refs/heads/carts", null, HEAD);
  artifacts.push({ id: 3, name: "tailgate", run: 7, expired: false, bytes: Buffer.from(bytes) });

  const folder = makeFolder();
  const place = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const begunMs = performance.now();
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${MOST_HEAP_MIB}`, "--import", TELLS_PEAK, ENTRY],
    {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        GITHUB_REPOSITORY: REPOSITORY,
        GITHUB_RUN_ID: "8",
        GITHUB_REF: "refs/heads/main",
        GITHUB_WORKSPACE: folder,
        GITHUB_EVENT_NAME: "workflow_run",
        GITHUB_EVENT_PATH: place(
          "event.json",
          JSON.stringify({ workflow_run: { id: 7, head_sha: HEAD } }),
        ),
        GITHUB_API_URL: github.url,
        GITHUB_OUTPUT: place("output", ""),
        GITHUB_STEP_SUMMARY: place("summary", ""),
        INPUT_TOKEN: "ghs_token",
        INPUT_MODE: "report",
      },
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      log += chunk;
    });
  }
  await new Promise((done) => child.on("close", done));
  const peakMib = Number(/peak (\d+)/.exec(log)?.[1] ?? Number.NaN) / 1024;
  expect(log).toMatch(/^published: /m);
  expect(github.world.statuses).toHaveLength(1);
  expect(peakMib).toBeLessThan(MOST_MIB);
  expect(performance.now() - begunMs).toBeLessThan(MOST_MS);
});
