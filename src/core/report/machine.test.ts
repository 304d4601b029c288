import { expect, test } from "vitest";
import { makeSamples } from "../../../test/support/samples.ts";
import type { Fingerprint } from "../model/host.ts";
import { describeCpuSets, describeMachine } from "./machine.ts";

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
