// The installed oha, one process for each part of a mix, against a server in this process: the
// joint rate is kept, and every part has its share to the request, in both arms.
import { readdirSync } from "node:fs";
import { expect, type TestContext, test } from "vitest";
import { makeFolder } from "../../../../test/support/files.ts";
import { makeLoad, serve } from "../../../../test/support/load.ts";
import { makeRequest, makeScenario } from "../../../../test/support/samples.ts";
import type { Scenario } from "../../../core/model/config.ts";
import type { LoadDone } from "../../../core/slice/load.ts";
import { summarizeSlice } from "../../../core/slice/slice.ts";
import { voidReason } from "../../../core/slice/validity.ts";
import { runCommand } from "../../sys/process.ts";
import { mixing } from "./mix.ts";
import { createOha } from "./oha/oha.ts";

const version = (await runCommand(["oha", "--version"])).stdout.replace("oha ", "");
const generator = mixing(createOha({ path: "oha", version }));
const SLOW_MS = 25;

function mixOf(): Scenario {
  const mix = [
    { name: "read", weight: 7, request: makeRequest({ path: "/read" }), expectStatus: 200 },
    { name: "slow", weight: 2, request: makeRequest({ path: "/slow" }), expectStatus: 200 },
    {
      name: "write",
      weight: 1,
      request: makeRequest({ method: "POST", path: "/write", body: "{}" }),
      expectStatus: 201,
    },
  ];
  const slice = { durationMs: 2000, pairs: 1 };
  return makeScenario({ rateRps: 500, connections: 24, slice, mix });
}

/** What a server was asked while `work` ran, by method and path. */
async function served<T>(
  work: (port: number, folder: string) => Promise<T>,
): Promise<{ result: T; asked: Record<string, number>; spanMs: number }> {
  const asked: Record<string, number> = {};
  const times: number[] = [];
  const port = await serve((request, response) => {
    times.push(performance.now());
    const what = `${request.method} ${request.url}`;
    asked[what] = (asked[what] ?? 0) + 1;
    request.resume();
    const end = (): unknown => response.writeHead(what.startsWith("POST") ? 201 : 200).end("{}");
    if (request.url === "/slow") setTimeout(end, SLOW_MS);
    else end();
  });
  const folder = makeFolder();
  const result = await work(port, folder);
  expect(readdirSync(folder), "files left behind").toEqual([]);
  return { result, asked, spanMs: (times.at(-1) ?? 0) - (times[0] ?? 0) };
}

const requestTo = (port: number, folder: string, requests: number) =>
  makeLoad({ scenario: mixOf(), port, requests, folder });

async function run(): Promise<{ load: LoadDone; asked: Record<string, number>; spanMs: number }> {
  const { result, ...rest } = await served((port, folder) =>
    generator.run(requestTo(port, folder, 1000)),
  );
  if (result.kind !== "done") throw new Error(JSON.stringify(result));
  return { load: result, ...rest };
}

test("every part keeps its share to the request, and all together their rate", async (context: TestContext) => {
  if (version === "") context.skip("oha not on PATH");
  for (const arm of ["candidate", "reference"] as const) {
    const { load, asked, spanMs } = await run();
    expect(asked).toEqual({ "GET /read": 700, "GET /slow": 200, "POST /write": 100 });
    expect(load.statuses).toEqual({ 200: 1000 });
    expect(load.rows.release).toHaveLength(1000);
    // 1,000 requests at 500/s, and the starts of three processes; one part after another takes 6 s.
    // On a busy machine the first may be late, and then those behind it come at once.
    expect(spanMs).toBeGreaterThan(1300);
    expect(spanMs).toBeLessThan(4500);
    const host = { steal: 0, foreign: 0, generator: 0, service: 0, throttled: 0 };
    const facts = { arm, pair: 0, attempt: 0, startedAtMs: 0, scheduled: 1000, host };
    const scenario = mixOf();
    const whole = summarizeSlice(load, scenario, facts);
    expect(voidReason(whole.slice, scenario, 0)).toBeNull();
    expect(whole.slice.achievedRps).toBeGreaterThan(250);
    expect(whole.slice.achievedRps).toBeLessThan(750);
    const parts = (load.parts ?? []).map((part) =>
      summarizeSlice(part.load, part.scenario, { ...facts, scheduled: part.requests }),
    );
    const kept = parts.map(({ slice }) => slice.latency?.requests ?? 0);
    expect(kept).toEqual([700 - 24, 200 - 14, 100 - 10]);
    const [read, slow] = parts.map(({ slice }) => slice.latency);
    expect(slow?.p50).toBeGreaterThan(SLOW_MS * 1000);
    expect(read?.p50).toBeLessThan(SLOW_MS * 1000);
    expect(whole.slice.latency?.p90).toBeGreaterThan(SLOW_MS * 1000);
  }
});

test("eight processes keep their joint rate, and a part of a hundredth its own", async (context: TestContext) => {
  if (version === "") context.skip("oha not on PATH");
  const scenario = mixOf();
  const [part] = scenario.mix ?? [];
  if (part === undefined) throw new Error("no parts");
  const weights = [40, 20, 10, 10, 8, 6, 5, 1];
  const mix = weights.map((weight, i) => ({ ...part, name: `p${i}`, weight }));
  const whole = { ...scenario, connections: 40, mix };
  const { result, asked } = await served((port, folder) =>
    generator.run({ ...requestTo(port, folder, 1000), scenario: whole }),
  );
  if (result.kind !== "done") throw new Error(JSON.stringify(result));
  expect(asked).toEqual({ "GET /read": 1000 });
  expect(result.parts?.map(({ requests }) => requests)).toEqual(weights.map((one) => one * 10));
  expect(result.parts?.map(({ load }) => load.rows.release.length)).toEqual(
    weights.map((one) => one * 10),
  );
  for (const { load, scenario: one } of result.parts ?? []) {
    const { release } = load.rows;
    const spanS = ((release.at(-1) ?? 0) - (release[0] ?? 0)) / 1e6;
    expect((release.length - 1) / spanS / one.rateRps).toBeCloseTo(1, 1);
  }
});

test("without a rate all parts are sent as well", async (context: TestContext) => {
  if (version === "") context.skip("oha not on PATH");
  const { result, asked } = await served(
    (port, folder) => generator.send?.(requestTo(port, folder, 50)) ?? Promise.reject(),
  );
  expect(asked).toEqual({ "GET /read": 35, "GET /slow": 10, "POST /write": 5 });
  expect(result).toMatchObject({ kind: "sent", statuses: { 200: 45, 201: 5 }, errors: {} });
});

test("a part that is answered wrongly makes all void, and is named", async (context: TestContext) => {
  if (version === "") context.skip("oha not on PATH");
  const scenario = mixOf();
  const wrong = scenario.mix?.map((part) => ({ ...part, expectStatus: 200 }));
  const { result } = await served((port, folder) =>
    generator.run({ ...requestTo(port, folder, 100), scenario: { ...scenario, mix: wrong } }),
  );
  if (result.kind !== "done") throw new Error(JSON.stringify(result));
  expect(result.statuses).toEqual({ 200: 90, "201 of echo[write]": 10 });
});
