import fc from "fast-check";
import { expect, test } from "vitest";
import { trim } from "./hodges-lehmann.ts";

test("the trim keeps at least half, drops what is far, and looks at distances only", () => {
  const whole = fc.array(fc.integer({ min: -99, max: 99 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(whole, (x) => {
      const kept = trim(x);
      expect(kept.length * 2).toBeGreaterThanOrEqual(x.length);
      expect(trim(x.map(Math.abs))).toEqual(kept.map(Math.abs));
    }),
  );
  expect(trim([1, -2, 3, -1, 2, 1000])).toEqual([1, -2, 3, -1, 2]);
});
