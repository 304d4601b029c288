import { expect, test } from "vitest";
import type { CostParameters } from "../../../src/core/model/config.ts";
import { costRows } from "./cost.ts";

const PARAMETERS: CostParameters = {
  requestsPerDay: [1_000_000_000],
  peakFactor: 3,
  utilisation: 0.6,
  coresPerHost: 8,
  hostPrice: 35,
};

test.each([
  // 1e9 / 86,400 × 3 = 34,722.2/s; / (1000 × 0.6) = 57.87 cores; 8 hosts; 280.
  { change: {}, perCore: [1000, 800, 1250], cores: [57.8704, 46.2963, 72.338], hosts: [8, 6, 10] },
  {
    change: { requestsPerDay: [1_000_000] },
    perCore: [1000, 800, 1250],
    cores: [0.05787, 0.0463, 0.07234],
    hosts: [1, 1, 1],
  },
  {
    change: { peakFactor: 1, utilisation: 1, requestsPerDay: [86_400_000] },
    perCore: [125, 100, 1000],
    cores: [8, 1, 10],
    hosts: [1, 1, 2],
  },
  {
    change: { peakFactor: 1.1, utilisation: 0.1, requestsPerDay: [86_400_000], coresPerHost: 11 },
    perCore: [100, 100, 100],
    cores: [110, 110, 110],
    hosts: [10, 10, 10],
  },
])("$perCore a core gives $hosts hosts", ({ change, perCore, cores, hosts }) => {
  const [estimate = 0, low = 0, high = 0] = perCore;
  const parameters = { ...PARAMETERS, ...change };
  const [row] = costRows({ estimate, low, high }, parameters);
  expect([row?.cores.estimate, row?.cores.low, row?.cores.high]).toEqual(
    cores.map((value) => expect.closeTo(value, 3)),
  );
  expect(row?.hosts).toEqual({ estimate: hosts[0], low: hosts[1], high: hosts[2] });
  expect(row?.pricePerMonth.estimate).toBe((hosts[0] ?? 0) * 35);
});

test("what is unbounded stays unbounded", () => {
  const [row] = costRows({ estimate: 100, low: null, high: null }, PARAMETERS);
  expect([row?.cores.low, row?.cores.high]).toEqual([0, null]);
  expect([row?.hosts.low, row?.hosts.high, row?.pricePerMonth.high]).toEqual([1, null, null]);
});
