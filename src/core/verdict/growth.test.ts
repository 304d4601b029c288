// A leak and ballast, told apart by two readings of each launch.
import { expect, test } from "vitest";
import { makeSamples } from "../../../test/support/samples.ts";
import { createPrng } from "../base/prng.ts";
import type { Launch, Round } from "../model/samples.ts";
import { growthOf } from "./growth.ts";

const MIB = 1024 ** 2;
const WARM = 200;
const REQUESTS = 5800;

interface Surplus {
  /** Of the candidate, from the start. */
  ballast?: number;
  /** Of the candidate, for each request. */
  leak?: number;
  rounds?: number;
  read?: "once";
}

function roundsWith({ ballast = 0, leak = 0, rounds = 11, read }: Surplus): Round[] {
  const prng = createPrng(7);
  const launch = (surplus: { ballast: number; leak: number }): Launch => {
    // Every service grows under its first load, and no two launches alike.
    const noise = (): number => 0.2 * MIB * prng.next();
    const warm = 10 * MIB + noise() + surplus.ballast + surplus.leak * WARM;
    const rss = warm + 2 * MIB + noise() + surplus.leak * REQUESTS;
    return {
      requests: WARM + REQUESTS,
      ...(read === "once" ? {} : { warm: { requests: WARM, rss: warm } }),
      values: { rss },
    };
  };
  return makeSamples({ rounds, noise: 0 }).rounds.map((round) => ({
    ...round,
    launches: { candidate: launch({ ballast, leak }), reference: launch({ ballast: 0, leak: 0 }) },
  }));
}

test("a leak is told by what a request leaves", () => {
  const growth = growthOf(roundsWith({ leak: 2048 }), "api");
  expect(growth).toMatchObject({ kind: "leak", requests: REQUESTS });
  expect(growth?.bytesPerRequest).toBeGreaterThan(2000);
  expect(growth?.bytesPerRequest).toBeLessThan(2100);
  expect(growth?.bytes).toBeGreaterThan(11 * MIB);
});

test("ballast is there from the start", () => {
  const growth = growthOf(roundsWith({ ballast: 3 * MIB }), "api");
  expect(growth?.kind).toBe("ballast");
  expect(Math.abs(growth?.bytesPerRequest ?? 99)).toBeLessThan(50);
});

test("nothing is said where neither is shown", () => {
  const leak = 1024;
  const half = { leak, ballast: leak * (REQUESTS - WARM) };
  expect(growthOf(roundsWith(half), "api")).toBeNull();
  expect(growthOf(roundsWith({}), "api")).toBeNull();
  expect(growthOf(roundsWith({ leak: 2048, rounds: 5 }), "api")).toBeNull();
  expect(growthOf(roundsWith({ leak: 2048, read: "once" }), "api")).toBeNull();
  expect(growthOf(roundsWith({ leak: 2048 }), "other")).toBeNull();
});
