import { expect, test } from "vitest";
import type { Stretch, Terms, Turn } from "../../scripts/evidence/pool.ts";
import { poolOf, sessionsOf, termsOf, turnCount } from "../../scripts/evidence/pool.ts";
import {
  BLOCK_TURNS,
  disjointVerdicts,
  drawTrial,
  poolsOf,
} from "../../scripts/evidence/resample.ts";
import { createPrng } from "../../src/base/prng.ts";
import { fewRuns, makeRun } from "./fixture.ts";

const turn = (value: number): Turn => ({
  ms: { api: 1000 },
  values: { m: { candidate: value, reference: 1 } },
});
const stretch = (from: number, length: number, machine = "one"): Stretch => ({
  run: `${from}`,
  machine,
  startedAt: "2026-01-01T00:00:00.000Z",
  turns: Array.from({ length }, (_, i) => turn(from + i)),
});
const terms = { looks: [8, 60] } as unknown as Terms;
const numbers = (turns: readonly Turn[]): number[] =>
  turns.map(({ values }) => values.m?.candidate ?? -1);

test("a pull request has no round twice, and rounds stay beside their neighbours within a block", () => {
  const pool = [stretch(0, 40), stretch(100, 16), stretch(200, 8)];
  const prng = createPrng(3);
  const starts = new Set<number>();
  for (let i = 0; i < 200; i++) {
    const values = numbers(drawTrial([pool], terms, prng).turns);
    expect(values).toHaveLength(64);
    expect(new Set(values).size).toBe(64);
    const breaks = values.slice(1).filter((value, k) => value !== (values[k] ?? 0) + 1).length;
    // 64 turns in stretches of 40, 16 and 8: at most ten blocks and a rest for each stretch.
    expect(breaks).toBeLessThanOrEqual(64 / BLOCK_TURNS + 3);
    starts.add(values[0] ?? -1);
  }
  expect(starts.size).toBeGreaterThan(20);
});

test("a pull request is no longer than the last look and its spare rounds", () => {
  expect(drawTrial([[stretch(0, 300)]], terms, createPrng(1)).turns).toHaveLength(120);
});

test("a pull request has one machine's rounds, and a machine with few rounds has none", () => {
  const stretches = [stretch(0, 40), stretch(1000, 39, "few"), stretch(2000, 120, "two")];
  const pools = poolsOf(stretches);
  expect(pools.map((pool) => pool.map(({ machine }) => machine))).toEqual([["one"], ["two"]]);
  const prng = createPrng(5);
  const machines = Array.from({ length: 400 }, () => {
    const thousands = numbers(drawTrial(pools, terms, prng).turns).map((n) => Math.floor(n / 1000));
    expect(new Set(thousands).size).toBe(1);
    return thousands[0];
  });
  // A quarter of the rounds, a quarter of the pull requests, give or take four standard deviations.
  const ofOne = machines.filter((machine) => machine === 0).length;
  expect(Math.abs(ofOne - 100)).toBeLessThan(35);
});

test("disjoint pull requests use each round once, and what is left over is none", () => {
  const runs = [makeRun("pool", { rounds: 30, noise: 0.005 })];
  const own = termsOf(runs[0]?.samples as never);
  const verdicts = disjointVerdicts(poolOf(runs), own);
  const used = verdicts.reduce((sum, { turns }) => sum + turns, 0);
  expect(verdicts.map(({ state }) => state)).toEqual(["pass", "pass", "pass"]);
  expect(used).toBeLessThanOrEqual(30);
  // Too little for another first look, or for the look that would have answered.
  expect(30 - used).toBeLessThan(8);
});

test("the pool has all rounds of pool runs and of A/A gates", () => {
  const runs = fewRuns();
  const pool = poolOf(runs);
  expect(pool.map(({ turns }) => turns.length)).toEqual([24, 8, 12, 10]);
  expect(turnCount(pool)).toBe(54);
  // An hour lies between the runs: each is a sitting of its own.
  const sessions = sessionsOf(pool, termsOf(runs[0]?.samples as never));
  expect(sessions.map((session) => session.get("api rss")?.candidate.length)).toEqual([
    24, 8, 12, 10,
  ]);
  const close = pool.map((one) => ({ ...one, startedAt: pool[0]?.startedAt ?? "" }));
  expect(sessionsOf(close, termsOf(runs[0]?.samples as never))).toHaveLength(1);
});
