import { describe, expect, test } from "vitest";
import { settleRate, warmUp } from "./measure-rate.ts";

describe("a rate from the CPU time of requests", () => {
  /** A service that answers one request after the other. */
  const check = async (
    { cpuUs, waitUs = 0, startRps = 500 }: { cpuUs: number; waitUs?: number; startRps?: number },
    expected: number | null,
  ): Promise<void> => {
    const asked: number[] = [];
    const rate = await settleRate({ startRps }, async (rateRps) => {
      asked.push(rateRps);
      // As the counters have it.
      const cpuMs = Math.floor((rateRps * cpuUs) / 1e4) * 10;
      return { requests: rateRps, cpuMs, keptUp: rateRps * (cpuUs + waitUs) < 1e6 };
    });
    if (expected === null) expect(rate).toBeNull();
    else expect(Math.abs(Math.log((rate?.rps ?? 1) / expected))).toBeLessThan(Math.log(1.25));
    expect(asked.length).toBeLessThanOrEqual(10);
  };
  test("a third of a core once it is compiled, of a service that is slow until then", async () => {
    let answered = 0;
    const rate = await settleRate({ startRps: 500 }, async (rateRps) => {
      answered += rateRps;
      const cpuUs = answered < 600 ? 30_000 : 2000;
      return { requests: rateRps, cpuMs: (rateRps * cpuUs) / 1000, keptUp: rateRps * cpuUs < 1e6 };
    });
    expect(rate?.rps).toBeCloseTo(167, -1);
  });
  test("what compiles beside requests is none of their cost", async () => {
    const rate = await settleRate({ startRps: 26, mostUs: 13_000 }, async (rateRps) => {
      return { requests: rateRps, cpuMs: 990, keptUp: true };
    });
    expect(rate).toEqual({ kind: "held", rps: 26, cpuUs: 13_000 });
  });
  test.each<[string, Parameters<typeof check>[0], number | null]>([
    ["a third of one core", { cpuUs: 1000 }, 333],
    ["many small requests, which do not need a third of it", { cpuUs: 30 }, 1000],
    ["so slow that the first rate is too much", { cpuUs: 20_000 }, 16],
    ["requests that cost less than can be seen", { cpuUs: 1 }, 1000],
    ["a wait that costs no CPU", { cpuUs: 100, waitUs: 9900 }, 62],
    ["an answer that never comes in time", { cpuUs: 100, waitUs: 1e9 }, null],
  ])("%s", async (_name, service, expected) => {
    await check(service, expected);
  });
  test.each<[string, { most: number; costsUs: (number | null)[] }, number | null, number]>([
    ["until a batch is hardly quicker", { most: 5000, costsUs: [20e3, 9e3, 8e3, 1] }, 8e3, 900],
    ["as many as compile by then", { most: 700, costsUs: [20e3, 9e3, 4e3, 1] }, 4e3, 700],
    ["until it is gone", { most: 5000, costsUs: [20e3, null] }, 20e3, 600],
    ["none where nothing compiles", { most: 0, costsUs: [] }, null, 0],
  ])("a warm-up of batches: %s", async (_name, { most, costsUs }, expectedUs, expectedSent) => {
    let sent = 0;
    const cpuUs = await warmUp(most, async (requests) => {
      sent += requests;
      const costUs = costsUs.shift() ?? null;
      return costUs === null ? null : (costUs * requests) / 1000;
    });
    expect([cpuUs, sent]).toEqual([expectedUs, expectedSent]);
  });
  test("nothing, where the service is gone", async () => {
    expect(await settleRate({ startRps: 500 }, async () => null)).toBeNull();
  });
});
