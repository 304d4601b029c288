import { expect, test } from "vitest";
import type { Answer } from "../../core/model/samples.ts";
import { adviseOnAnswer, describeFirst, describeKilled } from "./measure-rounds.ts";

const TEXT: Answer = { status: 200, contentType: "text/plain", bytes: 5, sha256: "a".repeat(64) };
const NONE: Answer = { ...TEXT, status: 204, contentType: null, bytes: 0 };

test.each([
  [{ candidate: TEXT, reference: TEXT }, "api/hello: 200, 5 bytes of text/plain from both builds"],
  [
    { candidate: NONE, reference: TEXT },
    "api/hello: 204, 0 bytes from the candidate; 200, 5 bytes of text/plain from the reference",
  ],
  [{ candidate: TEXT }, "api/hello: 200, 5 bytes of text/plain from the candidate"],
  [
    { reference: { ...TEXT, contentType: "\u001b[2Jx", bytes: 12_345 } },
    "api/hello: 200, 12,345 bytes of x from the reference",
  ],
  [{}, null],
])("first answers in words: %#", (answers, says) => {
  expect(describeFirst("api/hello", answers)).toBe(says);
});

test.each([
  {
    stop: { signal: "SIGTERM", graceMs: 5000 } as const,
    says: "api did not end within 5s of SIGTERM and was killed; every stop waits that long: let it end at SIGTERM, or write `stop: { signal: SIGINT }` or `stop: { grace: 100ms }` in tailgate.yml",
  },
  {
    stop: { signal: "SIGINT", graceMs: 1500 } as const,
    says: "api did not end within 1500ms of SIGINT and was killed; every stop waits that long: let it end at SIGINT, or write `stop: { signal: SIGTERM }` or `stop: { grace: 100ms }` in tailgate.yml",
  },
])("a service that outlasts $stop.signal: what to write", ({ stop, says }) => {
  expect(describeKilled("api", stop)).toBe(says);
});

test.each<[number | null | undefined, RegExp]>([
  [503, /not ready.*`ready`/],
  [null, /not ready.*`ready`/],
  [429, /limits requests/],
  [404, /Correct `request` of the scenario home.*set its `expect` to 404/],
])("after a first answer of %s something else is to be done", (status, says) => {
  const advice = adviseOnAnswer("home", status);
  expect(advice).toMatch(says);
  if (status !== 404) expect(advice).not.toContain("expect");
});
