import fc from "fast-check";
import { expect, test } from "vitest";
import { showValue } from "./show-value.ts";

test.each<[unknown, string]>([
  [null, "null"],
  [undefined, "undefined"],
  [Number.NaN, "NaN"],
  [1.5, "1.5"],
  ["a\nb", String.raw`"a\nb"`],
  [["a", 1], '["a",1]'],
  ["x".repeat(58), `"${"x".repeat(58)}"`],
  [`${"a".repeat(50)}${"z".repeat(50)}`, `"${"a".repeat(43)}…${"z".repeat(14)}"`],
])("%j is shown as %s", (value, shown) => {
  expect(showValue(value)).toBe(shown);
});

test("a long value keeps both ends and no half of a character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", minLength: 70 }),
      fc.integer({ min: 8, max: 60 }),
      (text, most) => {
        const shown = showValue(text, most);
        expect(Array.from(shown).length).toBeLessThanOrEqual(most);
        expect(shown).toMatch(/^".*…/su);
        expect(shown.endsWith('"')).toBe(true);
        expect(shown.isWellFormed()).toBe(true);
      },
    ),
  );
});
