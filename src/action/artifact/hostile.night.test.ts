// Ten thousand hostile artifacts, new ones every night: a few minutes, which a night has.
import { expect, test } from "vitest";
import { FIRST_SEED, peakMib } from "../../../test/support/fuzz.ts";
import { checkHostile } from "../../../test/support/hostile-property.ts";
import { trialsOf } from "../../../test/support/trials.ts";

const COUNT = trialsOf(10_000);
const MOST_MIB = 1024;

test(`${COUNT} hostile artifacts end in inert comments of our own`, {
  timeout: 3_600_000,
}, async () => {
  const outcomes = await checkHostile(FIRST_SEED, COUNT);
  const total = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  expect(total).toBe(COUNT);
  expect(Object.keys(outcomes).sort()).toEqual(["inconclusive", "invalid", "refused", "regressed"]);
  console.log(`hostile artifacts: ${JSON.stringify(outcomes)}, ${peakMib()} MiB`);
  expect(peakMib()).toBeLessThanOrEqual(MOST_MIB);
});
