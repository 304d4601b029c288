import { expect, test } from "vitest";
import { makeSamples } from "../../../test/support/samples.ts";
import type { Fingerprint } from "../model/host.ts";
import { describeCpuSets } from "../text/machine.ts";
import { describeDependencies, describeMachine, describeSource } from "./provenance.ts";

const { fingerprint: metal } = makeSamples({ rounds: 1, noise: 0 }).host;

const check = (change: Partial<Fingerprint>, end: string): void =>
  expect(describeMachine({ ...metal, ...change })).toBe(
    `Test CPU, 2 CPUs, 8 GiB, kernel 6.1.0, governor performance, SMT off, ${end}`,
  );

test("what moves latencies is said: a machine that is virtual, and CPUs that do not halt", () => {
  check({}, "bare metal");
  check({ virtual: true }, "virtual machine");
  check({ keptAwake: true }, "bare metal, CPUs kept awake");
  check(
    { virtual: true, keptAwake: "occupied" },
    "virtual machine, CPUs kept awake by processes of the lowest rank",
  );
});

test("shared CPUs are no small print", () => {
  const sets = { service: [0, 1], generator: [2, 3] };
  expect(describeCpuSets({ ...sets, disjoint: true })).toBe("service 0-1, generator 2-3");
  expect(describeCpuSets({ service: [0], generator: [0], disjoint: false })).toBe(
    "service 0, generator 0 (shared: the generator disturbs what it measures)",
  );
});

test("a reference that was named by its commit is named once", () => {
  const commit = "62f53ea30dba3448628cf95641124ac7b5264dc2";
  const told = (label: string) =>
    describeSource({ commit, dirty: false, label, subject: "" }).at(-1);
  expect(told(commit)).toBe("");
  expect(told("62f53ea")).toBe("");
  expect(told("v1.2.0")).toBe(" v1.2.0");
});

test("all of them in a line", () => {
  const facts = { contents: { candidate: null, reference: null }, settings: {} };
  expect(describeDependencies([])).toBe("");
  expect(
    describeDependencies([
      { ...facts, name: "db", program: "PostgreSQL 15.18", isolation: "shared" },
      { ...facts, name: "cache", program: "Redis 7.0.15", isolation: "separate" },
      { ...facts, name: "upstream", program: "program" },
    ]),
  ).toBe(
    "db: PostgreSQL 15.18, shared by both; cache: Redis 7.0.15, a copy for each; upstream: program, shared by both",
  );
});
