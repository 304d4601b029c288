// Quantities as people write them: `500ms`, `2000/s`, `64MiB`, `10%`. Pure text to number and back;
// the base units are milliseconds, requests per second, bytes and fractions.

/** `value` is in base units, finite and not negative; `expected` follows the word "expected". */
type Parsed = { ok: true; value: number } | { ok: false; expected: string };

/** One kind of quantity. */
export interface Quantity {
  parse(text: string): Parsed;
  /** The shortest text that parses back to `value`, for any value that `parse` can give. */
  format(value: number): string;
  /** What was expected, to follow "expected". */
  readonly expected: string;
  /** Regular expression of the accepted text, for editors. */
  readonly pattern: string;
}

interface UnitOf {
  readonly name: string;
  /** Base units in one of it. */
  readonly factor: number;
}

const NUMBER = "[0-9]{1,12}(?:\\.[0-9]{1,9})?";

/**
 * Products such as 1.1 × 0.01 carry binary noise in the 17th digit; what people write has 15 at
 * most.
 */
function tidy(value: number): number {
  return Number(value.toPrecision(15));
}

function quantity(units: readonly UnitOf[], separator: string, expected: string): Quantity {
  const names = units.map((unit) => unit.name).join("|");
  const pattern = `^${NUMBER}${separator}(?:${names})$`;
  const matcher = new RegExp(`^(${NUMBER})${separator}(${names})$`);
  // Largest first: the first unit that holds the value in whole numbers is the shortest to read.
  const bySize = [...units].sort((a, b) => b.factor - a.factor);
  const smallest = bySize.at(-1) ?? { name: "", factor: 1 };
  return {
    expected,
    pattern,
    parse(text) {
      const match = matcher.exec(text);
      const unit = units.find((candidate) => candidate.name === match?.[2]);
      if (unit === undefined) return { ok: false, expected };
      return { ok: true, value: tidy(Number(match?.[1]) * unit.factor) };
    },
    format(value) {
      const whole = bySize.find(
        (unit) => value !== 0 && Number.isInteger(tidy(value / unit.factor)),
      );
      const unit = whole ?? (value === 0 ? (units[0] ?? smallest) : smallest);
      return `${tidy(value / unit.factor)}${separator}${unit.name}`;
    },
  };
}

/** Milliseconds. */
export const DURATION = quantity(
  [
    { name: "ms", factor: 1 },
    { name: "us", factor: 0.001 },
    { name: "s", factor: 1000 },
    { name: "m", factor: 60_000 },
    { name: "h", factor: 3_600_000 },
    { name: "d", factor: 86_400_000 },
  ],
  "",
  "a duration such as 500ms (units: us, ms, s, m, h, d)",
);

/** Per second. */
export const RATE = quantity([{ name: "s", factor: 1 }], "/", "a rate such as 2000/s");

/** Bytes. Powers of 1,024 only: people disagree on what MB is. */
export const SIZE = quantity(
  [
    { name: "B", factor: 1 },
    { name: "KiB", factor: 1024 },
    { name: "MiB", factor: 1024 ** 2 },
    { name: "GiB", factor: 1024 ** 3 },
  ],
  "",
  "a size such as 64MiB (units: B, KiB, MiB, GiB)",
);

/** Fractions: `10%` is 0.1. */
export const PERCENTAGE = quantity([{ name: "%", factor: 0.01 }], "", "a percentage such as 10%");

/** Fractions by which something may grow: `+15%` is 0.15. The sign may be left out. */
export const INCREASE: Quantity = {
  parse: (text) => {
    const parsed = PERCENTAGE.parse(text.replace(/^\+/, ""));
    return parsed.ok ? parsed : { ok: false, expected: INCREASE.expected };
  },
  format: (value) => `+${PERCENTAGE.format(value)}`,
  expected: "an increase such as +15%",
  pattern: PERCENTAGE.pattern.replace("^", "^\\+?"),
};

/** Text to milliseconds. */
export const parseDuration = DURATION.parse;
