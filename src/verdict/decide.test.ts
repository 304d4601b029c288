// The decision rule: its own guarantees, on simulated and on recorded noise. Seeded: a failure repeats.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createPrng, type Prng } from "../base/prng.ts";
import aaRounds from "../stats/fixtures/aa-rounds.json" with { type: "json" };
import { clopperPearson } from "../stats/proportion.ts";
import { decide, decideUnpaired, type Rule, thresholdsOf } from "./decide.ts";

const RULE: Rule = {
  tolerance: 0.01,
  promise: 0.1,
  floor: 0.05,
  alpha: 0.01,
  hypotheses: 10,
  beta: 0.05,
  looks: [8, 12, 16, 20, 28, 40, 60],
};

const logs = (minLength: number, maxLength: number) =>
  fc.array(
    fc.integer({ min: -4000, max: 4000 }).map((k) => k / 8192),
    { minLength, maxLength },
  );

test("alpha is shared among hypotheses and the looks that can use it", () => {
  const { regress, pass } = thresholdsOf(RULE);
  // 2^-12 > 0.01 / (10 · 6), so the looks after 16, 20, 28, 40 and 60 rounds share it.
  expect(regress).toBeCloseTo(0.01 / (10 * 5), 12);
  expect(pass).toBeCloseTo(0.05 / 7, 12);
  expect(thresholdsOf({ ...RULE, hypotheses: 30 }).regress).toBeCloseTo(0.01 / (30 * 5), 12);
  expect(thresholdsOf({ ...RULE, looks: [3] }).regress).toBeCloseTo(0.001, 12);
});

test("data after the deciding look change nothing", () => {
  fc.assert(
    fc.property(logs(8, 60), logs(0, 20), (d, later) => {
      const decision = decide(d, RULE);
      if (decision.state === "open") return;
      expect(decide([...d.slice(0, decision.look), ...later], RULE)).toEqual(decision);
    }),
  );
});

test("a pass needs the promise refuted, a regression needs tolerance and floor exceeded", () => {
  fc.assert(
    fc.property(logs(0, 60), (d) => {
      const decision = decide(d, RULE);
      const { regress, pass } = decision.thresholds;
      if (decision.state === "pass") expect(decision.pPass).toBeLessThanOrEqual(pass);
      if (decision.state === "regressed") {
        expect(decision.pRegress).toBeLessThanOrEqual(regress);
        expect(decision.estimate).toBeGreaterThanOrEqual(Math.log(1.05));
      }
      if (decision.improved) expect(decision.estimate).toBeLessThanOrEqual(-Math.log(1.05));
      if (d.length < 8) expect(decision.state).toBe("open");
    }),
  );
});

test("a clear change is called at the first look that can, and its mirror image is an improvement", () => {
  const d = Array.from({ length: 60 }, (_, i) => 0.3 + 0.001 * ((i * 37) % 17));
  expect(decide(d, RULE)).toMatchObject({ state: "regressed", look: 16, improved: false });
  expect(
    decide(
      d.map((x) => -x),
      RULE,
    ),
  ).toMatchObject({ state: "pass", look: 8, improved: true });
});

test("proven but under the floor passes, and over the promise never does", () => {
  const steady = (level: number) =>
    Array.from({ length: 60 }, (_, i) => level + 0.0005 * ((i * 37) % 17));
  expect(decide(steady(0.03), RULE).state).toBe("pass");
  expect(decide(steady(0.12), RULE).state).toBe("regressed");
  expect(decide(steady(0.12), { ...RULE, floor: 0.5 }).state).toBe("open");
});

test("against a stored baseline drift is granted both ways", () => {
  const around = (level: number, n: number) =>
    Array.from({ length: n }, (_, i) => level * (1 + 0.001 * ((i * 7) % 13)));
  const rule = { ...RULE, hypotheses: 1, driftMargin: 0 };
  const baseline = around(100, 20);
  expect(decideUnpaired(around(101, 8), baseline, rule).state).toBe("pass");
  expect(decideUnpaired(around(112, 20), baseline, rule).state).toBe("regressed");
  expect(decideUnpaired(around(112, 60), baseline, { ...rule, driftMargin: 0.2 }).state).toBe(
    "open",
  );
  expect(decideUnpaired(around(101, 60), baseline, { ...rule, driftMargin: 0.2 }).state).toBe(
    "open",
  );
  expect(decideUnpaired(around(101, 8), [], rule).state).toBe("open");
});

/** Noise of a typical machine: launch and burst effects, and one round in ten spoiled on one side. */
function noisyRound(prng: Prng, sd: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - prng.next())) * Math.cos(2 * Math.PI * prng.next());
  const spoiled =
    prng.next() < 0.1 ? (prng.next() < 0.5 ? -1 : 1) * Math.log1p(0.5 + 2.5 * prng.next()) : 0;
  return sd * normal + spoiled;
}

function rates(trials: number, next: (prng: Prng) => number[]): Record<string, number> {
  const prng = createPrng(20261121);
  const counts: Record<string, number> = { regressed: 0, pass: 0, open: 0 };
  for (let i = 0; i < trials; i++) {
    const { state } = decide(next(prng), RULE);
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}

const simulate = (trials: number, ratio: number, sd: number) =>
  rates(trials, (prng) => Array.from({ length: 60 }, () => Math.log(ratio) + noisyRound(prng, sd)));

test("simulated: false alarms are within the bound and +10 % is found", () => {
  // Per hypothesis the bound is 0.01 / 10. 4,000 trials without a change: at most 4 + 3 · √4 = 10 would be within error.
  const unchanged = simulate(4000, 1, 0.08);
  expect(unchanged.regressed).toBeLessThanOrEqual(10);
  expect(unchanged.pass).toBeGreaterThanOrEqual(3960);
  // Published for this class of noise: 97 to 98 %; 600 trials have a standard error of 0.7 %.
  const slower = simulate(600, 1.1, 0.08);
  expect(slower.regressed).toBeGreaterThanOrEqual(0.95 * 600);
  expect(slower.pass).toBeLessThanOrEqual(0.05 * 600);
  const muchSlower = simulate(300, 1.2, 0.08);
  expect(muchSlower.regressed).toBeGreaterThanOrEqual(297);
});

test("simulated: at the edge of tolerance the bound still holds", () => {
  const { regressed = 0 } = simulate(4000, 1.01, 0.04);
  expect(clopperPearson(regressed, 4000, 0.99).low).toBeLessThanOrEqual(0.001);
});

test("recorded noise of identical binaries: no false alarms, and a planted +20 % is found", () => {
  for (const [service, series] of Object.entries(aaRounds)) {
    const drawn = (shift: number) => (prng: Prng) =>
      Array.from(
        { length: 60 },
        () => (series.typical[prng.below(series.typical.length)] ?? 0) + shift,
      );
    const unchanged = rates(2000, drawn(0));
    expect(clopperPearson(unchanged.regressed ?? 0, 2000, 0.99).low, service).toBeLessThanOrEqual(
      0.001,
    );
    const slower = rates(300, drawn(Math.log(1.2)));
    expect(slower.regressed, service).toBeGreaterThanOrEqual(291);
  }
});
