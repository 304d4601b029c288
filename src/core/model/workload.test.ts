import { expect, test } from "vitest";
import { makeConfig, makeHost, makeSamples } from "../../../test/support/samples.ts";
import type { Scenario, Transport } from "./config.ts";
import type { Fingerprint } from "./host.ts";
import type { Samples } from "./samples.ts";
import {
  baselineKey,
  differingFact,
  differingIsolation,
  isolationOf,
  machineOf,
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

const X64 = {
  ...makeHost().fingerprint,
  architecture: "x64",
  pageBytes: 4096,
  hugePages: "madvise",
  serviceCpus: 1,
};

/** Whether machines that differ in this are alike for memory, and for whatever depends on the CPU. */
test.each<[string, Partial<Fingerprint>, boolean, boolean]>([
  ["the model", { cpuModel: "Other CPU" }, true, false],
  ["what goes with a model", { microcode: "0x2", smt: "on", mitigations: "1 open" }, true, false],
  ["a governor", { governor: "powersave" }, true, false],
  ["a build of the kernel", { kernel: "6.1.55-cloud" }, true, false],
  ["a release of the kernel", { kernel: "6.12.0" }, false, false],
  ["the architecture", { architecture: "arm64" }, false, false],
  ["the size of a page", { pageBytes: 65_536 }, false, false],
  ["huge pages", { hugePages: "always" }, false, false],
  ["CPUs", { cpus: 4 }, false, false],
  ["CPUs of the service", { serviceCpus: 2 }, false, false],
  ["memory", { memoryGiB: 16 }, false, false],
  ["the load generator", { generator: "oha 1.15.0" }, false, false],
])("%s", (_, change, memory, cpu) => {
  const now = { ...X64, ...change };
  for (const metric of ["rss", "rssPeak", "anon", "pss", "heap"] as const) {
    expect(differingFact(X64, now, metric) === null, metric).toBe(memory);
  }
  for (const metric of ["p99", "slow", "cpuPer1k", "startup", undefined] as const) {
    expect(differingFact(X64, now, metric) === null, metric).toBe(cpu);
  }
});

test("what an older version recorded says nothing of other models", () => {
  const { fingerprint: then } = makeHost();
  const other = { ...X64, cpuModel: "Other CPU" };
  expect(differingFact(then, X64)).toBe(null);
  expect(differingFact(then, X64, "rss")).toBe(null);
  expect(differingFact(then, other, "rss")).toBe("architecture: then Test CPU, now Other CPU");
});

test.each([
  ["AMD EPYC 7763 64-Core Processor", 4, "amd-epyc-7763-64-core-processor-4-cpus"],
  ["Intel(R) Xeon(R) CPU @ 2.20GHz", 2, "intel-xeon-cpu-2.20ghz-2-cpus"],
  ["../../x y", 2, "2-cpus"],
])("%s names a file", (cpuModel, cpus, name) => {
  expect(machineOf({ ...X64, cpuModel, cpus })).toBe(name);
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
