// What the client does when GitHub answers badly, late or not at all. A clock that never waits
// stands in for the real one.
import { expect, test } from "vitest";
import { CALLS, failureOf } from "../../test/fake-github/calls.ts";
import type { Fault } from "../../test/fake-github/seed.ts";
import { meet } from "../../test/fake-github/testing.ts";
import { openRoute } from "../machine/sys/route.ts";
import type { GitHub } from "./port.ts";

/** The operation succeeds after these waits, or fails for this reason. */
type Outcome = { waitsMs: number[] } | { reason: string; requests: number };
type Case = [string, Partial<Fault>[], Outcome, ((github: GitHub) => Promise<unknown>)?];

const status = (code: number): Fault["do"] => ({
  kind: "status",
  status: code,
  message: "m",
  headers: {},
});
const CASES: readonly Case[] = [
  ["a 502 is tried again", [{ do: status(502) }], { waitsMs: [750] }],
  [
    "five in a row are outlasted",
    [{ do: status(503), times: 5 }],
    { waitsMs: [750, 1500, 3000, 6000, 12_000] },
  ],
  ["six are not", [{ do: status(503), times: 6 }], { reason: "unavailable", requests: 6 }],
  ["a closed connection is tried again", [{ do: { kind: "drop" } }], { waitsMs: [750] }],
  ["half an answer is tried again", [{ do: { kind: "truncate" } }], { waitsMs: [750] }],
  [
    "an edit may be made twice",
    [{ do: { kind: "drop-after" } }],
    { waitsMs: [750] },
    CALLS.updateComment,
  ],
  [
    "so may a status",
    [{ do: { kind: "status-after", status: 502 } }],
    { waitsMs: [750] },
    CALLS.setStatus,
  ],
  [
    "a secondary limit is waited for as long as GitHub asks",
    [{ do: { kind: "secondary-limit", retryAfterSeconds: 17 } }],
    { waitsMs: [17_000] },
  ],
  [
    "without a time, for minutes that double",
    [{ do: { kind: "secondary-limit", retryAfterSeconds: null }, times: 2 }],
    { waitsMs: [60_000, 120_000] },
  ],
  [
    "a limit of rate stops a creation before it is made, so it is made after the wait",
    [{ method: "POST", do: { kind: "secondary-limit", retryAfterSeconds: 3 } }],
    { waitsMs: [3000] },
    CALLS.createComment,
  ],
  [
    "a limit that lasts longer than an operation may is said at once",
    [{ do: { kind: "secondary-limit", retryAfterSeconds: 301 } }],
    { reason: "rate-limited", requests: 1 },
  ],
  [
    "so is a primary limit whose reset is far",
    [{ do: { kind: "primary-limit", resetSeconds: 3000 } }],
    { reason: "rate-limited", requests: 1 },
  ],
  [
    "limits that never end do",
    [{ do: { kind: "secondary-limit", retryAfterSeconds: 1 }, times: null }],
    { reason: "rate-limited", requests: 6 },
  ],
  ["409 is told", [{ do: status(409) }], { reason: "conflict", requests: 1 }],
  ["413 is told", [{ do: status(413) }], { reason: "too-large", requests: 1 }],
  ["422 is told", [{ do: status(422) }], { reason: "invalid", requests: 1 }],
  [
    "a page that is no JSON is no answer",
    [{ do: { kind: "body", status: 200, body: "<html>Sign in</html>" } }],
    { reason: "unavailable", requests: 1 },
  ],
  [
    "JSON of another shape is no answer",
    [{ do: { kind: "body", status: 200, body: '{"id": "9001"}' } }],
    { reason: "unavailable", requests: 1 },
  ],
];

test.each(CASES)("%s", async (_, faults, outcome, call = CALLS.workflowRun) => {
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

test("a conversation that is locked is not laid to the token", async () => {
  const body = '{"message":"Unable to create comment because issue is locked."}';
  await using met = await meet({ faults: [{ do: { kind: "body", status: 403, body } }] });
  const error = await failureOf(met.github.createComment(42, "text"));
  expect(error.reason).toBe("permission");
  expect(error.message).toMatch(/^GitHub refused to .*: its conversation is locked$/);
  expect(error.next).not.toContain("permissions:");
});

test("a primary limit is waited for until its reset", async () => {
  await using met = await meet({ faults: [{ do: { kind: "primary-limit", resetSeconds: 40 } }] });
  await met.github.workflowRun(9001);
  const [waitMs = 0] = met.clock.waitsMs;
  // Reset and date are whole seconds, a second apart at most.
  expect(waitMs).toBeGreaterThanOrEqual(40_000);
  expect(waitMs).toBeLessThanOrEqual(42_000);
});

test("waits of all operations of a job together end before the job does", async () => {
  const patience: Fault["do"] = { kind: "secondary-limit", retryAfterSeconds: 100 };
  await using met = await meet({ faults: [{ do: patience, times: null }] });
  const route = openRoute(met.fake.url, {});
  for (const repository of ["acme/app", "acme/other"]) {
    const github = met.connect({ repository, route });
    for (let k = 0; k < 4; k++) {
      expect((await failureOf(github.workflowRun(9001))).reason).toBe("rate-limited");
    }
  }
  expect(met.clock.nowMs()).toBeGreaterThanOrEqual(200_000);
  expect(met.clock.nowMs()).toBeLessThan(480_000);
});

test("an address where nobody listens is told, after all attempts", async () => {
  const met = await meet();
  await met[Symbol.asyncDispose]();
  const error = await failureOf(met.github.createComment(42, "text"));
  expect(error.reason).toBe("unavailable");
  expect(error.detail).toContain("ECONNREFUSED");
  expect(met.clock.waitsMs).toEqual([750, 1500, 3000, 6000]);
  // What is asked next has what is left of the same 12 s.
  expect((await failureOf(met.github.workflowRun(9001))).message).toContain("cannot be reached");
  expect(met.clock.nowMs()).toBeLessThanOrEqual(12_000);
});

test("what is sent when nobody answers is cut off in time", async () => {
  await using met = await meet();
  let asked = 0;
  const github = met.connect({
    fetch: async (_, init) => {
      asked++;
      expect(init?.signal).toBeInstanceOf(AbortSignal);
      throw new DOMException("The operation was aborted due to timeout", "TimeoutError");
    },
  });
  const error = await failureOf(github.workflowRun(9001));
  expect([error.reason, asked]).toEqual(["unavailable", 5]);
  expect(error.detail).toContain("no answer within 12 s");
});
