// What the client does when GitHub answers badly, late or not at all. A clock that never waits
// stands in for the real one.
import { expect, test } from "vitest";
import { CALLS, failureOf } from "../../test/fake-github/calls.ts";
import type { Fault } from "../../test/fake-github/seed.ts";
import { meet, WRITE_TOKEN } from "../../test/fake-github/testing.ts";
import { connectGitHub } from "./client.ts";
import type { GitHub } from "./port.ts";

interface Case {
  name: string;
  faults: Partial<Fault>[];
  /** The operation succeeds after these waits, or fails for this reason. */
  outcome: { waitsMs: number[] } | { reason: string; requests: number };
  call?: (github: GitHub) => Promise<unknown>;
}

const status = (code: number): Fault["do"] => ({
  kind: "status",
  status: code,
  message: "m",
  headers: {},
});
const CASES: readonly Case[] = [
  {
    name: "a 502 is tried again",
    faults: [{ do: status(502) }],
    outcome: { waitsMs: [750] },
  },
  {
    name: "five in a row are outlasted",
    faults: [{ do: status(503), times: 5 }],
    outcome: { waitsMs: [750, 1500, 3000, 6000, 12_000] },
  },
  {
    name: "six are not",
    faults: [{ do: status(503), times: 6 }],
    outcome: { reason: "unavailable", requests: 6 },
  },
  {
    name: "a closed connection is tried again",
    faults: [{ do: { kind: "drop" } }],
    outcome: { waitsMs: [750] },
  },
  {
    name: "half an answer is tried again",
    faults: [{ do: { kind: "truncate" } }],
    outcome: { waitsMs: [750] },
  },
  {
    name: "an edit may be made twice",
    faults: [{ do: { kind: "drop-after" } }],
    outcome: { waitsMs: [750] },
    call: CALLS.updateComment,
  },
  {
    name: "so may a status",
    faults: [{ do: { kind: "status-after", status: 502 } }],
    outcome: { waitsMs: [750] },
    call: CALLS.setStatus,
  },
  {
    name: "a secondary limit is waited for as long as GitHub asks",
    faults: [{ do: { kind: "secondary-limit", retryAfterSeconds: 17 } }],
    outcome: { waitsMs: [17_000] },
  },
  {
    name: "without a time, for minutes that double",
    faults: [{ do: { kind: "secondary-limit", retryAfterSeconds: null }, times: 2 }],
    outcome: { waitsMs: [60_000, 120_000] },
  },
  {
    name: "a limit of rate stops a creation before it is made, so it is made after the wait",
    faults: [{ method: "POST", do: { kind: "secondary-limit", retryAfterSeconds: 3 } }],
    outcome: { waitsMs: [3000] },
    call: CALLS.createComment,
  },
  {
    name: "a limit that lasts longer than an operation may is said at once",
    faults: [{ do: { kind: "secondary-limit", retryAfterSeconds: 301 } }],
    outcome: { reason: "rate-limited", requests: 1 },
  },
  {
    name: "so is a primary limit whose reset is far",
    faults: [{ do: { kind: "primary-limit", resetSeconds: 3000 } }],
    outcome: { reason: "rate-limited", requests: 1 },
  },
  {
    name: "limits that never end do",
    faults: [{ do: { kind: "secondary-limit", retryAfterSeconds: 1 }, times: null }],
    outcome: { reason: "rate-limited", requests: 6 },
  },
  {
    name: "409 is told",
    faults: [{ do: status(409) }],
    outcome: { reason: "conflict", requests: 1 },
  },
  {
    name: "413 is told",
    faults: [{ do: status(413) }],
    outcome: { reason: "too-large", requests: 1 },
  },
  {
    name: "422 is told",
    faults: [{ do: status(422) }],
    outcome: { reason: "invalid", requests: 1 },
  },
  {
    name: "a page that is no JSON is no answer",
    faults: [{ do: { kind: "body", status: 200, body: "<html>Sign in</html>" } }],
    outcome: { reason: "unavailable", requests: 1 },
  },
  {
    name: "JSON of another shape is no answer",
    faults: [{ do: { kind: "body", status: 200, body: '{"id": "9001"}' } }],
    outcome: { reason: "unavailable", requests: 1 },
  },
];

for (const { name, faults, outcome, call = CALLS.workflowRun } of CASES) {
  test(name, async () => {
    await using met = await meet({ faults });
    if ("waitsMs" in outcome) {
      await call(met.github);
      expect(met.clock.waitsMs).toEqual(outcome.waitsMs);
      expect(met.lines).toHaveLength(outcome.waitsMs.length);
    } else {
      const error = await failureOf(call(met.github));
      expect([error.reason, met.fake.log.length]).toEqual([outcome.reason, outcome.requests]);
    }
  });
}

test("a primary limit is waited for until its reset", async () => {
  await using met = await meet({ faults: [{ do: { kind: "primary-limit", resetSeconds: 40 } }] });
  await met.github.workflowRun(9001);
  const [waitMs = 0] = met.clock.waitsMs;
  // Reset and date are whole seconds, a second apart at most.
  expect(waitMs).toBeGreaterThanOrEqual(40_000);
  expect(waitMs).toBeLessThanOrEqual(42_000);
});

test("an address where nobody listens is told, after all attempts", async () => {
  const met = await meet();
  await met[Symbol.asyncDispose]();
  const error = await failureOf(met.github.createComment(42, "text"));
  expect(error.reason).toBe("unavailable");
  expect(error.detail).toContain("ECONNREFUSED");
  expect(met.clock.waitsMs).toHaveLength(5);
});

test("what is sent when nobody answers is cut off in time", async () => {
  await using met = await meet();
  let asked = 0;
  const github = connectGitHub({
    token: WRITE_TOKEN,
    repository: "acme/app",
    apiUrl: met.fake.url,
    clock: met.clock,
    log: () => {},
    fetch: async (_, init) => {
      asked++;
      expect(init?.signal).toBeInstanceOf(AbortSignal);
      throw new DOMException("The operation was aborted due to timeout", "TimeoutError");
    },
  });
  const error = await failureOf(github.workflowRun(9001));
  expect([error.reason, asked]).toEqual(["unavailable", 6]);
  expect(error.detail).toContain("no answer within 30 s");
});
