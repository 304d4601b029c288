import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DURATION, PERCENTAGE, type Quantity, RATE, SIZE } from "./units.ts";

const KINDS = { duration: DURATION, rate: RATE, size: SIZE, percentage: PERCENTAGE };

describe("quantities as people write them", () => {
  const cases: [keyof typeof KINDS, string, number | null][] = [
    ["duration", "4s", 4000],
    ["duration", "500ms", 500],
    ["duration", "50us", 0.05],
    ["duration", "2m", 120_000],
    ["duration", "30d", 2_592_000_000],
    ["duration", "1.5s", 1500],
    ["duration", "0ms", 0],
    ["duration", "4", null],
    ["duration", "4 s", null],
    ["duration", "-4s", null],
    ["duration", "1m30s", null],
    ["duration", "1e3s", null],
    ["duration", ".5s", null],
    ["duration", "4S", null],
    ["duration", "", null],
    ["duration", `${"9".repeat(400)}s`, null],
    ["rate", "2000/s", 2000],
    ["rate", "0.5/s", 0.5],
    ["rate", "2000", null],
    ["rate", "2000/m", null],
    ["size", "1KiB", 1024],
    ["size", "64MiB", 67_108_864],
    ["size", "1.5GiB", 1_610_612_736],
    ["size", "0B", 0],
    ["size", "64MB", null],
    ["percentage", "10%", 0.1],
    ["percentage", "1.1%", 0.011],
    ["percentage", "2.5%", 0.025],
    ["percentage", "0.1", null],
    ["percentage", "%", null],
  ];
  test.each(cases)("%s %j is %j", (kind, text, value) => {
    expect(KINDS[kind].parse(text)).toBe(value);
  });
});

describe("what is written out", () => {
  const cases: [keyof typeof KINDS, number, string][] = [
    ["duration", 500, "500ms"],
    ["duration", 4000, "4s"],
    ["duration", 90_000, "90s"],
    ["duration", 900_000, "15m"],
    ["duration", 0.05, "50us"],
    ["duration", 1.5, "1500us"],
    ["duration", 0, "0ms"],
    ["rate", 2000, "2000/s"],
    ["rate", 0.5, "0.5/s"],
    ["size", 1_048_576, "1MiB"],
    ["size", 1_572_864, "1536KiB"],
    ["size", 0, "0B"],
    ["percentage", 0.1, "10%"],
    ["percentage", 0.025, "2.5%"],
  ];
  test.each(cases)("%s %d is %j", (kind, value, text) => {
    expect(KINDS[kind].format(value)).toBe(text);
  });

  test.each(Object.entries(KINDS))(
    "%s: what is written can be read",
    (_kind, quantity: Quantity) => {
      const written = fc.integer({ min: 0, max: 1_000_000_000 }).map((n) => n / 1000);
      fc.assert(
        fc.property(written, (value) => {
          // Thousandths of a byte do not exist; every other kind keeps what it is given.
          const exact = quantity === SIZE ? Math.round(value) : value;
          const read = quantity.parse(quantity.format(exact));
          expect(Math.abs((read ?? Number.NaN) - exact)).toBeLessThan(1e-9);
        }),
      );
    },
  );

  test("the pattern given to editors accepts exactly what is parsed", () => {
    const texts = fc.stringMatching(/^[0-9.]{0,6}[a-zA-Z/%]{0,3}$/);
    fc.assert(
      fc.property(texts, fc.constantFrom(...Object.values(KINDS)), (text, quantity) => {
        expect(new RegExp(quantity.pattern).test(text)).toBe(quantity.parse(text) !== null);
      }),
    );
  });
});
