// Quantities as people write them: `500ms`, `2000/s`, `64MiB`, `10%`. Pure text to number and back;
// the base units are milliseconds, requests per second, bytes and fractions.

/** One kind of quantity. */
export interface Quantity {
  /** In base units, finite and not negative; null: it is none. */
  parse(text: string): number | null;
  /** The shortest text that parses back to `value`, for any value that `parse` can give. */
  format(value: number): string;
  /** What was expected, to follow "expected". */
  readonly expected: string;
  /** Regular expression of the accepted text, for editors. */
  readonly pattern: string;
}

const NUMBER = "[0-9]{1,12}(?:\\.[0-9]{1,9})?";

/**
 * Products such as 1.1 × 0.01 carry binary noise in the 17th digit; what people write has 15 at
 * most.
 */
function tidy(value: number): number {
  return Number(value.toPrecision(15));
}

/** `units`: base units in one of each; what is nothing is written in the first. */
function quantity(
  units: Readonly<Record<string, number>>,
  separator: string,
  expected: string,
): Quantity {
  const names = Object.keys(units).join("|");
  const matcher = new RegExp(`^(${NUMBER})${separator}(${names})$`);
  // Largest first: the first unit that holds the value in whole numbers is the shortest to read.
  const bySize = Object.entries(units).sort(([, a], [, b]) => b - a);
  return {
    expected,
    pattern: `^${NUMBER}${separator}(?:${names})$`,
    parse(text) {
      const [, number, unit = ""] = matcher.exec(text) ?? [];
      return number === undefined ? null : tidy(Number(number) * (units[unit] ?? 1));
    },
    format(value) {
      const whole = bySize.find(([, factor]) => Number.isInteger(tidy(value / factor)));
      const usual = value === 0 ? Object.entries(units)[0] : (whole ?? bySize.at(-1));
      const [unit, factor] = usual ?? ["", 1];
      return `${tidy(value / factor)}${separator}${unit}`;
    },
  };
}

/** Milliseconds. */
export const DURATION = quantity(
  { ms: 1, us: 0.001, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 },
  "",
  "a duration such as 500ms (units: us, ms, s, m, h, d)",
);

/** Per second. */
export const RATE = quantity({ s: 1 }, "/", "a rate such as 2000/s");

/** Bytes. Powers of 1,024 only: people disagree on what MB is. */
export const SIZE = quantity(
  { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 },
  "",
  "a size such as 64MiB (units: B, KiB, MiB, GiB)",
);

/** Fractions: `10%` is 0.1. */
export const PERCENTAGE = quantity({ "%": 0.01 }, "", "a percentage such as 10%");

/** Fractions by which something may grow: `+15%` is 0.15. The sign may be left out. */
export const INCREASE: Quantity = {
  parse: (text) => PERCENTAGE.parse(text.replace(/^\+/, "")),
  format: (value) => `+${PERCENTAGE.format(value)}`,
  expected: "an increase such as +15%",
  pattern: PERCENTAGE.pattern.replace("^", "^\\+?"),
};

/** Text to milliseconds. */
export const parseDuration = DURATION.parse;
