import { expect, test } from "vitest";
import {
  BASE,
  type EventFixture,
  FORK,
  HEAD,
  REPOSITORY,
  readEvent,
} from "../../../test/support/action.ts";
import { UserError } from "../../core/base/errors.ts";
import { type Event, isSameRepository, parseEvent } from "./parse-event.ts";

const TITLE = "Faster carts ::error::not really";
const BASE_OF_12 = { sha: BASE, ref: "main", repository: REPOSITORY };

test.each<[EventFixture, string, Event]>([
  [
    "pull-request",
    "pull_request",
    {
      kind: "pull-request",
      number: 12,
      asker: "acme",
      title: TITLE,
      head: { sha: HEAD, repository: REPOSITORY },
      base: BASE_OF_12,
    },
  ],
  [
    "pull-request-fork",
    "pull_request",
    {
      kind: "pull-request",
      number: 12,
      asker: "mallory",
      title: TITLE,
      head: { sha: HEAD, repository: FORK },
      base: BASE_OF_12,
    },
  ],
  [
    "pull-request-fork-gone",
    "pull_request",
    {
      kind: "pull-request",
      number: 12,
      asker: "mallory",
      title: TITLE,
      head: { sha: HEAD, repository: null },
      base: BASE_OF_12,
    },
  ],
  [
    "issue-comment",
    "issue_comment",
    { kind: "comment", number: 12, asker: "ada", body: "/tailgate\r\n\r\nThank you." },
  ],
  ["merge-group", "merge_group", { kind: "merge-group", headSha: HEAD, baseSha: BASE }],
  ["push", "push", { kind: "push", before: BASE }],
  ["push-new-branch", "push", { kind: "push", before: null }],
  ["schedule", "schedule", { kind: "other" }],
  ["workflow-run", "workflow_run", { kind: "workflow-run", runId: 7_164_329_001, headSha: HEAD }],
])("%s", (fixture, name, expected) => {
  expect(parseEvent(name, readEvent(fixture))).toEqual(expected);
});

test.each([
  ["opened", undefined, false],
  ["edited", { title: { from: "Carts" } }, true],
  ["edited", { base: { ref: { from: "v1" } }, title: { from: "Carts" } }, false],
])("%s, changing %o", (action, changes, isReworded) => {
  const payload = { ...(readEvent("pull-request") as object), action, changes };
  const event = { kind: "target", pullRequest: 12, isReworded };
  expect(parseEvent("pull_request_target", payload)).toEqual(event);
});

test("a head in a fork, or in a deleted repository, is not of the same repository", () => {
  const of = (fixture: EventFixture): boolean => {
    const event = parseEvent("pull_request", readEvent(fixture));
    return event.kind === "pull-request" && isSameRepository(event);
  };
  expect(of("pull-request")).toBe(true);
  expect(of("pull-request-fork")).toBe(false);
  expect(of("pull-request-fork-gone")).toBe(false);
});

test.each([
  "pull_request",
  "pull_request_target",
  "issue_comment",
  "merge_group",
  "push",
  "workflow_run",
])("a payload of %s that is none is refused in words", (name) => {
  for (const payload of [null, {}, [], "text", { number: -1 }]) {
    expect(() => parseEvent(name, payload)).toThrow(UserError);
  }
});
