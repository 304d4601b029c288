import fc from "fast-check";
import { expect, test } from "vitest";
import { backOffMs, MAX_ATTEMPTS, type Trouble, troubleOf } from "./retry.ts";

const WALL_MS = Date.parse("2026-11-21T12:00:00Z");
const NOW_S = WALL_MS / 1000;
const fault = (words: string, waitMs = 0): Trouble => ({ kind: "fault", words, waitMs });
const limit = (which: "primary" | "secondary", waitMs: number): Trouble => ({
  kind: "rate-limit",
  which,
  waitMs,
});

type Case = [
  name: string,
  status: number,
  expected: Trouble | null,
  headers?: Record<string, string>,
  message?: string,
  attempt?: number,
];

const CASES: readonly Case[] = [
  ["success is final", 200, null],
  ["a redirect is final", 302, null],
  ["not modified is final", 304, null],
  ["a bad request is final", 400, null],
  ["not found is final", 404, null],
  ["a conflict is final", 409, null],
  ["an invalid request is final", 422, null],
  ["what is not implemented stays so", 501, null],
  ["500", 500, fault("HTTP 500")],
  ["502", 502, fault("HTTP 502")],
  ["504", 504, fault("HTTP 504")],
  ["a time-out of the server's", 408, fault("HTTP 408")],
  ["503 that asks for time", 503, fault("HTTP 503", 7000), { "retry-after": "7" }],
  [
    "a refusal for want of permission is final",
    403,
    null,
    { "x-ratelimit-remaining": "4999" },
    "Resource not accessible by integration",
  ],
  [
    "primary limit: until the reset, by GitHub's own clock",
    403,
    limit("primary", 41_000),
    {
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(NOW_S + 3600 + 40),
      date: "Sat, 21 Nov 2026 13:00:00 GMT",
    },
  ],
  [
    "primary limit: by our clock where GitHub says no time",
    429,
    limit("primary", 41_000),
    { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW_S + 40) },
  ],
  [
    "primary limit: a reset that has passed",
    403,
    limit("primary", 1000),
    { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW_S - 500) },
  ],
  [
    "secondary limit with Retry-After",
    403,
    limit("secondary", 30_000),
    { "retry-after": "30" },
    "You have exceeded a secondary rate limit.",
  ],
  [
    "Retry-After counts before the reset",
    429,
    limit("secondary", 5000),
    { "retry-after": "5", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" },
  ],
  [
    "secondary limit by its words: a minute",
    403,
    limit("secondary", 60_000),
    {},
    "You have exceeded a secondary rate limit.",
  ],
  [
    "secondary limit again: twice as long",
    403,
    limit("secondary", 120_000),
    {},
    "You have triggered an abuse detection mechanism.",
    2,
  ],
  ["429 without a word", 429, limit("secondary", 60_000)],
  [
    "a Retry-After that is no number of seconds is none",
    503,
    fault("HTTP 503"),
    { "retry-after": "soon" },
  ],
];

test.each(CASES)("%s", (_, status, expected, headers = {}, message = "", attempt = 1) => {
  const head = { status, headers: new Headers(headers), message };
  expect(troubleOf(head, attempt, WALL_MS)).toEqual(expected);
});

test("a rate limit without a reset never waits for nothing", () => {
  const headers = new Headers({ "x-ratelimit-remaining": "0" });
  const trouble = troubleOf({ status: 403, headers, message: "" }, 1, WALL_MS);
  expect(trouble).toEqual(limit("primary", 1000));
});

test("waits double, with half of each left to chance, up to 30 s", () => {
  expect([1, 2, 3, 4, 5, 6, 7].map((attempt) => backOffMs(attempt, 1))).toEqual([
    1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, random) => {
        const waitMs = backOffMs(attempt, random);
        const fullMs = backOffMs(attempt, 1);
        expect(waitMs).toBeGreaterThanOrEqual(fullMs / 2);
        expect(waitMs).toBeLessThanOrEqual(fullMs);
      },
    ),
  );
});

test("all attempts with all their waits last less than a minute", () => {
  let totalMs = 0;
  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) totalMs += backOffMs(attempt, 1);
  expect(totalMs).toBe(31_000);
});
