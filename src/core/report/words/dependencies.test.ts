import { expect, test } from "vitest";
import type { DependencyFacts } from "../../model/samples.ts";
import { describeDependencies, describeIsolation } from "./dependencies.ts";

const written = { service: "api", arm: "reference", transactions: 3, schemaChanged: true } as const;

test("what the arms share, and why not", () => {
  const check = (facts: Pick<DependencyFacts, "isolation" | "written">, expected: string): void =>
    expect(describeIsolation(facts)).toBe(expected);
  check({}, "shared by both");
  check({ isolation: "shared" }, "shared by both");
  check({ isolation: "separate" }, "a copy for each");
  check(
    { isolation: "separate", written },
    "a copy for each, because api (reference) writes at its first start or requests (3 transactions, other tables, columns or indexes)",
  );
  check(
    { isolation: "separate", written: { ...written, transactions: 1, schemaChanged: false } },
    "a copy for each, because api (reference) writes at its first start or requests (1 transaction)",
  );
});

test("all of them in a line", () => {
  const facts = { contents: { candidate: null, reference: null }, settings: {} };
  expect(describeDependencies([])).toBe("");
  expect(
    describeDependencies([
      { ...facts, name: "db", program: "PostgreSQL 15.18", isolation: "shared" },
      { ...facts, name: "cache", program: "Redis 7.0.15", isolation: "separate" },
    ]),
  ).toBe("db: PostgreSQL 15.18, shared by both; cache: Redis 7.0.15, a copy for each");
});
