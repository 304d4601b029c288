// A few of the artifacts that hostile.night.test.ts makes ten thousand of.
import { expect, test } from "vitest";
import { checkHostile } from "../../../test/support/hostile-property.ts";

test("hostile artifacts end in an inert comment of our own", async () => {
  const outcomes = await checkHostile(1, 300);
  expect(outcomes.refused).toBeGreaterThan(100);
  expect(outcomes.regressed).toBeGreaterThan(5);
  expect(outcomes.inconclusive).toBeGreaterThan(10);
  // Only samples with attacks in their texts tell of a crash.
  expect(outcomes.invalid).toBeGreaterThan(2);
});
