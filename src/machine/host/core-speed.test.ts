import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { type SlowStretch, SPIN, shareLost } from "./core-speed.ts";

/**
 * What it tells, after its sign of life, in 6 s of a clock that each look at it moves on by `stepMs`
 * of the time `t` so far.
 */
function toldOf(stepMs: string): SlowStretch[] {
  const clock = `
    let t = 0;
    let looks = 0;
    process.hrtime.bigint = () => {
      if (t > 6000) process.exit();
      looks++;
      t += ${stepMs};
      return BigInt(Math.round(1e6 * (7000 + t)));
    };`;
  const told = execFileSync(process.execPath, ["-e", clock + SPIN, "3"], { encoding: "utf8" });
  const [life, ...slow] = told
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect(life).toMatchObject({ cpu: 3, lost: 0 });
  return slow;
}

test("of a CPU that has less than half of its usual speed, when that was and what it cost", () => {
  const told = toldOf("t > 5000 && t < 5100 ? 2 : 0.2");
  expect(told.length).toBeGreaterThanOrEqual(2);
  for (const { cpu, fromMs, toMs, lost } of told) {
    expect(cpu).toBe(3);
    expect(fromMs).toBeGreaterThan(7000 + 4980);
    expect(toMs).toBeLessThan(7000 + 5140);
    expect(lost).toBeCloseTo(0.9, 1);
  }
});

test("a CPU with more than half of its usual speed is not slow, nor one that others take", () => {
  expect(toldOf("t > 5000 && t < 5100 ? 0.38 : 0.2")).toEqual([]);
  expect(toldOf("looks % 9 === 0 ? 30 : 0.2")).toEqual([]);
});

test("of a CPU that others had for long, no more than the last moment is told", () => {
  const told = toldOf("t > 5000 && t < 5800 ? 40 : 0.2");
  expect(told.length).toBeGreaterThan(0);
  for (const { fromMs, toMs } of told) expect(toMs - fromMs).toBeCloseTo(20, 6);
});

test("a speed that stays becomes the usual one", () => {
  const told = toldOf("t > 1500 ? 0.5 : 0.2");
  expect(told.length).toBeGreaterThan(50);
  expect(told.at(-1)?.toMs).toBeLessThan(7000 + 4000);
});

test("what was lost is that of the slowest CPU, as far as it lies within", () => {
  const slow = [
    { cpu: 0, fromMs: 90, toMs: 110, lost: 0.5 },
    { cpu: 1, fromMs: 100, toMs: 120, lost: 0.8 },
    { cpu: 1, fromMs: 190, toMs: 220, lost: 0.9 },
  ];
  // CPU 0 lost 5 ms of the 100, CPU 1 16 and 9.
  expect(shareLost(slow, 100, 200)).toBe(0.25);
  expect(shareLost(slow, 50, 150)).toBe(0.16);
  expect(shareLost(slow, 120, 190)).toBe(0);
  expect(shareLost(slow, 200, 210)).toBe(0.9);
  expect(shareLost([], 0, 100)).toBe(0);
  expect(shareLost(slow, 105, 105)).toBe(0);
});
