// How often a bisection names the right commit of 64, and what that takes, with the noise of recorded
// rounds of equal builds: those of one gate in each trial, since a bisection has one machine and one
// day, and noisy gates have more rounds. Every build lies otherwise by 1 %.
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRuns } from "../../lab/evidence/runs.ts";
import { createPrng } from "../../src/core/base/prng.ts";
import { binomialUpperTail } from "../../src/core/stats/proportion.ts";
import { listHypotheses } from "../../src/core/verdict/hypotheses.ts";
import { seriesOf } from "../../src/core/verdict/series.ts";
import { idAt, type World, worldOf } from "../../test/support/bisect.ts";
import { PRINTS_RATES, trialsOf } from "../../test/support/trials.ts";
import { bisect } from "./bisect.ts";
import type { BisectRecord } from "./record.ts";

const COMMITS = 64;
const ROUND_S = 6;
const BUILD_S = 60;
const ENDS = 2;

const calm = readRuns(join(import.meta.dirname, "../../lab/evidence/runs")).filter(
  ({ kind }) => kind === "aa-calm",
);

/** Of each calm run of equal builds, in both directions: either of the two could be the candidate. */
function recorded(id: string): number[][] {
  return calm.flatMap(({ samples }) => {
    const hypothesis = listHypotheses(samples.config).find((one) => one.id === id);
    if (hypothesis === undefined) return [];
    return [seriesOf(hypothesis, samples.rounds).flatMap(({ d }) => [d, -d])];
  });
}

interface Case {
  question: string;
  change: number;
  trials: number;
  /** Of 64; default: none. */
  broken?: number;
}

interface Outcome {
  state: "right" | "wrong" | "undecided";
  /** Named, but as one of several. */
  isOneOf: boolean;
  builds: number;
  rounds: number;
  minutes: number;
}

async function run(
  seed: number,
  { change, broken = 0 }: Case,
  gates: number[][],
): Promise<Outcome> {
  const prng = createPrng(seed);
  const noise = gates[prng.below(gates.length)] ?? [];
  const culprit = 1 + prng.below(COMMITS);
  const lost = new Set(Array.from({ length: broken }, () => 1 + prng.below(COMMITS - 1)));
  lost.delete(culprit);
  const world: World = {
    seed,
    commits: COMMITS,
    culprit,
    change,
    noise,
    layout: 0.01,
    broken: lost,
  };
  const { kernel, spent } = worldOf(world);
  const { suspects, state: ended } = (await bisect(kernel)).value as BisectRecord;
  const isNamed = ended === "found" || ended === "one-of";
  const isRight = suspects.some(({ id }) => id === idAt(culprit));
  const state = isNamed ? (isRight ? "right" : "wrong") : "undecided";
  const minutes = (spent.builds * BUILD_S + spent.rounds * ROUND_S) / 60;
  return {
    state,
    isOneOf: ended === "one-of",
    builds: spent.builds,
    rounds: spent.rounds,
    minutes,
  };
}

const quantile = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(q * (values.length - 1))] ?? Number.NaN;

async function simulate(name: string, one: Case) {
  const gates = recorded(one.question);
  expect(gates.length).toBeGreaterThan(30);
  const all: Outcome[] = [];
  for (let k = 0; k < trialsOf(one.trials); k++) all.push(await run(k + 1, one, gates));
  const count = (state: Outcome["state"]) => all.filter((each) => each.state === state).length;
  const figures = (key: "builds" | "rounds" | "minutes") => {
    const values = all.map((each) => each[key]);
    return { median: quantile(values, 0.5), most: quantile(values, 0.9) };
  };
  const found = {
    trials: all.length,
    right: count("right"),
    oneOf: all.filter(({ isOneOf }) => isOneOf).length,
    wrong: count("wrong"),
    undecided: count("undecided"),
    builds: figures("builds"),
    rounds: figures("rounds"),
    minutes: figures("minutes"),
  };
  if (PRINTS_RATES) console.log(name, JSON.stringify(found));
  return found;
}

const CASES: Record<string, Case & { minutes: number }> = {
  "+20 %, axum-api/echo": {
    question: "axum-api/echo p99 typical",
    change: Math.log(1.2),
    trials: 500,
    minutes: 12,
  },
  "+20 %, gin-api/echo": {
    question: "gin-api/echo p99 typical",
    change: Math.log(1.2),
    trials: 500,
    minutes: 12,
  },
  "+20 %, 8 of 64 do not build": {
    question: "gin-api/echo p99 typical",
    change: Math.log(1.2),
    trials: 250,
    broken: 8,
    minutes: 15,
  },
};

test.each(Object.entries(CASES))("%s: right, in few builds and minutes", async (name, one) => {
  const found = await simulate(name, one);
  expect(binomialUpperTail(found.wrong, found.trials, 0.01)).toBeGreaterThan(0.001);
  expect(binomialUpperTail(found.undecided, found.trials, 0.05)).toBeGreaterThan(0.001);
  // Beside those of the ends, which the red gate before it has built.
  expect(found.builds.median - ENDS).toBeLessThanOrEqual(one.broken === undefined ? 7 : 9);
  expect(found.minutes.median - (ENDS * BUILD_S) / 60).toBeLessThanOrEqual(one.minutes);
});

/** Where a name would be wrong whatever it is. */
test("without a change nothing is named", async () => {
  const question = "axum-api/echo p99 typical";
  const found = await simulate("no change", { question, change: 0, trials: 250 });
  expect(binomialUpperTail(found.wrong + found.right, found.trials, 0.02)).toBeGreaterThan(0.001);
});
