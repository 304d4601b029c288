// What a service needs beside itself, in a round: reset, accounted for, and blamed when it ends.
import { expect, test } from "vitest";
import { expectMeasured, honest, perfect, run } from "../../../test/support/run.ts";
import type { RoundFailure } from "../../core/model/samples.ts";
import { systemClock } from "../sys/clock.ts";
import type { RoundDependencies } from "./round-context.ts";

/** One dependency, which is gone once `gone` says so. */
function dependencyOf(change: Partial<RoundDependencies>): RoundDependencies {
  let used = 0;
  return {
    pids: () => [],
    use: () => {
      used += 50;
      return [{ name: "db", cpuMs: used, pssBytes: 1000 }];
    },
    reset: async () => null,
    failure: () => null,
    ...change,
  };
}

const goneIn = (when: string): RoundFailure => ({
  kind: "dependency",
  arm: null,
  scenario: null,
  text: `db, which the service needs, exited with code 1 ${when}`,
  detail: "out of disk",
});

test("what a dependency used in the round is kept", async () => {
  const reset: string[] = [];
  const { round } = await run({
    dependencies: dependencyOf({
      reset: async (arm) => {
        reset.push(arm);
        return null;
      },
    }),
  });
  expectMeasured(round);
  expect(round.dependencies).toEqual([{ name: "db", cpuMs: 50, pssBytes: 1000 }]);
  expect(reset.sort()).toEqual(["candidate", "reference"]);
});

test("a dependency that is gone ends the round at the next slice pair, and no arm is blamed", async () => {
  let gone = false;
  const { round, servers } = await run({
    candidate: "errors",
    dependencies: dependencyOf({ failure: (when) => (gone ? goneIn(when) : null) }),
    script: async (request, call) => {
      // Calls 0 and 1 are the warm-ups.
      gone = call >= 2;
      return perfect(request.requests, "500");
    },
  });
  expect(round.failure).toEqual(goneIn("in round 5"));
  expect(round.scenarios[0]?.slices).toHaveLength(2);
  expect(servers).toBe(0);
});

test("a service that ends because its dependency did is not to blame, though it is noticed first", async () => {
  let seenMs = Number.POSITIVE_INFINITY;
  const { round } = await run({
    candidate: "dies",
    dependencies: dependencyOf({
      failure: (when) => (systemClock.nowMs() >= seenMs ? goneIn(when) : null),
    }),
    script: async (request, call) => {
      seenMs = Math.min(seenMs, systemClock.nowMs() + 1000);
      return await honest(request, call);
    },
  });
  expect(round.failure).toEqual(goneIn("in round 5"));
});

test("a dependency that cannot be reset ends the round before the arm starts", async () => {
  const { round, servers } = await run({
    dependencies: dependencyOf({ reset: async () => ({ ...goneIn("now"), text: "db is full" }) }),
  });
  expect(round.failure).toMatchObject({ kind: "dependency", text: "db is full, in round 5" });
  expect(servers).toBe(0);
});
