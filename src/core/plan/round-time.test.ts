// What a round takes, from the configuration alone.
import { expect, test } from "vitest";
import { makeConfig } from "../../../test/support/samples.ts";
import type { Config } from "../model/config.ts";
import type { RoundTime } from "../model/plan.ts";
import { roundTime } from "./round-time.ts";

/** One service with two scenarios: 2 × 500 ms at 2,000/s each, after 200 requests. */
function configWith(memory?: { requests: number }): Config {
  const config = makeConfig();
  return {
    ...config,
    services: config.services.map((service) => ({ ...service, ...(memory && { memory }) })),
    scenarios: config.scenarios.map((scenario) => ({
      ...scenario,
      warmupRequests: 200,
      slice: { durationMs: 500, pairs: 2 },
    })),
  };
}

function timeOf({ services: [service], scenarios }: Config): RoundTime {
  if (service === undefined) throw new Error("no service");
  return roundTime(service, scenarios);
}

test("load is what the slices last; beside it are starts, warm-ups and a rest", () => {
  const { loadMs, otherMs } = timeOf(configWith());
  expect(loadMs).toBe(2 * 2 * 2 * 500);
  // Twelve runs of the generator, four of them as fast as they are answered.
  expect(otherMs).toBeGreaterThan(12 * 40 + 200);
  expect(otherMs).toBeLessThan(1200);
});

test("requests before memory is read take the time of full speed", () => {
  const of = (config: Config) => timeOf(config).otherMs;
  // 4,400 of them are sent anyway, by each arm.
  expect(of(configWith({ requests: 4400 }))).toBe(of(configWith()));
  const more = of(configWith({ requests: 16_400 })) - of(configWith());
  expect(more).toBeCloseTo(2 * (12_000 / 6 + 2 * 40), 6);
});
