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

interface Case {
  name: string;
  status: number;
  headers?: Record<string, string>;
  message?: string;
  attempt?: number;
  expected: Trouble | null;
}

const CASES: readonly Case[] = [
  { name: "success is final", status: 200, expected: null },
  { name: "a redirect is final", status: 302, expected: null },
  { name: "not modified is final", status: 304, expected: null },
  { name: "a bad request is final", status: 400, expected: null },
  { name: "not found is final", status: 404, expected: null },
  { name: "a conflict is final", status: 409, expected: null },
  { name: "an invalid request is final", status: 422, expected: null },
  { name: "what is not implemented stays so", status: 501, expected: null },
  { name: "500", status: 500, expected: fault("HTTP 500") },
  { name: "502", status: 502, expected: fault("HTTP 502") },
  { name: "504", status: 504, expected: fault("HTTP 504") },
  { name: "a time-out of the server's", status: 408, expected: fault("HTTP 408") },
  {
    name: "503 that asks for time",
    status: 503,
    headers: { "retry-after": "7" },
    expected: fault("HTTP 503", 7000),
  },
  {
    name: "a refusal for want of permission is final",
    status: 403,
    headers: { "x-ratelimit-remaining": "4999" },
    message: "Resource not accessible by integration",
    expected: null,
  },
  {
    name: "primary limit: until the reset, by GitHub's own clock",
    status: 403,
    headers: {
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(NOW_S + 3600 + 40),
      date: "Sat, 21 Nov 2026 13:00:00 GMT",
    },
    expected: limit("primary", 41_000),
  },
  {
    name: "primary limit: by our clock where GitHub says no time",
    status: 429,
    headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW_S + 40) },
    expected: limit("primary", 41_000),
  },
  {
    name: "primary limit: a reset that has passed",
    status: 403,
    headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW_S - 500) },
    expected: limit("primary", 1000),
  },
  {
    name: "secondary limit with Retry-After",
    status: 403,
    headers: { "retry-after": "30" },
    message: "You have exceeded a secondary rate limit.",
    expected: limit("secondary", 30_000),
  },
  {
    name: "Retry-After counts before the reset",
    status: 429,
    headers: { "retry-after": "5", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" },
    expected: limit("secondary", 5000),
  },
  {
    name: "secondary limit by its words: a minute",
    status: 403,
    message: "You have exceeded a secondary rate limit.",
    expected: limit("secondary", 60_000),
  },
  {
    name: "secondary limit again: twice as long",
    status: 403,
    message: "You have triggered an abuse detection mechanism.",
    attempt: 2,
    expected: limit("secondary", 120_000),
  },
  { name: "429 without a word", status: 429, expected: limit("secondary", 60_000) },
  {
    name: "a Retry-After that is no number of seconds is none",
    status: 503,
    headers: { "retry-after": "soon" },
    expected: fault("HTTP 503"),
  },
];

for (const { name, status, headers = {}, message = "", attempt = 1, expected } of CASES) {
  test(name, () => {
    const head = { status, headers: new Headers(headers), message };
    expect(troubleOf(head, attempt, WALL_MS)).toEqual(expected);
  });
}

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
