import { expect, test } from "vitest";
import { reportOn } from "../app/outcome.ts";
import { nameCandidate, namedByEvent } from "./name-candidate.ts";
import { parseEvent } from "./parse-event.ts";
import { type EventFixture, HEAD, MERGE, readEvent, sampled } from "./testing.ts";

const report = reportOn(sampled(), []);

test.each<[EventFixture, string, string, string]>([
  [
    "pull-request",
    "pull_request",
    `pull request #12 (head ${HEAD.slice(0, 10)} merged into its base)`,
    "Faster carts ::error::not really",
  ],
  ["merge-group", "merge_group", "merge group", "Faster carts"],
  ["push", "push", "test", "Faster carts"],
])("%s", (fixture, event, label, subject) => {
  const { candidate } = nameCandidate(
    report,
    namedByEvent(parseEvent(event, readEvent(fixture))),
  ).sources;
  expect(candidate).toEqual({ ...report.sources.candidate, label, subject });
});

test("a head that is checked out itself is no merge", () => {
  const named = { kind: "pull-request", number: 3, title: "x", headSha: MERGE } as const;
  expect(nameCandidate(report, named).sources.candidate.label).toBe("pull request #3");
});
