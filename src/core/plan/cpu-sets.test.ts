import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UserError } from "../base/errors.ts";
import type { CpuSets } from "../model/host.ts";
import { planCpuSets } from "./cpu-sets.ts";

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);
const single = (count: number) => range(0, count - 1).map((cpu) => [cpu]);
/** The usual numbering: siblings are half the machine apart. */
const siblings = (count: number) => range(0, count - 1).map((cpu) => [cpu, cpu + count]);

describe("a machine is divided", () => {
  const cases: [string, number[], number[][], CpuSets][] = [
    ["one CPU", [0], [[0]], { service: [0], generator: [0], disjoint: false }],
    ["one core, two threads", [0, 1], [[0, 1]], { service: [1], generator: [0], disjoint: false }],
    ["two cores", [0, 1], single(2), { service: [1], generator: [0], disjoint: true }],
    ["three cores", [0, 1, 2], single(3), { service: [1, 2], generator: [0], disjoint: true }],
    ["four cores", range(0, 3), single(4), { service: [1, 2, 3], generator: [0], disjoint: true }],
    ["six", range(0, 5), single(6), { service: range(2, 5), generator: [0, 1], disjoint: true }],
    [
      "two cores, four threads",
      range(0, 3),
      siblings(2),
      { service: [1], generator: [0], disjoint: true },
    ],
    ["a cgroup's part", [4, 7], single(8), { service: [7], generator: [4], disjoint: true }],
    ["only second threads", [2, 3], siblings(2), { service: [3], generator: [2], disjoint: true }],
    ["no topology", [0, 1], [], { service: [1], generator: [0], disjoint: true }],
  ];
  test.each(cases)("%s", (_name, allowedCpus, cores, sets) => {
    expect(planCpuSets({ allowedCpus, cores }, null)).toEqual(sets);
  });
});

describe("dependencies have a core of their own where there are four", () => {
  const check = (count: number, sets: CpuSets): void => {
    const host = { allowedCpus: range(0, count - 1), cores: single(count) };
    expect(planCpuSets(host, null, { dependencies: true }), `${count} cores`).toEqual(sets);
  };
  test("from one core to six", () => {
    check(1, { service: [0], generator: [0], disjoint: false });
    check(2, { service: [1], generator: [0], disjoint: true });
    check(3, { service: [1, 2], generator: [0], disjoint: true });
    check(4, { service: [1, 2], generator: [0], dependencies: [3], disjoint: true });
    check(6, { service: [2, 3, 4], generator: [0, 1], dependencies: [5], disjoint: true });
  });

  test("what is configured leaves them where the service is", () => {
    const host = { allowedCpus: range(0, 7), cores: single(8) };
    const sets = planCpuSets(host, { service: [4], generator: [0] }, { dependencies: true });
    expect(sets.dependencies).toBeUndefined();
  });
});

describe("what is configured is taken", () => {
  const host = { allowedCpus: range(0, 3), cores: siblings(2) };
  const cases: [number[], number[], boolean][] = [
    [[1], [0], true],
    [[3, 1], [0, 2], true],
    [[2], [0], false],
    [[0, 1], [1], false],
  ];
  test.each(cases)("service %j, generator %j: disjoint %s", (service, generator, disjoint) => {
    const sets = planCpuSets(host, { service, generator });
    expect(sets).toEqual({ service: service.sort(), generator: generator.sort(), disjoint });
  });

  test("a CPU that may not be used is refused", () => {
    const plan = () => planCpuSets(host, { service: [1], generator: [4] });
    expect(plan).toThrow(UserError);
    expect(plan).toThrow(
      "runner.cpus.generator: CPU 4 may not be used here; allowed are 0, 1, 2, 3",
    );
  });
});

test("any machine: allowed CPUs only, no shared core where there are two", () => {
  const machine = fc
    .record({ cores: fc.integer({ min: 1, max: 64 }), threads: fc.constantFrom(1, 2, 4) })
    .chain(({ cores, threads }) => {
      const groups = range(0, cores - 1).map((core) =>
        range(0, threads - 1).map((thread) => core + thread * cores),
      );
      return fc.record({
        cores: fc.constant(groups),
        allowedCpus: fc.subarray(groups.flat(), { minLength: 1 }),
      });
    });
  fc.assert(
    fc.property(machine, (host) => {
      const { service, generator, disjoint } = planCpuSets(host, null);
      const coreOf = (cpu: number) => host.cores.findIndex((core) => core.includes(cpu));
      const usable = new Set(host.allowedCpus.map(coreOf)).size;
      expect(host.allowedCpus).toEqual(expect.arrayContaining([...service, ...generator]));
      expect(disjoint).toBe(usable > 1);
      if (!disjoint) return;
      const used = [...service, ...generator].map(coreOf);
      expect(new Set(used).size).toBe(used.length);
      expect(used.length).toBe(usable);
      expect(generator.length).toBeLessThanOrEqual(service.length);
      expect(Math.min(...generator)).toBeLessThan(Math.min(...service));
    }),
  );
});
