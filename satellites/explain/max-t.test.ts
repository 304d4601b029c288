import fc from "fast-check";
import { expect, test } from "vitest";
import type { Column } from "./fold.ts";
import { testColumns } from "./max-t.ts";

const column = (name: string, differences: readonly number[], unit = 0): Column => ({
  name,
  reference: differences.map(() => 10),
  candidate: differences.map((difference) => 10 + difference),
  unit: differences.map(() => unit),
});

/** By the definition, one flip after the other, from the values themselves. */
function bruteForce(columns: readonly Column[]): number[] {
  const rounds = columns[0]?.reference.length ?? 0;
  const statistic = ({ reference, candidate, unit }: Column, flips: number): number => {
    let [above, squares] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const isFlipped = Math.floor(flips / 2 ** round) % 2 === 1;
      const [a = 0, b = 0] = isFlipped
        ? [candidate[round], reference[round]]
        : [reference[round], candidate[round]];
      const one = unit[round] ?? 0;
      above += b - a;
      squares += (b - a) ** 2 + Math.max(one * (a + b), one ** 2);
    }
    return squares === 0 ? Number.NEGATIVE_INFINITY : above / Math.sqrt(squares);
  };
  const largest = Array.from({ length: 2 ** rounds }, (_, flips) =>
    Math.max(...columns.map((one) => statistic(one, flips))),
  );
  return columns.map((one) => {
    const seen = statistic(one, 0);
    if (seen === Number.NEGATIVE_INFINITY) return 1;
    return largest.filter((value) => value >= seen - 1e-9).length / largest.length;
  });
}

const anyColumns = fc.integer({ min: 1, max: 7 }).chain((rounds) =>
  fc.array(
    fc.record({
      reference: fc.array(fc.nat(40), { minLength: rounds, maxLength: rounds }),
      candidate: fc.array(fc.nat(40), { minLength: rounds, maxLength: rounds }),
      unit: fc.constantFrom(0, 0.3, 1).map((one) => Array<number>(rounds).fill(one)),
    }),
    { minLength: 1, maxLength: 6 },
  ),
);

test("p values are those of the definition", () => {
  fc.assert(
    fc.property(anyColumns, (parts) => {
      const columns = parts.map((part, at) => ({ name: `f${at}`, ...part }));
      const tested = testColumns(columns, 0.05).map(({ p }) => p);
      for (const [at, p] of bruteForce(columns).entries()) expect(tested[at]).toBeCloseTo(p, 12);
    }),
  );
});

test("a name is above 0 with its interval exactly where it is named", () => {
  fc.assert(
    fc.property(anyColumns, fc.constantFrom(0.05, 0.2), (parts, alpha) => {
      const columns = parts.map((part, at) => ({ name: `f${at}`, ...part }));
      for (const { isMore, interval, difference } of testColumns(columns, alpha)) {
        if (interval === null) continue;
        expect(interval.low <= difference && difference <= interval.high).toBe(true);
        // On the edge itself rounding decides.
        if (Math.abs(interval.low) > 1e-6) expect(interval.low > 0).toBe(isMore);
      }
    }),
  );
});

test("less is what is more in the mirror image", () => {
  fc.assert(
    fc.property(anyColumns, fc.constantFrom(0.05, 0.2), (parts, alpha) => {
      const columns = parts.map((part, at) => ({ name: `f${at}`, ...part }));
      const mirrored = columns.map((one) => ({
        ...one,
        reference: one.candidate,
        candidate: one.reference,
      }));
      const less = testColumns(columns, alpha).map(({ isLess }) => isLess);
      expect(less).toEqual(testColumns(mirrored, alpha).map(({ isMore }) => isMore));
    }),
  );
});

test("what all rounds agree on is named, and what few samples say is not", () => {
  const steady = column("steady", [2, 2.1, 1.9, 2, 2.2, 1.8, 2, 2.1]);
  const noise = Array.from({ length: 30 }, (_, at) =>
    column(
      `noise ${at}`,
      Array.from({ length: 8 }, (_, round) => Math.sin(7 * at + 3 * round ** 2)),
    ),
  );
  const seen = { reference: [0, 0, 0, 0, 0, 0, 0, 0], candidate: [1, 1, 1, 1, 1, 1, 1, 1] };
  const rare = { name: "rare", ...seen, unit: [1, 1, 1, 1, 1, 1, 1, 1] };
  const named = (columns: readonly Column[]) =>
    testColumns(columns, 0.01)
      .filter(({ isMore }) => isMore)
      .map(({ name }) => name);
  expect(named([steady, ...noise])).toEqual(["steady"]);
  expect(named([steady, rare, ...noise])).toEqual(["steady"]);
  expect(named([{ ...rare, unit: [0, 0, 0, 0, 0, 0, 0, 0] }, ...noise])).toEqual(["rare"]);
});

test("less is never named, and nothing is where nothing differs", () => {
  const [less, same] = testColumns(
    [column("less", [-2, -2, -2, -2, -2, -2, -2]), column("same", [0, 0, 0, 0, 0, 0, 0])],
    0.05,
  );
  expect(less).toMatchObject({ p: 1, isMore: false, difference: -2 });
  expect(same).toMatchObject({ p: 1, isMore: false, difference: 0, interval: null });
  expect(testColumns([], 0.05)).toEqual([]);
  expect(testColumns([column("none", [])], 0.05)).toMatchObject([{ p: 1, isMore: false }]);
});

test("six rounds are too few for one name in two hundred", () => {
  const [six] = testColumns([column("f", [1, 1, 1, 1, 1, 1])], 0.005);
  expect(six).toMatchObject({ p: 1 / 64, isMore: false, interval: null });
  const [eight] = testColumns([column("f", [1, 1, 1, 1, 1, 1, 1, 1])], 0.005);
  expect(eight).toMatchObject({ p: 1 / 256, isMore: true, difference: 1 });
  const [edge] = testColumns([column("f", [1, 1, 1, 1, 1, 1])], 1 / 64);
  expect(edge).toMatchObject({ p: 1 / 64, isMore: true });
});

test("less is not more, however large the share of flips that may be above", () => {
  expect(testColumns([column("less", [-1, -1, -1])], 1)).toMatchObject([{ p: 1, isMore: false }]);
});

test("a round that no sample met counts as one", () => {
  const rare = { name: "rare", reference: [0, 0, 0, 0], candidate: [3, 0, 0, 0] };
  const usual = { name: "usual", reference: [10, 10, 10, 10], candidate: [10, 17, 10, 10] };
  // 3 / √(9 + 3 + 1 + 1 + 1) is less than 7 / √(49 + 8.1 + 6 + 6 + 6), and 3 / √(9 + 3) would not be.
  const tested = testColumns(
    [
      { ...rare, unit: [1, 1, 1, 1] },
      { ...usual, unit: [0.3, 0.3, 0.3, 0.3] },
    ],
    0.05,
  );
  expect(tested.map(({ p }) => p)).toEqual([0.75, 0.5]);
});

test("of more than twelve rounds flips are drawn, the same each time", () => {
  const rounds = Array.from({ length: 16 }, (_, round) => 1 + 0.3 * Math.sin(round * 5));
  const one = testColumns([column("f", rounds)], 0.01);
  expect(one[0]?.p).toBe(1 / 4096);
  expect(testColumns([column("f", rounds)], 0.01)).toEqual(one);
  const even = Array.from({ length: 16 }, (_, round) => (round % 2 === 0 ? 1 : -1));
  // Of 16 fair signs as many or more are above than below, with a chance of 0.598.
  expect(testColumns([column("f", even)], 0.01)[0]?.p).toBeCloseTo(0.598, 1);
  const mostly = even.with(1, 1).with(3, 1).with(5, 1);
  // 11 or more of 16: 0.105.
  expect(testColumns([column("f", mostly)], 0.01)[0]?.p).toBeCloseTo(0.105, 1.5);
});
