import { expect, test } from "vitest";
import {
  BASE,
  type EventFixture,
  HEAD,
  MERGE,
  readEvent,
  sampled,
} from "../../../test/support/action.ts";
import { reportOn } from "../../app/gate/outcome.ts";
import type { Report } from "../../core/model/report.ts";
import { parseEvent } from "../inputs/parse-event.ts";
import { namedByEvent, nameSources } from "./name-sources.ts";

const report = reportOn(sampled(), []);

/** As a gate writes it that was told the base by its commit. */
function against(label: string): Report {
  const { candidate, reference } = report.sources;
  if (reference === null) throw new Error("no reference");
  return { ...report, sources: { candidate, reference: { ...reference, label } } };
}

test.each<[EventFixture, string, string, string, string]>([
  [
    "pull-request",
    "pull_request",
    `pull request #12 (head ${HEAD.slice(0, 10)} merged into its base)`,
    "Faster carts ::error::not really",
    "main",
  ],
  ["merge-group", "merge_group", "merge group", "Faster carts", "base of the group"],
  ["push", "push", "test", "Faster carts", BASE],
])("%s", (fixture, event, label, subject, base) => {
  const given = against(BASE);
  const { candidate, reference } = nameSources(
    given,
    namedByEvent(parseEvent(event, readEvent(fixture))),
  ).sources;
  expect(candidate).toEqual({ ...given.sources.candidate, label, subject });
  expect(reference).toEqual({ ...given.sources.reference, label: base });
});

const OF_3 = { kind: "pull-request", number: 3, title: "x", baseRef: "main" } as const;

test("a directly checked-out head is not a merge", () => {
  const named = nameSources(report, { ...OF_3, headSha: MERGE });
  expect(named.sources.candidate.label).toBe("pull request #3");
});

test("an explicit reference keeps its name", () => {
  const named = nameSources(against("v1.4.0"), { ...OF_3, headSha: HEAD });
  expect(named.sources.reference?.label).toBe("v1.4.0");
});
