import { expect, test } from "vitest";
import { makeConfig, makeSamples } from "../../../test/support/samples.ts";
import type { Scenario, Transport } from "./config.ts";
import type { Samples } from "./samples.ts";
import {
  baselineKey,
  differingFact,
  differingIsolation,
  isolationOf,
  metricOfKey,
  workloadHash,
} from "./workload.ts";

const config = makeConfig();
const [scenario] = config.scenarios as [Scenario];
const hash = (one: Scenario) => workloadHash(one, config);

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
  expect(hash(pattern)).not.toBe(hash(scenario));
  // What was recorded before this was told apart stays comparable.
  expect(hash(scenario)).toBe("298e49be41710642");
});

test("what is spoken to the service is of the workload; where its certificate lies is not", () => {
  const spoken = (transport: Transport) =>
    workloadHash(scenario, {
      services: config.services.map((one) => ({ ...one, recipe: { ...one.recipe, transport } })),
    });
  const h2c = { protocol: "h2c", socket: false, tls: null } as const;
  const tls = { ca: "ca.pem", name: "localhost" };
  const hashes = [
    hash(scenario),
    spoken(h2c),
    spoken({ ...h2c, socket: true }),
    spoken({ ...h2c, protocol: "h2", tls }),
  ];
  expect(new Set(hashes).size).toBe(4);
  const elsewhere = { ...h2c, protocol: "h2", tls: { ca: "b.pem", name: "b" } } as const;
  expect(spoken(elsewhere)).toBe(hashes[3]);
});

test("what fills its requests is of the workload", () => {
  const services = config.services.map((one) => ({
    ...one,
    recipe: { ...one.recipe, before: ["./login"] },
  }));
  expect(workloadHash(scenario, { services })).not.toBe(hash(scenario));
});

test("machines are alike when every fact is, CPUs kept awake among them", () => {
  const { fingerprint: halting } = makeSamples({ rounds: 1, noise: 0 }).host;
  const awake = { ...halting, keptAwake: true as const };
  expect(differingFact(halting, halting)).toBe(null);
  expect(differingFact(awake, awake)).toBe(null);
  expect(differingFact(halting, awake)).toBe("keptAwake: then not, now true");
  expect(differingFact(awake, halting)).toBe("keptAwake: then true, now not");
});

test("a database that was shared and one that was copied do not compare", () => {
  const samplesWith = (isolation: "shared" | "separate" | undefined): Samples => {
    const samples = makeSamples({ rounds: 1, noise: 0 });
    const [service] = samples.config.services;
    service?.recipe.needs.push("db");
    samples.config.dependencies.push({ kind: "postgresql", name: "db", dir: ".", schema: [] });
    const contents = { candidate: null, reference: null };
    const facts = { name: "db", program: "PostgreSQL 15.18", contents, settings: {} };
    samples.dependencies = [{ ...facts, ...(isolation === undefined ? {} : { isolation }) }];
    return samples;
  };
  const check = (
    then: "shared" | "separate" | undefined,
    now: "shared" | "separate",
    expected: string | null,
  ): void => {
    const isolation = isolationOf(samplesWith(then), "api");
    expect(differingIsolation({ service: "api", isolation }, samplesWith(now))).toBe(expected);
  };
  check("shared", "shared", null);
  check("separate", "separate", null);
  check("shared", "separate", "db");
  check("separate", "shared", "db");
  // Of a version before.
  check(undefined, "shared", null);
  check(undefined, "separate", "db");
});
