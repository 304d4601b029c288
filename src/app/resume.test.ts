import { expect, test } from "vitest";
import { makeSamples } from "../../test/support/samples.ts";
import { UserError } from "../base/errors.ts";
import type { DependencyFacts } from "../model/samples.ts";
import { withDependencies } from "./resume.ts";

const begun = makeSamples({ rounds: 1, noise: 0.01 });

const facts = (contents: string): DependencyFacts[] => [
  {
    name: "db",
    program: "PostgreSQL 15.18",
    contents: { candidate: contents, reference: contents },
    settings: { fsync: "off" },
  },
];

test("a run goes on only with what its services found before", () => {
  const first = withDependencies(begun, facts("a"), "s.json");
  expect(first.dependencies).toEqual(facts("a"));
  expect(withDependencies(first, facts("a"), "s.json")).toEqual(first);
  expect(() => withDependencies(first, facts("b"), "s.json")).toThrow(UserError);
  expect(() => withDependencies(first, facts("b"), "s.json")).toThrow(
    "--resume: s.json cannot be continued: what the services need differs",
  );
});
