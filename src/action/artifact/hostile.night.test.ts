// Ten thousand hostile artifacts: a minute, which a night has.
import { expect, test } from "vitest";
import { checkHostile } from "../../../test/support/hostile-property.ts";

test("ten thousand hostile artifacts end in inert comments of our own", {
  timeout: 600_000,
}, async () => {
  const outcomes = await checkHostile(1000, 10_000);
  const total = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  expect(total).toBe(10_000);
  expect(Object.keys(outcomes).sort()).toEqual(["inconclusive", "invalid", "refused", "regressed"]);
  console.log(`hostile artifacts: ${JSON.stringify(outcomes)}`);
});
