import fc from "fast-check";
import { expect, test } from "vitest";
import type { Scenario } from "../model/config.ts";
import { shareFreedTime } from "./freed-time.ts";

type Slice = Scenario["slice"];
const scenario = (slice: Slice, index: number) => ({ id: `api/${index}`, slice }) as Scenario;

function check(all: Slice[], left: number[], pairs: number[]) {
  const scenarios = all.map(scenario);
  const result = shareFreedTime(
    scenarios,
    scenarios.filter((_, index) => left.includes(index)),
  );
  expect(result.map(({ slice }) => slice.pairs)).toEqual(pairs);
}

const half = (pairs: number): Slice => ({ durationMs: 500, pairs });

test("what is left shares the time of what is decided", () => {
  check([half(6)], [0], [6]);
  check([half(6), half(6)], [0, 1], [6, 6]);
  check([half(6), half(6)], [1], [12]);
  // A third of the time is free: half as many again, rounded down.
  check([half(5), half(5), half(5)], [0, 2], [7, 7]);
  // Never more than twice.
  check([half(6), half(6), half(6), half(6)], [2], [12]);
  check([{ durationMs: 1000, pairs: 3 }, half(12)], [0], [6]);
});

test("a round never takes longer than the first one did", () => {
  const slice = fc.record({
    durationMs: fc.integer({ min: 250, max: 4000 }),
    pairs: fc.integer({ min: 1, max: 20 }),
  });
  const load = (scenarios: readonly Scenario[]) =>
    scenarios.reduce((sum, { slice: s }) => sum + s.pairs * s.durationMs, 0);
  fc.assert(
    fc.property(
      fc.array(slice, { minLength: 1, maxLength: 8 }),
      fc.infiniteStream(fc.boolean()),
      (slices, coins) => {
        const all = slices.map(scenario);
        const left = all.filter((_, index) => index === 0 || coins.next().value);
        const shared = shareFreedTime(all, left);
        expect(load(shared)).toBeLessThanOrEqual(load(all));
        for (const [index, { slice: s }] of shared.entries()) {
          expect(s.pairs).toBeGreaterThanOrEqual(left[index]?.slice.pairs ?? 0);
        }
      },
    ),
  );
});
