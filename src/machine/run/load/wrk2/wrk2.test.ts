// What is made of wrk2's own words, on recorded runs and on made-up ones; its script and its
// command line.
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readText } from "../../../../../test/support/files.ts";
import { makeLoad } from "../../../../../test/support/load.ts";
import { makeRequest, makeScenario } from "../../../../../test/support/samples.ts";
import type { Scenario } from "../../../../core/model/config.ts";
import { wrk2Scheduled } from "../../../../core/model/load-rules.ts";
import type { LoadRequest } from "../../../../core/slice/load.ts";
import { generatorOf } from "../generator.ts";
import { expandCounts, parseWrk2Report } from "./parse-report.ts";
import { parseWrk2Spectra } from "./parse-spectrum.ts";
import { renderWrk2Script } from "./script.ts";
import { wrk2VersionIn } from "./tool.ts";
import { createWrk2, planWrk2Run, wrk2Arguments } from "./wrk2.ts";

const FIXTURES = join(import.meta.dirname, "../../../../../test/fixtures/wrk2");
const recorded = (name: string): string => readText(join(FIXTURES, `${name}.txt`));

const scenarioOf = (change: Partial<Scenario> = {}) =>
  makeScenario({ generator: "wrk2", ...change });

const requestOf = (change: Partial<LoadRequest> = {}) =>
  makeLoad({ scenario: scenarioOf(), requests: 4000, cpus: [2, 3, 4], folder: "/f", ...change });

describe("the printed spectra", () => {
  test("corrected and uncorrected spectra have consistent counts", () => {
    const { corrected, uncorrected, reset } = parseWrk2Spectra(recorded("reset-at-10s"));
    expect(reset).toBe(true);
    expect(corrected).toMatchObject({ meanUs: 777, total: 14_960 });
    expect(uncorrected).toMatchObject({ meanUs: 116, total: 14_960 });
    for (const spectrum of [corrected, uncorrected]) {
      const latencies = expandCounts(spectrum?.steps ?? { values: EMPTY, counts: EMPTY });
      expect(latencies).toHaveLength(14_960);
      expect(latencies).toEqual(latencies.toSorted());
    }
    expect(corrected?.steps.values[0]).toBe(66);
    expect(corrected?.steps.counts.at(-1)).toBe(2);
  });

  test("one only, and nothing emptied, in a short run without -U", () => {
    const spectra = parseWrk2Spectra(recorded("short"));
    expect(spectra).toMatchObject({ corrected: { total: 4986 }, uncorrected: null, reset: false });
    expect(parseWrk2Spectra(recorded("not-found")).corrected?.total).toBe(1000);
  });

  test("an incomplete spectrum is null", () => {
    const lines = recorded("short").split("\n");
    const last = lines.findIndex((line) => line.endsWith("inf"));
    expect(parseWrk2Spectra(lines.toSpliced(last, 1).join("\n")).corrected).toBeNull();
    expect(parseWrk2Spectra("").corrected).toBeNull();
  });
});

const EMPTY = new Float64Array();

describe("our script's report", () => {
  const counts = fc
    .uniqueArray(fc.integer({ min: 0, max: 100_000_000 }), { maxLength: 50 })
    .map((values) => values.sort((a, b) => a - b))
    .chain((values) =>
      fc.tuple(
        fc.constant(values),
        fc.array(fc.integer({ min: 1, max: 20 }), {
          minLength: values.length,
          maxLength: values.length,
        }),
      ),
    );

  const written = (values: readonly number[], times: readonly number[]): string =>
    [
      "tailgate-wrk2 1",
      "requests 5001",
      "sent 5003",
      "stopped_us 987000",
      "behind_us 31000",
      "error connect 0",
      "error timeout 3",
      "status 200 5000",
      "status 503 1",
      ...values.map((value, i) => `value ${value} ${times[i]}`),
      `end ${times.reduce((sum, count) => sum + count, 0)}`,
      "",
    ].join("\n");

  test("every latency is recovered, in order", () => {
    fc.assert(
      fc.property(counts, ([values, times]) => {
        const parsed = parseWrk2Report(written(values, times));
        const expected = values.flatMap((value, i) => Array<number>(times[i] ?? 0).fill(value));
        expect(parsed).toMatchObject({
          requests: 5001,
          sent: 5003,
          stoppedUs: 987_000,
          behindUs: 31_000,
          statuses: { "200": 5000, "503": 1 },
          errors: { timeout: 3 },
        });
        expect([...expandCounts(parsed.recorded)]).toEqual(expected);
      }),
    );
  });

  test("a truncated report is refused", () => {
    const whole = written([60, 61, 3000], [1, 2, 3]);
    for (let length = 0; length < whole.length - 2; length++) {
      expect(() => parseWrk2Report(whole.slice(0, length)), String(length)).toThrow();
    }
  });

  test("malformed lines are refused with a message", () => {
    const check = (line: string): void => {
      const text = written([60], [1]).replace("value 60 1", line);
      expect(() => parseWrk2Report(text), line).toThrow(/unexpected line|cut short/);
    };
    for (const line of ["value 60 -1", "value 60 1e3", "value 60", "value a 1", "value 60 0"]) {
      check(line);
    }
    check("value 60 1\nvalue 59 1");
    check("value 60 1 1");
    const without = written([60], [1]).replace(/^sent .*\n/m, "");
    expect(() => parseWrk2Report(without)).toThrow("no line sent");
    expect(() => parseWrk2Report("hello")).toThrow("no heading");
  });
});

test("configuration values are escaped in the Lua script", () => {
  const headers = { 'a"': "\\\n" };
  const request = makeRequest({ method: "POST", path: '/"]]\\', headers, body: "x" });
  const { rateRps, connections } = scenarioOf();
  const script = renderWrk2Script(
    { request, keepAlive: false, rateRps, connections },
    { report: '/r"', body: "/b" },
  );
  const before = script.slice(0, script.indexOf("local clock"));
  expect(before).toContain('wrk.headers["\\097\\034"] = "\\092\\010"');
  expect(before.replaceAll(/"(\\\d{3})*"/g, "S")).toMatchInlineSnapshot(`
    "wrk.method = S
    wrk.path = S
    wrk.headers[S] = S
    wrk.headers[S] = S
    do local f = assert(io.open(S, "rb")); wrk.body = f:read("*a"); f:close() end
    local report = S
    local longest_us = 18000

    "
  `);
});

test("whole seconds, and as many threads as divide the connections", () => {
  const check = (change: Partial<LoadRequest>, seconds: number, threads: number): void => {
    expect(planWrk2Run(requestOf(change))).toEqual({ seconds, threads });
  };
  check({}, 2, 2);
  check({ requests: 4001 }, 3, 2);
  check({ requests: 1 }, 1, 2);
  check({ scenario: scenarioOf({ connections: 9 }) }, 2, 3);
  check({ scenario: scenarioOf({ connections: 7 }) }, 2, 1);
  check({ scenario: scenarioOf({ connections: 2 }), cpus: [1, 2, 3] }, 2, 2);
});

test("the command line", () => {
  const request = requestOf({ scenario: scenarioOf({ requestTimeoutMs: 1500 }) });
  const flags = wrk2Arguments(request, { seconds: 2, threads: 2 }, "/f/wrk2.lua");
  expect(flags.join(" ")).toBe(
    "--threads 2 --connections 16 --duration 2s --rate 2000 --timeout 2s --u_latency --script /f/wrk2.lua http://127.0.0.1:8080/",
  );
});

test("what the schedule holds: connections come one by one", () => {
  const check = (rateRps: number, connections: number, threads: number, total: number): void => {
    expect(wrk2Scheduled({ rateRps, connections }, { threads, durationMs: 3000 })).toBe(total);
  };
  check(1000, 1, 1, 3000);
  // The second connection begins 5 ms later, at half the rate each: 1500 and 1498.
  check(1000, 2, 1, 2998);
  check(1000, 2, 2, 3000);
  // Recorded: 2,968 and 5,931 answers by the end.
  check(1000, 16, 1, 2970);
  check(2000, 16, 1, 5932);
});

test("wrk2 is distinguished from wrk by its options", () => {
  const version = "wrk 4.0.0 [epoll] Copyright (C) 2012 Will Glozer\n";
  const options = "    -U  --u_latency   x\n    -R, --rate  <T>  x\n";
  expect(wrk2VersionIn(version + options)).toBe("4.0.0");
  expect(wrk2VersionIn(`${version}    -L  --latency   x\n`)).toBeNull();
  expect(wrk2VersionIn("")).toBeNull();
});

test("each scenario of a run gets the generator that it asks for", async () => {
  const named = (name: string) => ({
    name,
    run: async () => ({ kind: "failed" as const, text: name, detail: "" }),
  });
  const both = generatorOf({ oha: named("oha 1"), wrk2: named("wrk2 4") });
  expect(both.name).toBe("oha 1, wrk2 4");
  const asked = async (generator: Scenario["generator"]) =>
    await both.run(requestOf({ scenario: scenarioOf({ generator }) }));
  expect(await asked("wrk2")).toMatchObject({ text: "wrk2 4" });
  expect(await asked("oha")).toMatchObject({ text: "oha 1" });
  const one = generatorOf({ oha: named("oha 1") });
  await expect(one.run(requestOf())).rejects.toThrow("wrk2 was not looked for");
});

test("wrk2 is not run for a protocol it does not support", async () => {
  const transport = { protocol: "h2c", socket: null, tls: null } as const;
  const wrk2 = createWrk2({ path: "/nowhere", version: "4.0.0" });
  expect(await wrk2.run(requestOf({ transport }))).toMatchObject({
    kind: "failed",
    text: "wrk2 speaks HTTP/1.1 over TCP without TLS, and the service does not",
  });
});
