// Where a history may be kept.
import { expect, test } from "vitest";
import { parseHistoryPlace } from "./history-place.ts";

test.each([
  ["off", { kind: "off" }],
  ["tailgate-history", { kind: "ref", repository: null, ref: "tailgate-history" }],
  ["perf/history", { kind: "ref", repository: null, ref: "perf/history" }],
  ["refs/tailgate/history", { kind: "ref", repository: null, ref: "refs/tailgate/history" }],
  ["repository:acme/perf", { kind: "ref", repository: "acme/perf", ref: "tailgate-history" }],
  ["folder:/var/lib/perf", { kind: "folder", path: "/var/lib/perf" }],
])("%s", (text, place) => {
  expect(parseHistoryPlace(text)).toEqual(place);
});

test.each([
  "",
  "folder:",
  "refs/history",
  "refs/heads/main",
  "refs/pull/1/head",
  "a..b",
  "-f",
  "a b",
  "x.lock",
  "repository:acme",
  "repository:acme/../x",
])("%j is none", (text) => {
  expect(parseHistoryPlace(text)).toBeNull();
});
