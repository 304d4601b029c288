// A repository with tiny services, gated under a fake oha: what a command does is asked here, not
// what a machine measures.
import { cpSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished } from "vitest";
import { SamplesSchema } from "../../src/core/model/samples.ts";
import { wealthAfter } from "../../src/core/stats/betting.ts";
import { Project, processesMentioning } from "../support/project.ts";

const SERVER = resolve(import.meta.dirname, "../fixtures/service/server.mjs");

/** As the fixture knows them. */
type Behaviour = "good" | "slow" | "slow-buy" | "heavy" | "dies" | "flaky" | "exits";

interface Tiny {
  /** What each service is like in the commit to compare with; default: one good `api`. */
  reference?: Readonly<Record<string, Behaviour>>;
  /** What changes in the working tree. */
  candidate?: Readonly<Record<string, Behaviour>>;
  /** Fewest for a pass, 20 at most; default 6. */
  rounds?: number;
  /** Requests before each slice; default 0. */
  warmup?: number;
  /** The generator is late by so much in every slice, microseconds. */
  lateUs?: number;
  /** What the scenario sends, its rate and slices; default: GET /hello. */
  load?: string;
  /** More of the configuration. */
  more?: string;
}

/** A pass takes so many rounds if every one of them speaks for it as clearly as one can. */
export function betaFor(rounds: number): string {
  const wealth = wealthAfter(Array(rounds).fill(1), { bound: 0, direction: "+", scale: 1 });
  return `${(100 / wealth).toPrecision(6)}%`;
}

const USUAL_LOAD =
  "request: GET /hello, rate: 2000/s, connections: 4, slice: { duration: 80ms, pairs: 1 }";

/** `mark`: an argument that tells our processes from others'. */
function configuration(
  mark: string,
  services: Readonly<Record<string, Behaviour>>,
  { rounds = 6, warmup = 0, load = USUAL_LOAD, more = "" }: Tiny,
): string {
  const recipes = Object.entries(services).map(
    ([name, behaviour]) =>
      `  ${name}: { run: [${process.execPath}, server.mjs, "{port}", ${behaviour}, ${mark}], ready: /healthz }\n`,
  );
  const scenario = `  hello: { ${load}, warmup: ${warmup} }\n`;
  return fewRounds(recipes.join(""), scenario, { rounds, floor: "8MiB" }) + more;
}

interface FewRounds {
  rounds?: number;
  /** Of memory. */
  floor?: string;
  /** More of the p99, and of memory. */
  p99?: string;
  rss?: string;
  /** Level of wrong answers. */
  errors?: string;
}

/** A configuration by which few rounds are a verdict. */
export function fewRounds(
  services: string,
  scenarios: string,
  { rounds = 6, floor = "16MiB", p99 = "", rss = "", errors = "info" }: FewRounds = {},
): string {
  return `version: 1
compare: base
runner: { keepAwake: false, explain: false }
services:
${services}scenarios:
${scenarios}metrics:
  p99: { margin: 100%, absoluteFloor: 10us${p99} }
  # Its pass takes more rounds than the others: real-gate.e2e.test.ts gates it.
  slow: { level: warn }
  errors: { level: ${errors} }
  rss: { margin: 50%, absoluteFloor: ${floor}${rss} }
  rssPeak: { level: info }
  startup: { level: info }
  cpuPer1k: { level: info }
policy: { alpha: 20%, beta: ${betaFor(rounds)}, timeBudget: 5m }
`;
}

/**
 * Its last commit has the reference; its working tree the candidate. It is removed with the test.
 */
export function tinyProject(tiny: Tiny = {}): Project {
  const { reference = { api: "good" }, candidate = {}, lateUs = 0 } = tiny;
  const project = new Project([], { oha: "fake", lateUs });
  onTestFinished(() => project.remove());
  cpSync(SERVER, join(project.root, "server.mjs"));
  project.write(".gitignore", "/.tailgate/\n");
  project.write("tailgate.yml", configuration(project.root, reference, tiny));
  project.commit("first");
  project.write("tailgate.yml", configuration(project.root, { ...reference, ...candidate }, tiny));
  return project;
}

/** Processes of its gates: what they run has the repository's path in its arguments. */
export function leftBehind(of: Project): string[] {
  return processesMentioning(of.root);
}

export function samplesOf(of: Project) {
  return SamplesSchema.parse(JSON.parse(of.read(".tailgate/samples.v1.json")));
}

export async function samplesWith(of: Project, rounds: number, timeout = 100_000): Promise<void> {
  const ready = () =>
    existsSync(join(of.root, ".tailgate/samples.v1.json")) && samplesOf(of).rounds.length >= rounds;
  await expect.poll(ready, { timeout, interval: 50 }).toBe(true);
}
