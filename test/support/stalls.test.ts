import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { StallWatch } from "./stalls.ts";

const BLOCKED_MS = 150;
/** Until the next tick is due, and what it may be late without being a stall. */
const UNSEEN_MS = 25;

test("what holds this process up is seen, in what of the time it was", async () => {
  using watch = new StallWatch();
  await sleep(50);
  const fromMs = performance.now();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
  const toMs = performance.now();
  await sleep(50);

  const seenMs = watch.within(fromMs, toMs);
  expect(seenMs).toBeGreaterThan(BLOCKED_MS - UNSEEN_MS);
  expect(seenMs).toBeLessThanOrEqual(toMs - fromMs);
  expect(watch.within(fromMs + 50, fromMs + 60)).toBeCloseTo(10, 6);
  expect(watch.within(toMs + 60_000, toMs + 60_010)).toBe(0);
});
