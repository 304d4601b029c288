import { expect, test } from "vitest";
import { makeConfig, makeSamples } from "../../../test/support/samples.ts";
import type { Scenario } from "./config.ts";
import { baselineKey, differingFact, metricOfKey, workloadHash } from "./workload.ts";

const [scenario] = makeConfig().scenarios as [Scenario];

test("the two estimates of a scenario's metric have keys of their own", () => {
  const check = (id: string | null, estimator: "typical" | "pooled" | "launch", key: string) => {
    const metric = estimator === "launch" ? "rss" : "p99";
    const made = baselineKey({ service: "api", scenario: id, policy: { metric, estimator } });
    expect(made).toBe(key);
    expect(metricOfKey(key)).toBe(metric);
  };
  check("api/echo", "pooled", "echo/p99");
  check("api/echo", "typical", "echo/p99Typical");
  check(null, "launch", "rss");
});

test("a path that is a pattern is another workload than the same path as it stands", () => {
  const { request } = scenario;
  const pattern = { ...scenario, request: { ...request, pathIsPattern: true } };
  expect(workloadHash(pattern)).not.toBe(workloadHash(scenario));
  // What was recorded before this was told apart stays comparable.
  expect(workloadHash(scenario)).toBe("298e49be41710642");
});

test("machines are alike when every fact is, CPUs kept awake among them", () => {
  const { fingerprint: halting } = makeSamples({ rounds: 1, noise: 0 }).host;
  const awake = { ...halting, keptAwake: true as const };
  expect(differingFact(halting, halting)).toBe(null);
  expect(differingFact(awake, awake)).toBe(null);
  expect(differingFact(halting, awake)).toBe("keptAwake: then not, now true");
  expect(differingFact(awake, halting)).toBe("keptAwake: then true, now not");
});
