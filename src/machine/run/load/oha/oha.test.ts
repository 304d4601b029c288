// What is made of oha's own words, on recorded runs; and of its command line.
import { join } from "node:path";
import { expect, test } from "vitest";
import { readText } from "../../../../../test/support/files.ts";
import { makeLoad } from "../../../../../test/support/load.ts";
import { makeRequest, makeScenario } from "../../../../../test/support/samples.ts";
import type { Scenario } from "../../../../core/model/config.ts";
import { ohaArguments } from "./oha.ts";
import { parseOha } from "./parse-oha.ts";
import { readOhaRows } from "./rows.ts";

const FIXTURES = join(import.meta.dirname, "../../../../../test/fixtures/oha");

test("counts of statuses and errors", () => {
  const check = (name: string, statuses: object, errors: number): void => {
    const counts = parseOha(readText(join(FIXTURES, `${name}.json`)));
    expect(counts.statuses, name).toEqual(statuses);
    expect(
      Object.values(counts.errors).reduce((sum, n) => sum + n, 0),
      name,
    ).toBe(errors);
  };
  check("steady-n", { "200": 2000 }, 0);
  check("saturated-n", { "200": 3000 }, 0);
  check("bad-status", { "400": 200 }, 0);
  check("refused", {}, 50);
  check("timeout", { "200": 14 }, 6);
});

test("a report that is not oha's is refused in words", () => {
  expect(() => parseOha("{")).toThrow("JSON");
  expect(() => parseOha("{}")).toThrow("no usable statusCodeDistribution");
  const negative = '{"statusCodeDistribution":{"200":-1},"errorDistribution":{}}';
  expect(() => parseOha(negative)).toThrow("statusCodeDistribution.200");
});

test("rows come in the order of release, one for each answer", () => {
  const { release, start, end, bytes } = readOhaRows(join(FIXTURES, "steady-n.db"));
  expect([release.length, start.length, end.length]).toEqual([2000, 2000, 2000]);
  expect(bytes).toEqual(new Float64Array(2000).fill(1056));
  for (let i = 0; i < release.length; i++) {
    expect(start[i]).toBeGreaterThanOrEqual(release[i] as number);
    expect(end[i]).toBeGreaterThan(start[i] as number);
    if (i > 0) expect(release[i]).toBeGreaterThanOrEqual(release[i - 1] as number);
  }
  expect(readOhaRows(join(FIXTURES, "refused.db")).release).toHaveLength(0);
  expect(() => readOhaRows(join(FIXTURES, "README.md"))).toThrow();
});

function argumentsOf(change: Partial<Scenario>, database: string | null = "/f/oha.db"): string[] {
  return ohaArguments(
    makeLoad({ scenario: makeScenario(change), requests: 1000, cpus: [2, 3], folder: "/f" }),
    {
      database,
      report: "/f/oha.json",
      body: "/f/body",
      urls: "/f/urls",
    },
  );
}

test("requests are counted, not timed, and corrected from the schedule", () => {
  const flags = argumentsOf({}).join(" ");
  expect(flags).toContain("-n 1000 -q 2000 -c 16 --latency-correction");
  expect(flags).toContain("--worker-threads 2");
  expect(flags).not.toContain("-z");
  expect(flags.endsWith("-m GET http://127.0.0.1:8080/echo")).toBe(true);
});

test("what is sent without a rate keeps no rows", () => {
  const flags = argumentsOf({}, null).join(" ");
  expect(flags).toContain("-n 1000 -c 16");
  expect(flags).not.toMatch(/ -q | --latency-correction | --db-url /);
});

test("a dot of a path pattern, and of the address, is a dot", () => {
  const request = makeRequest({ path: "/u/[1-9\\.]\\.json\\?v=1", pathIsPattern: true });
  expect(argumentsOf({ request }).slice(-2)).toEqual([
    "--rand-regex-url",
    "http://127[.]0[.]0[.]1:8080/u/[1-9.][.]json\\?v=1",
  ]);
});

test("a body and headers go as they are, a content type once", () => {
  const flags = argumentsOf({
    keepAlive: false,
    request: makeRequest({
      method: "POST",
      path: "/a?b=c",
      headers: { "Content-Type": "application/json", "X-A": "b c" },
      body: "-x $(true)",
    }),
  });
  expect(flags.slice(-9)).toEqual([
    "POST",
    "--disable-keepalive",
    "-T",
    "application/json",
    "-H",
    "X-A: b c",
    "-D",
    "/f/body",
    "http://127.0.0.1:8080/a?b=c",
  ]);
});

test("lines of files are drawn by oha", () => {
  const file = (lines: "paths" | "bodies") =>
    ({ path: "data", sha256: "5ca1ab1e", bytes: 9, repeat: null, lines }) as const;
  const request = makeRequest({ path: "data", paths: file("paths"), body: file("bodies") });
  const flags = argumentsOf({ request });
  expect(flags.slice(flags.indexOf("-Z"))).toEqual([
    "-Z",
    "/f/body",
    "--urls-from-file",
    "/f/urls",
  ]);
});
