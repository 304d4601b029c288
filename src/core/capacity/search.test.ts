// The search against services that answer exactly, and against one that lies.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Bracket, searchCapacity, type TryVerdict } from "./search.ts";

const SETTINGS = { startRps: 100, leastRps: 5, mostRps: 1_000_000, precision: 0.03 };

function run(
  answer: (rateRps: number, call: number) => TryVerdict,
  settings = SETTINGS,
): { bracket: Bracket; rates: number[] } {
  const search = searchCapacity(settings);
  const rates: number[] = [];
  let turn = search.next();
  while (!turn.done) {
    expect(rates.length).toBeLessThan(500);
    rates.push(turn.value);
    turn = search.next(answer(turn.value, rates.length - 1));
  }
  return { bracket: turn.value, rates };
}

const exact =
  (capacity: number, clear = true) =>
  (rateRps: number): TryVerdict => ({
    kind: rateRps <= capacity ? "sustained" : "exceeded",
    clear,
  });

test("any capacity is bracketed within the precision, from any start", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 6, max: 900_000, noNaN: true }),
      fc.double({ min: 1, max: 1_000_000, noNaN: true }),
      fc.boolean(),
      (capacity, startRps, clear) => {
        const { bracket } = run(exact(capacity, clear), { ...SETTINGS, startRps });
        expect(bracket.limit).toBe("service");
        expect(bracket.lowRps).toBeLessThanOrEqual(capacity);
        expect(bracket.highRps).toBeGreaterThan(capacity);
        expect((bracket.highRps ?? 0) / (bracket.lowRps ?? 1)).toBeLessThan(1.03);
      },
    ),
  );
});

test("clear answers take one slice, close ones and the two checks at the end two", () => {
  expect(run(exact(310)).rates).toHaveLength(12);
  expect(run(exact(310, false)).rates).toHaveLength(20);
});

test("one lie costs slices, not the answer", () => {
  const honest = run(exact(310, false)).rates.length;
  for (let lie = 0; lie < honest; lie++) {
    for (const clear of [false, true]) {
      const { bracket } = run((rateRps, call) => {
        const told = exact(310, false)(rateRps);
        if (call !== lie || told.kind === "void") return told;
        return { kind: told.kind === "sustained" ? "exceeded" : "sustained", clear };
      });
      expect(bracket.lowRps, `lie ${lie}`).toBeLessThanOrEqual(310);
      expect(bracket.highRps, `lie ${lie}`).toBeGreaterThan(310);
    }
  }
});

test("an unfit generator is a limit of its own, never the service's", () => {
  const limited = (by: "generator" | "host") =>
    run((rateRps) => (rateRps > 5000 ? { kind: "void", by } : { kind: "sustained", clear: true }))
      .bracket;
  const bracket = limited("generator");
  expect(bracket.limit).toBe("generator");
  expect(bracket.lowRps).toBeLessThanOrEqual(5000);
  expect(bracket.lowRps).toBeGreaterThan(5000 / 1.03);
  expect(limited("host").limit).toBe("host");
});

test("a disturbance that passes leaves no trace", () => {
  const { bracket } = run((rateRps, call) =>
    call < 5 ? { kind: "void", by: "host" } : exact(310)(rateRps),
  );
  expect(bracket.limit).toBe("service");
  expect(bracket.lowRps).toBeGreaterThan(310 / 1.03);
});

test("the range of rates ends the search on either side", () => {
  expect(run(() => ({ kind: "sustained", clear: true })).bracket).toEqual({
    lowRps: 1_000_000,
    highRps: null,
    limit: "range",
  });
  expect(run(() => ({ kind: "exceeded", clear: true })).bracket).toEqual({
    lowRps: null,
    highRps: 5,
    limit: "service",
  });
});

test("a service that answers by chance does not keep the search for ever", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 20, maxLength: 60 }),
      (dice) => {
        run((_, call): TryVerdict => {
          const die = dice[call % dice.length] ?? 0;
          if (die === 3) return { kind: "void", by: "host" };
          return { kind: die === 0 ? "sustained" : "exceeded", clear: die === 2 };
        });
      },
    ),
  );
});
